"""The wizard in a browser on this host, through textual-serve.

Anyone who reaches the wizard can write files as its user. So it listens on 127.0.0.1 only; requires a key that is
printed on its terminal, because other users of this host reach 127.0.0.1 too; and refuses requests for other host
names or from pages of other origins, because any web site can send a browser here."""

from __future__ import annotations

import hmac
import secrets
import shlex
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path

import aiohttp_jinja2
from aiohttp import web
from textual_serve.server import Server

HOST = "127.0.0.1"
PAGES = Path(__file__).parent / "page"
"""textual-serve's own page loads a font from another host."""
SHUTDOWN_TIMEOUT = 2.0
"""Seconds that open pages have to close when the server ends."""
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
        "img-src 'self' data:; connect-src 'self' ws://{host}; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
}
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def serve(command: list[str], port: int) -> int:
    """Serves the program that `command` starts, until Ctrl+C. Raises OSError if the port is not available."""
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen()  # before the address is printed, so that it can be opened at once
        server = _LocalServer(command, listening.getsockname()[1], secrets.token_urlsafe(24))
        web.run_app(
            server.application(), sock=listening, print=None, access_log=None, shutdown_timeout=SHUTDOWN_TIMEOUT,
        )
    return 0


class _LocalServer(Server):
    """textual-serve for one user of this host."""

    def __init__(self, command: list[str], port: int, key: str) -> None:
        # textual-serve hands the command to a shell
        super().__init__(f"exec {shlex.join(command)}", HOST, port, "NFS advisor", templates_path=PAGES)
        self.key = key
        self.hosts = {f"{name}:{port}" for name in (HOST, "localhost")}

    async def application(self) -> web.Application:
        app: web.Application = await self._make_app()
        app.router.add_get("/ws/{key}", self.handle_websocket)
        app.router.add_static("/page", PAGES)
        app.middlewares.append(self._guard)
        return app

    async def on_startup(self, app: web.Application) -> None:  # noqa: ARG002
        print(f"The wizard is at http://{HOST}:{self.port}/?key={self.key}", flush=True)
        print("It can be reached from this host only, with this key. Ctrl+C ends it.", flush=True)

    @web.middleware
    async def _guard(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        if request.headers.get("Host") not in self.hosts:
            return _forbidden("This server answers for 127.0.0.1 and localhost only.")
        origin = request.headers.get("Origin")
        if origin is not None and origin.removeprefix("http://") not in self.hosts:
            return _forbidden("Pages of other origins may not speak to this server.")
        if not self._open_to(request):
            return _forbidden("Open the address, with its key, that the command has printed.")
        response = await handler(request)
        if not response.prepared:
            response.headers.update({name: text.format(host=request.host) for name, text in _HEADERS.items()})
        return response

    def _open_to(self, request: web.Request) -> bool:
        """Whether a request has the key. It is in the address, not in a cookie, because cookies go to the servers on
        all ports of a host. Static files are public; downloads have their own keys."""
        if request.path.startswith(("/static/", "/page/", "/download/")):
            return True
        given = request.query.get("key", "") if request.path == "/" else request.match_info.get("key", "")
        return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), self.key.encode())

    @aiohttp_jinja2.template("app_index.html")
    async def handle_index(self, request: web.Request) -> dict[str, object]:
        """The page's variables. Addresses use the host and port of the request, which `_guard` has checked: a tunnel
        may have changed the port."""
        size = request.query.get("fontsize", "")
        return {
            "font_size": int(size) if size.isascii() and size.isdigit() and 6 <= int(size[:3]) <= 99 else 16,
            "app_websocket_url": f"ws://{request.host}/ws/{self.key}", "config": {"static": {"url": "/static/"}},
            "application": {"name": self.title},
        }


def _forbidden(why: str) -> web.Response:
    return web.Response(status=403, text=f"{why}\n")
