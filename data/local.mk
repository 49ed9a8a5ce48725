# Agent programs, as data: anet-runtime(5).
dist_runtime_DATA += \
	data/runtimes/claude.json \
	data/runtimes/codex.json \
	data/runtimes/command.json \
	data/runtimes/cursor.json \
	data/runtimes/hermes.json \
	data/runtimes/openclaw.json \
	data/runtimes/opencode.json \
	data/runtimes/pi.json \
	data/runtimes/qwen.json
dist_pkgdata_DATA += data/models.json

# Where an operator puts his own.
install-data-local:
	$(MKDIR_P) "$(DESTDIR)$(sysconfdir)/anet"

# The catalog of the journal, from the list of reasons.
noinst_PROGRAMS += data/catalog/catalog
data_catalog_catalog_SOURCES = data/catalog/catalog.c
data_catalog_catalog_LDADD = libcore.a
nodist_catalog_DATA = data/catalog/anet.catalog
CLEANFILES += $(nodist_catalog_DATA)

$(nodist_catalog_DATA): data/catalog/catalog$(EXEEXT)
	$(AM_V_GEN)data/catalog/catalog$(EXEEXT) >$@.new && mv $@.new $@
