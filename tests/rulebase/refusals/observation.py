"""Conclusions that rest on nothing, tell what nobody counts, or are tried on one side only."""

from tests.rulebase.refusals import Case

CONCLUSIONS = "rules/conclusions/all.yaml"

CASES: dict[str, Case] = {
    "conclusion from what nobody counts": (
        CONCLUSIONS, "{counted.wait: \">5\"}", "{‸counted.wat: \">5\"}", ("did you mean counted.wait?",),
    ),
    "evidence that nobody counts": (
        CONCLUSIONS, '"A call waited {counted.wait}."', '‸"It waited {counted.wat}."', ("did you mean counted.wait?",),
    ),
    "evidence with a field that is not closed": (
        CONCLUSIONS, '"A call waited {counted.wait}."', '‸"It waited {counted.wait."', ("a broken field", "write {{"),
    ),
    "conclusion that helps nothing known": (CONCLUSIONS, "[mount.vers]", "[‸mount.version]", ("unknown tunable",)),
    "conclusion without a citation": (CONCLUSIONS, "cites: [handbook.versions]", "cites: ‸[]", ("no citation",)),
    "conclusion that is always drawn": (
        CONCLUSIONS, "      - {given: {counted.wait: 3}, expect: false}\n", "", ("no example in which it is not",),
    ),
    "conclusion that is never drawn": (
        CONCLUSIONS, "      - {given: {counted.wait: 9}, expect: true}\n", "", ("no example in which it is concluded",),
    ),
    "conclusion that cannot be drawn": (
        CONCLUSIONS, 'when: {counted.wait: ">5"}', 'when: ‸{all: [{counted.wait: ">5"}, {counted.wait: "<3"}]}',
        ("can never be true",),
    ),
    "quantity that does not exist in an example": (
        CONCLUSIONS, "{given: {counted.wait: 9}", "{given: {‸counted.wat: 9}", ("did you mean counted.wait?",),
    ),
}
