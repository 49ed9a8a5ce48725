/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs a fuzz target once on each file of its corpus, without libFuzzer: so each
 * build checks what fuzzing has found.  Without arguments fuzz-X takes the files
 * of $srcdir/tests/fuzz/corpus/X (automake sets srcdir), else those named.
 */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool replay(const char *path)
{
	auto_file FILE *file = fopen(path, "rbe");
	auto_free uint8_t *data = NULL;
	long size;

	if (!file || fseek(file, 0, SEEK_END) < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return false;
	}
	size = ftell(file);
	rewind(file);
	data = malloc(size > 0 ? (size_t)size : 1);
	if (size < 0 || !data || fread(data, 1, (size_t)size, file) != (size_t)size) {
		fprintf(stderr, "%s: cannot be read\n", path);
		return false;
	}
	/* The target aborts when something is wrong: then this is the last line. */
	printf("%s\n", path);
	fflush(stdout);
	(void)LLVMFuzzerTestOneInput(data, (size_t)size); /* always 0 */
	return true;
}

static int replay_directory(const char *path)
{
	DIR *directory = opendir(path);
	size_t n = 0;
	bool good = true;

	if (!directory) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return 1;
	}
	for (struct dirent *entry; (entry = readdir(directory));) {
		auto_free char *file = NULL;

		if (entry->d_name[0] == '.')
			continue;
		if (asprintf(&file, "%s/%s", path, entry->d_name) < 0)
			abort();
		good = replay(file) && good;
		n++;
	}
	closedir(directory);
	printf("%zu files\n", n);
	return good && n > 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	const char *name = strstr(program_invocation_short_name, "fuzz-");
	const char *srcdir = getenv("srcdir");
	auto_free char *path = NULL;
	bool good = true;

	for (int i = 1; i < argc; i++)
		good = replay(argv[i]) && good;
	if (argc > 1)
		return good ? 0 : 1;
	if (!name) {
		fprintf(stderr, "this program is named fuzz-SOMETHING\n");
		return 1;
	}
	if (asprintf(&path, "%s/tests/fuzz/corpus/%s", srcdir ? srcdir : ".",
		     name + strlen("fuzz-")) < 0)
		abort();
	return replay_directory(path);
}
