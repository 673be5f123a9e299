"""`advisor lsp`: the language server, for findings in an editor."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout

from advisor.cli.findings import TextJudge, add_choice_options
from advisor.cli.lint import files_beside, kind_of, why_not_judged
from advisor.cli.lint_modes import mark
from advisor.cli.options import add_fact_options, add_site_options, configuration, rule_base, rule_folders
from advisor.cli.terminal import CannotRun, not_installed, warn
from advisor.files.kinds import AROUND, JUDGED
from advisor.lint.finding import together as twins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from advisor.lsp.answers import JudgedText
    from advisor.lsp.server import OpenText
    from advisor.rulebase.model import RuleBase

ROUNDS_REMEMBERED = 500
"""Rounds of judging after which cached indexes are dropped."""


def configure(top: argparse.ArgumentParser) -> None:
    top.add_argument("--stdio", action="store_true", help="speak on standard input and output, as it always does")
    add_fact_options(top)
    top.add_argument("--from-host", action="store_true",
                     help="take facts not given otherwise from this host (`advisor facts`)")
    add_choice_options(top, failing=False)
    site = add_site_options(top)
    site.add_argument("--baseline", metavar="FILE", help="report only findings that are not accepted in FILE")
    top.set_defaults(root=None, fail_on=None, write_baseline=None)


def run(args: argparse.Namespace) -> int:
    try:
        from advisor.lsp.server import Server
    except ImportError as error:
        raise not_installed(f"the language server needs {error.name}", "lsp") from None
    if sys.stdin is None:
        raise CannotRun("standard input is closed")
    if sys.stdin.isatty():
        warn("an editor starts this and speaks to it (docs/editors.md); Ctrl-C ends it")
    gc.enable()
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as stdout, redirect_stdout(sys.stderr):  # the protocol's alone
        Server(LintJudging(args)).start_io(sys.stdin.buffer, stdout)
    return 0


class LintJudging:
    """Judges open texts with the options of a command line."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.base: RuleBase | None = None
        self._judge: TextJudge | None = None
        self._packs: list[str] = []
        self._read: object = None
        self._wrong = ""
        self._rounds = 0

    def renew(self) -> str:
        try:
            config = configuration(self.args)
            baseline = self.args.baseline or config.data.get("baseline")
            files = [path for path in (self.args.facts, baseline and config.beside(baseline)) if path]
            read = (config.name, config.text, *map(mark, files))
            if read == self._read:
                return self._wrong
            self._read = read
            folders = rule_folders(self.args, config)
            base = self.base if self.base and folders == self._packs else rule_base(folders)
            self._judge = TextJudge(self.args, base, config, by_root=False)
            self.base, self._packs, self._wrong = base, folders, ""
        except CannotRun as error:
            self._wrong = "\n".join(error.lines)
        return self._wrong

    def judge(self, texts: Sequence[OpenText]) -> list[JudgedText]:
        from advisor.lsp.answers import JudgedText

        judge = self._judge
        assert judge is not None, "renew comes first"
        self._rounds += 1
        if self._rounds % ROUNDS_REMEMBERED == 0:
            judge.indexes.clear()
        files = [_file(open_text) for open_text in texts]
        beside = files_beside(files)
        judged = []
        for open_text, (name, data, kind) in zip(texts, files):
            near = [other for other in beside if _folder(other.name) == _folder(name)]
            if kind is None or why_not_judged(name, data, kind, near):
                judged.append(JudgedText(kind))
                continue
            try:
                _, findings = judge.judge(open_text.text, name, kind, near)
            except CannotRun as error:
                self._wrong = "\n".join(error.lines)
                findings = []
            judged.append(JudgedText(kind, twins(findings)))
        return judged


def _folder(name: str) -> str:
    """The folder of a file; of a drop-in, that of its main file. Files of different hosts may be open at once, each
    host in a separate folder."""
    folder = os.path.dirname(name)  # noqa: PTH120
    return os.path.dirname(folder) if folder.endswith(".d") else folder  # noqa: PTH120


def _file(open_text: OpenText) -> tuple[str, bytes, str | None]:
    """Name, content and kind of a text. The kind is what the editor says, if `lint` judges that kind, else what `lint`
    identifies; None if it is not judged."""
    data = open_text.text.encode("utf-8", "surrogatepass")
    kind = kind_of(open_text.name, data, open_text.language if open_text.language in JUDGED else None)
    return open_text.name, data, kind if kind in (*JUDGED, *AROUND) else None
