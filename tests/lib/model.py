# SPDX-License-Identifier: LGPL-2.1-or-later
"""The model service's double in the place of the real one: api.anthropic.com,
port 443, with a certificate that the test's machine trusts (private.py)."""
import os
import sys

import private

sys.path.insert(0, os.path.join(private.TREE, "tests", "agents", "stub"))
from modelstub import ModelStub  # noqa: E402

PLACEHOLDER = "anet-placeholder-key"
ENDPOINT = "127.0.0.1", 8118


class Model(ModelStub):
    """`with Model(script=..., cwd=...) as model:` as ModelStub."""

    def __init__(self, **keywords):
        super().__init__(port=443, tls=private.certificate(), **keywords)

    def fail(self, *rules):
        """These faults from now on, and no other (modelstub.py)."""
        with self.lock:
            self.hits, self.faults = {}, [dict(rule) for rule in rules]

    def requests(self, path="/v1/messages"):
        """The recorded requests to that path, as dictionaries."""
        with self.lock:
            return [record for record in self.records
                    if record.get("path", "").split("?")[0] == path]

    def headers(self, name, path="/v1/messages"):
        """The values of one header in all requests to that path."""
        return [value for record in self.requests(path) for key, value in record["headers"]
                if key.lower() == name]
