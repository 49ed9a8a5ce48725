# Data that `anet doctor --apparmor-profile` prints; installing anet loads nothing into the kernel.
apparmordir = $(pkgdatadir)/apparmor
dist_apparmor_DATA = apparmor/anet-bwrap
EXTRA_DIST += apparmor/README
