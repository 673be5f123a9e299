"""When does a setting support a rule's value?"""


from advisor.rulebase import values
from advisor.rulebase.model import Tunable
from tests.each import each

NCONNECT = Tunable.from_data({
    "kind": "mount-option", "id": "mount.nconnect", "unit": "connections",
    "forms": [{"spelling": "nconnect", "takes": "value"}],
})
LOCK = Tunable.from_data({
    "kind": "mount-option", "id": "mount.lock",
    "forms": [{"spelling": "lock", "means": True}, {"spelling": "nolock", "means": False}],
})
PROTO = Tunable.from_data({
    "id": "mount.proto",
    "forms": [{"spelling": "proto", "takes": "value"}, {"spelling": "tcp", "means": "tcp"}],
})


@each(lambda: [
    (4, 4, 1, True), (8, 4, 1, False), ("4.1", "4.1", None, True), (3, "3", None, True),
    (262144, "<=262144", None, True), (1048576, "<=262144", None, False), (8, ">=2 <=8", None, True),
    (9, ">=2 <=8", None, False), (True, "<=1", None, False),
    (600, "keep", None, True), (1, "omit", 1, True), (8, "omit", 1, False), (8, "omit", None, False),
    (False, "n/a", False, True), (True, "n/a", False, False), (True, 1, None, False), (False, False, True, True),
])
def test_a_present_setting(found, wanted, default, answer):
    assert values.supports(found, wanted, default) is answer


@each(lambda: [
    (42, "deciseconds", "4.2 s"), (90, "deciseconds", "9 s"), (297, "deciseconds", "29.7 s"), (3, None, "3"),
    (1190, "deciseconds", "119 s"), (1200, "deciseconds", "2 minutes"), (1500, "deciseconds", "2.5 minutes"),
    (6000, "deciseconds", "10 minutes"), (54000, "deciseconds", "90 minutes"), (72000, "deciseconds", "2 hours"),
    (600, "seconds", "10 minutes"), (90, "minutes", "90 minutes"), (1, "seconds", "1 s"), (0, "seconds", "0 s"),
    (4, "connections", "4 connections"),
])
def test_amounts_for_people(number, unit, words):
    assert values.amount(number, unit) == words


@each(lambda: [
    ("keep", None, True), ("omit", None, True), ("n/a", None, True), (True, False, False), (600, 600, True),
    (4, 1, False), ("<=262144", None, None), ("<=262144", 1048576, False), ("4.1", None, None),
])
def test_an_absent_setting(wanted, default, answer):
    assert values.absence_supports(wanted, default) is answer


def test_spelling():
    assert values.spell(NCONNECT, 4) == "nconnect=4"
    assert values.spell(LOCK, False) == "nolock"
    assert values.spell(PROTO, "rdma") == "proto=rdma"
    assert values.spell(NCONNECT, "omit") == ""
    assert values.spell(PROTO, "tcp") == "proto=tcp"
    both = Tunable.from_data({"id": "mount.rdirplus", "forms": [
        {"spelling": "rdirplus", "takes": "optional-value", "means": True}, {"spelling": "nordirplus", "means": False},
    ]})
    assert values.spell(both, False) == "nordirplus"
    assert values.spell(both, True) == "rdirplus"
    assert values.spell(both, "force") == "rdirplus=force"


def test_spelling_keeps_the_word_that_stands_there():
    vers = Tunable.from_data({
        "id": "mount.vers",
        "forms": [
            {"spelling": "vers", "takes": "value"}, {"spelling": "nfsvers", "takes": "value"},
            {"spelling": "v4.1", "means": "4.1"},
        ],
    })
    assert values.spell(vers, "4.1", "nfsvers=3") == "nfsvers=4.1"
    assert values.spell(vers, "4.1", "v3") == "vers=4.1"


def test_description():
    assert values.describe(NCONNECT, "<=4") == "at most 4 connections"
    assert values.describe(NCONNECT, ">=8 <=16") == "between 8 and 16 connections"
    assert values.describe(NCONNECT, "omit") == "left out"
    assert values.describe(LOCK, False) == "nolock"
    assert values.describe(NCONNECT.replace(unit="deciseconds"), ">=150") == "at least 150 (15 s)"


@each(lambda: [
    (4, "", None, "Write nconnect=4."),
    ("omit", "nconnect=16", None, "Leave nconnect out."),
    (">=8 <=16", "nconnect=4", 8, "Write nconnect=8, or another number between 8 and 16."),
    (">=8 <=8", "nconnect=4", 8, "Write nconnect=8."),
    ("<=8", "nconnect=16", 8, "Write nconnect=8 or less."),
    (">7", "nconnect=4", 8, "Write nconnect=8 or more."),
    ("!=8", "nconnect=8", None, "Write nconnect=N with N other than 8."),
])
def test_advice_is_a_sentence(wanted, like, number, sentence):
    assert values.advise(NCONNECT, wanted, like, number) == sentence


@each(lambda: [
    ([1, "<=60"], None, "<=60"), ([262144, "<=262144", ">=65536"], None, None), ([4, 4], 1, 4),
    ([4, 8], 1, None), (["omit", "<=8"], 1, "<=8"), (["omit", "<=8"], None, None), (["omit", "n/a"], 1, "omit"),
    ([">=1 <=60", ">=1"], None, ">=1"), (["3", "4.1"], None, None), ([True, "omit"], False, None),
])
def test_what_is_certain_whichever_value_is_right(wanted, default, certain):
    assert values.common(wanted, default) == certain


@each(lambda: [
    (16, [2, ">=4 <=8"], None, "<=8"), (16, [4, "omit"], 1, "<=4"), (16, [4, "omit"], None, None),
    (1, [2, ">=4 <=8"], None, ">=2"), (3, [2, ">=4 <=8"], None, None), (16, ["<9", 4], None, "<=8"),
    ("4.2", ["3", "4.1"], None, None), (16, [4, ">=2"], None, None), (True, [False, 4], None, None),
])
def test_a_bound_that_is_broken_whichever_value_is_right(number, wanted, default, bound):
    assert values.beyond(number, wanted, default) == bound


@each(lambda: [
    (["<=262144", 262144], [262144]), ([">=1", ">=1 <=60"], [">=1 <=60"]), (["omit", 4], [4, "omit"]),
    ([8, ">=4 <=8", 2, "omit", ">=2 <=4"], [8, 2, "omit"]), (["keep", 4], [4]), ([4, 4], [4]),
    (["<=8", ">=4"], ["<=8", ">=4"]), ([True, 1], [True, 1]),
])
def test_what_another_value_settles_as_well_is_not_told(wanted, kept):
    assert values.narrowest(wanted, None) == kept


def setting(of, **fields):
    return Tunable.from_data({"id": "some.thing", "kind": "sysctl", "type": of, **fields})


SLOTS, ANY = setting("uint", maximum=16, unit="slots"), setting("int")
WORDS = setting("enum", values=["3", "4.1", 5])
LIST = setting("list", values=["a", "b"], separator=":")
LEAST = setting("pattern", pattern="[a-z]+=?[0-9 ]*")
THREE = setting("uint", fields=["least", "start", "most"]).replace(type="string")


@each(lambda: [
    (setting("flag"), True, None, None), (setting("flag"), "on", "it is on or off", "it is on or off"),
    (SLOTS, 16, None, None), (SLOTS, 0, None, None), (SLOTS, 17, "0 to 16 slots", "0 to 16 slots"),
    (SLOTS, -1, "0 to 16", "0 to 16"), (SLOTS, True, "whole", "whole"), (SLOTS, 1.5, "whole", "whole"),
    (SLOTS, "4", "whole number", "whole number"), (ANY, -4, None, None),
    (setting("size"), -1, "at least 0", "at least 0"), (setting("size"), "64k", None, None),
    (setting("size"), "64 KiB", None, "letters"), (setting("size"), "much", "number", "number"),
    (setting("seconds"), "5min", None, None), (setting("seconds"), "1min 30s", None, "letters"),
    (setting("seconds"), "5xyz", "number", "number"), (setting("seconds"), "infinity", None, None),
    (setting("number"), 0.5, None, None), (setting("number"), "0.5", "it is a number", None),
    (setting("number"), "abc", "number", "number"),
    (WORDS, "3", None, None), (WORDS, 3, "one of 3, 4.1 or 5", None), (WORDS, "6", "one of 3", "one of 3"),
    (LIST, "a:b", None, None), (LIST, "a:c", "it is one of a or b", "it is one of a or b"),
    (THREE, "1 2 3", None, None), (THREE, "1 * >=3", None, "not a number"), (THREE, "1 2", "3 fields", "3 fields"),
    (THREE, "1  2 3", None, "3 fields"), (THREE, "1 x 3", '"x" is not', '"x" is not'),
    (LEAST, "a=1", None, None), (LEAST, "1", "does not match", "does not match"), (LEAST, "a 1", None, "letters"),
    (setting("string"), "$(reboot)", None, "letters"), (setting("string"), 4, "it is text", "it is text"),
    (setting("version"), ">=5.3", None, None), (setting("version"), "5.3 or so", None, "letters"),
    (setting("prose"), "four disks, at least", None, None), (setting("prose"), "`x`", None, "spaces and"),
])
def test_whether_a_setting_can_have_a_value(tunable, value, authored, written):
    """As an author writes that it has, and as it is written for people: None where it can, else part of the reason."""
    for by_author, reason in ((True, authored), (False, written)):
        wrong = values.misfit(tunable, value, by_author)
        assert (wrong is None) is (reason is None), wrong
        assert wrong is None or (reason in wrong.why and wrong.write)
    sentence = values.why_invalid(tunable, value)
    assert (sentence is None) is (written is None)


def test_a_bare_word_stands_for_its_value():
    assert values.why_invalid(LOCK, True) is None
    assert values.why_invalid(PROTO.replace(type="enum", values=["udp"]), "tcp") is None
    assert values.why_invalid(LIST, "a:c") == "some.thing has 'c'; it is one of a or b"
    assert values.why_invalid(SLOTS, 17) == "some.thing is 17; it can be 0 to 16 slots"
