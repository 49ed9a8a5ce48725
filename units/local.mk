# Units of systemd, and the accounts and directories that they need.  Installing them changes nothing of a running
# system: that is for whoever installs (README.md), or for the package's scripts.
units_made = \
	units/anet-gateway.socket \
	units/anet-gateway@.service \
	units/anet-host@.service \
	units/anet-probe.service \
	units/anet-session@.service \
	units/anet-tunnel.socket \
	units/anet-tunnel@.service \
	units/anet-upstream.socket \
	units/anet-upstream@.service
dist_systemunit_DATA = units/anet.slice
nodist_systemunit_DATA = $(units_made)
dist_systempreset_DATA = units/80-anet.preset
dist_sysusers_DATA = units/sysusers.d/anet.conf
nodist_tmpfiles_DATA = units/tmpfiles.d/anet.conf
EXTRA_DIST += $(units_made:=.in) units/confinement units/helper-hardening units/tmpfiles.d/anet.conf.in
CLEANFILES += $(units_made) $(nodist_tmpfiles_DATA)

# What several units share stands in one file; the paths of this installation are filled in last.
$(units_made): units/confinement units/helper-hardening
	$(AM_V_GEN)$(MKDIR_P) units && sed \
		-e '/^@confinement@$$/{r $(srcdir)/units/confinement' -e 'd;}' \
		-e '/^@helper-hardening@$$/{r $(srcdir)/units/helper-hardening' -e 'd;}' \
		$(srcdir)/$@.in | $(fill_in_paths) >$@.new && mv $@.new $@
$(nodist_tmpfiles_DATA): units/tmpfiles.d/anet.conf.in
	$(AM_V_GEN)$(MKDIR_P) units/tmpfiles.d && \
	$(fill_in_paths) <$(srcdir)/units/tmpfiles.d/anet.conf.in >$@.new && mv $@.new $@
fill_in_paths = sed -e 's|@helperdir[@]|$(helperdir)|g' -e 's|@sysconfdir[@]|$(sysconfdir)|g'

units/anet-gateway.socket: units/anet-gateway.socket.in
units/anet-gateway@.service: units/anet-gateway@.service.in
units/anet-host@.service: units/anet-host@.service.in
units/anet-probe.service: units/anet-probe.service.in
units/anet-session@.service: units/anet-session@.service.in
units/anet-tunnel.socket: units/anet-tunnel.socket.in
units/anet-tunnel@.service: units/anet-tunnel@.service.in
units/anet-upstream.socket: units/anet-upstream.socket.in
units/anet-upstream@.service: units/anet-upstream@.service.in
