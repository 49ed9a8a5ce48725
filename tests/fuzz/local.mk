# Fuzz targets.  Each build replays the corpus of each (make check); a build with
# CC=clang and --enable-fuzzing makes them real libFuzzer programs:
#   make tests/fuzz/fuzz-http1-head && tests/fuzz/fuzz-http1-head NEW CORPUS
# A new target fuzz-X: its name here, its LDADD below, files in corpus/X.
fuzz_targets =
fuzz_targets += tests/fuzz/fuzz-address
fuzz_targets += tests/fuzz/fuzz-connect
fuzz_targets += tests/fuzz/fuzz-hostname
fuzz_targets += tests/fuzz/fuzz-http1-head
fuzz_targets += tests/fuzz/fuzz-http1-response
fuzz_targets += tests/fuzz/fuzz-json-edit
fuzz_targets += tests/fuzz/fuzz-json-scan
fuzz_targets += tests/fuzz/fuzz-judge
fuzz_targets += tests/fuzz/fuzz-tls-hello
check_PROGRAMS += $(fuzz_targets)

tests_fuzz_fuzz_address_SOURCES = tests/fuzz/fuzz.h tests/fuzz/fuzz-address.c
tests_fuzz_fuzz_address_CFLAGS = $(AM_CFLAGS) $(FUZZ_CFLAGS)
tests_fuzz_fuzz_address_LDADD = $(fuzz_core)

tests_fuzz_fuzz_connect_SOURCES = tests/fuzz/fuzz.h tests/fuzz/fuzz-connect.c
tests_fuzz_fuzz_connect_CFLAGS = $(AM_CFLAGS) $(FUZZ_CFLAGS)
tests_fuzz_fuzz_connect_LDADD = $(fuzz_core)

tests_fuzz_fuzz_hostname_SOURCES = tests/fuzz/fuzz.h tests/fuzz/fuzz-hostname.c
tests_fuzz_fuzz_hostname_CFLAGS = $(AM_CFLAGS) $(FUZZ_CFLAGS)
tests_fuzz_fuzz_hostname_LDADD = $(fuzz_core)

tests_fuzz_fuzz_http1_head_SOURCES = tests/fuzz/fuzz.h tests/fuzz/fuzz-http1-head.c
tests_fuzz_fuzz_http1_head_CFLAGS = $(AM_CFLAGS) $(FUZZ_CFLAGS)
tests_fuzz_fuzz_http1_head_LDADD = $(fuzz_core)

tests_fuzz_fuzz_json_edit_SOURCES = tests/fuzz/fuzz.h tests/fuzz/fuzz-json-edit.c \
	src/config/arena.c src/config/json-edit.c src/config/json-file.c src/config/json-place.c
tests_fuzz_fuzz_json_edit_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS) $(FUZZ_CFLAGS)
tests_fuzz_fuzz_json_edit_LDADD = libos.a $(fuzz_core) $(JSON_LIBS)

tests_fuzz_fuzz_json_scan_SOURCES = tests/fuzz/fuzz.h tests/fuzz/fuzz-json-scan.c
tests_fuzz_fuzz_json_scan_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS) $(FUZZ_CFLAGS)
tests_fuzz_fuzz_json_scan_LDADD = $(fuzz_core) $(JSON_LIBS)

tests_fuzz_fuzz_judge_SOURCES = tests/fuzz/fuzz-judge.c $(libjudge_a_SOURCES)
tests_fuzz_fuzz_judge_CFLAGS = $(AM_CFLAGS) $(JSON_CFLAGS) $(FUZZ_CFLAGS)
tests_fuzz_fuzz_judge_LDADD = $(fuzz_core) $(JSON_LIBS)

tests_fuzz_fuzz_http1_response_SOURCES = tests/fuzz/fuzz.h tests/fuzz/fuzz-http1-response.c
tests_fuzz_fuzz_http1_response_CFLAGS = $(AM_CFLAGS) $(FUZZ_CFLAGS)
tests_fuzz_fuzz_http1_response_LDADD = $(fuzz_core)

tests_fuzz_fuzz_tls_hello_SOURCES = tests/fuzz/fuzz.h tests/fuzz/fuzz-tls-hello.c
tests_fuzz_fuzz_tls_hello_CFLAGS = $(AM_CFLAGS) $(SSL_CFLAGS) $(FUZZ_CFLAGS)
tests_fuzz_fuzz_tls_hello_LDADD = $(fuzz_core) $(SSL_LIBS)

if FUZZING
# The parsers themselves have to be instrumented.
noinst_LIBRARIES += libcore-fuzz.a
libcore_fuzz_a_SOURCES = $(libcore_a_SOURCES)
libcore_fuzz_a_CFLAGS = $(AM_CFLAGS) \
	-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
fuzz_core = libcore-fuzz.a
else
noinst_LIBRARIES += libreplay.a
libreplay_a_SOURCES = tests/fuzz/replay-main.c
fuzz_core = libreplay.a libcore.a
TESTS += $(fuzz_targets)
endif

EXTRA_DIST += tests/fuzz/corpus
