# The only program that links OpenSSL.
helper_PROGRAMS += anet-upstream
anet_upstream_SOURCES = \
	src/upstream/exchange.c \
	src/upstream/exchange.h \
	src/upstream/main.c \
	src/upstream/relay-head.c \
	src/upstream/relay-head.h \
	src/upstream/relay.c \
	src/upstream/relay.h \
	src/upstream/request-head.c \
	src/upstream/request-head.h \
	src/upstream/request.c \
	src/upstream/request.h \
	src/upstream/resolve.c \
	src/upstream/resolve.h \
	src/upstream/secret.c \
	src/upstream/secret.h \
	src/upstream/serve.c \
	src/upstream/serve.h \
	src/upstream/service.c \
	src/upstream/service.h \
	src/upstream/tls.c \
	src/upstream/tls.h \
	src/upstream/watch.c \
	src/upstream/watch.h
nodist_anet_upstream_SOURCES = src/upstream/upstream-seccomp.h
BUILT_SOURCES += src/upstream/upstream-seccomp.h
CLEANFILES += src/upstream/upstream-seccomp.h
EXTRA_DIST += src/upstream/upstream.seccomp
anet_upstream_CFLAGS = $(AM_CFLAGS) $(SSL_CFLAGS)
anet_upstream_LDADD = libos.a libcore.a $(SSL_LIBS)
