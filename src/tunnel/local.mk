helper_PROGRAMS += anet-tunnel
anet_tunnel_SOURCES = \
	src/tunnel/allowed.c \
	src/tunnel/allowed.h \
	src/tunnel/client.c \
	src/tunnel/dial-record.h \
	src/tunnel/dial.c \
	src/tunnel/dialer.c \
	src/tunnel/dialer.h \
	src/tunnel/lookup.c \
	src/tunnel/lookup.h \
	src/tunnel/main.c \
	src/tunnel/race.c \
	src/tunnel/race.h \
	src/tunnel/relay.c \
	src/tunnel/relay.h \
	src/tunnel/tunnel.h
nodist_anet_tunnel_SOURCES = src/tunnel/dialer-seccomp.h src/tunnel/tunnel-seccomp.h
BUILT_SOURCES += src/tunnel/dialer-seccomp.h src/tunnel/tunnel-seccomp.h
CLEANFILES += src/tunnel/dialer-seccomp.h src/tunnel/tunnel-seccomp.h
EXTRA_DIST += src/tunnel/dialer.seccomp src/tunnel/tunnel.seccomp
anet_tunnel_LDADD = libos.a libcore.a
