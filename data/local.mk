# Agent programs, as data: data/runtimes/README.md.
dist_runtime_DATA += \
	data/runtimes/README.md \
	data/runtimes/claude.json \
	data/runtimes/command.json
dist_pkgdata_DATA += data/models.json

# Where an operator puts his own.
install-data-local:
	$(MKDIR_P) "$(DESTDIR)$(sysconfdir)/anet"
