"""`advisor fleet …`: many hosts at once."""

from __future__ import annotations

import argparse


def configure(top: argparse.ArgumentParser) -> None:
    from advisor.cli import fleet_report

    what = top.add_subparsers(dest="what", metavar="WHAT", required=True)
    fleet_report.configure(what)


def run(args: argparse.Namespace) -> int:
    from advisor.cli import fleet_report

    return fleet_report.run(args)
