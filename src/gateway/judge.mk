# What decides about a request, apart from the program so that tests link it.
noinst_LIBRARIES += libjudge.a
libjudge_a_SOURCES = \
	src/gateway/judge-content.c \
	src/gateway/judge-detail.c \
	src/gateway/judge-fields.c \
	src/gateway/judge-internal.h \
	src/gateway/judge-model.c \
	src/gateway/judge-openai.c \
	src/gateway/judge-output.c \
	src/gateway/judge-tools.c \
	src/gateway/judge-write.c \
	src/gateway/judge.c \
	src/gateway/judge.h
libjudge_a_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS)
