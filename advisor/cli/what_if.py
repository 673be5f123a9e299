"""`advisor what-if TUNABLE`: the smallest changes of what is known that change a setting."""

from __future__ import annotations

import argparse

from advisor.cli.advising import add_setting, asked_about, show


def configure(top: argparse.ArgumentParser) -> None:
    add_setting(top, "tunable", "mount.nconnect, nconnect, net.ipv4.tcp_rmem …")


def run(args: argparse.Namespace) -> int:
    from advisor.advice.arguments import otherwise
    from advisor.render.why import what_if_page

    base, name, advice = asked_about(args)
    show(args, what_if_page(base, advice, name, otherwise(base, advice, name)))
    return 0
