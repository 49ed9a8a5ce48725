helper_PROGRAMS += anet-session
anet_session_SOURCES = \
	src/session/ask-scope.c \
	src/session/connections.h \
	src/session/control.c \
	src/session/endpoint.c \
	src/session/events.c \
	src/session/files.c \
	src/session/guard.c \
	src/session/helpers.c \
	src/session/host.c \
	src/session/init-record.c \
	src/session/left.c \
	src/session/lines.c \
	src/session/main.c \
	src/session/measured.c \
	src/session/mounts.c \
	src/session/pairs.c \
	src/session/records.c \
	src/session/refusals.c \
	src/session/refuse.c \
	src/session/report.c \
	src/session/session.h \
	src/session/staging.c \
	src/session/start.c \
	src/session/streams.c \
	src/session/tell.c \
	src/session/tunnels.c \
	src/session/unit.c \
	src/session/watch.c \
	src/session/watch.h
nodist_anet_session_SOURCES = src/session/run-seccomp.h src/session/session-seccomp.h
anet_session_LDADD = libos.a libcore.a

BUILT_SOURCES += src/session/run-seccomp.h src/session/session-seccomp.h
CLEANFILES += src/session/run-seccomp.h src/session/session-seccomp.h
EXTRA_DIST += src/session/run.seccomp src/session/session.seccomp
