"""`advisor observe --live`: the screens, fed by this host or by a recording."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from advisor.cli.common import CannotRun
from advisor.cli.on_screen import check_terminal, usual_theme

if TYPE_CHECKING:
    from collections.abc import Callable

    from advisor.rulebase.model import RuleBase
    from advisor.watch.app import Watch

_EVERY = 2.0
_SPAN = 60.0
_INSTEAD = "advisor observe --every 5s tells a line for each mount; advisor observe tells all, once"


def check(args: argparse.Namespace) -> None:
    """CannotRun where the options do not go together, or nothing can be drawn."""
    for given, option in ((args.record, "--record"), (args.earlier, "--earlier"), (args.write_to, "--write-to"),
                          (args.compare, "--compare")):
        if given:
            raise CannotRun(f"--live only shows; {option} needs a window that ends: leave out --live")
    if args.output_format != "text":
        raise CannotRun(f"--live draws on the terminal; for {args.output_format} leave it out")
    if args.root and not Path(args.root).is_dir():
        raise CannotRun(f"--live --root {args.root}: not a folder; it reads the files below one again and again",
                        f"for an archive: advisor observe --root {args.root}")
    check_terminal("--live", _INSTEAD)
    try:
        import textual
    except ImportError:
        raise CannotRun("--live needs the Python package textual, which is not installed",
                        f"install it as advisor was installed (pip install textual), or: {_INSTEAD}") from None
    assert textual


def show(args: argparse.Namespace, base: RuleBase, wanted: Callable[[list[str]], Callable[[str], bool]]) -> int:
    """`wanted`: from the targets that there are to whether one is asked for. Raises RecordingError."""
    from advisor.observe.recording import replay
    from advisor.watch.app import Watch
    from advisor.watch.frame import of_recording

    theme = usual_theme()
    if args.replay:
        read = replay(args.replay)
        frame = of_recording(base, read, wanted([one.target for one in read.after.mounts]), args.replay)
        return Watch(None, frame, theme).run() or 0
    from advisor.observe.rolling import RollingWindow
    from advisor.watch.frame import HostFeed

    chosen = {one.rstrip("/") or "/" for one in args.mount}
    rolling = RollingWindow(base, args.span, lambda target: not chosen or target in chosen)
    return Watch(HostFeed(rolling, args.every or _EVERY, args.root or ""), theme=theme).run() or 0


def this_host(base: RuleBase, theme: str, leads: str) -> Watch:
    """The screens of this host's mounts. `leads`: where the key that ends them leads."""
    from advisor.observe.rolling import RollingWindow
    from advisor.watch.app import Watch
    from advisor.watch.frame import HostFeed

    return Watch(HostFeed(RollingWindow(base, _SPAN, lambda _: True), _EVERY), theme=theme, leads=leads)
