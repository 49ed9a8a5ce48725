helper_PROGRAMS += anet-gateway
anet_gateway_SOURCES = \
	src/gateway/gateway-answer.c \
	src/gateway/gateway-body.c \
	src/gateway/gateway-forward.c \
	src/gateway/gateway-io.c \
	src/gateway/gateway-key.c \
	src/gateway/gateway-request.c \
	src/gateway/gateway-status.c \
	src/gateway/gateway-status.h \
	src/gateway/gateway.h \
	src/gateway/main.c
anet_gateway_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS)
anet_gateway_LDADD = libjudge.a libos.a libcore.a $(JSON_LIBS)

BUILT_SOURCES += src/gateway/gateway-seccomp.h
CLEANFILES += src/gateway/gateway-seccomp.h
EXTRA_DIST += src/gateway/gateway.seccomp
