dnl ANET_FUZZING: --enable-fuzzing builds tests/fuzz with libFuzzer (clang).
AC_DEFUN([ANET_FUZZING], [
	AC_ARG_ENABLE([fuzzing],
		[AS_HELP_STRING([--enable-fuzzing], [build the fuzz targets with libFuzzer; needs CC=clang])])
	FUZZ_CFLAGS=
	AS_IF([test "x$enable_fuzzing" = xyes],
		[ANET_CHECK_FLAG([compile], [-fsanitize=fuzzer-no-link],
			[FUZZ_CFLAGS="-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all"],
			[AC_MSG_ERROR([--enable-fuzzing needs a compiler with libFuzzer (CC=clang)])])])
	AC_SUBST([FUZZ_CFLAGS])
	AM_CONDITIONAL([FUZZING], [test "x$enable_fuzzing" = xyes])
])
