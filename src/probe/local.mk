helper_PROGRAMS += anet-probe
anet_probe_SOURCES = \
	src/probe/anet-probe.c \
	src/probe/calls.c \
	src/probe/network.c \
	src/probe/probe.h \
	src/probe/process.c
anet_probe_LDADD = libos.a
