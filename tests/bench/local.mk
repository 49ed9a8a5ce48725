# Not part of any check: see tests/bench/run.
EXTRA_DIST += tests/bench/client.c tests/bench/run tests/bench/stub.c
