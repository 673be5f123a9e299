"""What advice presumes of people's wishes is no reason to report what somebody wrote on purpose."""

from __future__ import annotations

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from advisor.lint.run import lint_text
from advisor.rulebase.base import load

ROOT = Path(__file__).parents[2]

SAY_SO = ("say so", "unless you say", "enough for most", "mostly", "few ", "rare")
"""Words of a presumption that leaves room for people who mean it otherwise."""
OF_THE_WORLD = {
    "clients-run-linux", "kubernetes-is-said", "laptops-are-said", "rare-work-is-said", "small-servers-are-said",
    "clocks-are-synchronised",
}
"""Of these the linter may presume: the kind of file tells the first two, and no finding of the others is against
somebody who wrote one of the settings that they would explain."""


def findings(text: str, kind: str, **known: object) -> dict[str, str]:
    return {f.rule: f.severity for f in lint_text(text, kind, load(), known, kind=kind).findings if not f.policy}


@pytest.mark.parametrize("platform", [{}, {"storage.platform": "knfsd"}])
def test_protecting_the_data_is_no_mistake(platform: dict[str, object]) -> None:
    line = "nas:/export /mnt nfs4 hard,nofail,_netdev,sec=krb5p 0 0\n"
    assert "sec/trusted" not in findings(line, "fstab", **platform)
    assert "sec/trusted" not in findings(line, "fstab", **platform, **{"identity.wire": "private"})


def test_the_root_of_a_client_that_is_named_may_be_meant() -> None:
    assert findings("/srv/root 10.0.0.7(rw,sync,no_subtree_check,no_root_squash)\n", "exports") == {
        "export-root-of-clients": "note"}
    assert findings("/srv/root *(ro,no_root_squash)\n", "exports")["export-root-reads"] == "note"
    assert findings("/srv/root *(rw,no_root_squash)\n", "exports")["export-root-of-everybody"] == "warning"


def test_every_wish_that_is_presumed_is_for_advice_alone() -> None:
    data = YAML(typ="safe").load((ROOT / "rules/constraints.yaml").read_text(encoding="utf-8"))["constraints"]
    wishes = {one["id"] for one in data if one.get("presumed") and any(word in one["why"].lower() for word in SAY_SO)}
    assert wishes - OF_THE_WORLD == {one["id"] for one in data if one.get("only_advice")}
