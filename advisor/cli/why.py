"""`advisor why TUNABLE`: the argument for one setting under the facts given."""

from __future__ import annotations

import argparse

from advisor.cli.advising import add_setting, asked_about, show


def configure(top: argparse.ArgumentParser) -> None:
    add_setting(top, "tunable", "mount.nconnect, nconnect, net.ipv4.tcp_rmem …")


def run(args: argparse.Namespace) -> int:
    from advisor.document.blocks import Document
    from advisor.render.recommend import no_guidance
    from advisor.render.why import setting_pages

    base, name, advice = asked_about(args)
    page = Document()
    page.add(setting_pages(base, advice, name))
    if not page.blocks:
        page.heading(f"{name}: no rule applies to these facts", 1)
    no_guidance(page, base, [advice.answers])
    show(args, page.blocks)
    return 0
