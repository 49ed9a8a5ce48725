dnl ANET_WARNINGS: the warnings of the house in WARN_CFLAGS, --enable-werror.
AC_DEFUN([ANET_CHECK_FLAG], [
	AS_VAR_PUSHDEF([cached], [anet_cv_flag_$1_$2])
	AC_CACHE_CHECK([whether $CC accepts $2], [cached],
		[anet_save_CFLAGS=$CFLAGS
		 anet_save_LDFLAGS=$LDFLAGS
		 AS_IF([test $1 = link], [LDFLAGS="$LDFLAGS $2"], [CFLAGS="$CFLAGS -Werror $2"])
		 AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <string.h>]],
			[[char b[64]; memset(b, 1, sizeof(b)); return b[3] == 2;]])],
			[AS_VAR_SET([cached], [yes])], [AS_VAR_SET([cached], [no])])
		 CFLAGS=$anet_save_CFLAGS
		 LDFLAGS=$anet_save_LDFLAGS])
	AS_VAR_IF([cached], [yes], [$3], [$4])
	AS_VAR_POPDEF([cached])
])

AC_DEFUN([ANET_WARNINGS], [
	WARN_CFLAGS=
	m4_foreach_w([flag], [-Wall -Wextra -Wshadow -Wstrict-prototypes
		-Wmissing-prototypes -Wold-style-definition -Wpointer-arith
		-Wformat=2 -Wswitch-enum -Wundef -Wvla -Wcast-align -Wwrite-strings
		-Wnested-externs -Wredundant-decls -Wimplicit-fallthrough
		-Wlogical-op -Wduplicated-cond -Wnull-dereference -Walloca
		-Wno-missing-field-initializers],
		[ANET_CHECK_FLAG([compile], m4_defn([flag]), [WARN_CFLAGS="$WARN_CFLAGS flag"])])
	AC_ARG_ENABLE([werror],
		[AS_HELP_STRING([--enable-werror], [make warnings errors (for CI, not for packages)])])
	AS_IF([test "x$enable_werror" = xyes], [WARN_CFLAGS="$WARN_CFLAGS -Werror"])
	AC_SUBST([WARN_CFLAGS])
])
