/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The record of what a session was refused, and the file that it is kept in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "os/refused-file.h"
#include "temporary.h"

static struct refused_record record;

static void begin(void)
{
	refused_record_begin(&record, "demo-main", "demo", 100);
}

static const struct refused_entry *entry_of(const char *detail)
{
	for (uint32_t i = 0; i < record.n; i++)
		if (strcmp(record.entries[i].detail, detail) == 0)
			return &record.entries[i];
	return NULL;
}

static void the_same_is_counted(void **state)
{
	const struct refused_entry *entry;

	(void)state;
	begin();
	refused_record_add(&record, REASON_RULE_FIELD, "anet-gateway", "x", 200);
	refused_record_add(&record, REASON_RULE_FIELD, "anet-gateway", "y", 300);
	refused_record_add(&record, REASON_RULE_TYPE, "anet-gateway", "x", 400);
	refused_record_add(&record, REASON_RULE_FIELD, "anet-upstream", "x", 500);
	refused_record_add(&record, REASON_RULE_FIELD, "anet-gateway", "x", 600);
	assert_int_equal(record.n, 4);
	assert_int_equal(record.total, 5);
	assert_int_equal(record.forgotten, 0);
	entry = &record.entries[0];
	assert_int_equal(entry->count, 2);
	assert_int_equal(entry->first_usec, 200);
	assert_int_equal(entry->last_usec, 600);
	assert_string_equal(entry->helper, "anet-gateway");
	assert_true(refused_record_is_valid(&record));
}

static void the_last_ones_are_kept(void **state)
{
	char detail[8];

	(void)state;
	begin();
	for (unsigned int i = 0; i < REFUSED_KEPT; i++) {
		snprintf(detail, sizeof(detail), "%u", i);
		refused_record_add(&record, REASON_RULE_FIELD, "h", detail, 1000 + i);
	}
	/* The first is not the oldest any more. */
	refused_record_add(&record, REASON_RULE_FIELD, "h", "0", 2000);
	refused_record_add(&record, REASON_RULE_FIELD, "h", "new", 2001);
	assert_int_equal(record.n, REFUSED_KEPT);
	assert_int_equal(record.forgotten, 1);
	assert_int_equal(record.total, REFUSED_KEPT + 2);
	assert_non_null(entry_of("0"));
	assert_null(entry_of("1"));
	assert_int_equal(entry_of("new")->count, 1);
	assert_int_equal(entry_of("new")->first_usec, 2001);
}

static void texts_are_cut(void **state)
{
	char longer[2 * LIMIT_DETAIL];

	(void)state;
	begin();
	memset(longer, 'a', sizeof(longer));
	longer[sizeof(longer) - 1] = 0;
	refused_record_add(&record, REASON_RULE_FIELD, longer, longer, 1);
	refused_record_add(&record, REASON_RULE_FIELD, longer, longer, 2);
	assert_int_equal(record.n, 1);
	assert_int_equal(strlen(record.entries[0].detail), LIMIT_DETAIL);
	assert_int_equal(strlen(record.entries[0].helper), REFUSED_HELPER - 1);
	assert_true(refused_record_is_valid(&record));
}

static void what_is_no_record_is_seen(void **state)
{
	struct refused_record good;

	(void)state;
	begin();
	refused_record_add(&record, REASON_RULE_FIELD, "h", "d", 1);
	good = record;
	assert_true(refused_record_is_valid(&record));
#define SPOILT(change)                                                                 \
	do {                                                                           \
		record = good;                                                         \
		change;                                                                \
		assert_false(refused_record_is_valid(&record));                        \
	} while (0)
	SPOILT(record.magic++);
	SPOILT(record.version++);
	SPOILT(record.size--);
	SPOILT(record.done++);
	SPOILT(record.n = REFUSED_KEPT + 1);
	SPOILT(memset(record.session, 'x', sizeof(record.session)));
	SPOILT(memset(record.agent, 'x', sizeof(record.agent)));
	SPOILT(memset(record.entries[0].helper, 'x', REFUSED_HELPER));
	SPOILT(memset(record.entries[0].detail, 'x', sizeof(record.entries[0].detail)));
}

static void files_are_written_and_read(void **state)
{
	char runtime[256], path[512];
	struct refused_record found;
	int fd, directory;
	bool lives;

	(void)state;
	snprintf(runtime, sizeof(runtime), "%s", temporary);
	begin();
	fd = refused_file_make(runtime, "demo-main");
	assert_true(fd >= 0);
	directory = refused_directory_open(runtime);
	assert_true(directory >= 0);
	assert_int_equal(refused_file_read(directory, "demo-main", &found, &lives), 0);
	assert_int_equal(found.n, 0);
	assert_int_equal(found.total, 0);
	refused_record_add(&record, REASON_RULE_FIELD, "h", "d", 1);
	assert_int_equal(refused_file_write(fd, &record), 0);
	assert_int_equal(refused_file_read(directory, "demo-main", &found, &lives), 0);
	assert_true(lives);
	assert_memory_equal(&found, &record, sizeof(found));
	close(fd);
	assert_int_equal(refused_file_read(directory, "demo-main", &found, &lives), 0);
	assert_false(lives);
	/* The next life of the session begins anew. */
	fd = refused_file_make(runtime, "demo-main");
	assert_int_equal(refused_file_read(directory, "demo-main", &found, &lives), 0);
	assert_int_equal(found.total, 0);
	assert_true(write(fd, "x", 1) == 1);
	assert_int_equal(refused_file_read(directory, "demo-main", &found, &lives),
			 -EBADMSG);
	close(fd);
	assert_int_equal(refused_file_read(directory, "demo-else", &found, &lives),
			 -ENOENT);
	snprintf(path, sizeof(path), "%s/anet/refused/a-link", runtime);
	assert_int_equal(symlink("demo-main", path), 0);
	assert_int_equal(refused_file_read(directory, "a-link", &found, &lives),
			 -ELOOP);
	close(directory);
}

static void directories_of_others_are_not_used(void **state)
{
	(void)state;
	temporary_directories("anet/refused/");
	assert_int_equal(chmod(temporary_path("anet/refused"), 0777), 0);
	assert_int_equal(refused_file_make(temporary, "demo-main"), -EPERM);
	assert_true(refused_file_make("/nowhere/at/all", "demo-main") < 0);
}

/* A reader that meets writes gets a whole record, or is told that there is none. */
static void records_are_read_as_a_whole(void **state)
{
	struct refused_record found;
	int fd, directory, status;
	bool lives;
	pid_t child;

	(void)state;
	begin();
	fd = refused_file_make(temporary, "demo-main");
	assert_true(fd >= 0);
	refused_record_add(&record, REASON_RULE_FIELD, "h", "d", 1);
	assert_int_equal(refused_file_write(fd, &record), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		for (unsigned int i = 0; i < 20000; i++) {
			memset(record.entries, (int)(i % 2 ? 'a' : 0),
			       sizeof(record.entries[0]));
			record.entries[0].helper[1] = record.entries[0].detail[1] = 0;
			record.total = record.entries[0].count;
			if (refused_file_write(fd, &record) < 0)
				_exit(1);
		}
		_exit(0);
	}
	close(fd);
	directory = refused_directory_open(temporary);
	while (waitpid(child, &status, WNOHANG) == 0) {
		int r = refused_file_read(directory, "demo-main", &found, &lives);

		assert_true(r == 0 || r == -EBADMSG);
		if (r == 0 && found.begun > 1)
			assert_int_equal(found.total, found.entries[0].count);
	}
	assert_int_equal(status, 0);
	close(directory);
}

#define TEST(function)                                                                 \
	cmocka_unit_test_setup_teardown(function, temporary_make, temporary_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_is_counted),
		cmocka_unit_test(the_last_ones_are_kept),
		cmocka_unit_test(texts_are_cut),
		cmocka_unit_test(what_is_no_record_is_seen),
		TEST(files_are_written_and_read),
		TEST(directories_of_others_are_not_used),
		TEST(records_are_read_as_a_whole),
	};

	return cmocka_run_group_tests_name("refused-record", tests, NULL, NULL);
}
