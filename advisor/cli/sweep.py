"""`advisor sweep …`: measure mount options on your own server."""

from __future__ import annotations

import argparse


def configure(top: argparse.ArgumentParser) -> None:
    from advisor.cli import sweep_adopt, sweep_plan, sweep_run, sweep_show

    what = top.add_subparsers(dest="what", metavar="WHAT", required=True)
    sweep_plan.configure(what)
    sweep_run.configure(what)
    sweep_show.configure(what)
    sweep_adopt.configure(what)


def run(args: argparse.Namespace) -> int:
    from advisor.cli import sweep_adopt, sweep_plan, sweep_run, sweep_show

    parts = {"plan": sweep_plan.run, "show": sweep_show.run, "adopt": sweep_adopt.run}
    return parts.get(args.what, sweep_run.run)(args)
