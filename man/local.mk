# Pages are written by hand in mdoc(7); only the lists of anet-reasons(7) and
# anet-gateway-rules(7) are made.
dist_man_MANS += \
	man/anet-config.1 \
	man/anet-agent.1 \
	man/anet-autoreply.1 \
	man/anet-credential.1 \
	man/anet-doctor.1 \
	man/anet-files.8 \
	man/anet-gateway.8 \
	man/anet-init.8 \
	man/anet-models.1 \
	man/anet-outcome.8 \
	man/anet-prepare.8 \
	man/anet-probe.8 \
	man/anet-restart.1 \
	man/anet-run.1 \
	man/anet-runtime.5 \
	man/anet-scope.8 \
	man/anet-session.8 \
	man/anet-sessions.1 \
	man/anet-status.1 \
	man/anet-strategies.1 \
	man/anet-strategies.8 \
	man/anet-tunnel.8 \
	man/anet-upstream.8 \
	man/anet-watch.8 \
	man/anet-why.1 \
	man/anet.1 \
	man/anet.conf.5
nodist_man_MANS = man/anet-gateway-rules.7 man/anet-reasons.7
noinst_PROGRAMS += man/reasons-page man/rules-page
man_reasons_page_SOURCES = man/mdoc.c man/mdoc.h man/reasons-page.c
man_rules_page_SOURCES = man/mdoc.c man/mdoc.h man/rules-bodies.c man/rules-bodies.h \
	man/rules-page.c man/rules-walk.c man/rules-walk.h
man_rules_page_LDADD = libcore.a
EXTRA_DIST += man/anet-gateway-rules.7.in man/anet-reasons.7.in
CLEANFILES += man/anet-reasons.7 man/reasons.local man/reasons.http \
	man/anet-gateway-rules.7 man/rules.apis man/rules.headers

man/anet-gateway-rules.7: man/anet-gateway-rules.7.in man/rules-page$(EXEEXT)
	$(AM_V_GEN)man/rules-page$(EXEEXT) apis >man/rules.apis && \
	man/rules-page$(EXEEXT) headers >man/rules.headers && \
	sed -e '/^@APIS@$$/{r man/rules.apis' -e 'd;}' \
		-e '/^@HEADERS@$$/{r man/rules.headers' -e 'd;}' \
		$(srcdir)/man/anet-gateway-rules.7.in >$@.new && \
	mv $@.new $@

man/anet-reasons.7: man/anet-reasons.7.in man/reasons-page$(EXEEXT)
	$(AM_V_GEN)man/reasons-page$(EXEEXT) local >man/reasons.local && \
	man/reasons-page$(EXEEXT) http >man/reasons.http && \
	sed -e '/^@LOCAL@$$/{r man/reasons.local' -e 'd;}' \
		-e '/^@HTTP@$$/{r man/reasons.http' -e 'd;}' $(srcdir)/man/anet-reasons.7.in >$@.new && \
	mv $@.new $@
