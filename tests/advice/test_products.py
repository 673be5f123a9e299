"""Products that have no list of their own: in a file by themselves, not NFS at all, or not known."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.advice.advise import advise
from advisor.advice.answers import Answers, fact_value
from advisor.advice.verdict import verdict
from advisor.cli import main
from tests.advice.environments import base


@pytest.mark.parametrize("product", ["FSx for Lustre", "gcsfuse", "SMB", "Azure Managed Lustre"])
def test_what_is_not_nfs_is_said_to_be_none(product: str) -> None:
    told = Answers({"storage.platform": fact_value(base(), "storage.platform", product)})
    advice = advise(base(), told)
    assert verdict(base(), [advice]).state == "will-fail"
    assert [row.tunable for row in advice.rows] == ["access.protocol"]


def test_a_product_that_is_not_known_is_answered_as_any_server(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recommend", "--set", "storage.platform=Acme Filer"]) == 0
    out, err = capsys.readouterr()
    assert "hard" in out
    assert "Acme Filer is not known here" in err
    assert main(["recommend", "--set", "storage.platform=ontapp"]) == 2


def test_a_product_is_one_file() -> None:
    """Its question, its names, and who runs its server: nothing in rules/ lists it for these."""
    assert fact_value(base(), "storage.platform", "Tencent Cloud CFS") == "tencent-cfs"
    assert base().engine.certain({"storage.platform": "tencent-cfs"})
    advice = advise(base(), Answers({"storage.platform": "tencent-cfs"}))
    assert base().engine.answer("host.role", advice.state["host.role"]) == "nfs-client"
    for path in ("rules/facts/data.yaml", "rules/constraints.yaml"):
        assert "tencent-cfs" not in Path(__file__).parents[2].joinpath(path).read_text(encoding="utf-8")
