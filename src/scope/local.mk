helper_PROGRAMS += anet-scope
anet_scope_SOURCES = src/scope/main.c
anet_scope_LDADD = libos.a libcore.a $(SYSTEMD_LIBS)
