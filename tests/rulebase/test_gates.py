"""What a tunable cannot do without holds against every rule of every layer, and against a site's pack."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor import verify as report
from advisor.engine import EngineError, reach
from advisor.engine.compiler import build
from advisor.engine.usual import advise
from advisor.rulebase.base import load
from tests.engine.sample import LAYERS, NCONNECT, data, decision, rule
from tests.rulebase.bases import edit, near_misses, problems
from tests.rulebase.test_packs import CLAIMS, SOURCE, pack
from tests.tiers import thorough

TUNABLES = "kb/tunables/mount.yaml"
RULES = "rules/mount/nconnect.yaml"
GATE = """\
    needs: {client.has_nconnect: true}
    without: {why: The kernel refuses it., cites: [handbook.nconnect]}
    forms: [{spelling: nconnect, takes: value}]
"""
EIGHT = """\
decision: mount.nconnect
rules:
  - id: nconnect/ours
    layer: LAYER
    value: 8
    strength: must
    why: The switches are made for eight.
    cites: [policy.two]
    examples:
      - {given: {}, expect: 8}
      - {given: {client.has_nconnect: false}, expect: omit}
"""


@pytest.fixture
def gated(root: Path) -> Path:
    """The minimal rule base, in which nconnect has a gate and its rule for Azure Files relies on it."""
    edit(root, TUNABLES, "    forms: [{spelling: nconnect, takes: value}]\n", GATE)
    edit(root, RULES, "azure-files, client.has_nconnect: true}\n    value", "azure-files}\n    value")
    edit(root, RULES, "      - {given: {storage.platform: azure-files}, expect: [4, omit]}\n", "")
    return root


def values(root: Path, **known: object) -> list[tuple[object, str | None]]:
    engine = load(str(root)).engine
    state = engine.state({name.replace("__", "."): value for name, value in known.items()})
    return [(outcome.value, outcome.rule) for outcome in reach(engine, "mount.nconnect", state)]


def test_a_gate_stands_above_all_layers(gated: Path) -> None:
    assert problems(gated) == near_misses(gated) == []
    edit(gated, RULES, "layer: platform", "layer: measured")
    assert values(gated, storage__platform="azure-files", client__has_nconnect=False) == [
        ("omit", "mount.nconnect/needs")
    ]
    assert values(gated, storage__platform="azure-files", client__has_nconnect=True) == [(4, "nconnect/azure-files")]
    assert [value for value, _ in values(gated, storage__platform="azure-files")] == ["omit", 4]
    told = load(str(gated)).decisions["mount.nconnect"].rules["mount.nconnect/needs"]
    assert (told.why, told.cites, told.strength) == ("The kernel refuses it.", ["handbook.nconnect"], "must")


def test_an_example_is_about_a_setting_that_can_be_used(gated: Path) -> None:
    edit(gated, RULES, "{given: {storage.platform: azure-files, client.has_nconnect: true}, expect: 4}",
         "{given: {storage.platform: azure-files}, expect: 4}")
    assert problems(gated) == near_misses(gated) == []
    edit(gated, RULES, "client.has_nconnect: false}, expect: omit}", "client.has_nconnect: false}, expect: 4}")
    assert [one.why for one in problems(gated)] == ["there mount.nconnect/needs says omit"]


def test_what_a_gate_says_already_is_redundant(root: Path) -> None:
    edit(root, TUNABLES, "    forms: [{spelling: nconnect, takes: value}]\n", GATE)
    edit(root, RULES, "      - {given: {storage.platform: azure-files}, expect: [4, omit]}\n", "")
    found = near_misses(root)
    assert [one.found for one in found] == ["client.has_nconnect in nconnect/azure-files is redundant"]


def test_proposals_leave_out_what_the_gate_needs(gated: Path) -> None:
    edit(gated, RULES, "      - {given: {storage.platform: azure-files, client.has_nconnect: true}, expect: 4}\n", "")
    (found,) = [one for one in problems(gated) if "must fire" in one.found]
    assert found.write == "add to examples: {given: {storage.platform: azure-files}, expect: 4}"


REFUSED = {
    "a rule in the layer": (RULES, "layer: platform", "layer: gate", "a rule of the layer gate"),
    "a rule that overrides": (
        RULES, "value: 4", "value: 4\n    overrides: [mount.nconnect/needs]", 'unknown rule "mount.nconnect/needs"',
    ),
    "a gate without reason": (
        TUNABLES, "    without: {why: The kernel refuses it., cites: [handbook.nconnect]}\n", "",
        "needs without a reason",
    ),
    "a gate with a rule's name": (
        TUNABLES, "{why: The kernel refuses it.,", "{id: vers/others, why: The kernel refuses it.,",
        'the gate "vers/others", which is the name of a rule',
    ),
    "a layer above": (
        "rules/layers.yaml", "  - {id: gate, says: What cannot be used.}\n",
        "  - {id: gate, says: What cannot be used.}\n  - {id: more, says: More.}\n", "more as the last layer",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_ways_round_a_gate_are_refused(gated: Path, name: str) -> None:
    path, old, new, found = REFUSED[name]
    edit(gated, path, old, new)
    assert any(one.found.startswith(found) for one in problems(gated)), problems(gated)


def test_what_is_refused_goes_before_what_is_ignored(gated: Path) -> None:
    edit(gated, TUNABLES, "    default: 1\n", """\
    default: 1
    ignored:
      - {together: {mount.vers: ["3", "4"]}, why: No., cites: [handbook.versions]}
      - {values: [1], when: {client.kernel: ">=2.6.26"}, why: No., cites: [handbook.versions]}
      - {together: {mount.intr: true}, why: No., cites: [handbook.versions]}
      - {id: nconnect/here, when: {storage.platform: other}, why: No., cites: [handbook.versions]}
""")
    rules = load(str(gated)).decisions["mount.nconnect"].rules
    shut = {name: one.when for name, one in rules.items() if one.layer == "gate"}
    assert shut == {
        "mount.nconnect/needs": {"client.has_nconnect": False},
        "mount.nconnect/ignored-1": {"mount.vers": ["3"]},  # the fact knows no 4
        "nconnect/here": {"storage.platform": "other"},
    }
    assert rules["mount.nconnect/needs"].overrides == ["mount.nconnect/ignored-1", "nconnect/here"]
    assert values(gated, storage__platform="other", client__has_nconnect=False) == [("omit", "mount.nconnect/needs")]


@thorough
@pytest.mark.parametrize("layer", ["site", pytest.param("measured", marks=thorough)])
def test_a_pack_does_not_pass_a_gate(tmp_path: Path, layer: str) -> None:
    folder = pack(tmp_path / "pack", policy=SOURCE, claims=CLAIMS, nconnect=EIGHT.replace("LAYER", layer))
    assert report.verify_pack(folder).problems == []
    base = load(packs=[folder])
    for platform in ("other", "anf", "azure-blob"):
        state = base.engine.state({"storage.platform": platform, "client.kernel": "3.10.0-1160.el7"})
        (outcome,) = reach(base.engine, "mount.nconnect", state)
        assert (outcome.value, outcome.rule) == ("omit", "nconnect/unknown-to-client")
        (pinned,) = advise(base.engine, state, {"mount.nconnect": 8})["mount.nconnect"]
        assert pinned.rule == "nconnect/unknown-to-client"
    state = base.engine.state({"storage.platform": "anf", "client.kernel": "6.1"})
    assert [one.rule for one in reach(base.engine, "mount.nconnect", state)] == ["nconnect/ours"]


def test_the_engine_knows_gates_by_their_layer() -> None:
    shut = rule("nconnect/shut", "omit", "gate", client__kernel="<4")
    for hit in ("priority", "collect"):
        table = {**NCONNECT, "hit": hit, "rules": [rule("n/a", 4), rule("n/b", 8), shut]}
        base = build(data(table, layers=[*LAYERS, "gate"]))
        outcomes = reach(base, "mount.nconnect", base.state({"client.kernel": "3.10"}))
        assert [outcome.value for outcome in outcomes] == ["omit"]
    past = decision("mount.nconnect", rule("n/a", 4, overrides=("nconnect/shut",)), shut)
    with pytest.raises(EngineError, match="no rule passes it"):
        build(data(past, layers=[*LAYERS, "gate"]))
    with pytest.raises(EngineError, match="not the last"):
        build(data(past, layers=["gate", *LAYERS]))
