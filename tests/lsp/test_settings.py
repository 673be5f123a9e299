"""advisor.toml and the options of the command line hold in an editor as they do for `advisor lint`."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="the extra lsp is not installed")

SOFT = "nas:/a /a nfs soft 0 0\n"


def rules(found) -> set[str]:
    return {one.code for one in found}


def test_the_configuration_holds_and_is_read_again(start, tmp_path: Path) -> None:
    settings = tmp_path / "advisor.toml"
    settings.write_text('ignore = ["hard/default"]\n', encoding="utf-8")
    editor = start(tmp_path)
    assert "hard/default" not in rules(editor.open("fstab", SOFT))
    settings.write_text('ignore = ["no-such-rule"]\n', encoding="utf-8")
    assert "hard/default" not in rules(editor.change("fstab", SOFT + "\n"))
    editor.until_shown("no rule has this name")
    settings.write_text('[severity]\n"hard/default" = "note"\n', encoding="utf-8")
    (soft,) = (one for one in editor.change("fstab", SOFT) if one.code == "hard/default")
    assert soft.severity == 3
    assert len(editor.shown) == 1


def test_options_choose_findings(start, tmp_path: Path) -> None:
    editor = start(tmp_path, "--ignore", "hard/*", "--set", "client.kernel=5.14")
    assert not {one for one in rules(editor.open("fstab", SOFT)) if one.startswith("hard/")}


def test_an_option_that_is_wrong_is_shown(start, tmp_path: Path) -> None:
    editor = start(tmp_path, "--ignore", "no-such-rule")
    editor.until_shown("--ignore no-such-rule")
