"""Settings of many objects that no test tells apart are judged once, and others are still found among them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.files.kinds import read_settings
from advisor.files.records import Setting
from advisor.lint import settings
from advisor.lint.rule_index import RuleIndex
from advisor.lint.run import lint_text
from advisor.rulebase.base import load

VOLUME = (
    "---\napiVersion: v1\nkind: PersistentVolume\nmetadata:\n  name: data-{number}\nspec:\n  capacity:\n"
    "    storage: 5Gi\n  accessModes:\n    - ReadWriteMany\n  nfs:\n    server: {server}\n    path: /export/{number}\n"
)


def test_servers_of_volumes(monkeypatch: pytest.MonkeyPatch) -> None:
    judged, certain = [], settings.certain

    def counted(*args: object) -> object:
        judged.append(args)
        return certain(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(settings, "certain", counted)
    servers = [f"nas{number}.example.com" for number in range(60)] + ["nas/data", "nas", "8.8.8.8", "nas2/data"]
    text = "".join(VOLUME.format(number=number, server=server) for number, server in enumerate(servers))
    found = lint_text(text, "volumes.yaml", load().again(), {}, kind="kubernetes").findings
    lines = {number: 13 * number + 12 for number in range(len(servers))}
    told = [(f.rule, f.line) for f in found]
    assert told == [
        ("k8s-server-with-path", lines[60]), ("k8s-public-server", lines[62]), ("k8s-server-with-path", lines[63]),
    ]
    assert [finding.value for finding in found] == ["nas/data", "8.8.8.8", "nas2/data"], "each quotes its own"
    assert len(judged) < 40


def test_what_was_found_is_looked_up_by_all_that_it_depends_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings that count together, and what is known: of the file, or besides because of what it sets."""
    asked: list[object] = []
    monkeypatch.setattr(settings, "certain", lambda *_: asked.append(_) or ())
    index = RuleIndex(load(), {}, kind="nfs.conf")
    judge = settings._Judge(index, read_settings("nfs.conf", "[nfsd]\nthreads=8\n", "x"), None, None, False)
    states = [index.state, {**index.state, "client.count": 1}, {**index.state, "client.count": 2}]
    scopes: list[Any] = [
        SimpleNamespace(settings={"nfs.conf.nfsd.threads": Setting(number, "value", 0, 0, "")}, places={})
        for number in (8, 9)
    ]
    for _ in range(2):
        for scope in scopes:
            for state in states:
                assert [*judge._certain(scope, state)] == []
    assert len(asked) == len(scopes) * len(states)
    monkeypatch.setattr(settings, "MAX_TESTED", len(index.found))
    scopes[0].settings = {"nfs.conf.nfsd.threads": Setting(10, "value", 0, 0, "")}
    assert [*judge._certain(scopes[0], index.state)] == []
    assert len(index.found) == 1, "no more than so many are kept"
