"""`advisor wizard`: ask for facts, show the advice, and write the files to install."""

from __future__ import annotations

import argparse
import gc
import io
import os
import sys
from functools import partial
from typing import TYPE_CHECKING

from advisor.cli.options import host_facts, site_arguments, site_rule_base, tree_of
from advisor.cli.recommend import add_answer_options, answers_by_mount, decision_named
from advisor.cli.terminal import THIS_PROGRAM, CannotRun, check_terminal, columns, in_browser, refuse_on, usual_theme
from advisor.pages.style import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from advisor.lint.evidence import NfsLine
    from advisor.lint.fix import JudgedFile
    from advisor.pages.blocks import Block
    from advisor.rulebase.model import RuleBase, Values
    from advisor.wizard.state import Session

PORT = 8765
Found = dict[str, tuple["Values", str]]
"""Fact → its value on this host, and where it was read."""
Start = tuple["Session", Found, list["NfsLine"]]
"""The session to begin with, what was found on the host, and lines of fstab to pick from."""


def configure(top: argparse.ArgumentParser) -> None:
    add_answer_options(top)
    top.add_argument("--quick", action="store_true", help=argparse.SUPPRESS)  # what scripts gave for today's order
    top.add_argument(
        "--theme", choices=("dark", "light", "ansi", "ansi-light"), help="colours; ansi uses the terminal's own"
    )
    top.add_argument("--session", metavar="NAME", help="keep the answers under this name, apart from others")
    top.add_argument("--no-save", action="store_true", help="do not save the answers for the next start")
    top.add_argument("--no-host", action="store_true", help="do not offer facts found on this host")
    top.add_argument("--fstab", metavar="FILE", help="offer the NFS lines of this file as mounts to choose from")
    ways = top.add_mutually_exclusive_group()
    ways.add_argument(
        "--plain", action="store_true", help="numbered prompts, without escape codes: for screen readers and scripts"
    )
    ways.add_argument("--web", action="store_true", help="in a browser on this host, only at 127.0.0.1")
    top.add_argument("--port", type=int, metavar="N", help=f"with --web: the port (default {PORT}); 0 picks a free one")


def run(args: argparse.Namespace) -> int:
    if args.port is not None and not args.web:
        raise CannotRun("--port goes with --web")
    if args.session is not None:
        from advisor.wizard.files import is_valid_name

        if not is_valid_name(args.session):
            raise CannotRun(f"--session {args.session}: a name has letters, digits, dots and dashes")
    if args.web:
        gc.enable()
        return serve_web(args, lambda: _begin_session(site_rule_base(args), args))
    if not args.plain:
        check_terminal(
            "the wizard",
            "advisor wizard --plain asks with numbered prompts; advisor recommend --set FACT=VALUE answers at once",
        )
    base = site_rule_base(args)
    root = args.root
    start = _begin_session(base, args)
    if args.plain:
        gc.enable()
        return _run_plain(base, start, args, root)
    return _run_on_screen(base, start, args, root)


def _run_on_screen(base: RuleBase, start: Start, args: argparse.Namespace, root: str | None) -> int:
    session, offered_facts, mounts = start
    os.environ.setdefault("TEXTUAL_FPS", "120")  # a change waits for the next frame: 8 ms at most instead of 16
    from advisor.wizard import files
    from advisor.wizard.app import Wizard
    from advisor.wizard.screen import EXIT_TO_WATCH

    sys.setswitchinterval(0.001)  # working ahead must not keep a key waiting
    path = None if args.no_save else files.path_of(args.session or "")
    saved = files.read_session(path) if path else None
    others = files.other_sessions(path) if path and not args.session else []
    app = Wizard(
        base, session, offered_facts, mounts=mounts, path=path, saved=saved, others=others,
        theme=args.theme or usual_theme(),
        load=base.again,
        probe=None if args.no_host or offered_facts else partial(_host_facts, given=session.answers.facts),
        check_host=partial(judge_host, args, root),
        may_watch=root is None and not in_browser(),
    )
    while (code := app.run() or 0) == EXIT_TO_WATCH:
        from advisor.cli.observe import watch_this_host

        watch_this_host(base, app.theme, "to the wizard").run()
        app = Wizard(
            base, app.session, app.found, mounts=app.mounts, path=app.path, theme=app.theme,
            load=base.again, check_host=app.check_host, may_watch=True,
        )
    if app.session.touched and not in_browser():
        from advisor.wizard.ending import farewell

        for line in farewell(base, app.session, app.path, exported=app.is_exported):
            print(visible(line))
    return code


def _begin_session(base: RuleBase, args: argparse.Namespace) -> Start:
    """The session to begin with. What was found on the host, and the lines of fstab, are only offered: --from-host and
    --root are cleared, so that they do not count as answers."""
    from advisor.user_files import UserFileError
    from advisor.wizard import mounts, state

    offered_facts: Found = {}
    anything = args.answers or args.facts or args.facts_set or args.pin or any(
        getattr(args, name) for name in ("server", "export", "target", "clients")
    )
    from_host, args.from_host = args.from_host or args.root is not None, False
    root, args.root = args.root, None
    with refuse_on(state.Refused):
        begun = mounts.start_mounts(base, *answers_by_mount(base, args)[1]) if anything else state.start()
    lines: list[NfsLine] = []
    if from_host:
        from advisor.install.host_changes import with_current_state

        offered_facts, lines = _host_facts(base, begun.answers.facts, root)
        tree = tree_of(base, root)  # what it sets and what is in effect there
        probed = host_facts(base, tree, begun.answers.facts, settings=True).probe
        begun = begun._replace(answers=with_current_state(base, tree, probed, [begun.answers])[0])
    with refuse_on(UserFileError):
        return begun, offered_facts, mounts.lines_of_file(base, args.fstab) if args.fstab else lines


def _host_facts(base: RuleBase, given: Mapping[str, Values], root: str | None) -> tuple[Found, list[NfsLine]]:
    """Fact → its value and where it was read, and the NFS lines of fstab: of this host, or of the copy at `root`."""
    from advisor.advice.answers import FSTAB
    from advisor.host.tree import Unread
    from advisor.lint.evidence import nfs_lines

    tree = tree_of(base, root)
    facts = host_facts(base, tree, given).facts
    offered_facts: Found = {
        name: (host_value.value, host_value.where) for name, host_value in facts.items()
        if host_value.value is not None
    }
    try:
        return offered_facts, nfs_lines(base, tree.text(FSTAB), FSTAB)
    except Unread:
        return offered_facts, []


def _run_plain(base: RuleBase, start: Start, args: argparse.Namespace, root: str | None) -> int:
    """Ask with numbered prompts. Input that is not a terminal is a script: it neither reads nor saves a session."""
    from advisor.wizard import files
    from advisor.wizard.prompt_tasks import DEFAULT_COLUMNS, Talk
    from advisor.wizard.prompts import PlainWizard

    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):  # show bytes that are not text, instead of failing
            stream.reconfigure(errors="surrogateescape" if stream is sys.stdin else "replace")
    typed = sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()
    path = files.path_of(args.session or "") if typed and not args.no_save else None
    talk = Talk(sys.stdin, sys.stdout, columns(DEFAULT_COLUMNS), echo=not typed)
    session, offered_facts, mounts = start
    observe = None if root else partial(observation_page, base)
    return PlainWizard(base, session, offered_facts, talk, find_setting=setting_lookup(base), mounts=mounts, path=path,
                       check_host=partial(judge_host, args, root), observe=observe).run()


def observation_page(base: RuleBase, span: str) -> list[Block]:
    """The page of `advisor observe --for SPAN`. Raises ValueError if that is not a duration."""
    from advisor.cli import observe
    from advisor.observe.window import judge
    from advisor.pages.blocks import Document
    from advisor.pages.observe import NOTHING, page

    parser = argparse.ArgumentParser(exit_on_error=False)
    observe.configure(parser)
    try:
        report = judge(base, observe.watch(parser.parse_args([f"--for={span}"]), base))
    except argparse.ArgumentError as error:
        raise ValueError(error.message) from None
    if not report.empty:
        return page(report)
    nothing = Document()
    nothing.para(NOTHING)
    return nothing.blocks


def setting_lookup(base: RuleBase) -> Callable[[str], tuple[str | None, str]]:
    """From a typed name to the setting it means, or None and the reason."""

    def named(text: str) -> tuple[str | None, str]:
        try:
            return decision_named(base, text), ""
        except CannotRun as error:
            return None, str(error)

    return named


def judge_host(args: argparse.Namespace, root: str | None, given: Mapping[str, Values]) -> list[JudgedFile]:
    """The files of this host, or of the copy below `root`, that have findings, as `advisor check` judges them. `given`:
    what was answered. Raises ValueError, with the reason, where the host cannot be read."""
    try:
        return _judged_files(args, root, given)
    except CannotRun as error:
        raise ValueError(str(error)) from None


def _judged_files(args: argparse.Namespace, root: str | None, given: Mapping[str, Values]) -> list[JudgedFile]:
    from advisor.check.host import AREAS, SERVER
    from advisor.cli import check
    from advisor.lint.fix import JudgedFile

    parser = argparse.ArgumentParser()
    check.configure(parser)
    options = [f"--set={fact}={_written(value)}" for fact, value in given.items() if not isinstance(value, list)]
    run = check.HostCheck(parser.parse_args([*site_arguments(args), *([f"--root={root}"] if root else []), *options]))
    judged = run.judged()
    kinds = {file.name: file.host_file.kind for file in judged.collected.texts}
    files = []
    for area, results in judged.areas.items():
        for result in results:
            wanted = run.chooser.of(result.name).reported(result.findings)
            if wanted:
                kind = kinds.get(result.name)
                facts = run.host.known(result.name, kind in SERVER)
                files.append(JudgedFile(AREAS[area], result, tuple(wanted), facts, kind is not None))
    return files


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def serve_web(args: argparse.Namespace, begin: Callable[[], object]) -> int:
    """`begin`: begins a session with these arguments, so that mistakes in them show before a browser opens."""
    try:
        from advisor.wizard.web import PAGES, serve
    except ImportError as error:
        if (error.name or "").partition(".")[0] == "advisor":
            raise
        raise CannotRun(
            f"the wizard in a browser needs textual-serve, and {error.name} is not installed",
            "pip install '.[web]' in a checkout of advisor installs it; advisor wizard --plain needs nothing else",
        ) from None
    if not PAGES.is_dir():
        raise CannotRun("the wizard in a browser cannot start from the single file",
                        "pipx install '.[web]' in a checkout of advisor installs all that it needs")
    port = PORT if args.port is None else args.port
    if not 0 <= port <= 65535:
        raise CannotRun(f"--port {port}: a port is a number from 0 to 65535")
    command = browser_command(args)
    begin()
    try:
        return serve(command, port)
    except OSError as error:
        raise CannotRun(f"port {port} of 127.0.0.1 cannot be used: {error.strerror}; try --port 0") from None


def browser_command(args: argparse.Namespace) -> list[str]:
    """The command of the wizard that the browser shows: this program, whatever the folder holds in which it was
    started, with the same options."""
    command = [sys.executable, "-c", THIS_PROGRAM, "wizard", f"--theme={args.theme or 'dark'}"]
    for option, values in (("set", args.facts_set), ("pin", args.pin)):
        command += [f"--{option}={value}" for value in values]
    for option in ("facts", "answers", "root", "fstab", "server", "export", "target", "clients", "session"):
        value = getattr(args, option)
        if value is not None:
            command.append(f"--{option}={value}")
    command += site_arguments(args)
    for option in ("from_host", "quick", "no_save", "no_host"):
        if getattr(args, option):
            command.append(f"--{option.replace('_', '-')}")
    return command
