"""Serves one text, the metrics of `observe --listen`, over HTTP to Prometheus, to one client at a time. Nothing else is
answered, and nothing of a request but its first line is used."""

from __future__ import annotations

import ipaddress
import socket
from http.server import BaseHTTPRequestHandler, HTTPServer

_PATH = "/metrics"
_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_LAST_PORT = 65535
_PATIENCE = 5
"""Seconds that a client may take for its request."""


def parse_address(text: str) -> tuple[str, int]:
    """The address and port of `127.0.0.1:9100` or `[::1]:9100`; port 0 means any. ValueError for anything else, names
    too: what listens should not depend on a name server."""
    host, colon, port = text.rpartition(":")
    bare = host[1:-1] if host[:1] == "[" and host[-1:] == "]" else host
    is_port = port.isascii() and port.isdecimal() and int(port[:6]) <= _LAST_PORT
    if not colon or not is_port or (":" in bare) is not (bare != host):
        raise ValueError(f"--listen {text}: write an address and a port, such as 127.0.0.1:9876 or [::1]:9876")
    try:
        return str(ipaddress.ip_address(bare)), int(port)
    except ValueError:
        raise ValueError(f"--listen {text}: {bare or 'nothing'} is not an address; write 127.0.0.1:{port}") from None


class _Request(BaseHTTPRequestHandler):
    server: MetricsServer
    server_version, sys_version = "advisor", ""
    timeout = _PATIENCE

    def do_GET(self) -> None:
        """Answer with the metrics."""
        found = self.path.partition("?")[0] == _PATH
        body = self.server.text if found else f"See {_PATH}\n".encode()
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", _TYPE if found else "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815  http.server wants this name

    def log_message(self, *_: object) -> None:
        """Nothing is logged: Prometheus asks every few seconds."""


class MetricsServer(HTTPServer):
    """Listens at an address. `publish` replaces what it answers."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.text = b""
        super().__init__(address, _Request)

    @property
    def place(self) -> str:
        """Where it listens, as in a URL."""
        host, port = str(self.server_address[0]), self.server_address[1]
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def publish(self, text: str) -> None:
        """Answer with this from now on."""
        self.text = text.encode()
