helper_PROGRAMS += anet-strategies
anet_strategies_SOURCES = src/boot-probe/main.c
anet_strategies_LDADD = $(product_libs)
