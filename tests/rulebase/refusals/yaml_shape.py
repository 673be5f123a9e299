"""The YAML itself, and the shape that a kind of file has."""

from tests.rulebase.refusals import CLAIMS, FACTS, NCONNECT, SLOTS, VERS, Case

YAML: dict[str, Case] = {
    "colon in plain text": (NCONNECT, "why: One connection is", "why: One‸: connection is", ("YAML syntax", "quotes")),
    "tab": (NCONNECT, "    value: omit", "‸\tvalue: omit", ("indent with spaces",)),
    "too little indentation": (
        NCONNECT, "    strength: should", "   ‸strength: should", ("wrong indentation", "begins at column 4"),
    ),
    "too much indentation": (
        NCONNECT, "    strength: should", "      ‸strength: should", ("wrong indentation", "begins at column 7"),
    ),
    "unclosed bracket": (
        VERS,
        'expect: "3"}\n  -',
        'expect: "3"\n  ‸-',
        ("YAML syntax", "begun in line 24", "brackets"),
    ),
    "unclosed quote": ("kb/sources/handbook.yaml", "grade: manual\n", "grade: 'manual\n‸", ("close the quote",)),
    "duplicate key": (
        NCONNECT,
        "    strength: should",
        "    strength: should\n    ‸value: 8",
        ('key "value" for the second time', "line 12, column 5", "delete one"),
    ),
    "key that is a number": (FACTS, '{"3": NFSv3, "4.1"', '{‸3: NFSv3, "4.1"', ('write "3" in quotes',)),
    "anchor": (NCONNECT, "value: omit", "value: ‸&v omit", ("anchor or alias", "write it out")),
    "no value": (NCONNECT, "hit: priority\n", "hit‸:\n", ("no value", "delete it")),
    "leading zero": (
        SLOTS,
        'client.count: 100}, expect: "<=128"',
        'client.count: ‸0100}, expect: "<=128"',
        ("leading zero", "write 100"),
    ),
    "thousands of digits": (
        SLOTS, 'client.count: 100}, expect: "<=128"', f'client.count: ‸{"9" * 5000}}}, expect: "<=128"',
        ("a number of 5000 digits", "fewer digits"),
    ),
    "infinity": (CLAIMS, "seconds: 0.5", "seconds: ‸.inf", (".inf", "quotes")),
    "tag": (CLAIMS, "seconds: 0.5", "seconds: ‸!odd 0.5", ("text, numbers, true and false",)),
    "empty file": ("rules/mount/empty.yaml", "", "‸# nothing\n", ("an empty file",)),
    "list at the top": (
        "rules/mount/list.yaml",
        "",
        "‸- decision: mount.vers\n",
        ("a file is a mapping", "begin with"),
    ),
    "two documents": (
        "kb/sources/handbook.yaml",
        "grade: manual\n",
        "grade: manual\n‸---\na: b\n",
        ("one document per file",),
    ),
    "path without model": ("rules/mount/README.txt", "", "‸a: b\n", ("nothing reads", "move it to")),
}

SHAPE: dict[str, Case] = {
    "unknown key": (
        NCONNECT,
        "    strength: should",
        "    ‸strenght: should",
        ('unknown key "strenght"', "a rule has no such key", "did you mean strength?"),
    ),
    "unknown key of an example": (
        VERS, 'storage.endpoint: public}, expect: "3"}', 'storage.endpoint: public}, expect: "3", ‸expects: "4"}',
        ("an example has no such key", "did you mean expect?"),
    ),
    "missing key": (
        NCONNECT,
        "  - id: nconnect/default\n    value: omit",
        "  - ‸id: nconnect/default",
        ('a rule without "value"', "add value"),
    ),
    "no citation key": (
        SLOTS,
        '  - id: slots/v4\n    when: {mount.vers: "4.1"}\n    value: n/a\n    why: The session decides.'
        "\n    cites: [handbook.versions]\n",
        '  - ‸id: slots/v4\n    when: {mount.vers: "4.1"}\n    value: n/a\n    why: The session decides.\n',
        ("a rule without citation", "nothing is recommended without a source", "kb/claims/"),
    ),
    "misspelt strength": (
        NCONNECT,
        "strength: should",
        "strength: ‸shuold",
        ("it is one of must, should or may", "did you mean should?"),
    ),
    "empty text": (NCONNECT, "why: One connection is the default.", "why: ‸''", ('"why" is empty',)),
    "number for text": (
        NCONNECT,
        "why: One connection is the default.",
        "why: ‸5.10",
        ("the number 5.10", "text is expected", 'write "5.10" in quotes'),
    ),
    "text for a list": (
        NCONNECT,
        "cites: [handbook.nconnect]",
        "cites: ‸handbook.nconnect",
        ("a list is expected", "write [handbook.nconnect]"),
    ),
    "list for a condition": (
        NCONNECT,
        "when: {storage.platform: azure-files, client.has_nconnect: true}",
        "when: ‸[]",
        ("a mapping is expected",),
    ),
    "mapping for a value": (NCONNECT, "value: omit", "value: ‸{a: b}", ("a single value is expected",)),
    "bad id": (NCONNECT, "id: nconnect/default", "id: ‸Nconnect", ("not a valid name", "nconnect/azure-files")),
    "bad fact id": (
        NCONNECT,
        "given: {storage.platform: azure-files}",
        "given: {‸platform: azure-files}",
        ('the key "platform"', "words joined by dots"),
    ),
}

CASES = {**YAML, **SHAPE}
