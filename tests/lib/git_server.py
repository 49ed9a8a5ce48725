# SPDX-License-Identifier: LGPL-2.1-or-later
"""A Git server for websites.py: bare repositories behind `git http-backend`."""
import os
import subprocess

from websites import Answer


def make_repository(directory, name, content):
    """A bare repository directory/NAME.git with one commit of `content`, of path to
    text or bytes."""
    bare = os.path.join(directory, name + ".git")
    tree = os.path.join(directory, name + ".tree")
    environment = {"PATH": os.environ["PATH"], "HOME": directory, "GIT_CONFIG_NOSYSTEM": "1"}

    def git(*arguments):
        subprocess.run(["git", "-c", "user.name=Test", "-c", "user.email=test@example.org",
                        "-c", "init.defaultBranch=main", *arguments],
                       check=True, capture_output=True, env=environment)

    git("init", "-q", "--bare", bare)
    git("init", "-q", tree)
    for path, data in content.items():
        with open(os.path.join(tree, path), "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
    git("-C", tree, "add", ".")
    git("-C", tree, "commit", "-q", "-m", "first")
    git("-C", tree, "push", "-q", bare, "main")


def content(directory, name, path):
    """The bytes of a file at the tip of NAME's branch main."""
    return subprocess.run(["git", "-C", os.path.join(directory, name + ".git"), "show", "main:" + path],
                          check=True, capture_output=True).stdout


def git_server(directory, pushable=False):
    """Serves the repositories in `directory`, to push as well if `pushable`."""
    services = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.receivepack", "GIT_CONFIG_VALUE_0": "true"}

    def answer(request):
        environment = {
            "PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": directory, "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_NOSYSTEM": "1", "HOME": directory, "REQUEST_METHOD": request.method,
            "PATH_INFO": request.path, "QUERY_STRING": request.query, "REMOTE_ADDR": "192.0.2.1",
            "CONTENT_TYPE": request.headers.get("content-type", ""), "CONTENT_LENGTH": str(len(request.body)),
            "HTTP_GIT_PROTOCOL": request.headers.get("git-protocol", ""), **(services if pushable else {})}
        done = subprocess.run(["git", "http-backend"], input=request.body, capture_output=True, env=environment)
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode("latin-1").split("\r\n") if line)
        status = int(fields.pop("Status", "200").split()[0])
        return Answer(status, body, fields.pop("Content-Type", "text/plain"), fields.items())

    return answer
