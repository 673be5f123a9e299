"""A headless Chromium, driven through its DevTools protocol: no more is needed than an HTTP client."""

from __future__ import annotations

import asyncio
import base64
import itertools
import os
import re
import shutil
import signal
from pathlib import Path
from typing import Any

from aiohttp import ClientSession, ClientWebSocketResponse, WSMsgType

PATIENCE = 60.0
"""Seconds after which something that is waited for will not come any more."""
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless_shell")
_ESCAPES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_KEYS = {"Enter": 13, "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "Escape": 27, "Tab": 9}


def chromium() -> str | None:
    """The program, if one is there. CHROMIUM names another one."""
    named = os.environ.get("CHROMIUM")
    return named or next((found for name in _NAMES if (found := shutil.which(name))), None)


class Browser:
    """One page. `asked`: the addresses that it asked for; only those of 127.0.0.1 get an answer."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.received = b""
        """What the page got through its websockets."""
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}

    async def __aenter__(self) -> Browser:
        program = chromium()
        assert program
        self._process = await asyncio.create_subprocess_exec(
            program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--remote-debugging-port=0",
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--window-size=1200,800",
            f"--user-data-dir={self.folder}", "about:blank", stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL, start_new_session=True,
        )
        self._client = ClientSession()
        try:
            await self._connect()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def _connect(self) -> None:
        told = self.folder / "DevToolsActivePort"
        await until(lambda: told.exists() and len(told.read_text().split()) == 2, "Chromium to start")
        port = told.read_text().split()[0]
        async with self._client.get(f"http://127.0.0.1:{port}/json/list") as response:
            pages = await response.json()
        page = next(one for one in pages if one["type"] == "page")
        self._socket: ClientWebSocketResponse = await self._client.ws_connect(
            page["webSocketDebuggerUrl"], max_msg_size=0
        )
        self._reader = asyncio.create_task(self._read())
        for method in ("Network.enable", "Page.enable", "Log.enable", "Runtime.enable"):
            await self.call(method)
        await self.call("Fetch.enable", patterns=[{"urlPattern": "*"}])

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()
        os.killpg(self._process.pid, signal.SIGKILL)
        await self._process.wait()

    async def call(self, method: str, **told: Any) -> dict[str, Any]:
        number = next(self._numbers)
        answered = self._waiting[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": told})
        answer = await asyncio.wait_for(answered, PATIENCE)
        assert "error" not in answer, (method, answer)
        return dict(answer["result"])

    async def _read(self) -> None:
        async for message in self._socket:
            if message.type is not WSMsgType.TEXT:
                return
            data = message.json()
            if "id" in data:
                waiting = self._waiting.pop(data["id"], None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(data)
            else:
                await self._event(data["method"], data["params"])

    async def _event(self, method: str, told: dict[str, Any]) -> None:
        if method == "Fetch.requestPaused":
            address = told["request"]["url"]
            self.asked.append(address)
            local = address.startswith(("http://127.0.0.1:", "data:"))
            self._send("Fetch.continueRequest" if local else "Fetch.failRequest", requestId=told["requestId"],
                       **({} if local else {"errorReason": "BlockedByClient"}))
        elif method == "Network.webSocketCreated":
            self.asked.append(told["url"])
        elif method == "Network.webSocketFrameReceived" and told["response"]["opcode"] == 2:
            self.received += base64.b64decode(told["response"]["payloadData"])
        elif method == "Log.entryAdded" and told["entry"]["level"] == "error":
            self.complaints.append(f"{told['entry']['text']} {told['entry'].get('url', '')}")
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(str(told["exceptionDetails"].get("exception", told)))

    def _send(self, method: str, **told: Any) -> None:
        """Without waiting for the answer, which comes through the same reader."""
        self._sent = asyncio.ensure_future(
            self._socket.send_json({"id": next(self._numbers), "method": method, "params": told})
        )

    def seen(self) -> str:
        """The text that was drawn so far, without colours and places; blanks between what was apart."""
        return " ".join(_ESCAPES.sub(b" ", self.received).decode("utf-8", "replace").split())

    async def value(self, expression: str) -> Any:
        told = await self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        return told["result"].get("value")

    async def press(self, *keys: str) -> None:
        for key in keys:
            text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
            code = _KEYS.get(key, ord(key.upper()) if len(key) == 1 else 0)
            for kind in ("keyDown", "keyUp"):
                await self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code,
                                **(text if kind == "keyDown" else {}))

    async def click(self, across: int, down: int) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            await self.call("Input.dispatchMouseEvent", type=kind, x=across, y=down, button="left", clickCount=1)

    async def screenshot(self) -> bytes:
        return base64.b64decode((await self.call("Page.captureScreenshot"))["data"])


async def until(true: Any, what: str) -> None:
    """Waits until `true()`, which may be a coroutine; fails when that does not happen at all."""
    end = asyncio.get_running_loop().time() + PATIENCE
    while True:
        found = true()
        if asyncio.iscoroutine(found):
            found = await found
        if found:
            return
        assert asyncio.get_running_loop().time() < end, f"waited in vain for {what}"
        await asyncio.sleep(0.05)
