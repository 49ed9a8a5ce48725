helper_PROGRAMS += anet-files
anet_files_SOURCES = \
	src/files/main.c \
	src/files/walk.c \
	src/files/walk.h
anet_files_LDADD = libos.a libcore.a
anet_files_CFLAGS = $(AM_CFLAGS)
if STATIC_INIT
# As anet-init: a quarter of the time to start, and fewer pages of its own.
anet_files_LDFLAGS = $(HARDEN_LDFLAGS) -static-pie
else
anet_files_LDFLAGS = $(AM_LDFLAGS)
endif
BUILT_SOURCES += src/files/files-seccomp.h
CLEANFILES += src/files/files-seccomp.h
EXTRA_DIST += src/files/files.seccomp
