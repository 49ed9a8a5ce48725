helper_PROGRAMS += anet-prepare
anet_prepare_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_CFLAGS)
anet_prepare_SOURCES = \
	src/prepare/assign.c \
	src/prepare/checks.c \
	src/prepare/claim.c \
	src/prepare/main.c \
	src/prepare/prepare.h
anet_prepare_LDADD = $(product_libs)
