# What an operator types.  A library, so that unit tests link the parts.
noinst_LIBRARIES += libcli.a
libcli_a_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_CFLAGS)
libcli_a_SOURCES = \
	src/cli/command.h \
	src/cli/doctor-machine.c \
	src/cli/doctor-print.c \
	src/cli/doctor-session.c \
	src/cli/doctor.c \
	src/cli/doctor.h \
	src/cli/options.c \
	src/cli/run.c

# Each needs what stands behind it.
product_libs = libstrategies.a libconfig.a libos.a libcore.a $(JSON_LIBS)

bin_PROGRAMS += anet
anet_SOURCES = src/cli/main.c
anet_LDADD = libcli.a $(product_libs)
