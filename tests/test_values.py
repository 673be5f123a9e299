"""When does a setting support a rule's value? (design.md §5)"""

import pytest

from advisor import values

NCONNECT = {
    "kind": "mount-option", "id": "mount.nconnect", "unit": "connections",
    "forms": [{"spelling": "nconnect", "takes": "value"}],
}
LOCK = {
    "kind": "mount-option", "id": "mount.lock",
    "forms": [{"spelling": "lock", "means": True}, {"spelling": "nolock", "means": False}],
}
PROTO = {
    "id": "mount.proto",
    "forms": [{"spelling": "proto", "takes": "value"}, {"spelling": "tcp", "means": "tcp"}],
}


@pytest.mark.parametrize(
    ("found", "wanted", "default", "answer"),
    [
        (4, 4, 1, True), (8, 4, 1, False), ("4.1", "4.1", None, True), (3, "3", None, True),
        (262144, "<=262144", None, True), (1048576, "<=262144", None, False), (8, ">=2 <=8", None, True),
        (9, ">=2 <=8", None, False), (True, "<=1", None, False),
        (600, "keep", None, True), (1, "omit", 1, True), (8, "omit", 1, False), (8, "omit", None, False),
        (False, "n/a", False, True), (True, "n/a", False, False), (True, 1, None, False), (False, False, True, True),
    ],
)
def test_a_present_setting(found, wanted, default, answer):
    assert values.supports(found, wanted, default) is answer


@pytest.mark.parametrize(
    ("wanted", "default", "answer"),
    [
        ("keep", None, True), ("omit", None, True), ("n/a", None, True), (True, False, False), (600, 600, True),
        (4, 1, False), ("<=262144", None, None), ("<=262144", 1048576, False), ("4.1", None, None),
    ],
)
def test_an_absent_setting(wanted, default, answer):
    assert values.absence_supports(wanted, default) is answer


def test_spelling():
    assert values.spell(NCONNECT, 4) == "nconnect=4"
    assert values.spell(LOCK, False) == "nolock"
    assert values.spell(PROTO, "rdma") == "proto=rdma"
    assert values.spell(NCONNECT, "omit") == ""
    assert values.spell(PROTO, "tcp") == "proto=tcp"
    both = {"id": "mount.rdirplus", "forms": [
        {"spelling": "rdirplus", "takes": "optional-value", "means": True}, {"spelling": "nordirplus", "means": False},
    ]}
    assert values.spell(both, False) == "nordirplus"
    assert values.spell(both, True) == "rdirplus"
    assert values.spell(both, "force") == "rdirplus=force"


def test_spelling_keeps_the_word_that_stands_there():
    vers = {
        "id": "mount.vers",
        "forms": [
            {"spelling": "vers", "takes": "value"}, {"spelling": "nfsvers", "takes": "value"},
            {"spelling": "v4.1", "means": "4.1"},
        ],
    }
    assert values.spell(vers, "4.1", "nfsvers=3") == "nfsvers=4.1"
    assert values.spell(vers, "4.1", "v3") == "vers=4.1"


def test_description():
    assert values.describe(NCONNECT, "<=4") == "at most 4 connections"
    assert values.describe(NCONNECT, ">=8 <=16") == "from 8 to 16 connections"
    assert values.describe(NCONNECT, "omit") == "left out"
    assert values.describe(LOCK, False) == "nolock"


@pytest.mark.parametrize(
    ("wanted", "like", "sentence"),
    [
        ([4], "", "Write nconnect=4."),
        (["omit"], "nconnect=16", "Leave nconnect out."),
        (["omit", 4, 8], "nconnect=16", "Write nconnect=4 or nconnect=8 or leave nconnect out."),
        ([">=8 <=16"], "nconnect=4", "Write nconnect=N with N from 8 to 16."),
    ],
)
def test_advice_is_a_sentence(wanted, like, sentence):
    assert values.advise(NCONNECT, wanted, like) == sentence


@pytest.mark.parametrize(
    ("wanted", "kept"),
    [
        (["<=262144", 262144], [262144]), ([">=1", ">=1 <=60"], [">=1 <=60"]), (["omit", 4], [4, "omit"]),
        ([8, ">=4 <=8", 2, "omit", ">=2 <=4"], [8, 2, "omit"]), (["keep", 4], [4]), ([4, 4], [4]),
        (["<=8", ">=4"], ["<=8", ">=4"]), ([True, 1], [True, 1]),
    ],
)
def test_what_another_value_settles_as_well_is_not_told(wanted, kept):
    assert values.narrowest(wanted, None) == kept
