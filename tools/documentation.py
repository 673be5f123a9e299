"""Builds the documentation as a site that works from a folder, without a server or a network: the pages of docs/, the
options of all commands, the messages and their causes, a page for each rule, one for each source with its claims, and
the disputes, all of them found by the search.

`python tools/documentation.py OUTDIR`; needs the extra `site`. `--docs-only` leaves out the pages of rules and sources,
which take a minute."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path

from sphinx.cmd.build import build_main

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from advisor.cli import COMMANDS, command_parser
from advisor.cli.parser import leaves
from advisor.pages import kb
from advisor.pages.blocks import Document, TextRun, code
from advisor.pages.kb import claim_page, source_page
from advisor.pages.markup import markdown
from advisor.rulebase.base import load
from advisor.rulebase.citations import disputes
from tools.rule_pages import INDEX, pages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.rulebase.model import RuleBase

ROOT = Path(__file__).resolve().parents[1]
PROJECT = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
"""Pages from the top of the checkout."""
BESIDE = re.compile(r"^( {4,}|)(\S.*?) {2,}# (.*)$", re.MULTILINE)
"""A comment beside a command: above it, neither needs a wide screen."""
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?://|mailto:|#)([^)\s]+)\)")
ALONE = "---\norphan: true\n---\n\n"
"""A page that its index names: in the table of contents of each page, hundreds of them would make the site huge."""
SETTINGS = """
from pathlib import Path
project = "advisor"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "advisor"
html_copy_source = False
html_static_path = ["own"]
html_css_files = ["own.css"]
html_show_sphinx = False
html_show_copyright = False
myst_heading_anchors = 4
myst_links_external_new_tab = False
highlight_language = "none"
html_search_scorer = str(Path(__file__).with_name("order.js"))
suppress_warnings = ["misc.highlighting_failure"]
"""

STYLE = """
.content { width: 54em; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
.content table.docutils td:first-child, .content table.docutils th { overflow-wrap: normal; }
"""
"""Code is wrapped, since a bar for scrolling is not seen on many screens."""
ORDER = """
var Scorer = {
  score: ([page, title, anchor, description, score]) => {
    const asked = (new URLSearchParams(location.search).get("q") || "").toLowerCase().split(/[^\\w-]+/);
    const name = page.split("/").pop().toLowerCase();
    const named = asked.filter((word) => word.length > 2 && name.includes(word)).length;
    const own = asked.includes(name.split(".").pop()) ? 10 : 0;
    return score + 30 * named + own - (page.startsWith("sources/") ? 20 : 0);
  },
  objNameMatch: 11, objPartialMatch: 6, objPrio: {0: 15, 1: 5, 2: -5}, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
"""
"""What the search shows first: the page of the setting or rule that was asked for. Sources come last: they name all
that they speak of in headings."""


def main() -> int:
    top = argparse.ArgumentParser(description="Builds the documentation site.")
    top.add_argument("target", type=Path, help="folder for the site")
    top.add_argument("--docs-only", action="store_true", help="leave out the pages of rules and sources")
    args = top.parse_args()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), None if args.docs_only else load())
        parsed = str(Path(folder) / ".doctrees")  # as large as the site, and of no use to a reader
        told = ["-W", "-q", "--keep-going", "-j", "auto", "-b", "html", "-d", parsed]
        code = build_main([*told, folder, str(args.target)])
    if not code:
        size = sum(path.stat().st_size for path in args.target.rglob("*") if path.is_file())
        number = len(list(args.target.rglob("*.html")))
        print(f"{args.target}: {number} pages, {size >> 20} MiB, {time.monotonic() - start:.0f} s")
    return code


def write(folder: Path, base: RuleBase | None) -> None:
    """The source of the site, in Markdown; None: of docs/ alone."""
    (folder / "conf.py").write_text(SETTINGS, encoding="utf-8")
    (folder / "order.js").write_text(ORDER, encoding="utf-8")
    (folder / "own").mkdir()
    (folder / "own" / "own.css").write_text(STYLE, encoding="utf-8")
    shutil.copytree(ROOT / "docs" / "screenshots", folder / "screenshots")
    shutil.copy(ROOT / "docs" / "recording.svg", folder)
    shutil.copytree(ROOT / "docs" / "schema", folder / "schema")
    contents = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    found = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")}
    found |= {name: (ROOT / name).read_text(encoding="utf-8") for name in PROJECT}
    del found["README.md"]
    found["index.md"] = (ROOT / "README.md").read_text(encoding="utf-8") + contents_of(contents, base is not None)
    found |= {"options.md": options(), "messages.md": messages(base or load())}
    if base is not None:
        found |= reference(base)
    for name, text in found.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        alone = ALONE if "/" in name and path.stem != "index" else ""
        path.write_text(alone + linked(BESIDE.sub(r"\1# \3\n\1\2", text), name, found, folder), encoding="utf-8")


def contents_of(index: str, whole: bool) -> str:
    """The tables of contents, one for each heading of docs/README.md."""
    told = []
    for part in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        rows = re.findall(r"^\|[^|]*\]\(([\w-]+)\.md\) \|(?: (`[^|]*) \|)?", part, re.MULTILINE)
        entries = [entry(page, commands.replace("`", "")) for page, commands in rows]
        told.append(toctree(part.split("\n", 1)[0], entries))
    made = ["rules/index", "sources/index", "disputes"] if whole else []
    told.append(toctree("Reference", ["options", "messages", *made]))
    return "".join((*told, toctree("Project", [name.removesuffix(".md") for name in PROJECT])))


def entry(page: str, commands: str) -> str:
    """An entry of a table of contents, with the commands that the page is about."""
    title = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    if commands in title.lower():
        return page
    return f"{commands}: {title[0].lower()}{title[1:]} <{page}>"


def toctree(title: str, names: list[str]) -> str:
    listed = "\n".join(dict.fromkeys(names))
    return f"\n\n```{{toctree}}\n:hidden:\n:caption: {title}\n:maxdepth: 1\n\n{listed}\n```\n"


def options() -> str:
    """The page of what each command takes."""
    page = Document()
    page.heading("Options of the commands", 1)
    for name in COMMANDS:
        for parser in leaves(command_parser(name)):
            page.heading(parser.prog)
            page.code(parser.format_help())
    return markdown(page.blocks)


def messages(base: RuleBase) -> str:
    """The page of the causes of trouble, each with the messages that it explains."""
    page = Document()
    page.heading("Messages and their causes", 1)
    page.para("What can be behind a message. `advisor diagnose` says which it is, and how to tell them apart.")
    for cause in base.causes.values():
        page.heading(cause.title)
        page.para(cause.why)
        page.para(f"Remedy: {cause.remedy.do}")
        texts = dict.fromkeys(base.messages[name].text for name in cause.explains if name in base.messages)
        for text in filter(None, texts):  # a symptom has none
            page.item(code(text.removeprefix(": ")))
    return markdown(page.blocks)


def reference(base: RuleBase) -> dict[str, str]:
    """The pages of rules, sources and disputes."""
    found = {f"rules/{'index' if name == INDEX else name}.md": text for name, text in pages(base).items()}
    claims: dict[str, list[str]] = {name: [] for name in base.sources}
    for name, told in base.claims.items():
        claims[told.source].append(name)
    for name, own in claims.items():
        found[f"sources/{name}.md"] = "\n\n".join(
            (markdown(source_page(base, name)), *(re.sub(r"^#", "##", markdown(claim_page(base, one))) for one in own))
        )
    top = Document()
    top.heading("Sources", 1)
    top.para("What each document says, who says it, and which rules rest on it.")
    top.table(("source", "title", "claims"), (
        (TextRun(name, "", f"{name}.md"), f"{one.title}, {one.publisher}", str(len(claims[name])))
        for name, one in sorted(base.sources.items())
    ))
    found["sources/index.md"] = markdown(top.blocks)
    page = Document()
    page.heading("Where sources disagree", 1)
    page.para("Each setting on which sources contradict one another, what was decided, and why.")
    found["disputes.md"] = markdown([*page.blocks, *kb.disputes(base, disputes(base, None))])
    return found


def linked(text: str, name: str, found: dict[str, str], folder: Path) -> str:
    """The text with links as they are on the site; what is not there is no link."""

    def put(match: re.Match[str]) -> str:
        mark, says, to = match.groups()
        path, hash_, anchor = to.partition("#")
        path = {"README.md": "index.md", "../README.md": "index.md"}.get(path, path.removeprefix("docs/"))
        path = path.removeprefix("../") if name in found and "/" not in name else path
        below = (folder / name).parent.joinpath(path).resolve()
        there = below.is_relative_to(folder.resolve()) and (
            str(below.relative_to(folder.resolve())) in found or below.is_file())
        return f"{mark}[{says}]({path}{hash_}{anchor})" if there else says

    return LINK.sub(put, text)


if __name__ == "__main__":
    raise SystemExit(main())
