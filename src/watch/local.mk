helper_PROGRAMS += anet-watch
anet_watch_SOURCES = \
	src/watch/calls.c \
	src/watch/calls.h \
	src/watch/main.c \
	src/watch/place.c \
	src/watch/place.h
anet_watch_LDADD = libos.a libcore.a
anet_watch_CFLAGS = $(AM_CFLAGS)
if STATIC_INIT
# As anet-init: the run waits for its start.
anet_watch_LDFLAGS = $(HARDEN_LDFLAGS) -static-pie
else
anet_watch_LDFLAGS = $(AM_LDFLAGS)
endif
BUILT_SOURCES += src/watch/watch-seccomp.h
CLEANFILES += src/watch/watch-seccomp.h
EXTRA_DIST += src/watch/watch.seccomp
