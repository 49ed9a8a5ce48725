# Not part of any check: see tests/bench/run and tests/bench/units.
EXTRA_DIST += tests/bench/client.c tests/bench/run tests/bench/stub.c tests/bench/units
