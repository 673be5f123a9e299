"""`advisor wizard`: asks, shows what follows, and writes the files to install."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from functools import partial
from typing import TYPE_CHECKING

from advisor.cli import wizard_elsewhere
from advisor.cli.advising import add_answer_options
from advisor.cli.common import CannotRun, rule_base
from advisor.cli.on_screen import check_terminal, in_browser, usual_theme
from advisor.cli.site import site_base, site_packs
from advisor.cli.wizard_elsewhere import Begun, Found
from advisor.document.escape import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from advisor.advice.answers import Answers
    from advisor.rulebase.model import RuleBase
    from advisor.rulebase.model.types import Values
    from advisor.wizard.which_mount import Offered


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
    wizard_elsewhere.add_options(top)


def run(args: argparse.Namespace) -> int:
    if args.port is not None and not args.web:
        raise CannotRun("--port goes with --web")
    if args.session is not None:
        from advisor.wizard.autosave import is_name

        if not is_name(args.session):
            raise CannotRun(f"--session {args.session}: a name has letters, digits, dots and dashes")
    if args.web:
        gc.enable()
        return wizard_elsewhere.web(args, lambda: _begin(site_base(args), args))
    if not args.plain:
        check_terminal(
            "the wizard",
            "advisor wizard --plain asks with numbered prompts; advisor recommend --set FACT=VALUE answers at once",
        )
    packs = site_packs(args)
    base = rule_base(packs)
    root = args.root
    begun = _begin(base, args)
    if args.plain:
        gc.enable()
        return wizard_elsewhere.plain(base, begun, args, root)
    session, found, mounts = begun
    os.environ.setdefault("TEXTUAL_FPS", "120")  # a change waits for the next frame: 8 ms at most instead of 16
    from advisor.wizard import autosave
    from advisor.wizard.app import TO_WATCH, Wizard
    from advisor.wizard.screen import THEMES

    sys.setswitchinterval(0.001)  # working ahead must not keep a key waiting
    path = None if args.no_save else autosave.place(args.session or "")
    saved = autosave.saved(path) if path else None
    others = autosave.others(path) if path and not args.session else []
    app = Wizard(
        base, session, found, mounts=mounts, path=path, saved=saved, others=others,
        theme=args.theme or usual_theme(),
        load=partial(rule_base, packs),
        probe=None if args.no_host or found else partial(_found, given=session.answers.facts),
        look=partial(wizard_elsewhere.look_at_host, args, root),
        may_watch=root is None and not in_browser(),
    )
    while (code := app.run() or 0) == TO_WATCH:
        from advisor.cli.observe_live import this_host

        theme = next(name for name, shown in THEMES.items() if shown == app.theme)
        this_host(base, theme, "to the wizard").run()
        app = Wizard(
            base, app.session, app.found, mounts=app.mounts, path=app.path, theme=theme,
            load=partial(rule_base, packs), look=app.look, may_watch=True,
        )
    if app.session.touched and not in_browser():
        from advisor.wizard.words import farewell

        for line in farewell(base, app.session, app.path):
            print(visible(line))
    return code


def _begin(base: RuleBase, args: argparse.Namespace) -> Begun:
    """The session to begin with; what was found on this host, and lines of fstab: both are only offered."""
    from advisor import session
    from advisor.given import GivenError
    from advisor.wizard import which_mount

    found: Found = {}
    anything = args.answers or args.facts or args.facts_set or args.pin or any(
        getattr(args, name) for name in ("server", "export", "target", "clients")
    )
    from_host, args.from_host = args.from_host or args.root is not None, False
    root, args.root = args.root, None
    if not anything:
        begun = session.start()
    else:
        from advisor.cli.advising import given_each

        try:
            begun = session.start_mounts(base, *given_each(base, args)[1])
        except session.Refused as refused:
            raise CannotRun(str(refused)) from None
    lines: list[Offered] = []
    if from_host:
        found, lines = _found(base, begun.answers.facts, root)
        begun = begun._replace(answers=_with_now(base, begun.answers, root))
    try:
        lines = which_mount.of_file(base, args.fstab) if args.fstab else lines
    except GivenError as error:
        raise CannotRun(str(error)) from None
    return begun, found, lines


def _with_now(base: RuleBase, answers: Answers, root: str | None) -> Answers:
    """The answers, with what the host sets and what is in effect there."""
    from advisor.cli.host_before import now
    from advisor.cli.host_facts import look, tree_of

    tree = tree_of(base, root)
    return now(base, tree, look(base, tree, answers.facts, settings=True).probe, [answers])[0]


def _found(base: RuleBase, given: Mapping[str, Values], root: str | None = None) -> tuple[Found, list[Offered]]:
    """Fact → its value on this host, or on that whose files `root` holds, and where it was read; the NFS lines of its
    fstab."""
    from advisor.advice.answers import FSTAB
    from advisor.cli.host_facts import look, tree_of
    from advisor.host.tree import Unread
    from advisor.wizard import which_mount

    tree = tree_of(base, root)
    facts = look(base, tree, given).facts
    found: Found = {name: (one.value, one.where) for name, one in facts.items() if one.value is not None}
    try:
        return found, which_mount.of_text(base, tree.text(FSTAB), FSTAB)
    except Unread:
        return found, []
