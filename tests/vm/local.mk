# What runs in a virtual machine with a booted systemd: see tests/vm/run.
check_PROGRAMS += tests/vm/scope-try
tests_vm_scope_try_SOURCES = tests/vm/scope-try.c
tests_vm_scope_try_LDADD = libos.a libcore.a $(SYSTEMD_LIBS)
EXTRA_DIST += tests/vm/README.md tests/vm/bookworm.sh tests/vm/boot tests/vm/build-image tests/vm/claude-image \
	tests/vm/guest tests/vm/run tests/vm/trixie.sh
