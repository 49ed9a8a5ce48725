helper_PROGRAMS += anet-init
anet_init_SOURCES = \
	src/init/descendants.c \
	src/init/descendants.h \
	src/init/home-files.c \
	src/init/home-files.h \
	src/init/main.c \
	src/init/mount-check.c \
	src/init/mount-check.h \
	src/init/report-filter.c \
	src/init/report-filter.h \
	src/init/setid-check.c \
	src/init/setid-check.h \
	src/init/start.c \
	src/init/start.h \
	src/init/terminal.c \
	src/init/terminal.h
anet_init_LDADD = libos.a libcore.a
anet_init_CFLAGS = $(AM_CFLAGS)
if STATIC_INIT
# Static: it runs where a library need not be visible, and starts in a quarter of the time.
anet_init_LDFLAGS = $(HARDEN_LDFLAGS) -static-pie
else
anet_init_LDFLAGS = $(AM_LDFLAGS)
endif
BUILT_SOURCES += src/init/report-seccomp.h
CLEANFILES += src/init/report-seccomp.h
EXTRA_DIST += src/init/report.seccomp
