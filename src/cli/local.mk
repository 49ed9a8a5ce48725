# What an operator types.  A library, so that unit tests link the parts.
noinst_LIBRARIES += libcli.a
libcli_a_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_CFLAGS)
libcli_a_SOURCES = \
	src/cli/agent-draft.c \
	src/cli/agent-edit.c \
	src/cli/agent-kept.c \
	src/cli/agent-move.c \
	src/cli/agent-options.c \
	src/cli/agent-show.c \
	src/cli/agent-tell.c \
	src/cli/agent.c \
	src/cli/agent.h \
	src/cli/autoreply-set.c \
	src/cli/autoreply.c \
	src/cli/autoreply.h \
	src/cli/capture.c \
	src/cli/capture.h \
	src/cli/changes.c \
	src/cli/changes.h \
	src/cli/command.h \
	src/cli/config-check.c \
	src/cli/config-check.h \
	src/cli/config-print.c \
	src/cli/config-store.c \
	src/cli/config-store.h \
	src/cli/config-workspaces.c \
	src/cli/config.c \
	src/cli/credential-key.c \
	src/cli/credential-list.c \
	src/cli/credential-seal.c \
	src/cli/credential-store.c \
	src/cli/credential.c \
	src/cli/credential.h \
	src/cli/doctor-machine.c \
	src/cli/doctor-print.c \
	src/cli/doctor-session.c \
	src/cli/doctor.c \
	src/cli/doctor.h \
	src/cli/egress-ask.c \
	src/cli/egress-ask.h \
	src/cli/foreground.c \
	src/cli/foreground.h \
	src/cli/machine.c \
	src/cli/machine.h \
	src/cli/models-agent.c \
	src/cli/models-print.c \
	src/cli/models.c \
	src/cli/models.h \
	src/cli/options.c \
	src/cli/output.c \
	src/cli/output.h \
	src/cli/restart.c \
	src/cli/outside.c \
	src/cli/outside.h \
	src/cli/reporter-print.c \
	src/cli/reporter.c \
	src/cli/reporter.h \
	src/cli/run.c \
	src/cli/runtime-here.c \
	src/cli/runtime-here.h \
	src/cli/selector.c \
	src/cli/selector.h \
	src/cli/sessions-clean.c \
	src/cli/sessions-left.c \
	src/cli/sessions-left.h \
	src/cli/sessions-print.c \
	src/cli/sessions-read.c \
	src/cli/sessions.c \
	src/cli/sessions.h \
	src/cli/settings.c \
	src/cli/settings.h \
	src/cli/status-print.c \
	src/cli/status.c \
	src/cli/status.h \
	src/cli/strategies.c \
	src/cli/table.c \
	src/cli/table.h \
	src/cli/task.c \
	src/cli/task.h \
	src/cli/values.c \
	src/cli/values.h \
	src/cli/why-compare.c \
	src/cli/why-host.c \
	src/cli/why-path.c \
	src/cli/why-request.c \
	src/cli/why-resolve.c \
	src/cli/why-resolve.h \
	src/cli/why-session-find.c \
	src/cli/why-session-line.c \
	src/cli/why-session.c \
	src/cli/why-session.h \
	src/cli/why-trial.c \
	src/cli/why-trial.h \
	src/cli/why.c \
	src/cli/why.h

# Each needs what stands behind it.
product_libs = libstrategies.a libconfig.a libos.a libcore.a $(JSON_LIBS)

bin_PROGRAMS += anet
anet_SOURCES = src/cli/main.c
anet_LDADD = libcli.a $(product_libs)
