dnl SPDX-License-Identifier: LGPL-2.1-or-later
dnl ANET_SYSTEMD_DIR(VARIABLE, VARIABLE-OF-SYSTEMD.PC, BELOW-LIB, WHAT)
dnl Adds --with-WHERE=DIR, named as systemd.pc names it.
AC_DEFUN([ANET_SYSTEMD_DIR],
	[AC_ARG_WITH([$2],
		[AS_HELP_STRING([--with-$2=DIR], [directory for $4])],
		[$1=$withval],
		[$1=
		 AS_IF([test "$prefix" = /usr], [PKG_CHECK_VAR([$1_of_systemd], [systemd], [$2], [$1=$$1_of_systemd])])
		 AS_IF([test -z "$$1"], [$1='${prefix}/lib/$3'])])
	 AC_SUBST([$1])])
