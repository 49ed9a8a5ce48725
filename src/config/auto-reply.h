/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef ANET_CONFIG_AUTO_REPLY_H
#define ANET_CONFIG_AUTO_REPLY_H

/* How this machine answers the tasks of peers: the section `auto_reply` of the
 * machine's configuration.  SPEC S11. */
struct config_auto_reply {
	/* Of turns in a sandbox. */
	struct {
		char **egress_allow; /* hosts; NULL: none.  SPEC S8.1 */
	} sandbox;
};

#endif
