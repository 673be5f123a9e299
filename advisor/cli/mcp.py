"""`advisor mcp`: answers for assistants, by the Model Context Protocol on standard input and output.

A tool runs a command of this program on the text that it is given, in a process of its own, and returns the brief form,
and the command's remarks beside it. No tool takes a path, a host or a folder of rules, and none writes: whatever an
assistant is talked into, nothing of this machine is read or changed."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Optional, TypeVar, Union

from advisor import __version__
from advisor.cli.terminal import THIS_PROGRAM, CannotRun, not_installed, warn
from advisor.pages.style import visible

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


def configure(top: argparse.ArgumentParser) -> None:
    top.add_argument("--stdio", action="store_true", help="speak on standard input and output, as it always does")


def run(_: argparse.Namespace) -> int:
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ResourceError, ToolError
        from mcp.types import ToolAnnotations
    except ImportError as error:
        raise not_installed(f"the server for assistants needs {error.name}", "mcp") from None
    if sys.stdin is None:
        raise CannotRun("standard input is closed")
    if sys.stdin.isatty():
        warn("an assistant starts this and speaks to it (docs/assistants.md); Ctrl-C ends it")
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
