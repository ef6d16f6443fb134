#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Plays the web server that a network manager asks whether the internet is there.

    web.py ADDRESS PORT

The word that comes on standard input is how it answers from then on; each word is answered by a line that begins with "= ":

    online      as ConnMan wants it: the header that it looks for, and no body
    portal      redirects to another page
"""
import http.server
import sys
import threading

answers = {
    "online": (200, {"X-ConnMan-Status": "online"}),
    "portal": (302, {"Location": "http://login.example.net/"}),
}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    answer = answers["portal"]

    def do_GET(self):
        status, headers = Handler.answer
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer((sys.argv[1], int(sys.argv[2])), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print("= ready", flush=True)
for line in sys.stdin:
    Handler.answer = answers[line.strip()]
    print("= done", flush=True)
