# The helpers that read hostile bytes, with ASan and UBSan (--enable-sanitizers), for
# ANET_HELPER_DIR=$PWD/tests/sanitized tests/run --match gateway- --match tunnel --match upstream-
if SANITIZERS
check_PROGRAMS += tests/sanitized/anet-gateway tests/sanitized/anet-tunnel tests/sanitized/anet-upstream

tests_sanitized_anet_gateway_SOURCES = $(anet_gateway_SOURCES) tests/sanitized/no-sandbox.c
tests_sanitized_anet_gateway_CFLAGS = $(anet_gateway_CFLAGS)
tests_sanitized_anet_gateway_LDADD = $(anet_gateway_LDADD)

tests_sanitized_anet_tunnel_SOURCES = $(anet_tunnel_SOURCES) tests/sanitized/no-sandbox.c
tests_sanitized_anet_tunnel_CFLAGS = $(AM_CFLAGS)
tests_sanitized_anet_tunnel_LDADD = $(anet_tunnel_LDADD)

tests_sanitized_anet_upstream_SOURCES = $(anet_upstream_SOURCES) tests/sanitized/no-sandbox.c
tests_sanitized_anet_upstream_CFLAGS = $(anet_upstream_CFLAGS)
tests_sanitized_anet_upstream_LDADD = $(anet_upstream_LDADD)
endif

EXTRA_DIST += tests/sanitized/no-sandbox.c
