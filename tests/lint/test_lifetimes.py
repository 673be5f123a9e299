"""What the lifetime of a setting says of a host: whose reason it gives, and which harm."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.files.records import Span
from advisor.lint import lifetimes

UNREAD = SimpleNamespace(why="The whole file is ignored.")


class Index:
    """An index with one kind of settings; what is reported is kept."""

    facts: Any = {}
    known: Any = {"client.kernel": "4.17", "server.kernel": "unknown"}

    def __init__(self, without: Any, unread: Any) -> None:
        kind = SimpleNamespace(without=without, file=SimpleNamespace(unread=unread))
        self.rulebase = SimpleNamespace(kinds={"nfs.conf": kind})
        self.told: list[tuple[str, Any]] = []

    def report(self, rule: str, _: Any, **words: Any) -> list[str]:
        self.told.append((rule, words))
        return [rule]


def told(monkeypatch: pytest.MonkeyPatch, life: Any, kind: str, without: Any = None, unread: Any = None) -> Any:
    standing = SimpleNamespace(life=life, kind=kind, needed="Linux 6.1", fact="client.kernel")
    monkeypatch.setattr(lifetimes, "lives_of", lambda *_: [life])
    monkeypatch.setattr(lifetimes, "standings", lambda *_: [standing])
    index: Any = Index(without, unread)
    tunable: Any = SimpleNamespace(id="nfs.conf.nfsd.x", kind="nfs.conf")
    assert [*lifetimes.findings(index, tunable, {}, Span(1, 1, 2), "x=1")] == [f"setting-{kind}"]
    return index.told[0][1]


@pytest.mark.parametrize(("own", "without", "unread", "why"), [
    ("Its own.", None, None, "Its own."), ("Its own.", UNREAD, None, "Its own."),
    (None, UNREAD, None, UNREAD.why), (None, None, UNREAD, UNREAD.why), (None, None, None, None),
])
def test_the_reason_of_a_setting_goes_before_that_of_its_file(
    monkeypatch: pytest.MonkeyPatch, own: str | None, without: Any, unread: Any, why: str | None
) -> None:
    life = SimpleNamespace(why=own, cites=("a.b",), consequence=None)
    words = told(monkeypatch, life, "gone", without, unread)
    assert (words["why"], words["cites"], words["tunable"]) == (why, ("a.b",), "nfs.conf.nfsd.x")
    assert words["figures"] == {"key": "x=1", "needed": "Linux 6.1", "here": "; this client has 4.17"}


@pytest.mark.parametrize(("kind", "harm", "consequence", "severity"), [
    ("too-new", "mount-fails", "mount-fails", "error"), ("too-new", "ignored", "ignored", None),
    ("too-new", None, None, None), ("gone", "mount-fails", None, None),
])
def test_only_what_is_too_new_does_the_harm_of_its_lifetime(
    monkeypatch: pytest.MonkeyPatch, kind: str, harm: str | None, consequence: str | None, severity: str | None
) -> None:
    words = told(monkeypatch, SimpleNamespace(why="w", cites=(), consequence=harm), kind)
    assert (words["consequence"], words["severity"]) == (consequence, severity)


def test_the_version_of_a_host_is_named_if_it_is_known_exactly() -> None:
    index: Any = Index(None, None)
    assert [lifetimes.here(index, fact) for fact in ("client.kernel", "server.kernel", "client.nfs_utils")] == [
        "; this client has 4.17", "", "",
    ]


def test_what_a_host_certainly_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Any] = [SimpleNamespace(rule=f"setting-{kind}", message=kind, why="W.")
                        for kind in ("too-new", "perhaps-too-new", "no-effect")]
    monkeypatch.setattr(lifetimes, "_of_host", lambda *_: found)
    index: Any = Index(None, None)

    def tunable(sets: bool, *defaults: int | None) -> Any:
        return SimpleNamespace(sets=sets, lives=[SimpleNamespace(default=default) for default in defaults])

    certain = [found[0], found[2]]
    assert lifetimes.lacking(index, tunable(False, 1)) == lifetimes.lacking(index, tunable(True, 1, None)) == certain
    assert lifetimes.lacking(index, tunable(True, 1, 2)) == [], "it can be set elsewhere"
    assert lifetimes.told(index, tunable(False)) == (["too-new. W.", "perhaps-too-new. W.", "no-effect. W."], True)
    monkeypatch.setattr(lifetimes, "default_here", lambda life, *_: life.default and (life.default, "client.kernel"))
    found[:] = found[1:]
    words, lacks = lifetimes.told(index, tunable(False, None, 7))
    assert (words[-1], len(words), lacks) == ("The default is 7; this client has 4.17.", 3, False)
