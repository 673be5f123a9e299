"""Every refusal says where, what was found, why it is wrong and what to write. One row a mistake.

A row: a file, what is replaced in it (nothing: the whole file), by what, and words of the message. `‸` in the new text is
where the error is expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rulebase.bases import edit, problems

NCONNECT = "rules/mount/nconnect.yaml"
VERS = "rules/mount/vers.yaml"
SLOTS = "rules/sysctl/slots.yaml"
FACTS = "rules/facts/all.yaml"
MOUNT = "kb/tunables/mount.yaml"
SYSCTL = "kb/tunables/sysctl.yaml"
CLAIMS = "kb/claims/handbook.yaml"
ABLE = "kb/capabilities.yaml"
CHECK = "rules/checks/intr-with-nconnect.yaml"
BUG = "rules/errata/el8-hang.yaml"

Case = tuple[str, str, str, tuple[str, ...]]

YAML: dict[str, Case] = {
    "colon in plain text": (NCONNECT, "why: One connection is", "why: One‸: connection is", ("YAML syntax", "quotes")),
    "tab": (NCONNECT, "    value: omit", "‸\tvalue: omit", ("indent with blanks",)),
    "unclosed bracket": (VERS, 'expect: "3"}\n  -', 'expect: "3"\n  ‸-', ("YAML syntax", "begun in line 25", "brackets")),
    "unclosed quote": ("kb/sources/handbook.yaml", "grade: manual\n", "grade: 'manual\n‸", ("close the quote",)),
    "duplicate key": (NCONNECT, "    strength: should", "    strength: should\n    ‸value: 8",
                      ('key "value" for the second time', "line 12, column 5", "delete one")),
    "key that is a number": (FACTS, '{"3": NFSv3, "4.1"', '{‸3: NFSv3, "4.1"', ('write "3" in quotes',)),
    "anchor": (NCONNECT, "value: omit", "value: ‸&v omit", ("anchor or alias", "write it out")),
    "no value": (NCONNECT, "hit: priority\n", "hit:\n‸", ("no value", "delete it")),
    "leading zero": (SLOTS, "client.count: 100}, expect: \"<=128\"", "client.count: ‸0100}, expect: \"<=128\"",
                     ("leading zero", "write 100")),
    "infinity": (CLAIMS, "seconds: 0.5", "seconds: ‸.inf", (".inf", "quotes")),
    "tag": (CLAIMS, "seconds: 0.5", "seconds: ‸!odd 0.5", ("text, numbers, true and false only",)),
    "empty file": ("rules/mount/empty.yaml", "", "‸# nothing\n", ("an empty file",)),
    "list at the top": ("rules/mount/list.yaml", "", "‸- decision: mount.vers\n", ("a file is a mapping", "begin with")),
    "two documents": ("kb/sources/handbook.yaml", "grade: manual\n", "grade: manual\n‸---\na: b\n", ("one document a file",)),
    "path without model": ("rules/mount/README.txt", "", "‸a: b\n", ("no model reads", "move it to")),
}

SHAPE: dict[str, Case] = {
    "unknown key": (NCONNECT, "    strength: should", "    ‸strenght: should",
                    ('unknown key "strenght"', "a rule has no such key", "did you mean strength?")),
    "missing key": (NCONNECT, "  - id: nconnect/default\n    value: omit", "  - ‸id: nconnect/default",
                    ('a rule without "value"', "add value")),
    "no citation key": (SLOTS, "  - id: slots/v4\n    when: {mount.vers: \"4.1\"}\n    value: n/a\n    why: The session decides."
                        "\n    cites: [handbook.versions]\n",
                        "  - ‸id: slots/v4\n    when: {mount.vers: \"4.1\"}\n    value: n/a\n    why: The session decides.\n",
                        ("a rule without citation", "nothing is advised without a source", "kb/claims/")),
    "misspelt strength": (NCONNECT, "strength: should", "strength: ‸shuold",
                          ("it is one of must, should or may", "did you mean should?")),
    "empty text": (NCONNECT, "why: One connection is the default.", "why: ‸''", ('"why" is empty',)),
    "number for text": (NCONNECT, "why: One connection is the default.", "why: ‸5.10",
                        ("the number 5.10", "text is expected", 'write "5.10" in quotes')),
    "text for a list": (NCONNECT, "cites: [handbook.nconnect]", "cites: ‸handbook.nconnect",
                        ("a list is expected", "write [handbook.nconnect]")),
    "list for a condition": (NCONNECT, "when: {storage.platform: azure-files, client.has_nconnect: true}", "when: ‸[]",
                             ("a mapping is expected",)),
    "mapping for a value": (NCONNECT, "value: omit", "value: ‸{a: b}", ("a single value is expected",)),
    "bad id": (NCONNECT, "id: nconnect/default", "id: ‸Nconnect", ("no valid name", "nconnect/azure-files")),
    "bad fact id": (NCONNECT, "given: {storage.platform: azure-files}", "given: {‸platform: azure-files}",
                    ('the key "platform"', "words joined by dots")),
}

NAMES: dict[str, Case] = {
    "unknown fact": (NCONNECT, "when: {storage.platform: azure-files,", "when: {‸storage.plattform: azure-files,",
                     ('unknown fact "storage.plattform"', "did you mean storage.platform?")),
    "unknown fact in not": (NCONNECT, "when: {storage.platform: azure-files, ", "when: {not: {any: [{‸data.place: here}]}, ",
                            ('unknown fact "data.place"', "rules/facts/")),
    "unknown fact in a table": (VERS, "columns: [storage.platform,", "columns: [‸storage.platfrom,",
                                ('unknown fact "storage.platfrom"', "did you mean storage.platform?")),
    "unknown fact in an example": (NCONNECT, "{given: {storage.platform: azure-files},", "{given: {‸storage.platforms: azure-files},",
                                   ('unknown fact "storage.platforms"',)),
    "unknown fact in needs": (MOUNT, "needs: {client.has_nconnect", "needs: {‸client.has_nconect",
                              ("did you mean client.has_nconnect?",)),
    "unknown tunable": (NCONNECT, "decision: mount.nconnect", "decision: ‸mount.nconect",
                        ('unknown tunable "mount.nconect"', "did you mean mount.nconnect?")),
    "unknown tunable in a check": (CHECK, "on: {mount.intr: present", "on: {‸mount.inter: present",
                                   ('unknown tunable "mount.inter"', "did you mean mount.intr?")),
    "unknown tunable of a fact": (FACTS, "setting: {tunable: mount.vers", "setting: {tunable: ‸mount.ver",
                                  ("did you mean mount.vers?",)),
    "unknown layer": (NCONNECT, "layer: platform", "layer: ‸plattform", ('unknown layer "plattform"', "did you mean platform?")),
    "unknown claim": (NCONNECT, "cites: [handbook.nconnect]", "cites: [‸handbook.nconect]",
                      ('unknown claim "handbook.nconect"', "did you mean handbook.nconnect?")),
    "unknown claim in better": (CLAIMS, "better: [handbook.nconnect]", "better: [‸handbook.ten]", ('unknown claim "handbook.ten"',)),
    "unknown source": (CLAIMS, "    source: handbook\n    at: chapter 1", "    source: ‸handbok\n    at: chapter 1",
                       ('unknown source "handbok"', "kb/sources/handbok.yaml does not exist", "did you mean handbook?")),
    "unknown rule": (NCONNECT, "    strength: should", "    overrides: [‸nconnect/defualt]\n    strength: should",
                     ('unknown rule "nconnect/defualt"', "did you mean nconnect/default?")),
    "override of itself": (NCONNECT, "    strength: should", "    overrides: [‸nconnect/azure-files]\n    strength: should",
                           ("overrides itself",)),
    "duplicate rule id": (VERS, "id: vers/azure-public", "id: ‸nconnect/default",
                          ('the id "nconnect/default" for the second time', "first at rules/mount/nconnect.yaml:4:")),
    "duplicate decision": (VERS, "decision: mount.vers", "decision: ‸mount.nconnect", ("first at rules/mount/nconnect.yaml:1:",)),
    "duplicate fact": (ABLE, "id: client.has_nconnect", "id: ‸client.count", ("first at rules/facts/all.yaml:",)),
    "claim of another source": (CLAIMS, "id: handbook.eight", "id: ‸leaflet.eight", ("begins with its source",)),
    "source file name": ("kb/sources/guide.yaml", "", "source: ‸leaflet\ntitle: T\npublisher: P\nlanguage: en\ngrade: manual\n",
                         ("rename the file to kb/sources/leaflet.yaml",)),
    "unknown platform": ("kb/platforms/azure.yaml", "", "platform: ‸azure\ntitle: A\nsays: A.\n",
                         ("storage.platform has no such value",)),
    "citations all refuted": (SLOTS, "  - id: slots/v4\n    when: {mount.vers: \"4.1\"}\n    value: n/a\n    why: The session decides."
                              "\n    cites: [handbook.versions]",
                              "  - id: slots/v4\n    when: {mount.vers: \"4.1\"}\n    value: n/a\n    why: The session decides."
                              "\n    cites: ‸[handbook.eight]", ("all refuted", "handbook.eight has the verdict wrong")),
    "empty citation": (NCONNECT, "cites: [handbook.nconnect]", "cites: ‸[]", ("no citation", "nothing is advised without a source")),
}

VALUES: dict[str, Case] = {
    "outside an enum": (NCONNECT, "when: {storage.platform: azure-files,", "when: {storage.platform: ‸azure-file,",
                        ('storage.platform is "azure-file"', "anf, azure-files or other", "did you mean azure-files?")),
    "outside an enum, in a table": (VERS, "when: [azure-files, private]", "when: [azure-files, ‸secret]",
                                    ('storage.endpoint is "secret"', "private or public")),
    "text for a bool": (NCONNECT, "client.has_nconnect: true}\n    value: 4", "client.has_nconnect: ‸'yes'}\n    value: 4",
                        ("yes/no fact", "write true or false")),
    "text for a number": (SLOTS, 'client.count: ">8"}', "client.count: ‸many}", ("whole number of clients", ">=4 <16")),
    "broken range": (SLOTS, 'client.count: ">8"}', 'client.count: ‸">8<=20"}', ("whole number",)),
    "number outside": (SLOTS, 'given: {mount.vers: "3", client.count: 100}', 'given: {mount.vers: "3", client.count: ‸0}',
                       ("client.count is the number 0", "1 to 10000 of clients")),
    "n/a of a fact that always applies": (SLOTS, "given: {mount.vers: \"4.1\"}", "given: {mount.vers: ‸n/a}", ("has no n/a",)),
    "empty list": (VERS, "when: [[anf, other], any]", "when: [‸[], any]", ("an empty list",)),
    "no version": (ABLE, '">=5.3"', '‸">=five"', ("that is no version", ">=5.3 <5.11")),
    "unquoted version in a condition": (ABLE, 'client.kernel: ">=5.3"}', "client.kernel: ‸5.10}",
                                        ("the number 5.10", "5.10 becomes 5.1", 'write "5.10" in quotes')),
    "unquoted version in an example": (ABLE, 'client.kernel: "5.10"}', "client.kernel: ‸5.10}", ('write "5.10" in quotes',)),
    "unquoted release": (NCONNECT, "when: {storage.platform: azure-files,", "when: {client.release: ‸8.3,",
                         ("client.release is the number 8.3", 'write "8.3" in quotes')),
    "unquoted enum version": (SLOTS, 'when: {mount.vers: "4.1"}', "when: {mount.vers: ‸4.1}",
                              ("mount.vers is the number 4.1", 'write "4.1" in quotes')),
    "unquoted rule value": (VERS, '    value: "4.1"', "    value: ‸4.1", ("mount.vers is the number 4.1", "in quotes")),
    "unquoted expectation": (VERS, 'storage.endpoint: private}, expect: "4.1"', "storage.endpoint: private}, expect: ‸4.1",
                             ("the number 4.1 is expected", 'write "4.1" in quotes')),
    "unquoted tunable value": (MOUNT, '"4", "4.1"]', '"4", ‸4.10]', ("the number 4.10", 'write "4.10" in quotes')),
    "outside a tunable's range": (NCONNECT, "value: 4", "value: ‸17", ("mount.nconnect is the number 17", "1 to 16")),
    "outside a tunable's words": (VERS, 'value: "3"', 'value: ‸"5"', ('mount.vers is "5"', "3, 4, 4.1")),
    "wrong type of value": (NCONNECT, "value: 4", "value: ‸four", ("mount.nconnect", "whole number")),
    "default outside": (MOUNT, "default: 1\n", "default: ‸99\n", ("mount.nconnect is the number 99", "1 to 16")),
    "flag with a word": (MOUNT, "{spelling: intr, means: true}", "{spelling: intr, means: ‸'on'}", ("set or not set",)),
    "bound without inside": (SLOTS, 'value: "<=128"', 'value: ‸">=70000"', ("no number of 0 to 65536 is inside",)),
    "bound of words": (VERS, 'value: "3"', 'value: ‸">=3"', ("mount.vers is no number",)),
    "formula syntax": (SLOTS, "value: 2 * client.count", "value: ‸2 * (client.count", ("the formula", "missing", "2 * client.count")),
    "formula with an unknown fact": (SLOTS, "value: 2 * client.count", "value: ‸2 * client.counts",
                                     ('unknown fact "client.counts"', "did you mean client.count?")),
    "formula with words": (SLOTS, "value: 2 * client.count", "value: ‸2 * storage.platform", ("only whole numbers",)),
    "formula for words": (VERS, 'value: "3"', "value: ‸2 * client.count", ("mount.vers is no number",)),
    "min of words": (SLOTS, "decision: sysctl.sunrpc.slots\n", "decision: sysctl.sunrpc.slots\nhit: min\n", ("smallest number wins",)),
    "expectation of no rule": (NCONNECT, "expect: [4, omit]", "expect: [4, ‸8]",
                               ("the number 8 is expected", 'the rules say "omit" or the number 4')),
}
STRUCTURE: dict[str, Case] = {
    "strength missing": (NCONNECT, "  - id: nconnect/default\n    value: omit\n    strength: may",
                         "  - ‸id: nconnect/default\n    value: omit", ("without strength", "must, should or may")),
    "row of the wrong length": (VERS, "when: [azure-files, private]", "when: ‸[azure-files]",
                                ("a row of 1 entries", "2 columns (storage.platform and storage.endpoint)", "any fits everything")),
    "rows without columns": (VERS, "decision: mount.vers\nhit: unique\ncolumns: [storage.platform, storage.endpoint]",
                             "‸decision: mount.vers\nhit: unique", ("rows without columns",)),
    "neither rules nor rows": ("rules/mount/intr.yaml", "", "‸decision: mount.intr\n", ("neither rules nor rows",)),
    "spelling that takes and means": (MOUNT, "{spelling: v3, means: \"3\"}", "‸{spelling: v3, takes: value, means: \"3\"}",
                                      ("both takes and means",)),
    "spelling twice": (MOUNT, "{spelling: nointr, means: false}", "‸{spelling: v3, means: false}",
                       ('the spelling "v3"', "mount.vers has it already")),
    "enum without words": (FACTS, "    values: {el8: Red Hat 8, mainline: Another one}\n", "", ("an enum fact without values",)),
    "version without scheme": (FACTS, "  - id: client.release\n    type: version\n    scheme: deb", "  - ‸id: client.release\n    type: version",
                               ("without a scheme", "kernel, rpm or deb")),
    "regular expression": (FACTS, r"match: '\.el8'", r"match: ‸'\.el8('", ("no regular expression",)),
    "check that looks nowhere": (CHECK, 'check: intr-with-nconnect\ntitle: intr beside nconnect\non: {mount.intr: present, mount.nconnect: ">=2"}',
                                 "‸check: intr-with-nconnect\ntitle: intr beside nconnect", ('without "on", "pair" or "builtin"',)),
    "check without a must-not": (CHECK, "given: {client.has_nconnect: true}, finds: false}", "given: {client.has_nconnect: true}, finds: true}",
                                 ("must find nothing",)),
    "stream that is none": (BUG, "  el8: [", "  ‸el9: [", ('the stream "el9"', "el8 or mainline")),
    "fixed and last affected": (BUG, "[{introduced: 4.18.0-100.el8,", "[‸{last_affected: 4.18.0-100.el8,", ("both fixed and last_affected",)),
    "range for a version": (BUG, "introduced: 4.18.0-100.el8", 'introduced: ‸">=4.18"', ("one version, not a range",)),
    "erratum of no version": (BUG, "facts: [client.kernel]", "facts: [‸client.count]", ("name a version fact",)),
    "capability without a must-not": (ABLE, "      - {given: {client.kernel: 4.18.0-193.el8.x86_64}, expect: false}\n", "",
                                      ("must not hold", "expect: false")),
    "minimum above maximum": (FACTS, "maximum: 10000", "maximum: 0", ("a minimum of 1", "the maximum is 0")),
}

CASES = {**YAML, **SHAPE, **NAMES, **VALUES, **STRUCTURE}


@pytest.mark.parametrize("name", CASES)
def test_refusal(root: Path, name: str) -> None:
    path, old, new, words = CASES[name]
    place = edit(root, path, old, new)
    found = problems(root)
    here = [problem for problem in found if place is None or (problem.file, problem.line, problem.column) == (path, *place)]
    assert here, f"expected at {path}:{place}, found:\n" + "\n".join(map(str, found))
    text = "\n".join(map(str, here))
    assert all(word in text for word in words), text
    assert all(problem.found and problem.why and problem.write for problem in found)


def test_nothing_is_wrong_with_the_minimal_base(root: Path) -> None:
    assert problems(root) == []


def test_not_utf8(root: Path) -> None:
    (root / NCONNECT).write_bytes("decision: mount.vers\nabout: säg\xff".encode("latin-1"))
    first = problems(root)[0]
    assert (first.file, first.line, first.column) == (NCONNECT, 2, 9)
    assert "0xe4" in first.found
    assert "UTF-8" in first.why


def test_all_errors_are_told_in_one_go(root: Path) -> None:
    edit(root, NCONNECT, "storage.platform: azure-files, client.has_nconnect: true}\n    value", "storage.plattform: x}\n    value")
    edit(root, NCONNECT, "strength: may", "strenght: may")
    edit(root, VERS, 'value: "3"', "value: 3.10")
    edit(root, CLAIMS, "better: [handbook.nconnect]", "better: [handbook.ten]")
    edit(root, BUG, "el8: [", "el9: [")
    found = problems(root)
    text = "\n".join(map(str, found))
    for word in ("storage.plattform", "strenght", "3.10", "handbook.ten", "el9"):
        assert word in text
    assert found == sorted(found)


def test_the_same_mistake_in_one_file_is_told_once(root: Path) -> None:
    text = (root / NCONNECT).read_text().replace("storage.platform", "storage.plattform")
    (root / NCONNECT).write_text(text)
    told = [problem for problem in problems(root) if "storage.plattform" in problem.found]
    assert len(told) == 1
    assert told[0].line == 11
    assert told[0].write.endswith("(the same in lines 18, 19, 20 and 21)")


def test_a_broken_file_does_not_make_others_look_broken(root: Path) -> None:
    edit(root, "kb/sources/handbook.yaml", "grade: manual", "grade: handwritten")
    edit(root, FACTS, "says: The NFS version.", "says: [The NFS version.]")
    edit(root, CLAIMS, "verdict: wrong", "verdict: wrong: no")
    edit(root, MOUNT, "title: NFS version", "title: [NFS version")
    assert {problem.file for problem in problems(root)} == {"kb/sources/handbook.yaml", FACTS, CLAIMS, MOUNT}
