"""What a server answered to a host: which answer counts for a mount, and what it says beside one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.check import mount_outcomes
from advisor.check.mount_outcomes import answer_for, beside_mount
from advisor.host.tree import tree_of
from advisor.probe.evidence import ServerAsked
from advisor.rulebase.base import load
from advisor.rulebase.model.types import Value, Values


def asked(export: str = "/srv", server: str = "nas", reply: str = "admitted", **known: Values) -> ServerAsked:
    facts = {name.replace("__", "."): value for name, value in known.items()}
    return ServerAsked(server, export, reply, "it says so", "2026-11-01", facts, "")


def beside(written: dict[str, Value], version: str = "", flavours: tuple[str, ...] = (), **known: Values) -> Values:
    """What is found, without the reply."""
    found, _ = beside_mount(asked(**known), written, version, flavours)
    assert found.pop("sides.asked") == "admitted"
    return [*found.items()]


@pytest.mark.parametrize("size", ["rsize", "wsize"])
def test_a_size_is_too_large_from_one_byte_above_the_limit(size: str) -> None:
    limit = {"probe__maxread" if size == "rsize" else "probe__maxwrite": 65536}
    above = [beside({f"mount.{size}": written}, **limit) for written in (65535, 65536, 65537)]
    assert above == [[], [], [(f"sides.asked_{size}", 65536)]]
    assert beside({f"mount.{size}": 65537}) == beside({}, **limit) == []


@pytest.mark.parametrize(("version", "known", "said"), [
    ("3", {"probe__v3": True}, "on"),
    ("3", {"probe__v3": False}, "off"),
    ("4.1", {"probe__v41": False, "probe__v3": True}, "off"),
    ("4", {"probe__v4": True}, "on"),
    ("4.1", {"probe__v3": True}, None),
    ("", {"probe__v3": True}, None),
])
def test_a_version_is_offered_or_not_or_nothing_is_known(
    version: str, known: dict[str, Values], said: str | None
) -> None:
    assert beside({}, version, **known) == ([("sides.asked_version", said)] if said else [])


@pytest.mark.parametrize(("wanted", "accepted", "refused"), [
    (("krb5",), ["sys", "krb5"], False),
    (("krb5", "sys"), ["sys"], False),
    (("krb5",), ["sys"], True),
    (("krb5",), "sys", True),
    (("krb5",), [], False),
    ((), ["sys"], False),
])
def test_a_flavour_is_refused_where_the_server_accepts_others(
    wanted: tuple[str, ...], accepted: Values, refused: bool
) -> None:
    assert beside({}, "", wanted, mount__sec=accepted) == ([("sides.asked_flavour", "refused")] if refused else [])


@pytest.mark.parametrize(("may_write", "mode_lets", "access"), [
    (True, True, "rw"), (True, None, "rw"), (False, True, "ro"),
    (False, False, None),  # the mode alone forbids it, whatever the export says
    (False, None, None), (None, True, None),
])
def test_an_export_is_read_only_where_the_mode_would_let_write(
    may_write: bool | None, mode_lets: bool | None, access: str | None
) -> None:
    told = {"probe__may_write": may_write, "probe__mode_lets_write": mode_lets}
    known = {name: value for name, value in told.items() if value is not None}
    assert beside({}, **known) == ([("sides.asked_access", access)] if access else [])


def test_words_say_what_was_answered() -> None:
    _, words = beside_mount(
        asked(probe__v3=False, probe__v41=True, probe__v42=True, mount__sec=["sys", "krb5"], probe__slots=16,
              probe__maxread=1, probe__maxwrite=2), {}, "", ())
    assert words == {
        "said": "it says so", "day": "2026-11-01", "told_flavours": "sys and krb5", "told_versions": "4.1 and 4.2",
        "told_read": "1", "told_write": "2", "told_slots": "16",
    }
    assert beside_mount(asked(), {}, "", ())[1]["told_versions"] == "none"


def test_the_latest_answer_about_the_export_counts_else_what_its_server_says_of_all() -> None:
    base = load()
    old, new = asked("/a", probe__slots=8), asked("/a/", "NAS", probe__slots=16)
    other = asked("/b", "filer", probe__slots=4)
    for answers, server, export, wanted in (
        ([old, new, other], "nas", "/a", new), ([new, old], "nas", "/a", old), ([other], "nas", "/a", None),
        ([], "nas", "/a", None),
    ):
        assert answer_for(base, answers, server, export) == wanted
    latest = asked("/b", probe__slots=9, probe__may_write=True)
    wide = answer_for(base, [asked("/c", probe__slots=8), latest], "nas", "/a")
    assert wide is not None
    assert (wide.reply, wide.export, wide.known) == ("", "/b", {"probe.slots": 9})


@pytest.mark.parametrize(("until", "used"), [("2026-11-29", True), ("2026-11-28", False), ("2026-12-01", True)])
def test_answers_are_used_up_to_their_last_day(monkeypatch: pytest.MonkeyPatch, until: str, used: bool) -> None:
    probed: Any = SimpleNamespace(until=until, at="2026-10-30T10:00:00Z")
    monkeypatch.setattr(mount_outcomes, "from_text", lambda _: probed)
    monkeypatch.setattr(mount_outcomes.time, "strftime", lambda *_: "2026-11-29")
    ((path, found),) = mount_outcomes.kept_answers(tree_of({f"{mount_outcomes.ANSWERS}/nas.json": "{}"}))
    assert (path, found is probed) == (f"{mount_outcomes.ANSWERS}/nas.json", used)
    if not used:
        assert getattr(found, "why", "") == "asked on 2026-10-30, which is too long ago"
