# What an operator types.  A library, so that unit tests link the parts.
noinst_LIBRARIES += libcli.a
libcli_a_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_CFLAGS)
libcli_a_SOURCES = \
	src/cli/arena.c \
	src/cli/arena.h \
	src/cli/command.h \
	src/cli/config-table.c \
	src/cli/config-table.h \
	src/cli/config.c \
	src/cli/config.h \
	src/cli/doctor-machine.c \
	src/cli/doctor-print.c \
	src/cli/doctor-session.c \
	src/cli/doctor.c \
	src/cli/doctor.h \
	src/cli/json-file.c \
	src/cli/json-file.h \
	src/cli/key.c \
	src/cli/key.h \
	src/cli/model.c \
	src/cli/model.h \
	src/cli/options.c \
	src/cli/places.c \
	src/cli/places.h \
	src/cli/probe-cache.c \
	src/cli/probe-cache.h \
	src/cli/program.c \
	src/cli/program.h \
	src/cli/run-env.c \
	src/cli/run-env.h \
	src/cli/run.c \
	src/cli/runtime.c \
	src/cli/runtime.h \
	src/cli/shebang.c \
	src/cli/shebang.h \
	src/strategies/probe-judge.c \
	src/strategies/probe-judge.h \
	src/strategies/session-start.c \
	src/strategies/session-start.h \
	src/strategies/srt.c \
	src/strategies/strategy.h

bin_PROGRAMS += anet
anet_SOURCES = src/cli/main.c
anet_LDADD = libcli.a libos.a libcore.a $(JSON_LIBS)
