"""Refusals that need the engine: gaps, conflicts, dead rules, circles, examples. Rows as in test_refusals."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.rulebase.bases import edit, near_misses, problems

NCONNECT = "rules/mount/nconnect.yaml"
VERS = "rules/mount/vers.yaml"
SLOTS = "rules/sysctl/slots.yaml"
BUFFER = "rules/sysctl/buffer.yaml"
FACTS = "rules/facts/all.yaml"
ABLE = "kb/capabilities.yaml"
BUG = "rules/errata/el8-hang.yaml"

EXTRA = """\
  - id: ‸nconnect/extra
    layer: LAYER
    when: WHEN
    value: VALUE
    strength: should
    why: A made-up rule.
    cites: [handbook.nconnect]
"""


def extra(layer: str, when: str, value: str) -> str:
    return EXTRA.replace("LAYER", layer).replace("WHEN", when).replace("VALUE", value)


DEPENDENT = """\
decision: sysctl.net.buffer
rules:
  - id: buffer/v3
    when: {mount.vers: "3", client.count: ">4"}
    value: 8192
    strength: may
    why: A made-up rule.
    cites: [handbook.versions]
    examples:
      - {given: {mount.vers: "3", client.count: 8}, expect: 8192}
      - {given: {mount.vers: "3", client.count: 2}, expect: keep}
      - {given: {mount.vers: "4.1", client.count: 8}, expect: keep}
  - id: buffer/others
    when:
      not: {mount.vers: "3", client.count: ">4"}
    value: keep
    why: Nothing is known.
    cites: [handbook.versions]
"""

CASES = {
    "gap": (
        SLOTS, "  - id: slots/many\n    when: {mount.vers: \"3\", client.count: \">8\"}",
        "  - id: slots/many\n    when: {mount.vers: \"3\", client.count: \">100\"}",
        ("a gap in sysctl.sunrpc.slots", 'client.count: ">=9 <=100"', 'mount.vers: "3"', "add a rule for that case"),
    ),
    "conflict": (
        NCONNECT, "  - id: nconnect/azure-files\n",
        extra("platform", "{client.count: \"<=2\"}", "8").replace("‸", "") + "  - id: ‸nconnect/azure-files\n",
        ("nconnect/azure-files and nconnect/extra (line 9, column 9) both match where", "they say 8 and 4",
         "storage.platform: azure-files", "higher layer"),
    ),
    "overlap in unique": (
        VERS, "  - id: vers/others\n    when: [[anf, other], any]", "  - id: ‸vers/others\n    when: [any, any]",
        ("vers/others and vers/azure-p", "hit unique lets no two match", "make their conditions exclusive"),
    ),
    "masked": (
        NCONNECT, "  - id: nconnect/azure-files\n",
        extra("measured", "{storage.platform: azure-files}", "8").replace("‸", "") + "  - id: ‸nconnect/azure-files\n",
        ("the rule nconnect/azure-files is dead", "wherever it matches, nconnect/extra beats it"),
    ),
    "unsatisfiable": (
        NCONNECT, "  - id: nconnect/azure-files\n",
        extra("platform", "{storage.platform: anf, storage.endpoint: private}", "8") + "  - id: nconnect/azure-files\n",
        ("the rule nconnect/extra is dead", "its condition can never be true"),
    ),
    "circle of facts": (
        ABLE, "        - {client.kernel_stream: mainline", "        - {client.has_nconnect: true}\n        - {client.kernel_stream: mainline",
        ("client.has_nconnect is derived from itself", "client.has_nconnect → client.has_nconnect"),
    ),
    "no must-fire": (
        SLOTS, '      - {given: {mount.vers: "3", client.count: 100}, expect: "<=128"}\n', "",
        ("no example in which slots/many must fire", 'add to examples: {given: {', 'expect: "<=128"}'),
    ),
    "no must-not-fire": (
        NCONNECT, "      - {given: {storage.platform: azure-files, client.has_nconnect: false}, expect: omit}\n"
        "      - {given: {storage.platform: anf, client.has_nconnect: true}, expect: omit}\n"
        "      - {given: {storage.platform: azure-files}, expect: [4, omit]}\n", "",
        ("no example in which nconnect/azure-files must not fire", "expect: omit}"),
    ),
    "wrong example": (
        NCONNECT, "client.has_nconnect: false}, expect: omit}", "client.has_nconnect: false}, expect: ‸4}",
        ("mount.nconnect is expected to be 4", "the rules say omit by nconnect/default", "write expect: omit"),
    ),
    "example that settles too much": (
        NCONNECT, "expect: [4, omit]}", "expect: ‸omit}", ("4 by nconnect/azure-files; omit by nconnect/default", "write expect: [4, omit]"),
    ),
    "example that cannot be": (
        VERS, "{given: {storage.endpoint: n/a}, expect: keep}",
        "{given: ‸{storage.endpoint: private, storage.platform: anf}, expect: keep}", ("which cannot be", "contradict each other"),
    ),
    "example against an inference": (
        ABLE, "given: {client.kernel: 4.18.0-193.el8.x86_64}", "given: ‸{client.kernel: 4.18.0-193.el8.x86_64, client.kernel_stream: mainline}",
        ("client.kernel_stream", "nothing that can be"),
    ),
    "wrong example of a capability": (
        ABLE, "4.18.0-193.el8.x86_64}, expect: false", "4.18.0-240.el8.x86_64}, expect: ‸false",
        ("client.has_nconnect is expected to be false", "it is true"),
    ),
    "undecided example of a capability": (
        ABLE, "{client.kernel: 4.18.0-193.el8.x86_64}, expect: false", "{client.kernel_stream: el8}, expect: ‸false",
        ("it depends on more than is given",),
    ),
    "wrong example of an erratum": (
        BUG, '193.el8.x86_64, mount.vers: "4.1"}, expect: false', '193.el8.x86_64, mount.vers: "4.1"}, expect: ‸true',
        ("el8-hang is expected to be true", "it is false"),
    ),
    "derived fact without a value": (
        FACTS, "  - id: client.count\n",
        "  - ‸id: client.old\n    type: bool\n    says: It is old.\n    derive: {\"true\": {client.kernel: \"<5.3\"}}\n  - id: client.count\n",
        ("client.old would have no value", "client.kernel is 5.3 or newer"),
    ),
    "derived fact with two values": (
        FACTS, "  - id: client.count\n",
        "  - id: client.age\n    type: enum\n    says: How old.\n    values: {old: Old, new: New}\n    otherwise: new\n"
        "    derive: {old: {client.kernel: \"<5.3\"}, new: ‸{client.kernel: \"<5.4\"}}\n  - id: client.count\n",
        ("client.age would be both old and new",),
    ),
    "capability that is and is not": (
        ABLE, "    cites: [handbook.nconnect]\n", "    ‸unless: {client.kernel: \"<6\"}\n    cites: [handbook.nconnect]\n",
        ("when and unless that overlap", "make them exclusive"),
    ),
    "condition that cannot be": (
        "kb/tunables/mount.yaml", "needs: {client.has_nconnect: true}",
        "needs: {storage.platform: anf, storage.endpoint: private}", ("can never be true",),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_refusal(root: Path, name: str) -> None:
    path, old, new, words = CASES[name]
    place = edit(root, path, old, new)
    found = problems(root)
    here = [problem for problem in found if problem.file == path and place in (None, (problem.line, problem.column))]
    assert here, f"expected at {path}:{place}, found:\n" + "\n".join(map(str, found))
    text = "\n".join(map(str, here))
    assert all(word in text for word in words), text


def test_rules_of_hit_any_may_meet_only_with_equal_values(root: Path) -> None:
    edit(root, VERS, "hit: unique", "hit: any")
    edit(root, VERS, "when: [[anf, other], any]", "when: [any, any]")
    text = "\n".join(map(str, problems(root)))
    assert "hit any lets no two differ" in text


def test_circle_of_decisions(root: Path) -> None:
    edit(root, VERS, "columns: [storage.platform, storage.endpoint]", "columns: [mount.nconnect, storage.endpoint]")
    edit(root, FACTS, "  - id: client.count\n", "  - id: mount.nconnect\n    type: int\n    says: N.\n  - id: client.count\n")
    edit(root, VERS, "when: [azure-files, private]", "when: [1, private]")
    edit(root, VERS, "when: [azure-files, public]", "when: [1, public]")
    edit(root, VERS, "when: [[anf, other], any]", 'when: [">1", any]')
    edit(root, NCONNECT, "when: {storage.platform: azure-files,", 'when: {mount.vers: "3",')
    text = "\n".join(map(str, problems(root)))
    assert "is decided by itself" in text
    assert "mount.nconnect → mount.vers → mount.nconnect" in text


def test_a_decision_may_rest_on_another(root: Path) -> None:
    edit(root, BUFFER, "", DEPENDENT)
    assert problems(root) == []
    assert near_misses(root) == []


def test_proposed_examples_can_be_pasted(root: Path) -> None:
    """What a refusal proposes is YAML, holds, and is enough."""
    edit(root, BUFFER, "", re.sub(r"    examples:\n(      - .*\n)+", "    examples:\n", DEPENDENT).replace("    examples:\n", ""))
    for _ in range(10):
        found = problems(root) or near_misses(root)
        if not found:
            break
        example = found[0].write.partition("add to examples: ")[2]
        assert example, found[0]
        text = (root / BUFFER).read_text()
        head = text if "examples:\n" in text else text + "examples:\n"
        (root / BUFFER).write_text(f"{head}  - {example}\n")
    assert problems(root) == []
    assert near_misses(root) == []


def test_a_part_of_a_condition_without_near_miss_is_asked_for(root: Path) -> None:
    edit(root, NCONNECT, "      - {given: {storage.platform: anf, client.has_nconnect: true}, expect: omit}\n", "")
    assert problems(root) == []
    found = near_misses(root)
    assert [(problem.file, problem.line, problem.column) for problem in found] == [(NCONNECT, 11, 12)]
    assert found[0].found == "no example shows what storage.platform is for in nconnect/azure-files"
    assert re.search(r"\{given: \{storage.platform: (anf|other), client.has_nconnect: true\}, expect: omit\}", found[0].write)


def test_a_part_of_a_condition_that_changes_nothing_is_told(root: Path) -> None:
    edit(root, NCONNECT, "when: {storage.platform: azure-files,", "when: {storage.platform: azure-files, client.count: \">=1\",")
    found = near_misses(root)
    assert [problem.found for problem in found] == ["client.count in nconnect/azure-files is redundant"]
    assert found[0].write == "delete it"


def test_faulty_decisions_are_left_out_and_the_others_still_proven(root: Path) -> None:
    edit(root, NCONNECT, "strength: may", "strength: mya")
    edit(root, SLOTS, '    when: {mount.vers: "3", client.count: ">8"}', '    when: {mount.vers: "3", client.count: ">10"}')
    text = "\n".join(map(str, problems(root)))
    assert "did you mean may?" in text
    assert "a gap in sysctl.sunrpc.slots" in text
