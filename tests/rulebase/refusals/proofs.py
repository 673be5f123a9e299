"""Gaps, conflicts, dead rules, circles, examples that do not hold: what the engine finds."""

from tests.rulebase.refusals import ABLE, BUG, FACTS, NCONNECT, SLOTS, VERS, Case

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


CASES: dict[str, Case] = {
    "gap": (
        SLOTS,
        '  - id: slots/many\n    when: {mount.vers: "3", client.count: ">8"}',
        '  - id: slots/many\n    when: {mount.vers: "3", client.count: ">100"}',
        ("a gap in sysctl.sunrpc.slots", 'client.count: ">=9 <=100"', 'mount.vers: "3"', "add a rule for that case"),
    ),
    "conflict": (
        NCONNECT,
        "  - id: nconnect/azure-files\n",
        extra("platform", '{client.count: "<=2"}', "8").replace("‸", "") + "  - id: ‸nconnect/azure-files\n",
        (
            "nconnect/azure-files and nconnect/extra (line 9, column 9) both match where",
            "they say 4 and 8",
            "storage.platform: azure-files",
            "higher layer, or add overrides: [nconnect/extra]",
        ),
    ),
    "conflict of a rule without condition": (
        VERS,
        "  - id: vers/others\n    when: {storage.platform: [anf, other]}",
        "  - id: ‸vers/others\n    when: {}",
        ("vers/others and vers/azure-p", "nothing says which one wins", "make their conditions exclusive"),
    ),
    "masked": (
        NCONNECT,
        "  - id: nconnect/azure-files\n",
        extra("measured", "{storage.platform: azure-files}", "8").replace("‸", "") + "  - id: ‸nconnect/azure-files\n",
        ("the rule nconnect/azure-files is dead", "wherever it matches, nconnect/extra beats it"),
    ),
    "unsatisfiable": (
        NCONNECT,
        "  - id: nconnect/azure-files\n",
        extra("platform", "{storage.platform: anf, storage.endpoint: private}", "8") + "  - id: nconnect/azure-files\n",
        ("the rule nconnect/extra is dead", "its condition can never be true"),
    ),
    "circle of facts": (
        ABLE,
        "        - {client.kernel_stream: mainline",
        "        - {client.has_nconnect: true}\n        - {client.kernel_stream: mainline",
        ("client.has_nconnect is derived from itself", "client.has_nconnect → client.has_nconnect"),
    ),
    "no must-fire": (
        SLOTS,
        '      - {given: {mount.vers: "3", client.count: 100}, expect: "<=128"}\n',
        "",
        ("no example in which slots/many must fire", "add to examples: {given: {", 'expect: "<=128"}'),
    ),
    "no must-not-fire": (
        NCONNECT,
        "      - {given: {storage.platform: azure-files, client.has_nconnect: false}, expect: omit}\n"
        "      - {given: {storage.platform: anf, client.has_nconnect: true}, expect: omit}\n"
        "      - {given: {storage.platform: azure-files}, expect: [4, omit]}\n",
        "",
        ("no example in which nconnect/azure-files must not fire", "expect: omit}"),
    ),
    "wrong example": (
        NCONNECT,
        "client.has_nconnect: false}, expect: omit}",
        "client.has_nconnect: false}, expect: ‸4}",
        ("the example expects mount.nconnect to be 4", "there nconnect/default says omit", "write expect: omit"),
    ),
    "example that settles too much": (
        NCONNECT,
        "expect: [4, omit]}",
        "expect: ‸omit}",
        ("nconnect/azure-files says 4, and nconnect/default says omit", "write expect: [4, omit]"),
    ),
    "example that lists one too many": (
        NCONNECT,
        "{storage.platform: azure-files}, expect: [4, omit]}",
        "{storage.platform: [anf, azure-files], client.has_nconnect: true}, expect: ‸omit}",
        ("nconnect/azure-files says 4, and nconnect/default says omit", "remove azure-files from storage.platform"),
    ),
    "example that cannot be": (
        VERS,
        "{given: {storage.endpoint: n/a}, expect: keep}",
        "{given: ‸{storage.endpoint: private, storage.platform: anf}, expect: keep}",
        ("which cannot be", "contradict each other"),
    ),
    "example against an inference": (
        ABLE,
        "given: {client.kernel: 4.18.0-193.el8.x86_64}",
        "given: ‸{client.kernel: 4.18.0-193.el8.x86_64, client.kernel_stream: mainline}",
        ("client.kernel_stream", "an impossible case"),
    ),
    "wrong example of a capability": (
        ABLE,
        "4.18.0-193.el8.x86_64}, expect: false",
        "4.18.0-240.el8.x86_64}, expect: ‸false",
        ("client.has_nconnect is expected to be false", "it is true"),
    ),
    "undecided example of a capability": (
        ABLE,
        "{client.kernel: 4.18.0-193.el8.x86_64}, expect: false",
        "{client.kernel_stream: el8}, expect: ‸false",
        ("it depends on more than is given",),
    ),
    "wrong example of an erratum": (
        BUG,
        '193.el8.x86_64, mount.vers: "4.1"}, expect: false',
        '193.el8.x86_64, mount.vers: "4.1"}, expect: ‸true',
        ("el8-hang is expected to be true", "it is false"),
    ),
    "derived fact without a value": (
        FACTS,
        "  - id: client.count\n",
        "  - ‸id: client.old\n    type: bool\n    scope: host\n    says: It is old.\n"
        '    derive: {"true": {client.kernel: "<5.3"}}\n  - id: client.count\n',
        ("client.old would have no value", "client.kernel is 5.3 or newer"),
    ),
    "derived fact with two values": (
        FACTS,
        "  - id: client.count\n",
        "  - id: client.age\n    type: enum\n    scope: host\n    says: How old.\n"
        "    values: {old: Old, new: New}\n    otherwise: new\n"
        '    derive: {old: {client.kernel: "<5.3"}, new: ‸{client.kernel: "<5.4"}}\n  - id: client.count\n',
        ("client.age would be both old and new",),
    ),
    "capability that is and is not": (
        ABLE,
        "    cites: [handbook.nconnect]\n",
        '    ‸unless: {client.kernel: "<6"}\n    cites: [handbook.nconnect]\n',
        ("when and unless that overlap", "make them exclusive"),
    ),
    "condition that cannot be": (
        "kb/tunables/mount.yaml",
        "needs: {client.has_nconnect: true}",
        "needs: {storage.platform: anf, storage.endpoint: private}",
        ("can never be true",),
    ),
}
