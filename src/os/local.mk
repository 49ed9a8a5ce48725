# The thin layer above the kernel: -errno out, nothing logged.
noinst_LIBRARIES += libos.a
libos_a_CPPFLAGS = $(AM_CPPFLAGS) $(SYSTEMD_CFLAGS)
libos_a_SOURCES = \
	src/os/bwrap.c \
	src/os/bwrap.h \
	src/os/cgroup.c \
	src/os/cgroup.h \
	src/os/cleanup.h \
	src/os/clock.h \
	src/os/explain.c \
	src/os/explain.h \
	src/os/handover.c \
	src/os/handover.h \
	src/os/helper.c \
	src/os/helper.h \
	src/os/idmap.c \
	src/os/idmap.h \
	src/os/notify.c \
	src/os/notify.h \
	src/os/private-dir.c \
	src/os/private-dir.h \
	src/os/process.c \
	src/os/process.h \
	src/os/replace-file.c \
	src/os/replace-file.h \
	src/os/protected.c \
	src/os/protected.h \
	src/os/report.c \
	src/os/report.h \
	src/os/run-record.c \
	src/os/run-record.h \
	src/os/sandbox.c \
	src/os/sandbox.h \
	src/os/scope.c \
	src/os/scope.h \
	src/os/session-clean.c \
	src/os/session-clean.h \
	src/os/session-dir.c \
	src/os/session-dir.h \
	src/os/session-outcome.c \
	src/os/session-outcome.h \
	src/os/session-unit.c \
	src/os/session-unit.h \
	src/os/systemd-scope.c \
	src/os/systemd-scope.h \
	src/os/uid-processes.c \
	src/os/uid-processes.h \
	src/os/uid-range.c \
	src/os/uid-range.h \
	src/os/view-internal.h \
	src/os/view-protected.c \
	src/os/view-sources.c \
	src/os/view-system.c \
	src/os/view.c \
	src/os/view.h \
	src/os/visible.c \
	src/os/visible.h
