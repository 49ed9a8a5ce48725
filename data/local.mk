# Agent programs, as data: data/runtimes/README.md.
dist_runtime_DATA += \
	data/runtimes/claude.json \
	data/runtimes/command.json
EXTRA_DIST += data/runtimes/README.md
dist_pkgdata_DATA += data/models.json

# Where an operator puts his own.
install-data-local:
	$(MKDIR_P) "$(DESTDIR)$(sysconfdir)/anet"
