/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The gateway can answer with every reason that has an HTTP status. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/reason.h"
#include "gateway/gateway-status.h"

static void test_every_reason(void **state)
{
	size_t answered = 0;

	(void)state;
	for (unsigned int i = 0; i < REASON_COUNT; i++) {
		enum reason reason = (enum reason)i;
		int status = reason_http_status(reason);
		const struct status *row = status_find(status);

		if (status == 0)
			continue;
		if (!row)
			fail_msg("%s has status %d, which has no row",
				 reason_code(reason), status);
		assert_int_equal(row->status, status);
		assert_true(strlen(row->phrase) > 0 && strlen(row->anthropic) > 0);
		assert_true(strlen(status_openai(status)) > 0);
		answered++;
	}
	assert_true(answered > 30);
}

static void test_no_row(void **state)
{
	(void)state;
	assert_null(status_find(0));
	assert_null(status_find(200));
	assert_null(status_find(-1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_reason),
		cmocka_unit_test(test_no_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
