"""`advisor wizard --web`, in a real browser where one is there, and as seen by those who should not get in."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shlex
import subprocess
import sys
from argparse import Namespace
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from advisor.cli.parser import parser
from advisor.cli.terminal import CannotRun
from advisor.cli.wizard import browser_command, configure, serve_web
from advisor.wizard import questions, state

pytest.importorskip("textual_serve", reason="textual-serve is not installed: pip install -e '.[web]' brings it")

from aiohttp import ClientSession

from tests.tiers import thorough
from tests.wizard.browser import PATIENCE, Browser, chromium, until
from tests.wizard.driving import BASE, NEW
from tests.zipped import zip_equal

pytestmark = thorough

AFTER = state.answer(BASE, NEW, "storage.platform", "anf")
NEXT = BASE.facts[questions.upcoming_questions(BASE, AFTER)[0].fact].ask or ""
"""What is asked after the first choice, Azure NetApp Files."""


@contextlib.asynccontextmanager
async def serving(folder: Path, *options: str) -> AsyncIterator[str]:
    """The address that the command prints."""
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "advisor", "wizard", "--web", "--port", "0", *options, stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "XDG_STATE_HOME": str(folder)}, stdin=asyncio.subprocess.DEVNULL,
    )
    assert server.stdout is not None
    try:
        line = (await asyncio.wait_for(server.stdout.readline(), PATIENCE)).decode()
        found = re.search(r"http://127\.0\.0\.1:\d+/\?key=\S+", line)
        assert found, line
        yield found[0]
    finally:
        server.terminate()
        await asyncio.wait_for(server.communicate(), PATIENCE)
    assert server.returncode == 0


def play(scene: Callable[[], Awaitable[None]]) -> None:
    async def run() -> None:
        await scene()

    asyncio.run(run())


@pytest.mark.skipif(chromium() is None, reason="there is no Chromium here")
def test_a_browser_shows_the_wizard_takes_keys_and_asks_no_other_host(tmp_path: Path) -> None:
    async def scene() -> None:
        # what is hostile to a shell is an ordinary value all the way down
        hostile = f"--target=/mnt/$(touch {tmp_path}/run);`touch {tmp_path}/run`'\""
        async with serving(tmp_path, hostile) as address, Browser(tmp_path / "profile") as browser:
            await browser.call("Page.navigate", url=address)
            await until(lambda: "Where does the data live?" in browser.seen(), "the first question")
            await until(lambda: "Azure NetApp Files" in browser.seen(), "the choices")
            await until(lambda: browser.value("document.body.classList.contains('-first-byte')"), "the terminal")
            assert await browser.value("document.querySelectorAll('.xterm-screen canvas').length") >= 1
            before = await browser.screenshot()
            await browser.press("1")
            await until(lambda: "changed" in browser.seen(), "what the answer has changed")
            await until(lambda: NEXT in browser.seen(), "the next question")
            await until(lambda: _differs(browser, before), "the change on the screen")
            await until(lambda: _at_the_end(browser), "the end of the questions")
            await browser.press("q")
            await until(lambda: browser.value("getComputedStyle(document.querySelector('#closed')).display == 'flex'"),
                        "the end")
            host = address.partition("/?")[0].removeprefix("http://")
            foreign = [one for one in browser.asked if not one.startswith((f"http://{host}/", f"ws://{host}/"))]
            assert foreign == []
            assert any(one.startswith("ws:") for one in browser.asked)
            assert browser.complaints == []
        assert not (tmp_path / "run").exists()
        assert "anf" in (tmp_path / "advisor/wizard.json").read_text()

    play(scene)


async def _at_the_end(browser: Browser) -> bool:
    """Whether nothing is asked any more; if not, says that it does not know."""
    if "Show the result" in browser.seen():
        return True
    await browser.press("d")
    return False


async def _differs(browser: Browser, before: bytes) -> bool:
    return await browser.screenshot() != before


def test_only_this_host_this_key_and_this_page_get_in(tmp_path: Path) -> None:
    async def scene() -> None:
        async with serving(tmp_path, "--no-save") as address, ClientSession() as client:
            top, _, key = address.partition("?key=")

            async def status(path: str, **headers: str) -> int:
                async with client.get(f"{top}{path}", headers=headers) as response:
                    return response.status

            assert await status(f"?key={key}") == 200
            assert await status("") == await status("?key=") == await status(f"?key={key}x") == 403
            assert await status("ws") == await status("ws/x") == await status("ws?width=80&height=24") == 403
            assert await status(f"?key={key}", Host="evil.example") == 403
            assert await status(f"?key={key}", Origin="http://evil.example") == 403
            assert await status(f"?key={key}", Origin="null") == 403
            assert await status(f"ws/{key}", Origin="https://evil.example") == 403
            async with client.get(address) as response:
                page, policy = await response.text(), response.headers["Content-Security-Policy"]
            assert "https:" not in page
            assert set(re.findall(r"\w+://[^/\s;\"]+", page + policy)) == {f"ws://{top.split('/')[2]}"}
            assert "default-src 'none'" in policy

    play(scene)


def test_the_server_listens_on_this_host_only(tmp_path: Path) -> None:
    async def scene() -> None:
        async with serving(tmp_path, "--no-save") as address:
            port = int(address.split(":")[2].partition("/")[0])
            listening = [
                line.split()[1] for table in ("/proc/net/tcp", "/proc/net/tcp6") if Path(table).exists()
                for line in Path(table).read_text().splitlines()[1:]
                if line.split()[3] == "0A" and line.split()[1].endswith(f":{port:04X}")
            ]
            assert listening == [f"0100007F:{port:04X}"]

    play(scene)


def options(*given: str) -> Namespace:
    top = parser("advisor wizard", "")
    configure(top)
    return top.parse_args(list(given))


def test_the_child_gets_the_same_options_and_the_shell_none_of_them() -> None:
    nasty = "a b';$(id)`id`\n&|"
    given = ["--set", "storage.platform=anf", "--pin", "mount.vers=4.1", "--answers", nasty, "--server", "-x",
             "--from-host", "--quick", "--no-save", "--theme", "light"]
    given = [f"{one}={two}" if one == "--server" else one for one, two in zip_equal(given, [*given[1:], ""])
             if one != "-x"]
    asked = options(*given)
    command = browser_command(options("--web", "--port", "0", *given))
    assert (command[0], command[3]) == (sys.executable, "wizard")
    assert vars(options(*command[4:])) == vars(asked)
    assert shlex.split(shlex.join(command)) == command


def test_the_child_takes_nothing_from_the_folder_in_which_it_is_started(tmp_path: Path) -> None:
    (tmp_path / "advisor.py").write_text("raise SystemExit('taken')\n", encoding="utf-8")
    start = browser_command(options("--web"))[:3]
    ran = subprocess.run([*start, "--version"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout.split()[0], ran.stderr) == (0, "advisor", "")


@pytest.mark.parametrize(("given", "says"), [
    (("--port", "80"), "--port goes with --web"),
    (("--web", "--port", "65536"), "from 0 to 65535"),
    (("--web", "--set", "client.kernel"), "write FACT=VALUE"),
    (("--web", "--answers", "/no/such/file"), "file not found"),
])
def test_mistakes_are_told_before_anything_is_served(advisor_says, given: tuple[str, ...], says: str) -> None:
    assert says in advisor_says("wizard", *given)


@pytest.fixture
def advisor_says(capsys):
    from advisor.cli import main

    def run(*args: str) -> str:
        assert main(list(args)) == 2
        return capsys.readouterr().err

    return run


def test_a_port_in_use_is_told(advisor_says) -> None:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"port {port} of 127.0.0.1 cannot be used" in advisor_says("wizard", "--web", "--port", str(port))


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "textual_serve", None)
    monkeypatch.setitem(sys.modules, "textual_serve.server", None)
    monkeypatch.delitem(sys.modules, "advisor.wizard.web", raising=False)
    with pytest.raises(CannotRun, match=r"needs textual-serve") as told:
        serve_web(options("--web"), lambda: None)
    assert "pip install '.[web]' in a checkout" in told.value.lines[1]
