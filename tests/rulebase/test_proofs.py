"""What the engine proves of a rule base: contradictions, circles, near misses, and the examples that it proposes."""

from __future__ import annotations

import re
from pathlib import Path

from tests.rulebase.bases import edit, near_misses, problems

NCONNECT = "rules/mount/nconnect.yaml"
VERS = "rules/mount/vers.yaml"
SLOTS = "rules/sysctl/slots.yaml"
BUFFER = "rules/sysctl/buffer.yaml"
FACTS = "rules/facts/all.yaml"
ABLE = "kb/capabilities.yaml"
BUG = "rules/errata/el8-hang.yaml"

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


def test_circle_of_decisions(root: Path) -> None:
    edit(
        root,
        FACTS,
        "  - id: client.count\n",
        "  - id: mount.nconnect\n    type: int\n    scope: mount\n    says: N.\n  - id: client.count\n",
    )
    for which in ("private", "public"):
        then = f"storage.endpoint: {which}}}"
        edit(root, VERS, f"when: {{{then}", f"when: {{mount.nconnect: 1, {then}")
    edit(root, VERS, "when: {storage.platform: [anf, other]}", 'when: {mount.nconnect: ">1"}')
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
    edit(
        root,
        BUFFER,
        "",
        re.sub(r"    examples:\n(      - .*\n)+", "    examples:\n", DEPENDENT).replace("    examples:\n", ""),
    )
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
    assert re.search(
        r"\{given: \{storage.platform: (anf|other), client.has_nconnect: true\}, expect: omit\}", found[0].write
    )


def test_a_part_of_a_condition_that_changes_nothing_is_told(root: Path) -> None:
    edit(
        root,
        NCONNECT,
        "when: {storage.platform: azure-files,",
        'when: {storage.platform: azure-files, client.count: ">=1",',
    )
    found = near_misses(root)
    assert [problem.found for problem in found] == ["client.count in nconnect/azure-files is redundant"]
    assert found[0].write == "delete it"


def test_faulty_decisions_are_left_out_and_the_others_still_proven(root: Path) -> None:
    edit(root, NCONNECT, "strength: may", "strength: mya")
    edit(
        root,
        SLOTS,
        '    when: {mount.vers: "3", client.count: ">8"}',
        '    when: {mount.vers: "3", client.count: ">10"}',
    )
    text = "\n".join(map(str, problems(root)))
    assert "did you mean may?" in text
    assert "a gap in sysctl.sunrpc.slots" in text


PRESUMED = """\
constraints:
  - id: others-are-said
    presumed: true
    never: {storage.platform: other}
    why: Whoever has another platform says so.
    cites: [handbook.versions]
"""


def test_an_example_speaks_of_all_that_it_lists(root: Path) -> None:
    """Of what is presumed not to be, too: else a rule could take in such a value, and no example would notice."""
    edit(root, "rules/constraints.yaml", "", PRESUMED)
    given = "given: {storage.platform: anf, client.has_nconnect: true}"
    edit(root, NCONNECT, given, given.replace("anf", "[anf, other]"))
    assert problems(root) == []
    when = "when: {storage.platform: azure-files, client.has_nconnect: true}"
    edit(root, NCONNECT, when, when.replace("azure-files", "[azure-files, other]"))
    (found,) = problems(root)
    assert found.found == "mount.nconnect is not omit for everything that is listed"
    assert found.why == "where {storage.platform: [other], client.has_nconnect: true} the rules say 4"
