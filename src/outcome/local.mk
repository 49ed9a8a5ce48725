helper_PROGRAMS += anet-outcome
anet_outcome_SOURCES = \
	src/outcome/decide.c \
	src/outcome/decide.h \
	src/outcome/main.c
anet_outcome_LDADD = libos.a libcore.a
