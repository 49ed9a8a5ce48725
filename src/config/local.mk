# Configuration, agents, runtimes, and what they make of a session: for the
# command and for the prepare step.  A library, so that unit tests link the parts.
noinst_LIBRARIES += libconfig.a
libconfig_a_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_CFLAGS)
libconfig_a_SOURCES = \
	src/config/api-base.c \
	src/config/api-base.h \
	src/config/agent.c \
	src/config/arena.c \
	src/config/arena.h \
	src/config/config-keys.c \
	src/config/config-keys.h \
	src/config/config-reading.h \
	src/config/assigned.c \
	src/config/assigned.h \
	src/config/auto-reply.c \
	src/config/auto-reply.h \
	src/config/config-table.c \
	src/config/config-table.h \
	src/config/config-value.c \
	src/config/config.c \
	src/config/config.h \
	src/config/effective.c \
	src/config/effective.h \
	src/config/egress.c \
	src/config/egress.h \
	src/config/home-files.c \
	src/config/home-files.h \
	src/config/json-edit.c \
	src/config/json-edit.h \
	src/config/json-file.c \
	src/config/json-file.h \
	src/config/json-place.c \
	src/config/json-place.h \
	src/config/key.c \
	src/config/key.h \
	src/config/model.c \
	src/config/model.h \
	src/config/model-table.c \
	src/config/model-table.h \
	src/config/notes.c \
	src/config/notes.h \
	src/config/mounts.c \
	src/config/mounts.h \
	src/config/package.c \
	src/config/package.h \
	src/config/places.c \
	src/config/places.h \
	src/config/preparation.c \
	src/config/preparation.h \
	src/config/program.c \
	src/config/program.h \
	src/config/retired.c \
	src/config/retired.h \
	src/config/resolve.c \
	src/config/resolve.h \
	src/config/run-env.c \
	src/config/run-env.h \
	src/config/runtime.c \
	src/config/runtime.h \
	src/config/shebang.c \
	src/config/shebang.h \
	src/config/template.c \
	src/config/template.h \
	src/config/writable.c \
	src/config/writable.h
