"""`advisor sweep …`: measure mount options on your own server."""

from __future__ import annotations

import argparse


def configure(top: argparse.ArgumentParser) -> None:
    from advisor.cli import sweep_plan, sweep_run

    what = top.add_subparsers(dest="what", metavar="WHAT", required=True)
    sweep_plan.configure(what)
    sweep_run.configure(what)


def run(args: argparse.Namespace) -> int:
    from advisor.cli import sweep_plan, sweep_run

    return sweep_plan.run(args) if args.what == "plan" else sweep_run.run(args)
