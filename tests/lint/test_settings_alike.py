"""Settings of many objects that no test tells apart are judged once, and others are still found among them."""

from __future__ import annotations

import pytest

from advisor.lint import settings
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
