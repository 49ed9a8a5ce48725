# Not part of any check: see tests/bench/nginx, tests/bench/run, tests/bench/start, tests/bench/tunnel and tests/bench/units.
EXTRA_DIST += tests/bench/client.c tests/bench/nginx tests/bench/pump.c tests/bench/run tests/bench/start tests/bench/stub.c \
	tests/bench/tunnel tests/bench/units
