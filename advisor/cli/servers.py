"""`advisor lsp`: the language server, for findings in an editor. `advisor mcp`: answers for assistants, by the Model
Context Protocol. Both speak on standard input and output.

A tool for assistants runs a command of this program on the text that it is given, in a process of its own, and returns
the brief form, and the command's remarks beside it. No tool takes a path, a host or a folder of rules, and none
writes: whatever an assistant is talked into, nothing of this machine is read or changed."""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Optional, TypeVar, Union

from advisor import __version__
from advisor.cli import options
from advisor.cli.findings import TextJudge, add_choice_options
from advisor.cli.lint import files_beside, kind_of, why_not_judged
from advisor.cli.lint_modes import mark
from advisor.cli.terminal import THIS_PROGRAM, CannotRun, not_installed, warn
from advisor.files.kinds import AROUND, JUDGED
from advisor.lint.finding import together as twins
from advisor.pages.style import visible

if TYPE_CHECKING:
    from advisor.lsp.server import JudgedText, OpenText
    from advisor.rulebase.model import RuleBase

ROUNDS_REMEMBERED = 500
"""Rounds of judging after which cached indexes are dropped."""
LIMIT = 1 << 20
"""Bytes of a text."""
_ARGUMENTS = 32 << 10
_SECONDS = 60
_MESSAGES = 2000
"""Characters of what a command says when it cannot answer."""
Answer = TypeVar("Answer")
Facts = Optional[Mapping[str, Union[str, int, float, bool]]]
"""Known facts, as `advisor facts` and the questions of other answers name them. Python 3.9 cannot evaluate `|`."""
_ABOUT = (
    "Checks NFS configuration (fstab, exports, nfs.conf, autofs, Kubernetes volumes and more), recommends settings and "
    "finds the cause of NFS trouble, with the source of each. Ask lint_text before you write a mount option. Answers "
    "are JSON: verdict, points, sources, and in `ask` the fact that would settle more, to be given in `facts`."
)


def configure_lsp(top: argparse.ArgumentParser) -> None:
    configure_mcp(top)
    options.add_fact_options(top)
    top.add_argument("--from-host", action="store_true",
                     help="take facts not given otherwise from this host (`advisor facts`)")
    add_choice_options(top, failing=False)
    site = options.add_site_options(top)
    site.add_argument("--baseline", metavar="FILE", help="report only findings that are not accepted in FILE")
    top.set_defaults(root=None, fail_on=None, write_baseline=None)


def configure_mcp(top: argparse.ArgumentParser) -> None:
    top.add_argument("--stdio", action="store_true", help="speak on standard input and output, as it always does")


def run_lsp(args: argparse.Namespace) -> int:
    try:
        from advisor.lsp.server import Server
    except ImportError as error:
        raise not_installed(f"the language server needs {error.name}", "lsp") from None
    _check_input("an editor starts this and speaks to it (docs/editors.md)")
    gc.enable()
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as stdout, redirect_stdout(sys.stderr):  # the protocol's alone
        Server(LintJudging(args)).start_io(sys.stdin.buffer, stdout)
    return 0


def _check_input(remark: str) -> None:
    """Raises CannotRun if standard input is closed. On a terminal, prints the remark and how to stop."""
    if sys.stdin is None:
        raise CannotRun("standard input is closed")
    if sys.stdin.isatty():
        warn(f"{remark}; Ctrl-C ends it")


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
            config = options.configuration(self.args)
            baseline = self.args.baseline or config.data.get("baseline")
            files = [path for path in (self.args.facts, baseline and config.beside(baseline)) if path]
            read = (config.name, config.text, *map(mark, files))
            if read == self._read:
                return self._wrong
            self._read = read
            folders = options.rule_folders(self.args, config)
            base = self.base if self.base and folders == self._packs else options.rule_base(folders)
            self._judge = TextJudge(self.args, base, config, by_root=False)
            self.base, self._packs, self._wrong = base, folders, ""
        except CannotRun as error:
            self._wrong = "\n".join(error.lines)
        return self._wrong

    def judge(self, texts: Sequence[OpenText]) -> list[JudgedText]:
        from advisor.lsp.server import JudgedText

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


def run_mcp(_: argparse.Namespace) -> int:
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ResourceError, ToolError
        from mcp.types import ToolAnnotations
    except ImportError as error:
        raise not_installed(f"the server for assistants needs {error.name}", "mcp") from None
    _check_input("an assistant starts this and speaks to it (docs/assistants.md)")
    server = MCPServer("advisor", instructions=_ABOUT, version=__version__, log_level="ERROR", subscriptions=False)
    harmless = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    for tool in (lint_text, recommend, why, diagnose, explain, check_bundle):
        server.add_tool(_telling(tool, ToolError), annotations=harmless, structured_output=False)
    server.resource("advisor://claim/{claim}", mime_type="application/json")(_telling(claim_text, ResourceError))
    server.run("stdio")
    return 0


def lint_text(text: str, kind: str = "", facts: Facts = None) -> list[str]:
    """Check NFS configuration: the text of an fstab, exports, nfs.conf, autofs map, systemd unit, manifest, script or
    other file. `kind`: fstab, exports, nfs.conf … where the text alone does not show it."""
    return answered(["lint", *([f"--kind={kind}"] if kind else []), *_set(facts), "-"], text)


def recommend(facts: Facts = None, server: str = "", export: str = "", target: str = "") -> list[str]:
    """Recommend mount options and settings for an environment. `facts`: for example storage.platform, client.kernel,
    workload.kind; `ask` of the answer names the next one. `server`, `export`, `target`: names for the mount line."""
    names = {"server": server, "export": export, "target": target}
    return answered(["recommend", *_set(facts), *(f"--{name}={given}" for name, given in names.items() if given)])


def why(setting: str, facts: Facts = None) -> list[str]:
    """Say what to set an option or setting to, and why, with the sources: nconnect, hard, net.ipv4.tcp_rmem …"""
    return answered(["why", *_set(facts), "--", setting])


def diagnose(text: str, facts: Facts = None) -> list[str]:
    """Find the cause of an NFS error message, a log, or a description of trouble, with the check that proves it."""
    return answered(["diagnose", *_set(facts), "-"], text)


def explain(topic: str) -> list[str]:
    """Explain an option, sysctl, rule, check, fact, known fault or claim by its name."""
    if topic.startswith(("/", ".", '"')) or topic.endswith(".exports"):  # a file, which the command would read
        raise CannotRun(f"{topic!r} names a file; give its text to lint_text")
    return answered(["explain", "--", topic])


def check_bundle(bundle: str) -> list[str]:
    """Check a whole host, from the text of a file that `advisor facts --bundle` wrote there (not packed)."""
    with tempfile.TemporaryDirectory(prefix="advisor-") as folder:
        file = Path(folder) / "host.json"
        file.write_bytes(_bounded(bundle))
        try:
            return answered(["check", f"--root={file}"])
        except CannotRun as error:
            raise CannotRun(error.lines[0].replace(f"--root {file}", "the bundle")) from None


def claim_text(claim: str) -> str:
    """What a source says, by the id that an answer cites."""
    return explain(claim)[0]


def _telling(tool: Callable[..., Answer], refusal: type[Exception]) -> Callable[..., Answer]:
    """The tool, whose CannotRun becomes an error with the same words for the assistant."""
    @wraps(tool)
    def told(**arguments: object) -> Answer:
        try:
            return tool(**arguments)
        except CannotRun as error:
            raise refusal("\n".join(error.lines)) from None

    return told


def _set(facts: Facts) -> list[str]:
    return [f"--set={name}={json.dumps(value) if isinstance(value, bool) else value}"
            for name, value in (facts or {}).items()]


def _bounded(text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    if len(data) > LIMIT:
        raise CannotRun(f"the text has {len(data)} bytes, more than {LIMIT}: give the part that is about NFS")
    return data


def answered(command: Sequence[str], text: str = "") -> list[str]:
    """Run a command on a text: its brief answer, then its remarks if it makes any. CannotRun if it gives no answer."""
    name, *options = command
    package = str(Path(__file__).parents[2])
    data = _bounded(text)
    if sum(map(len, options)) > _ARGUMENTS:
        raise CannotRun(f"the arguments are longer than {_ARGUMENTS} characters")
    words = [sys.executable, "-c", THIS_PROGRAM, name, "--no-config", "--output-format=brief", *options]
    if any("\0" in word for word in words):
        raise CannotRun("an argument holds a NUL character")
    try:
        done = subprocess.run(  # noqa: S603  no shell; an argument cannot become an option
            words, input=data, capture_output=True, timeout=_SECONDS, check=False, cwd="/",
            env={**os.environ, "PYTHONPATH": os.pathsep.join([package, os.environ.get("PYTHONPATH", "")])},
        )
    except subprocess.TimeoutExpired:
        raise CannotRun(f"no answer within {_SECONDS} s: give less text") from None
    except OSError as error:
        raise CannotRun(f"the command cannot be started: {error.strerror}") from None
    remarks = visible(done.stderr.decode("utf-8", "replace").replace("\n", " "))[:_MESSAGES].strip()
    if not done.stdout:
        raise CannotRun(remarks or f"`advisor {name}` ended with exit code {done.returncode}")
    return [done.stdout.decode(), *([remarks] if remarks else [])]
