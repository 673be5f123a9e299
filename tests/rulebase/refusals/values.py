"""Values outside their domain, versions without quotes, bounds and formulas; how a fact is found on a host."""

from tests.rulebase.refusals import ABLE, FACTS, MOUNT, NCONNECT, SLOTS, VERS, Case

_OLD = "    says: The line that the kernel belongs to.\n"


def _probe(probe: str) -> str:
    return f"{_OLD}    probe: {probe}\n"


CASES: dict[str, Case] = {
    "outside an enum": (
        NCONNECT,
        "when: {storage.platform: azure-files,",
        "when: {storage.platform: ‸azure-file,",
        ('storage.platform is "azure-file"', "anf, azure-files or other", "did you mean azure-files?"),
    ),
    "outside an enum of another fact": (
        VERS,
        "when: {storage.endpoint: private}",
        "when: {storage.endpoint: ‸secret}",
        ('storage.endpoint is "secret"', "private or public"),
    ),
    "a name for no value": (
        FACTS,
        "    values: {anf: Azure NetApp Files,",
        "    aliases: {‸amf: [ANF volume]}\n    values: {anf: Azure NetApp Files,",
        ('names for "amf"', "anf, azure-files or other"),
    ),
    "a name that means another value": (
        FACTS,
        "    values: {anf: Azure NetApp Files,",
        "    aliases: {azure-files: [‸azure netapp-files]}\n    values: {anf: Azure NetApp Files,",
        ('"azure netapp-files" for azure-files', "names anf already"),
    ),
    "a family that is one value's name": (
        FACTS,
        "    values: {anf: Azure NetApp Files,",
        "    families: {‸anf: [anf, other]}\n    values: {anf: Azure NetApp Files,",
        ('the family "anf"', "names anf alone"),
    ),
    "a family with a stranger": (
        FACTS,
        "    values: {anf: Azure NetApp Files,",
        "    families: {azure: [anf, ‸amf]}\n    values: {anf: Azure NetApp Files,",
        ('"amf" of the family "azure"', "no such value"),
    ),
    "text for a bool": (
        NCONNECT,
        "client.has_nconnect: true}\n    value: 4",
        "client.has_nconnect: ‸'yes'}\n    value: 4",
        ("yes/no fact", "write true or false"),
    ),
    "text for a number": (SLOTS, 'client.count: ">8"}', "client.count: ‸many}", ("whole number of clients", ">=4 <16")),
    "broken range": (SLOTS, 'client.count: ">8"}', 'client.count: ‸">8<=20"}', ("whole number",)),
    "number outside": (
        SLOTS,
        'given: {mount.vers: "3", client.count: 100}',
        'given: {mount.vers: "3", client.count: ‸0}',
        ("client.count is the number 0", "1 to 10000 of clients"),
    ),
    "n/a of a fact that always applies": (
        SLOTS,
        'given: {mount.vers: "4.1"}',
        "given: {mount.vers: ‸n/a}",
        ("has no n/a",),
    ),
    "empty list": (
        VERS, "when: {storage.platform: [anf, other]}", "when: {storage.platform: ‸[]}", ("an empty list",)
    ),
    "no version": (ABLE, '">=5.3"', '‸">=five"', ("that is not a version", ">=5.3 <5.11")),
    "unquoted version in a condition": (
        ABLE,
        'client.kernel: ">=5.3"}',
        "client.kernel: ‸5.10}",
        ("the number 5.10", "5.10 becomes 5.1", 'write "5.10" in quotes'),
    ),
    "unquoted version in an example": (
        ABLE,
        'client.kernel: "5.10"}',
        "client.kernel: ‸5.10}",
        ('write "5.10" in quotes',),
    ),
    "unquoted release": (
        NCONNECT,
        "when: {storage.platform: azure-files,",
        "when: {client.release: ‸8.3,",
        ("client.release is the number 8.3", 'write "8.3" in quotes'),
    ),
    "unquoted enum version": (
        SLOTS,
        'when: {mount.vers: "4.1"}',
        "when: {mount.vers: ‸4.1}",
        ("mount.vers is the number 4.1", 'write "4.1" in quotes'),
    ),
    "unquoted rule value": (VERS, '    value: "4.1"', "    value: ‸4.1", ("mount.vers is the number 4.1", "in quotes")),
    "unquoted expectation": (
        VERS,
        'storage.endpoint: private}, expect: "4.1"',
        "storage.endpoint: private}, expect: ‸4.1",
        ("the number 4.1 is expected", 'write "4.1" in quotes'),
    ),
    "unquoted tunable value": (MOUNT, '"4", "4.1"]', '"4", ‸4.10]', ("the number 4.10", 'write "4.10" in quotes')),
    "outside a tunable's range": (NCONNECT, "value: 4", "value: ‸17", ("mount.nconnect is the number 17", "1 to 16")),
    "outside a tunable's words": (VERS, 'value: "3"', 'value: ‸"5"', ('mount.vers is "5"', "one of 3, 4 or 4.1")),
    "wrong type of value": (NCONNECT, "value: 4", "value: ‸four", ("mount.nconnect", "whole number")),
    "default outside": (MOUNT, "default: 1\n", "default: ‸99\n", ("mount.nconnect is the number 99", "1 to 16")),
    "flag with a word": (MOUNT, "{spelling: intr, means: true}", "{spelling: intr, means: ‸'on'}", ("on or off",)),
    "bound without inside": (SLOTS, 'value: "<=128"', 'value: ‸">=70000"', ("no number of 0 to 65536 is inside",)),
    "bound of words": (VERS, 'value: "3"', 'value: ‸">=3"', ("mount.vers is not a number",)),
    "formula syntax": (
        SLOTS,
        "value: 2 * client.count",
        "value: ‸2 * (client.count",
        ("the formula", "missing", "2 * client.count"),
    ),
    "formula with an unknown fact": (
        SLOTS,
        "value: 2 * client.count",
        "value: ‸2 * client.counts",
        ('unknown fact "client.counts"', "did you mean client.count?"),
    ),
    "formula that divides by what may be 0": (
        SLOTS, "value: 2 * client.count", "value: ‸200 / (client.count - 1)", ("may be 0", "a minimum of 1"),
    ),
    "formula that divides by 0": (SLOTS, "value: 2 * client.count", "value: ‸client.count / 0", ("may be 0",)),
    "formula with words": (SLOTS, "value: 2 * client.count", "value: ‸2 * storage.platform", ("only whole numbers",)),
    "formula for words": (VERS, 'value: "3"', "value: ‸2 * client.count", ("mount.vers is not a number",)),
    "expectation of no rule": (
        NCONNECT,
        "expect: [4, omit]",
        "expect: [4, ‸8]",
        ("the number 8 is expected", 'the rules say "omit" or the number 4'),
    ),
    "a probe without a way": (FACTS, _OLD, _probe("‸{unless: {client.kernel: \"5.3\"}}"), ("its own ways",)),
    "a probe with ways and like": (
        FACTS, _OLD, _probe("‸{like: client.kernel, ways: [{file: /proc/version}]}"), ("give one of them",),
    ),
    "a probe like no fact": (FACTS, _OLD, _probe("{like: ‸client.kernels}"), ("did you mean client.kernel?",)),
    "a probe beside no fact": (
        FACTS, _OLD, _probe("{beside: [‸client.kernels], ways: [{file: /proc/version}]}"), ("client.kernel?",),
    ),
    "a probe of a file that is never read": (
        FACTS, _OLD, _probe("{ways: [{file: ‸/home/x}]}"), ("never read", "/usr/lib"),
    ),
    "a probe of two places": (FACTS, _OLD, _probe("{ways: [‸{file: /proc/version, rpm: x}]}"), ("one thing to read",)),
    "a probe whose condition reads nothing": (
        FACTS, _OLD, _probe("{ways: [{rpm: x, where: [‸{match: x}]}]}"), ("nothing to read",),
    ),
    "a probe with a broken pattern": (
        FACTS, _OLD, _probe("{ways: [{file: /proc/version, match: ‸'('}]}"), ("not a regular expression",),
    ),
    "a probe whose pattern backtracks": (
        FACTS, _OLD, _probe("{ways: [{file: /proc/version, cases: {el8: ‸'el.*8.*x'}}]}"), ("busy for a very long",),
    ),
    "a probe that finds a value of its own": (
        FACTS, _OLD, _probe("{ways: [{file: /proc/version, value: ‸el88}]}"), ("el8",),
    ),
    "a probe whose map leads outside": (
        FACTS, _OLD, _probe("{ways: [{file: /proc/version, map: {x: ‸el88}}]}"), ("el8",),
    ),
    "a probe with a case of its own": (
        FACTS, _OLD, _probe("{ways: [{file: /proc/version, cases: {el88: ‸x}}]}"), ("el8",),
    ),
}
