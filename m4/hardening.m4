dnl ANET_HARDENING: HARDEN_CFLAGS and HARDEN_LDFLAGS, each flag probed.  They
dnl stand in AM_CFLAGS and AM_LDFLAGS, so that a distribution's own win.
AC_DEFUN([ANET_HARDENING], [
	HARDEN_CFLAGS=
	HARDEN_LDFLAGS=
	m4_foreach_w([flag], [-fstack-protector-strong -fstack-clash-protection
		-ftrivial-auto-var-init=zero -fcf-protection=full
		-fno-delete-null-pointer-checks -fno-strict-overflow],
		[ANET_CHECK_FLAG([compile], m4_defn([flag]), [HARDEN_CFLAGS="$HARDEN_CFLAGS flag"])])
	m4_foreach_w([flag], [-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,--as-needed],
		[ANET_CHECK_FLAG([link], m4_defn([flag]), [HARDEN_LDFLAGS="$HARDEN_LDFLAGS flag"])])
	dnl Fortify needs optimisation, and a distribution may have set it already.
	AS_CASE([" $CFLAGS $CPPFLAGS "],
		[*_FORTIFY_SOURCE*|*" -O0 "*], [],
		[ANET_CHECK_FLAG([compile], [-D_FORTIFY_SOURCE=3],
			[HARDEN_CFLAGS="$HARDEN_CFLAGS -D_FORTIFY_SOURCE=3"],
			[ANET_CHECK_FLAG([compile], [-D_FORTIFY_SOURCE=2],
				[HARDEN_CFLAGS="$HARDEN_CFLAGS -D_FORTIFY_SOURCE=2"])])])
	AC_ARG_ENABLE([sanitizers],
		[AS_HELP_STRING([--enable-sanitizers],
			[build for tests, with ASan and UBSan; adds tests/sanitized])])
	AM_CONDITIONAL([SANITIZERS], [test "x$enable_sanitizers" = xyes])
	AS_IF([test "x$enable_sanitizers" = xyes], [
		HARDEN_CFLAGS="-fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=all"
		HARDEN_LDFLAGS="-fsanitize=address,undefined"])
	AC_SUBST([HARDEN_CFLAGS])
	AC_SUBST([HARDEN_LDFLAGS])
])
