# The boundaries that sessions run in, and whether they can be had here.
noinst_LIBRARIES += libstrategies.a
libstrategies_a_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_CFLAGS)
libstrategies_a_SOURCES = \
	src/strategies/identity.c \
	src/strategies/identity.h \
	src/strategies/probe-cache.c \
	src/strategies/probe-cache.h \
	src/strategies/probe-judge.c \
	src/strategies/probe-judge.h \
	src/strategies/selection.c \
	src/strategies/selection.h \
	src/strategies/session-start.c \
	src/strategies/session-start.h \
	src/strategies/srt.c \
	src/strategies/strategy.h \
	src/strategies/table-file.c \
	src/strategies/table.c \
	src/strategies/table.h
