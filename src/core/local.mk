# Pure: no descriptors, clock, heap or log.  tests/gate/purity checks it.
noinst_LIBRARIES += libcore.a
libcore_a_SOURCES = \
	src/core/bwrap-message.c \
	src/core/bwrap-message.h \
	src/core/dns-question.c \
	src/core/dns-question.h \
	src/core/handover.h \
	src/core/hostname.c \
	src/core/hostname.h \
	src/core/http1-chunked.c \
	src/core/http1-chunked.h \
	src/core/http1-lexis.c \
	src/core/http1-lexis.h \
	src/core/http1-response.c \
	src/core/http1-response.h \
	src/core/http1.c \
	src/core/http1.h \
	src/core/init-record.h \
	src/core/json-keys.c \
	src/core/json-keys.h \
	src/core/json-scan.c \
	src/core/json-scan.h \
	src/core/ledger.h \
	src/core/limits.h \
	src/core/nearest.c \
	src/core/nearest.h \
	src/core/needle.c \
	src/core/needle.h \
	src/core/policy.h \
	src/core/protected.c \
	src/core/protected.def \
	src/core/protected.h \
	src/core/reason.c \
	src/core/reason.def \
	src/core/reason.h \
	src/core/rules-anthropic-fields.c \
	src/core/rules-anthropic.c \
	src/core/rules-anthropic.h \
	src/core/rules.h \
	src/core/run.h \
	src/core/seen-record.h \
	src/core/seen-set.c \
	src/core/seen-set.h \
	src/core/session-name.c \
	src/core/session-name.h \
	src/core/session-state.h \
	src/core/upstream-record.h
