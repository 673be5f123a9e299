"""Parts that are missing or contradict each other."""

from tests.rulebase.refusals import ABLE, BUG, CHECK, CLAIMS, FACTS, MOUNT, NCONNECT, Case

CASES: dict[str, Case] = {
    "strength missing": (
        NCONNECT,
        "  - id: nconnect/default\n    value: omit\n    strength: may",
        "  - ‸id: nconnect/default\n    value: omit",
        ("without strength", "must, should or may"),
    ),
    "fact without a scope": (
        FACTS,
        "  - id: client.release\n    type: version\n    scope: host\n",
        "  - ‸id: client.release\n    type: version\n",
        ('a fact without "scope"', "add scope: host, server or mount"),
    ),
    "fact of an unknown scope": (
        FACTS,
        "    type: version\n    scope: host\n    scheme: deb",
        "    type: version\n    scope: ‸client\n    scheme: deb",
        ('"scope" is "client"', "host, server or mount"),
    ),
    "field of a message that nobody fills": (
        CHECK, 'message: "{option} has', 'message: ‸"{optoin} has',
        ("{optoin}", "no such field", "did you mean option?"),
    ),
    "brace of a message that stands alone": (
        CHECK, 'remedy: Leave it out.', 'remedy: ‸"Write EXPORT { first."',
        ("a brace", "write {{ or }}"),
    ),
    "check of a claim against nothing": (
        CLAIMS,
        "    verdict: wrong",
        "    verdict: wrong\n    ‸checked: {date: 2026-11-21, outcome: agrees}",
        ('"agrees" without "against"', "what was opened", "add against"),
    ),
    "check of a claim that was not opened": (
        CLAIMS,
        "    verdict: wrong",
        "    verdict: wrong\n    ‸checked: {date: 2026-11-21, outcome: not-opened}",
        ('"not-opened" without "because"', "add because"),
    ),
    "check of a claim that was opened and was not": (
        CLAIMS,
        "    verdict: wrong",
        "    verdict: wrong\n    checked: {date: 2026-11-21, outcome: not-opened, because: a login, ‸against: page}",
        ('with "against"', "delete it"),
    ),
    "check of a claim some day": (
        CLAIMS,
        "    verdict: wrong",
        "    verdict: wrong\n    checked: {date: ‸November 2026, outcome: agrees, against: the page}",
        ('"date" is "November 2026"', "a date, such as 2026-11-21"),
    ),
    "no rules": ("rules/mount/intr.yaml", "", "‸decision: mount.intr\n", ("a decision without rules",)),
    "spelling that takes and means": (
        MOUNT,
        '{spelling: v3, means: "3"}',
        '‸{spelling: v3, takes: value, means: "3"}',
        ("both takes and means",),
    ),
    "spelling twice": (
        MOUNT,
        "{spelling: nointr, means: false}",
        "‸{spelling: v3, means: false}",
        ('the spelling "v3"', "mount.vers has it already"),
    ),
    "enum without words": (
        FACTS,
        "    values: {el8: Red Hat 8, mainline: Another one}\n",
        "",
        ("an enum fact without values",),
    ),
    "version without scheme": (
        FACTS,
        "  - id: client.release\n    type: version\n    scope: host\n    scheme: deb",
        "  - ‸id: client.release\n    type: version\n    scope: host",
        ("without a scheme", "kernel, rpm or deb"),
    ),
    "regular expression": (FACTS, r"match: '\.el8'", r"match: ‸'\.el8('", ("not a regular expression",)),
    "regular expression that backtracks": (
        FACTS, r"match: '\.el8'", r"match: ‸'([0-9]+\.?)+el8'", ("busy for a very long time",)
    ),
    "check that looks nowhere": (
        CHECK,
        'check: intr-with-nconnect\ntitle: intr beside nconnect\non: {mount.intr: present, mount.nconnect: ">=2"}',
        "‸check: intr-with-nconnect\ntitle: intr beside nconnect",
        ("without on, pair, total, host, sides or builtin",),
    ),
    "figure with a broken formula": (
        CHECK, "strength: may", 'figures: {each: {formula: ‸"mount.nconnect *"}}\nstrength: may',
        ('the formula "mount.nconnect *"', "the formula ends"),
    ),
    "figure that divides by a setting": (
        CHECK, "strength: may", 'figures: {each: {formula: ‸"8 / mount.nconnect"}}\nstrength: may',
        ('the formula "8 / mount.nconnect"', "may be 0", "divide by a number"),
    ),
    "figure of an unknown setting": (
        CHECK, "strength: may", 'figures: {each: {formula: ‸"mount.nconect * 2"}}\nstrength: may',
        ('unknown tunable "mount.nconect"', "did you mean mount.nconnect?"),
    ),
    "figure of a word": (
        CHECK, "strength: may", 'figures: {each: {formula: ‸"mount.intr * 2"}}\nstrength: may',
        ("mount.intr is of type flag", "numbers"),
    ),
    "figure with a range that is none": (
        CHECK, "strength: may", 'figures: {each: {formula: mount.nconnect, range: ‸soon}}\nstrength: may',
        ("it is not a bound",),
    ),
    "variant with an unknown fact": (
        CHECK, "strength: may", 'variants: [{when: {‸client.knows_nconnect: true}, why: Because.}]\nstrength: may',
        ('unknown fact "client.knows_nconnect"',),
    ),
    "variant with a claim that the check does not cite": (
        CHECK, "strength: may",
        'variants: [{when: {client.has_nconnect: true}, why: Because., cites: [‸handbook.eight]}]\nstrength: may',
        ('"handbook.eight"', "a check cites all on which its words rest", "add it"),
    ),
    "check without a must-not": (
        CHECK,
        "given: {client.has_nconnect: true}, finds: false}",
        "given: {client.has_nconnect: true}, finds: true}",
        ("must find nothing",),
    ),
    "stream that is none": (BUG, "  el8: [", "  ‸el9: [", ('the stream "el9"', "el8 or mainline")),
    "fixed and last affected": (
        BUG,
        "[{introduced: 4.18.0-100.el8,",
        "[‸{last_affected: 4.18.0-100.el8,",
        ("both fixed and last_affected",),
    ),
    "range for a version": (BUG, "introduced: 4.18.0-100.el8", 'introduced: ‸">=4.18"', ("one version, not a range",)),
    "erratum of no version": (BUG, "facts: [client.kernel]", "facts: [‸client.count]", ("name a version fact",)),
    "capability without a must-not": (
        ABLE,
        "      - {given: {client.kernel: 4.18.0-193.el8.x86_64}, expect: false}\n",
        "",
        ("must not hold", "expect: false"),
    ),
    "minimum above maximum": (FACTS, "maximum: 10000", "maximum: 0", ("a minimum of 1", "the maximum is 0")),
}
