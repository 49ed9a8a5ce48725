# mkfilter, and how a program gets its filter: with src/X/X.seccomp in place,
#   BUILT_SOURCES += src/X/X-seccomp.h
#   CLEANFILES += src/X/X-seccomp.h
#   EXTRA_DIST += src/X/X.seccomp
# and #include "X/X-seccomp.h", which defines X_seccomp[].
noinst_PROGRAMS += mkfilter
mkfilter_SOURCES = \
	src/build/constants.c \
	src/build/constants.h \
	src/build/filter-build.c \
	src/build/filter-build.h \
	src/build/filter-list.c \
	src/build/filter-list.h \
	src/build/filter-print.c \
	src/build/mkfilter.c
mkfilter_CPPFLAGS = $(AM_CPPFLAGS) $(SECCOMP_CFLAGS)
mkfilter_LDADD = $(SECCOMP_LIBS)

%-seccomp.h: %.seccomp mkfilter$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	./mkfilter$(EXEEXT) --header $(basename $(<F)) $< >$@.tmp && mv $@.tmp $@
