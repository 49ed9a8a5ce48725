/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_INIT_REPORT_FILTER_H
#define ANET_INIT_REPORT_FILTER_H

/*
 * From now on the calls of src/init/report.seccomp, by this process and by whatever it
 * starts, wait until they are let go on by who has the returned descriptor
 * (seccomp_unotify(2)).  no_new_privs is set.  It, or -errno: EBUSY where anet itself
 * runs under such a filter, of which there can be one.
 */
int report_filter_install(void);

#endif
