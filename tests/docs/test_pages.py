"""The pages: links lead somewhere, commands are such that the program takes, and the tour shows what is printed."""

from __future__ import annotations

import asyncio
import functools
import itertools
import re
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from advisor.cli import COMMANDS, command_parser
from tests import needs
from tests.cli.conftest import advisor as advisor  # noqa: PLC0414  the fixture
from tests.docs.prose import ROOT
from tests.each import each
from tests.tiers import thorough

PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
LINK = re.compile(r"\]\((?!https?://|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")


def anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each(lambda: PAGES)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        there = page.parent / target if target else page
        assert there.exists(), target
        assert not anchor or there.suffix != ".md" or anchor in anchors(there), f"{target}#{anchor}"


def test_every_page_stands_in_the_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\]\(([\w-]+\.md)\)", index))
    assert named == {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}


COMMAND = re.compile(r"^(?: {4,}|\$ |> |- run: |.*[|&;] )?(?:\S*/)?advisor( .*)?$")
ENDS = {"|", ">", ">>", "&&", "||", ";", "2>", "<"}


def printed() -> Iterator[tuple[str, list[str]]]:
    """Place, and the words after `advisor`, of each command in a block of a page."""
    pages = (path for path in (ROOT / "docs").glob("*.md") if not path.name.startswith("add-a-"))  # those are followed
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(pages)]:
        fenced = False
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            fenced ^= line.startswith("```")
            match = COMMAND.match(line)
            if match is None or not (fenced or line.startswith("    ")) or "…" in line or "[" in line:
                continue
            words = shlex.split((match.group(1) or "").rstrip("\\"), comments=True)
            yield f"{path.name}:{number}", list(itertools.takewhile(lambda word: word.rstrip(";") not in ENDS, words))


def test_commands_are_found() -> None:
    assert len(list(printed())) > 80


@pytest.mark.parametrize(("place", "words"), [*printed()], ids=lambda one: one if isinstance(one, str) else "")
def test_a_printed_command_is_one_that_the_program_takes(
    place: str, words: list[str], capsys: pytest.CaptureFixture[str],
) -> None:
    if not words or words[0] in ("--version", "--help", "help"):
        return
    name, args = (words[0], words[1:]) if words[0] in COMMANDS else ("wizard", words)
    try:
        command_parser(name).parse_args(args)
    except SystemExit:
        pytest.fail(f"{place}: {capsys.readouterr().err}")


BLOCKS = re.findall(r"```console\n(.*?)```", (ROOT / "docs" / "tour.md").read_text(encoding="utf-8"), re.DOTALL)
STEPS = [step for block in BLOCKS for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.split("\n")[0])
def test_a_command_runs_and_prints_what_stands_below_it(
    step: str, advisor: Any, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    command, *printed = step.rstrip().split("\n")
    ran = advisor(*shlex.split(command)[1:])
    assert ran.code in (0, 1), ran.err
    assert ran.out.strip()
    for line in printed:
        assert " ".join(line.split()) in " ".join(ran.out.split())


def test_there_are_steps() -> None:
    assert len(STEPS) > 10


WIDTHS = (1280, 800, 420)
CUT = """[...document.querySelectorAll("pre, .content img")].filter((one) =>
  one.scrollWidth > one.clientWidth + 1 || one.getBoundingClientRect().right > innerWidth + 1
).map((one) => one.textContent.slice(0, 80))"""
"""What a reader does not see whole without scrolling sideways."""
FOUND = {"--fail-on": "options.html", "denied by server": "messages.html"}
"""What is searched for → a page that is found."""


@thorough
def test_the_site_is_built_and_seen_in_a_browser(tmp_path: Path) -> None:
    for package in ("sphinx", "furo", "myst_parser"):
        needs.package(package, "site")
    site = tmp_path / "site"
    built = subprocess.run([sys.executable, "tools/documentation.py", str(site), "--docs-only"], cwd=ROOT,
                           capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    names = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"README"}
    assert names <= {path.stem for path in site.glob("*.html")}
    first = (site / "index.html").read_text(encoding="utf-8")
    assert all(f'href="{name}.html"' in first for name in names)
    assert 'src="_images/recording.svg"' in first
    navigation = re.findall(r'toctree-l1"><a [^>]*>([^<]*)', first)
    words = {word for title in navigation for word in re.findall(r"[a-z-]+", title.lower())}
    assert {*COMMANDS} - words <= {"kb", "rules", "completion"}  # these have no page
    assert "sources/" in (site / "_static" / "language_data.js").read_text(encoding="utf-8")
    browser = needs_browser()
    assert asyncio.run(asyncio.wait_for(seen_in(browser, site, tmp_path), 180)) == []


def needs_browser() -> Any:
    pytest.importorskip("aiohttp", reason="needs aiohttp: pip install -e '.[web]'")
    from tests.wizard import browser

    if browser.chromium() is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    return browser


async def seen_in(browser: Any, site: Path, folder: Path) -> list[object]:
    """What is cut off on three pages, what has no picture, and what the search does not find."""
    wrong: list[object] = []
    handler = functools.partial(Quiet, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            async with browser.Browser(folder) as page:
                async def show(path: str, ready: str) -> None:
                    await page.call("Page.navigate", url=f"http://127.0.0.1:{server.server_port}/{path}")
                    await browser.until(lambda: page.value(f"document.readyState == 'complete' && !!({ready})"), path)

                for name, width in itertools.product(("index", "fleet", "install"), WIDTHS):
                    await page.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1,
                                    mobile=False)
                    await show(f"{name}.html", "true")
                    wrong += [(name, width, cut) for cut in await page.value(CUT)]
                    picture = await page.screenshot()
                    wrong += [(name, width, "empty")] if len(picture) < 10_000 else []
                    (folder / f"{name}-{width}.png").write_bytes(picture)
                for words, wanted in FOUND.items():
                    found = f"document.querySelector('#search-results [href*=\"{wanted}\"]')"
                    await show(f"search.html?q={words}", found)
        finally:
            server.shutdown()
    return wrong


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass
