"""Messages, causes and conclusions that cannot be known, lead nowhere, or rest on nothing."""

from tests.rulebase.refusals import Case

MESSAGES = "kb/messages/all.yaml"
CAUSES = "rules/causes/all.yaml"
PHRASES = "kb/phrases/all.yaml"

CONCLUSIONS = "rules/conclusions/all.yaml"

CASES: dict[str, Case] = {
    "message without text": (
        MESSAGES,
        '  - id: mount.timeout\n    text: "the server {server} gave no answer"\n',
        "  - ‸id: mount.timeout\n",
        ("neither text nor words",),
    ),
    "field that is not closed": (
        MESSAGES, '"the server {server} gave', '‸"the server {server gave', ("a field is not closed", "write {{"),
    ),
    "unknown field": (
        MESSAGES, '"the server {server} gave', '‸"the server {host} gave', ('the field "{host}"', "any"),
    ),
    "fields that touch": (
        MESSAGES, '"the server {server} gave', '‸"the server {server}{any} gave', ("without anything between them",),
    ),
    "text of few letters": (
        MESSAGES, '"the server {server} gave no answer"', '‸"{server}: no"', ("fewer than 10 letters", "generic: true"),
    ),
    "unknown error": (MESSAGES, "errno: EACCES", "errno: ‸EACCESS", ("did you mean EACCES?",)),
    "message of an unknown source": (
        MESSAGES, "    at: page 7", "    at: page 7\n    source: ‸handbok", ("did you mean handbook?",),
    ),
    "field that a fact is taken from": (
        MESSAGES,
        "    means: It does not answer.",
        '    means: It does not answer.\n    holds: {client.kernel: ‸"{version}"}',
        ("no text of the message has this field", "server"),
    ),
    "cause of an unknown family": (
        CAUSES, "family: forbidden", "family: ‸forbiden", ("unknown family", "did you mean forbidden?"),
    ),
    "cause of nothing": (CAUSES, "explains: {mount.denied: 2}", "explains: ‸{}", ("nothing would lead to it",)),
    "cause of an unknown message": (
        CAUSES, "{mount.denied: 2}", "{‸mount.denid: 2}", ("unknown message", "did you mean mount.denied?"),
    ),
    "fewer reports than none": (CAUSES, "{mount.denied: 2}", "{mount.denied: ‸-1}", ("write 0 or more",)),
    "cause without a citation": (CAUSES, "cites: [handbook.versions]", "cites: ‸[]", ("no citation",)),
    "cause with an unknown finding": (
        CAUSES, "    why:", "    findings: [‸intr]\n    why:", ('unknown check "intr"',),
    ),
    "cause without a check": (
        CAUSES,
        "    family: forbidden\n    title: The container may not mount\n",
        "    family: forbidden\n    titel: The container may not mount\n",
        ('unknown key "titel"', "title"),
    ),
    "condition on an unknown fact": (
        CAUSES, "{story.container: true}", "{‸story.containers: true}", ("did you mean story.container?",),
    ),
    "condition that cannot hold": (
        CAUSES,
        "when: {story.container: true}",
        "when: ‸{all: [{story.container: true}, {story.container: false}]}",
        ("can never be true",),
    ),
    "never likely": (CAUSES, "times: 2", "times: ‸0", ("what cannot be is said with when",)),
    "cause that is always there": (
        CAUSES,
        '    examples:\n      - {text: "access denied by server while mounting nas:/x", expect: possible}\n'
        '      - {text: "all is well", expect: absent}\n',
        '    examples:\n      ‸- {text: "access denied by server while mounting nas:/x", expect: possible}\n',
        ("is not the cause",),
    ),
    "cause that is always the first": (
        CAUSES,
        '    examples:\n      - {text: "access denied by server while mounting nas:/x", expect: possible}\n'
        '      - {text: "all is well", expect: absent}\n',
        '    examples:\n      ‸- {text: "access denied by server while mounting nas:/x", expect: first}\n',
        ("is not the cause",),
    ),
    "cause that is never there": (
        CAUSES,
        '    examples:\n      - {text: "access denied by server while mounting nas:/x", expect: possible}\n',
        "    examples:\n      ",
        ("in which in-a-container is the cause",),
    ),
    "phrase without words": (PHRASES, "words: [[lxc]]", "words: ‸[]", ("it could never be found",)),
    "phrase in capitals": (PHRASES, "[[lxc]]", "[[‸LXC]]", ('write "lxc"',)),
    "observation that is a fact already": (
        "rules/observations/all.yaml", "id: story.container", "id: ‸client.kernel", ("for the second time",),
    ),
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
