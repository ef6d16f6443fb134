#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The server that a manager's connectivity check asks: plays the open internet, a captive portal, or a wall.

    checkpoint.py ADDRESS PORT

Reads one mode a line, and answers "= MODE" when it holds: "full" answers what NetworkManager expects, "online" what ConnMan
does, "portal" leads to a sign-in page, "closed" refuses connections.
"""
import http.server
import sys
import threading

address = (sys.argv[1], int(sys.argv[2]))
mode = "full"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        status, headers, body = {
            "full": (200, {}, b"NetworkManager is online\n"),
            "online": (200, {"X-ConnMan-Status": "online"}, b""),
            "portal": (302, {"Location": "http://192.0.2.2/sign-in"}, b""),
        }[mode]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Server(http.server.ThreadingHTTPServer):
    allow_reuse_address = True
    daemon_threads = True


server = None


def switch(new):
    global mode, server
    mode = new
    if mode == "closed" and server:
        server.shutdown()
        server.server_close()
        server = None
    elif mode != "closed" and not server:
        server = Server(address, Handler)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()


switch(mode)
print("= ready", flush=True)
for line in sys.stdin:
    switch(line.strip())
    print("=", line.strip(), flush=True)
