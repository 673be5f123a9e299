"""Writes the manual pages: `python tools/man_pages.py OUTDIR`.

advisor.1, a page for each command, and advisor.toml.5, made from the parsers and the schema of the configuration file.
The same sources give the same bytes; a date stands in the pages only if SOURCE_DATE_EPOCH gives one."""

from __future__ import annotations

import argparse
import os
import sys
from datetime import datetime, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from advisor import __version__
from advisor.cli import COMMANDS, command_parser
from advisor.cli.parser import leaves
from advisor.config import KEYS, NAME, SYSTEM
from tools import man_roff as roff
from tools import man_text as told

VERSION = f"advisor {__version__}"
EXITS = (
    ("2", "The program could not run, or a file was not judged; standard error tells why."),
    ("130", "Interrupted (Ctrl-C)."),
    ("141", "The reader of a pipe went away."),
)
KEY_KINDS = {
    "facts": "table: fact = value", "words": "list of texts", "levels": "table: rule = level",
    "level": "note, warning or error", "flag": "true or false", "folders": "list of folders", "file": "file",
    "mounts": "array of tables", "paths": "array of tables",
}
CONFIGURATION = """\
fail_on = "error"

[facts]
"client.kernel" = "5.14"

[severity]
"timeo-too-short" = "note"

[[mounts]]
target = "/hana/log"
workload.kind = "sap-hana"

[[path]]
match = "lab/*"
ignore = ["timeo-too-short"]
"""


def pages() -> dict[str, str]:
    """File name → text, in the order in which they are listed."""
    made = {"advisor.1": program()}
    made.update({f"advisor-{name}.1": command(name) for name in COMMANDS})
    made[f"{NAME}.5"] = configuration()
    return made


def begun(name: str, section: int, says: str) -> roff.Page:
    stamp = os.environ.get("SOURCE_DATE_EPOCH", "")
    date = datetime.fromtimestamp(int(stamp), timezone.utc).strftime("%Y-%m-%d") if stamp.isdecimal() else ""
    page = roff.Page(name, section, date, VERSION)
    page.heading("Name")
    page.paragraph(rf"{roff.escaped(name)} \- {roff.escaped(says)}")
    page.heading("Synopsis")
    return page


def program() -> str:
    page = begun("advisor", 1, "check and explain NFS configuration")
    page.paragraph(f"{roff.bold('advisor')} {roff.italic('COMMAND')} [{roff.italic('OPTION')} ...]")
    page.lines += [".br", f"{roff.bold('advisor help')} [{roff.italic('COMMAND')}]"]
    described(page, told.PROGRAM)
    page.heading("Commands")
    for name, says in COMMANDS.items():
        page.term(roff.bold(f"advisor-{name}") + "(1)", roff.prose(says))
    page.heading("Options")
    page.term(roff.bold("--help"), "List the commands and exit.")
    page.term(roff.bold("--version"), "Print the version and exit.")
    page.heading("Environment")
    page.term(roff.bold("NO_COLOR"), roff.prose("If it is not empty, output has no colours; `--color` overrides it."))
    page.term(roff.bold("FORCE_COLOR"), roff.prose("If it is not empty, output has colours everywhere; `NO_COLOR` and "
                                                   "`--color` override it."))
    page.term(roff.bold("COLUMNS"), "Width of the output, from 20 to 140 columns.")
    page.term(roff.bold("ADVISOR_DEBUG"), "If it is set, an internal error shows its traceback.")
    ended(page, told.PROGRAM, site=True, also=[f"advisor-{name}(1)" for name in COMMANDS])
    return page.text()


def command(name: str) -> str:
    parsers = leaves(command_parser(name))
    text = told.COMMANDS.get(name, told.Text((f"{roff.capital(COMMANDS[name])}.",)))
    page = begun(f"advisor-{name}", 1, COMMANDS[name])
    for number, leaf in enumerate(parsers):
        if number:
            page.lines.append(".br")
        page.lines += roff.filled(roff.synopsis(leaf))
    described(page, text)
    shared = roff.shared(parsers)
    if len(parsers) > 1:
        page.heading("Commands")
        for leaf in parsers:
            page.part(leaf.prog.partition(" ")[2].partition(" ")[2])
            page.paragraph(roff.prose(f"{roff.capital(leaf.description or '')}."))
            roff.options(page, leaf, None, shared)
    page.heading("Options")
    if len(parsers) > 1:
        page.paragraph("All of these commands have these options:")
    roff.options(page, parsers[0], shared if len(parsers) > 1 else None)
    ended(page, text, site="--config" in parsers[0]._option_string_actions, also=["advisor(1)", "advisor.toml(5)"])
    return page.text()


def described(page: roff.Page, text: told.Text) -> None:
    page.heading("Description")
    for paragraph in text.description:
        page.paragraph(roff.prose(paragraph))


def ended(page: roff.Page, text: told.Text, *, site: bool, also: list[str]) -> None:
    """What stands at the end of a page. `site`: the command reads a configuration file."""
    page.heading("Exit status")
    page.term("0", "Success.")
    for code, says in ((("1", text.findings),) if text.findings else ()) + EXITS:
        page.term(code, roff.prose(says))
    if text.examples:
        page.heading("Examples")
    for example in text.examples:
        page.paragraph(roff.prose(example.says))
        page.example(example.command)
    files = (*text.files, *(((NAME, "Configuration: here, or above in the repository."),
                             (SYSTEM, "Configuration where there is none of these.")) if site else ()))
    if files:
        page.heading("Files")
    for name, says in files:
        page.term(roff.italic(name), roff.prose(says))
    see_also(page, [*also, *text.also])


def see_also(page: roff.Page, names: list[str]) -> None:
    page.heading("See also")
    shown = (roff.bold(name[:-3]) + name[-3:] for name in names)
    page.paragraph(", ".join(shown))


def configuration() -> str:
    page = begun(NAME, 5, "configuration of advisor")
    for name in (NAME, SYSTEM):
        page.lines += [roff.italic(name), ".br"]
    del page.lines[-1]
    page.heading("Description")
    page.paragraph(roff.prose(
        f"A TOML file that says what holds for a site. `advisor` reads the first of these that exists, and only that "
        f"one: the file of `--config`; `{NAME}` in the current folder, or in the nearest folder above it up to the "
        f"root of the repository; `{SYSTEM}`. `--no-config` reads none."))
    page.paragraph(roff.prose(
        "The command line overrides the file. A key, a rule or a fact that does not exist is refused. Root reads a "
        "file that `--config` does not name only if it belongs to root and nobody else can write to it."))
    page.heading("Keys")
    for name, key in KEYS.items():
        where = " Also in `[[path]]`." if key.everywhere else ""
        page.term(f"{roff.bold(name)} ({roff.escaped(KEY_KINDS[key.kind])})", roff.prose(f"{key.says}{where}"))
    page.heading("Examples")
    page.example(CONFIGURATION)
    page.heading("Files")
    page.term(roff.italic(NAME), "The configuration of a repository or a folder.")
    page.term(roff.italic(SYSTEM), "The configuration of a host.")
    see_also(page, ["advisor(1)", "advisor-lint(1)", "advisor-check(1)"])
    return page.text()


def write(folder: Path) -> list[Path]:
    """Write all pages into `folder`; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for name, text in pages().items():
        made.append(folder / name)
        made[-1].write_text(text, encoding="utf-8")
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description="Write the manual pages.")
    parser.add_argument("folder", metavar="OUTDIR", type=Path)
    for path in write(parser.parse_args().folder):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
