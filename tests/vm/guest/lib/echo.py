# SPDX-License-Identifier: LGPL-2.1-or-later
"""A model service that answers with what it was asked, plain HTTP on loopback:
cheap, and no answer can be taken for another's.

    with Echo(port=9100) as service: …  # runtime "echo" in the configuration
"""
import http.server
import json
import os
import threading

from units import CONFIG

RUNTIME = {"name": "echo", "wire": "anthropic", "scheme": "http", "host": "127.0.0.1",
           "credential": {"name": "anthropic", "env": ["ANTHROPIC_API_KEY"]},
           "env": {"ANTHROPIC_BASE_URL": "${ENDPOINT}", "ANTHROPIC_API_KEY": "${PLACEHOLDER_KEY}"}}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        asked = json.loads(body)["messages"][0]["content"]
        text = asked if isinstance(asked, str) else asked[0]["text"]
        with self.server.lock:
            self.server.asked.append(text)
            self.server.keys.append(self.headers["x-api-key"])
        answer = json.dumps({"id": "msg_1", "type": "message", "role": "assistant", "model": "echo",
                             "content": [{"type": "text", "text": text}], "stop_reason": "end_turn",
                             "usage": {"input_tokens": 1, "output_tokens": 1}}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments):
        pass


class Echo(http.server.ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 128

    def __init__(self, port=9100):
        self.asked, self.keys, self.lock = [], [], threading.Lock()
        super().__init__(("127.0.0.1", port), Handler)
        os.makedirs(os.path.join(CONFIG, "runtimes"), exist_ok=True)
        with open(os.path.join(CONFIG, "runtimes", "echo.json"), "w") as file:
            json.dump(dict(RUNTIME, port=port), file)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *exception):
        self.shutdown()
        return super().__exit__(*exception)
