"""What the rules advise is accepted by the grammar of options, and what is not is told at the rule."""

from __future__ import annotations

from pathlib import Path

from advisor import verify as report
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from advisor.verify import contradictions
from tests.rulebase.test_packs import CLAIMS, SOURCE, pack
from tests.tiers import thorough

pytestmark = thorough

RULE = """\
decision: {decision}
rules:
  - id: {name}/ours
    layer: site
    value: {value}
    strength: must
    why: So it is here.
    cites: [policy.two]
    examples:
      - {{given: {given}, expect: {expect}}}
"""


def ours(folder: Path, *rules: tuple[str, str], given: str = "{}", expect: str = "") -> str:
    texts = {}
    for decision, value in rules:
        name = decision.partition(".")[2].replace("_", "-")
        texts[name.replace("-", "_")] = RULE.format(
            decision=decision, name=name, value=value, given=given, expect=expect or value
        )
    return pack(folder, policy=SOURCE, claims=CLAIMS, **texts)


def told(folder: str) -> dict[str, str]:
    """Rule → what is said against it."""
    return {one.found.partition(" ")[0]: str(one) for one in report.verify_pack(folder).problems}


def test_nothing_that_is_advised_is_refused_or_ignored() -> None:
    assert list(contradictions(load())) == []


def test_leaving_an_option_out_is_right_for_every_client() -> None:
    def fixed(options: str, **known: str) -> list[bool]:
        facts = {name.replace("__", "."): value for name, value in known.items()}
        found = lint_text(f"nas:/a /a nfs {options} 0 0\n", "fstab", load(), facts).findings
        return [one.fix is not None for one in found if one.tunable in ("mount.nconnect", "mount.max_connect")]

    assert fixed("vers=4.1,nconnect=8", storage__platform="aws-efs") == [True]
    assert fixed("max_connect=4", storage__platform="ontap", mount__vers="3") == [True]
    assert fixed("vers=4.1,nconnect=8", storage__platform="azure-files") == [False]  # 4, if it is known at all
    assert fixed("vers=4.1,nconnect=8", storage__platform="azure-files", client__kernel="6.1") == [True]


def test_what_a_gate_holds_back_is_accepted(tmp_path: Path) -> None:
    assert told(ours(tmp_path / "pack", ("mount.nconnect", "8"), ("mount.max_connect", "4"))) == {}


def test_advice_that_is_not_accepted_is_told_at_its_rule(tmp_path: Path) -> None:
    folder = ours(
        tmp_path / "pack", ("mount.proto", "udp"), ("mount.noatime", "true"), ("mount.noac", "true"),
        ("mount.hard", "softerr"), ("mount.efs.tls", "true"),
    )
    found = told(folder)
    assert found.keys() == {"proto/ours", "noatime/ours", "noac/ours", "hard/ours", "efs.tls/ours"}
    assert found["proto/ours"].startswith(f"{folder}/proto.yaml:5:12: proto/ours recommends proto=udp; it is refused ")
    assert "NFSv4 does not run over UDP; leave" in found["proto/ours"]
    assert "it has no effect where {mount.vers: \"3\"" in found["noatime/ours"]
    assert "beside actimeo/" in found["noac/ours"]
    assert "client.has_softerr: false" in found["hard/ours"]
    assert "Only the type efs or s3files knows the option;" in found["efs.tls/ours"]


def test_a_formula_has_to_stay_inside_at_both_ends(tmp_path: Path) -> None:
    folder = ours(
        tmp_path / "pack", ("mount.nconnect", "2 * network.speed_gbps"), given="{network.speed_gbps: 4}", expect="8"
    )
    assert "nconnect takes a number from 1 to 16" in told(folder)["nconnect/ours"]
