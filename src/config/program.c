/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config/program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/shebang.h"
#include "core/path.h"
#include "core/run.h"
#include "os/cleanup.h"

static char *directory_of(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');

	return arena_copy_bytes(arena, path,
				slash == path ? 1 : (size_t)(slash - path));
}

static const char *name_of(const char *path)
{
	return strrchr(path, '/') + 1;
}

static bool is_below(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	return strncmp(path, directory, length) == 0 && path[length] == '/';
}

bool path_is_system(const char *path)
{
	static const char *const directories[] = {"/usr", "/bin",   "/sbin",
						  "/lib", "/lib32", "/lib64"};

	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++)
		if (is_below(path, directories[i]))
			return true;
	return false;
}

static bool is_executable_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
	       faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

char *npm_package_root(struct arena *arena, const char *path)
{
	static const char marker[] = "/node_modules/";
	const char *last = NULL, *end;

	for (const char *at = path; (at = strstr(at, marker)); at++)
		last = at;
	if (!last)
		return NULL;
	end = strchrnul(last + strlen(marker), '/');
	if (last[strlen(marker)] == '@' && *end)
		end = strchrnul(end + 1, '/');
	/* A file of that directory itself, like .package-lock.json. */
	if (!*end)
		return NULL;
	return arena_copy_bytes(arena, path, (size_t)(end - path));
}

static int compare_versions(const void *a, const void *b)
{
	return strverscmp(*(char *const *)b, *(char *const *)a);
}

void search_expand(struct arena *arena, const struct places *places,
		   const char *pattern, struct list *ret_directories)
{
	char *path = places_expand(arena, places, pattern);
	char *star = path ? strstr(path, "/*") : NULL;
	const struct dirent *entry;
	struct list names = {0};
	DIR *entries;

	if (!path || path[0] != '/')
		return;
	if (!star || (star[2] && star[2] != '/')) {
		list_add(arena, ret_directories, path);
		return;
	}
	*star = 0;
	entries = opendir(path);
	if (!entries)
		return;
	while ((entry = readdir(entries)))
		if (entry->d_name[0] != '.')
			list_add(arena, &names, arena_copy(arena, entry->d_name));
	closedir(entries);
	if (names.n)
		qsort(names.items, names.n, sizeof(char *), compare_versions);
	for (size_t i = 0; i < names.n; i++)
		list_add(
			arena, ret_directories,
			arena_format(arena, "%s/%s%s", path, names.items[i], star + 2));
}

/* The directories of the caller's PATH.  What is not absolute depends on where
 * the caller stands, which may be a place that an agent writes. */
static void add_path_directories(struct arena *arena, struct list *directories)
{
	const char *at = secure_getenv("PATH");

	if (!at)
		at = RUN_PATH;
	for (;;) {
		const char *end = strchrnul(at, ':');

		if (*at == '/')
			list_add(arena, directories,
				 arena_copy_bytes(arena, at, (size_t)(end - at)));
		if (!*end)
			return;
		at = end + 1;
	}
}

struct search {
	struct arena *arena;
	const struct places *places;
	const struct runtime *runtime;
	const char *workspace;	 /* canonical; NULL: none */
	struct list directories; /* where programs are looked for, in order */
	const char *unusable;	 /* why what was found cannot be run; NULL */
};

static bool contains(char *const *list, const char *text)
{
	for (; *list; list++)
		if (strcmp(*list, text) == 0)
			return true;
	return false;
}

/* An executable of this name in one of the directories, first match. */
static char *look_up(const struct search *search, char *const *directories,
		     const char *name)
{
	for (; *directories; directories++) {
		char *path = arena_format(search->arena, "%s/%s", *directories, name);

		if (is_executable_file(path))
			return path;
	}
	return NULL;
}

/* A package has its native program in a sibling "NAME-platform". */
static void add_siblings(struct arena *arena, const char *root, struct list *mounts)
{
	char *directory = directory_of(arena, root);
	const char *name = name_of(root);
	size_t length = strlen(name);
	DIR *entries = opendir(directory);
	const struct dirent *entry;

	if (!entries)
		return;
	while ((entry = readdir(entries))) {
		char *path;

		if (strncmp(entry->d_name, name, length) != 0 ||
		    entry->d_name[length] != '-')
			continue;
		path = path_without_links(
			arena, arena_format(arena, "%s/%s", directory, entry->d_name));
		if (path)
			list_add(arena, mounts, path);
	}
	closedir(entries);
}

/* What must be mounted so that this file, with its links resolved, is seen. */
static void add_file(const struct search *search, const char *path, struct list *mounts,
		     struct list *directories)
{
	struct arena *arena = search->arena;
	char *root = npm_package_root(arena, path);
	char *directory = directory_of(arena, path);

	if (path_is_system(path))
		return;
	if (root && !contains(list_items(arena, mounts), root)) {
		list_add(arena, mounts, root);
		add_siblings(arena, root, mounts);
	} else if (!root && !contains(list_items(arena, mounts), path)) {
		list_add(arena, mounts, arena_copy(arena, path));
	}
	if (!strchr(directory, ':') &&
	    !contains(list_items(arena, directories), directory))
		list_add(arena, directories, directory);
}

static ssize_t read_head(const char *path, char *bytes, size_t size)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	return fd < 0 ? -1 : read(fd, bytes, size);
}

/* The interpreter of a script: version managers keep it beside the script's
 * link, so there first. */
static char *find_interpreter(struct search *search, const struct shebang *shebang,
			      const char *found, const char *real)
{
	struct arena *arena = search->arena;
	struct list directories = {0};
	char *path;

	if (shebang->interpreter[0] == '/') {
		if (!is_executable_file(shebang->interpreter))
			return NULL;
		/* A shell behaves by its name; others may be links that lead
		 * through what a sandbox does not show. */
		if (path_is_system(shebang->interpreter) &&
		    strcmp(name_of(shebang->interpreter), "sh") == 0)
			return shebang->interpreter;
		return path_without_links(arena, shebang->interpreter);
	}
	if (strchr(shebang->interpreter, '/'))
		return NULL;
	list_add(arena, &directories, directory_of(arena, found));
	list_add(arena, &directories, directory_of(arena, real));
	list_add_all(arena, &directories, list_items(arena, &search->directories));
	path = look_up(search, directories.items, shebang->interpreter);
	return path ? path_without_links(arena, path) : NULL;
}

static bool use_script(struct search *search, const struct shebang *shebang,
		       const char *found, char *real, struct program *program)
{
	struct arena *arena = search->arena;
	struct list argv = {0}, mounts = {0}, directories = {0};
	char *interpreter = find_interpreter(search, shebang, found, real);

	if (!interpreter) {
		search->unusable =
			arena_format(arena, "%s needs %s, which is not found",
				     SHOW(found), SHOW(shebang->interpreter));
		return false;
	}
	list_add(arena, &argv, interpreter);
	list_add_all(arena, &argv, shebang->arguments);
	list_add(arena, &argv, real);
	add_file(search, real, &mounts, &directories);
	add_file(search, interpreter, &mounts, &directories);
	program->argv = argv.items;
	program->mounts = list_items(arena, &mounts);
	program->directories = list_items(arena, &directories);
	return true;
}

/* Fills *program from an executable file; false if it cannot be run in a
 * sandbox, with the reason in search->unusable. */
static bool use_file(struct search *search, char *found, struct program *program)
{
	struct arena *arena = search->arena;
	struct list argv = {0}, mounts = {0}, directories = {0};
	char *real = path_without_links(arena, found);
	char head[SHEBANG_BYTES];
	struct shebang shebang;
	ssize_t length;

	if (!real)
		return false;
	if (search->workspace && path_is_inside(real, search->workspace)) {
		search->unusable =
			arena_format(arena, "%s lies in the workspace", SHOW(found));
		return false;
	}
	if (contains(search->runtime->program.skip, name_of(real))) {
		search->unusable = arena_format(arena, "%s is only the launcher %s",
						SHOW(found), SHOW(name_of(real)));
		return false;
	}
	length = read_head(real, head, sizeof(head));
	program->path = found;
	if (length > 2 && shebang_parse(arena, head, (size_t)length, &shebang))
		return use_script(search, &shebang, found, real, program);
	if (length < 4 || memcmp(head, "\177ELF", 4) != 0) {
		search->unusable =
			arena_format(arena, "%s is neither an ELF program nor a script",
				     SHOW(found));
		return false;
	}
	list_add(arena, &argv, real);
	add_file(search, real, &mounts, &directories);
	program->argv = argv.items;
	program->mounts = list_items(arena, &mounts);
	program->directories = list_items(arena, &directories);
	return true;
}

static enum reason not_installed(const struct search *search, struct detail *ret_detail)
{
	struct arena *arena = search->arena;
	const struct runtime *runtime = search->runtime;
	struct list places = {0};

	list_add(arena, &places, arena_copy(arena, "PATH"));
	/* A session of a unit has no home to look in. */
	for (char **place = runtime->program.search; *place; place++)
		if (search->places->home || (*place)[0] != '~')
			list_add(arena, &places, *place);
	return explain(
		ret_detail, REASON_RUNTIME_NOT_INSTALLED,
		"the program of runtime \"%s\" (%s) is not installed: looked in "
		"%s%s%s%s%s",
		runtime->name, SHOW(list_join(arena, runtime->program.names, ", ")),
		SHOW(list_join(arena, list_items(arena, &places), ", ")),
		search->unusable ? "; " : "", search->unusable ? search->unusable : "",
		runtime->program.install ? "; install it with: " : "",
		runtime->program.install ? SHOW(runtime->program.install) : "");
}

/* The directories that are not in the workspace, by whatever name. */
static void keep_outside(struct search *search, const struct list *directories)
{
	for (size_t i = 0; i < directories->n; i++) {
		const char *real =
			path_without_links(search->arena, directories->items[i]);

		if (real &&
		    !(search->workspace && path_is_inside(real, search->workspace)))
			list_add(search->arena, &search->directories,
				 directories->items[i]);
	}
}

enum reason program_find(struct arena *arena, const struct places *places,
			 const struct runtime *runtime, const char *workspace,
			 struct program *ret_program, struct detail *ret_detail)
{
	struct search search = {arena, places, runtime, workspace, {0}, NULL};
	struct list directories = {0};

	add_path_directories(arena, &directories);
	for (char **pattern = runtime->program.search; *pattern; pattern++)
		search_expand(arena, places, *pattern, &directories);
	keep_outside(&search, &directories);
	for (char **directory = list_items(arena, &search.directories); *directory;
	     directory++) {
		for (char **name = runtime->program.names; *name; name++) {
			char *path = arena_format(arena, "%s/%s", *directory, *name);
			struct program program = {0};

			if (is_executable_file(path) &&
			    use_file(&search, path, &program)) {
				*ret_program = program;
				return REASON_OK;
			}
		}
	}
	return not_installed(&search, ret_detail);
}
