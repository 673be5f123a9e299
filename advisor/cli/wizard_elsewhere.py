"""`advisor wizard --plain` and `--web`: the wizard without a terminal, and in a browser."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from advisor.cli.common import CannotRun
from advisor.cli.site import passed_on

if TYPE_CHECKING:
    from advisor.document.blocks import Block
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Values
    from advisor.session import Session
    from advisor.today.mending import JudgedFile
    from advisor.wizard.which_mount import Offered

PORT = 8765
Found = dict[str, tuple["Values", str]]
"""Fact → its value on this host, and where it was read."""
Begun = tuple["Session", Found, list["Offered"]]
"""The session to begin with, what was found, and lines of fstab to pick from."""


def add_options(top: argparse.ArgumentParser) -> None:
    ways = top.add_mutually_exclusive_group()
    ways.add_argument(
        "--plain", action="store_true", help="numbered prompts, without escape codes: for screen readers and scripts"
    )
    ways.add_argument("--web", action="store_true", help="in a browser on this host, only at 127.0.0.1")
    top.add_argument(
        "--port", type=int, metavar="N", help=f"with --web: the port (default {PORT}); 0 picks a free one"
    )


def plain(base: RuleBase, begun: Begun, args: argparse.Namespace, root: str | None) -> int:
    """Input that is not a terminal is a script: it gets no saved session in its way, and leaves none to people."""
    from advisor.wizard import autosave
    from advisor.wizard.plain import Plain
    from advisor.wizard.plain_talk import Talk, width

    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):  # bytes that are not text are shown, not stumbled over
            stream.reconfigure(errors="surrogateescape" if stream is sys.stdin else "replace")
    typed = sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()
    path = autosave.place(args.session or "") if typed and not args.no_save else None
    talk = Talk(sys.stdin, sys.stdout, width(sys.stdout), echo=not typed)
    session, found, mounts = begun
    return Plain(base, session, found, talk, named=named_in(base), mounts=mounts, path=path,
                 look=partial(look_at_host, args, root), observe=None if root else partial(observed, base)).run()


def observed(base: RuleBase, span: str) -> list[Block]:
    """What the mounts of this host do during `span`. Raises ValueError where that is not a duration."""
    from advisor.cli import observe
    from advisor.document.blocks import Document
    from advisor.observe.report import judge
    from advisor.render.observe import NOTHING, page

    top = argparse.ArgumentParser(exit_on_error=False)
    observe.configure(top)
    try:
        report = judge(base, observe.watched(top.parse_args([f"--for={span}"]), base))
    except argparse.ArgumentError as error:
        raise ValueError(error.message) from None
    if not report.empty:
        return page(report)
    nothing = Document()
    nothing.para(NOTHING)
    return nothing.blocks


def look_at_host(args: argparse.Namespace, root: str | None, given: Mapping[str, Values]) -> list[JudgedFile]:
    """Everything of a host that concerns NFS, judged. Raises ValueError, with the reason, where nothing could be
    looked at."""
    from advisor.cli.wizard_host import judged_files

    try:
        return judged_files(args, root, given)
    except CannotRun as error:
        raise ValueError(str(error)) from None


def named_in(base: RuleBase) -> Callable[[str], tuple[str | None, str]]:
    """Looks up the settings that names mean."""
    from advisor.cli.advising import decision_named

    def named(text: str) -> tuple[str | None, str]:
        try:
            return decision_named(base, text), ""
        except CannotRun as error:
            return None, str(error)

    return named


def web(args: argparse.Namespace, begin: Callable[[], object]) -> int:
    """`begin`: begins a session with these arguments, so that mistakes in them are told before a browser opens."""
    try:
        from advisor.wizard.web import PAGES, serve
    except ImportError as error:
        if (error.name or "").partition(".")[0] == "advisor":
            raise
        raise CannotRun(
            f"the wizard in a browser needs textual-serve, and {error.name} is not installed",
            "pip install 'nfs-advisor[web]' installs it; advisor wizard --plain needs nothing else",
        ) from None
    if not PAGES.is_dir():
        raise CannotRun("the wizard in a browser cannot start from the single file",
                        "pipx install 'nfs-advisor[web]' installs all that it needs")
    port = PORT if args.port is None else args.port
    if not 0 <= port <= 65535:
        raise CannotRun(f"--port {port}: a port is a number from 0 to 65535")
    command = child(args)
    begin()
    try:
        return serve(command, port)
    except OSError as error:
        raise CannotRun(f"port {port} of 127.0.0.1 cannot be used: {error.strerror}; try --port 0") from None


_PROGRAM = "import sys; sys.path[:] = filter(None, sys.path); from advisor.cli import main; sys.exit(main())"
"""`python -P -m advisor`, which Python 3.11 has: without the folder in which it is started."""


def child(args: argparse.Namespace) -> list[str]:
    """The command of the wizard that the browser shows: this program, whatever the folder holds in which it was
    started, with the same options."""
    command = [sys.executable, "-c", _PROGRAM, "wizard", f"--theme={args.theme or 'dark'}"]
    for option, values in (("set", args.facts_set), ("pin", args.pin)):
        command += [f"--{option}={value}" for value in values]
    for option in ("facts", "answers", "root", "fstab", "server", "export", "target", "clients", "session"):
        value = getattr(args, option)
        if value is not None:
            command.append(f"--{option}={value}")
    command += passed_on(args)
    for option in ("from_host", "quick", "no_save", "no_host"):
        if getattr(args, option):
            command.append(f"--{option.replace('_', '-')}")
    return command
