"""The grammar of mount options: what a list says, what is wrong with it, and what hangs on unknown facts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.files.fstab import split_options
from advisor.files.option_reading import OptionProblem
from advisor.files.options import Grammar, OptionList
from advisor.rulebase.base import load
from tests.tiers import examples


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    return Grammar(load().tunables)


def nothing_known(_: str) -> None:
    return None


def found(grammar: Grammar, options: str, fstype: str = "nfs", **beside: Any) -> dict[str, OptionProblem]:
    """Problems that need no facts, by the text of their option and kind."""
    line = grammar.read(fstype, split_options(options), {f"fstab.{k}": v for k, v in beside.items()})
    return {f"{p.text}: {p.kind}": p for p in grammar.judge(line, nothing_known) if p.condition is None}


def values(line: OptionList) -> dict[str, Any]:
    return {tunable: setting.value for tunable, setting in line.effective.items()}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("nconnect=0x4", {"mount.nconnect": 4}),
        ("nconnect=04", {"mount.nconnect": 4}),
        ("v4.1", {"mount.vers": "4.1"}),
        ("nfsvers=03", {"mount.vers": "3"}),
        ("tcp", {"mount.proto": "tcp"}),
        ("nolock,cto", {"mount.lock": False, "mount.nocto": False}),
        ("async,resvport", {"mount.sync": False, "mount.noresvport": False}),
        ("lookupcache=pos", {"mount.lookupcache": "positive"}),
        ("soft,hard", {"mount.hard": "hard"}),
        ("sec=sys,sec=krb5:sys", {"mount.sec": "sys:krb5"}),
        ("sec=null", {"mount.sec": "none"}),
        ("fsc=tag", {"mount.fsc": "tag"}),
        ("ro=1", {"mount.ro": True}),
        ("rsize=5000,wsize=0x10000", {"mount.rsize": 4096, "mount.wsize": 65536}),
        ("x-systemd.requires=a,x-systemd.requires=b", {"mount.x-systemd.requires": "b"}),
    ],
)
def test_values_are_normalised(grammar: Grammar, options: str, expected: dict[str, Any]) -> None:
    assert values(grammar.read("nfs", split_options(options))) == expected


@pytest.mark.parametrize(
    ("options", "problem", "suggestion"),
    [
        ("nconect=4", "unknown-option", "nconnect=4"),
        ("NConnect=4", "unknown-option", "nconnect=4"),
        ("rsize:8192", "unknown-option", "rsize=8192"),
        ("defualts", "unknown-option", "defaults"),
        ("zzzz", "unknown-option", None),
        ("rsize=1M", "bad-value", "rsize=1048576"),
        ("timeo=60s", "bad-value", "timeo=600"),
        ("rsize=8192;wsize=8192", "bad-value", "rsize=8192,wsize=8192"),
        ("lookupcache=negative", "bad-value", None),
        ("nconnect=08", "bad-value", None),
        ("nconnect=17", "out-of-range", None),
        ("nconnect=", "missing-value", None),
        ("nconnect", "missing-value", None),
        ("hard=1", "unexpected-value", "hard"),
    ],
)
def test_an_option_that_makes_the_mount_fail(
    grammar: Grammar, options: str, problem: str, suggestion: str | None
) -> None:
    told = found(grammar, options)[f"{options}: {problem}"]
    assert (told.consequence, told.suggestion) == ("mount-fails", suggestion)


@pytest.mark.parametrize(
    ("options", "problem", "consequence"),
    [
        ("vers=4.2,vers=3", "vers=3: repeated-option", "mount-fails"),
        ("mountvers=4", "mountvers=4: presumed-setting", "portability"),
        ("mountvers=4,minorversion=1", "mountvers=4: out-of-range", "mount-fails"),
        ("vers=4,minorversion=", "minorversion=: missing-value", "ignored"),
        ("minorversion=", "minorversion=: missing-value", "mount-fails"),
        ("vers=4,minorversion=0x1", "minorversion=0x1: refused-option", "mount-fails"),
        ("vers=4.2,clientaddr=127.1", "clientaddr=127.1: bad-value", "ignored"),
        ("vers=4.2,clientaddr=256.1", "clientaddr=256.1: bad-value", "mount-fails"),
        ("vers=4.2,clientaddr=1::2::3", "clientaddr=1::2::3: bad-value", "mount-fails"),
        ("context", "context: missing-value", "ignored"),
        ("nocto=1,sloppy", "nocto=1: unexpected-value", "ignored"),
        ("cto=1,sloppy", "cto=1: unexpected-value", "mount-fails"),
        ("nocto=1", "nocto=1: unexpected-value", "mount-fails"),
        ("offset", "offset: ignored-option", "ignored"),
        ("soft,hard", "soft: overridden-option", "ignored"),
        ("acregmin=5,actimeo=30", "acregmin=5: overridden-option", "ignored"),
        ("softreval,hard", "softreval: overridden-option", "ignored"),
        ("noac,actimeo=60", "actimeo=60: ignored-option", "ignored"),
        ("vers=4.2,nolock", "nolock: ignored-option", "ignored"),
        ("vers=4.2,mountproto=udp", "mountproto=udp: refused-option", "mount-fails"),
        ("vers=3,minorversion=1", "minorversion=1: refused-option", "mount-fails"),
        ("vers=4.2,minorversion=abc", "minorversion=abc: bad-value", "ignored"),
        ("minorversion=abc", "minorversion=abc: bad-value", "mount-fails"),
        ("vers=3,port=2049abc", "port=2049abc: bad-value", "ignored"),
        ("vers=4.2,port=2049abc", "port=2049abc: bad-value", "mount-fails"),
        ("clientaddr=abc", "clientaddr=abc: presumed-setting", "portability"),
        ("proto=sctp,tcp", "proto=sctp: bad-value", "ignored"),
        ("tcp,proto=sctp", "proto=sctp: bad-value", "mount-fails"),
        ("vers=4,migration", "migration: presumed-setting", "portability"),
        ("vers=4,minorversion=1,migration", "migration: refused-option", "mount-fails"),
        ("mountproto=tcp,migration", "migration: refused-option", "mount-fails"),
        ("mountvers=4", "mountvers=4: out-of-range", "ignored"),
        ("vers=3,mountvers=4", "mountvers=4: out-of-range", "mount-fails"),
        ("nofail=", "nofail=: unexpected-value", "ignored"),
        ("nofail=1", "nofail=1: unexpected-value", "mount-fails"),
        ("sync=no", "sync=no: unexpected-value", "ignored"),
        ("default", "default: unknown-option", "ignored"),
        ("defaultvers=3", "defaultvers=3: unknown-option", "ignored"),
        ("vers=3,migration", "migration: refused-option", "mount-fails"),
        ("intr", "intr: ignored-option", "ignored"),
        ("retry=abc", "retry=abc: bad-value", "ignored"),
        ("rsize=5000", "rsize=5000: value-changed", "ignored"),
        ("mountport=20048", "mountport=20048: presumed-setting", "portability"),
        ("rw,,hard", ": empty-option", "ignored"),
        ("x-systemd.auto-mount", "x-systemd.auto-mount: unknown-option", "ignored"),
        ("x-systemd.nonsense", "x-systemd.nonsense: ignored-option", "ignored"),
        ("sloppy,nconect=4", "nconect=4: unknown-option", "ignored"),
        ("sloppy,nconnect=x", "nconnect=x: bad-value", "mount-fails"),
    ],
)
def test_problems_of_a_line(grammar: Grammar, options: str, problem: str, consequence: str) -> None:
    assert found(grammar, options)[problem].consequence == consequence


@pytest.mark.parametrize(
    "options",
    [
        "rw,hard,vers=4.2,rsize=262144,wsize=262144,timeo=600,retrans=2,_netdev,nofail,x-systemd.automount",
        "defaults", "vers=3,nolock,tcp", "actimeo=30,acregmin=5", "user,exec", "x-anything,X-other=1,comment=hello",
        "vers=4,minorversion=1", "context=system_u:object_r:nfs_t:s0", "x-systemd.mount-timeout=5min",
    ],
)
def test_lines_without_a_problem(grammar: Grammar, options: str) -> None:
    assert found(grammar, options) == {}


def test_what_an_option_brings_with_it(grammar: Grammar) -> None:
    line = grammar.read("nfs", split_options("actimeo=30,acregmin=5,mountproto=udp"))
    assert (line.value("mount.acregmin"), line.value("mount.acregmax"), line.value("mount.vers")) == (5, 30, "3")
    assert set(line.implied) == {"mount.acregmax", "mount.acdirmin", "mount.acdirmax", "mount.vers"}


@pytest.mark.parametrize("options", ["noac,actimeo=60", "actimeo=60,noac", "noac,acregmin=5", "acregmin=5,noac,async"])
def test_noac_beats_the_times_wherever_it_stands(grammar: Grammar, options: str) -> None:
    line = grammar.read("nfs", split_options(options))
    assert line.implied["mount.acregmax"].value == 0
    told = found(grammar, options)
    assert told
    assert {p.consequence for p in told.values()} == {"ignored"}


@pytest.mark.parametrize(
    "options", ["async,noac", "noac,async", "actimeo=60,noac", "acregmin=5,noac", "sync,async,noac"]
)
def test_what_noac_makes_idle_is_not_a_matter_of_order(grammar: Grammar, options: str) -> None:
    idle = next(option for option in options.split(",") if option not in ("noac", "sync"))
    told = found(grammar, options)
    assert f"{idle}: ignored-option" in told
    assert f"{idle}: overridden-option" not in told
    assert "noac" in told[f"{idle}: ignored-option"].why
    assert grammar.read("nfs", split_options(options)).value("mount.sync") is True


def test_a_later_option_takes_back_what_an_earlier_one_brought(grammar: Grammar) -> None:
    assert grammar.read("nfs", split_options("user,exec")).value("mount.noexec") is False
    assert grammar.read("nfs", split_options("exec,user")).value("mount.noexec") is True


def test_the_type_brings_settings(grammar: Grammar) -> None:
    assert grammar.read("nfs4", ()).value("mount.vers") == "4"
    efs = grammar.read("efs", split_options("vers=4.0"))
    assert (efs.value("mount.vers"), efs.value("mount.noresvport")) == ("4.0", True)
    assert "mountproto=udp: refused-option" in found(grammar, "mountproto=udp", "nfs4")


def test_a_helper_knows_its_own_options_and_those_of_nfs(grammar: Grammar) -> None:
    assert found(grammar, "tls,iam,nconnect=4", "efs") == {}
    assert "iam: refused-option" in found(grammar, "iam", "efs")
    told = found(grammar, "tls")["tls: unknown-option"]
    assert "efs" in told.message
    assert found(grammar, "notls", "aznfs") == {}


def test_options_of_other_file_systems_are_explained(grammar: Grammar) -> None:
    told = found(grammar, "uid=1000")["uid=1000: unknown-option"]
    assert told.consequence == "mount-fails"
    assert "vfat" in told.message
    assert told.why


@pytest.mark.parametrize(("options", "family"), [("tcp", "ipv6"), ("proto=tcp6", "ipv4")])
def test_the_transport_has_to_fit_the_address(grammar: Grammar, options: str, family: str) -> None:
    assert f"{options}: refused-option" in found(grammar, options, family=family)
    assert found(grammar, options, family="name") == {}


def answers(**told: bool | None) -> Callable[[str], bool | None]:
    return lambda name: told.get(name.partition(":")[0])


def test_what_the_client_lacks_hangs_on_a_condition(grammar: Grammar) -> None:
    line = grammar.read("nfs", split_options("nconnect=4"))
    assert [p.condition for p in grammar.judge(line, answers())] == ["needs:mount.nconnect"]
    certain = grammar.judge(line, answers(needs=False))
    assert [(p.kind, p.consequence, p.condition) for p in certain] == [("too-old-client", "mount-fails", None)]
    assert grammar.judge(line, answers(needs=True)) == ()


def test_a_form_that_only_some_clients_know(grammar: Grammar) -> None:
    line = grammar.read("nfs", split_options("rdirplus=force"))
    assert [p.kind for p in grammar.judge(line, answers(form=False))] == ["too-old-value"]
    assert grammar.judge(line, answers(form=True)) == ()
    assert found(grammar, "rdirplus=bad")["rdirplus=bad: bad-value"].consequence == "mount-fails"


def test_an_older_mount_command_takes_two_versions(grammar: Grammar) -> None:
    line = grammar.read("nfs", split_options("vers=3,vers=4.2"))
    assert [p.kind for p in grammar.judge(line, answers(repeats=False))] == ["repeated-option"]
    assert [p.condition for p in grammar.judge(line, answers())] == [None]
    assert grammar.judge(line, answers(repeats=True)) == ()


def test_a_vendors_wider_limit(grammar: Grammar) -> None:
    alone = grammar.read("nfs", split_options("nconnect=32"))
    beside = grammar.read("nfs", split_options("nconnect=32,remoteports=dns"))
    told = [grammar.judge(line, answers(needs=True)) for line in (alone, beside)]
    assert [[(p.kind, p.condition is None) for p in some] for some in told] == [
        [("out-of-range", True)], [("out-of-range", False)],
    ]
    assert grammar.judge(beside, answers(needs=True, form=True)) == ()
    assert found(grammar, "nconnect=65,remoteports=dns")["nconnect=65: out-of-range"].consequence == "mount-fails"


NAMES = ["rw", "hard", "soft", "nconnect", "vers", "noac", "actimeo", "sec", "x-systemd.automount", "foo", "sloppy", ""]
ITEMS = st.one_of(
    st.sampled_from(NAMES),
    st.builds("{}={}".format, st.sampled_from(NAMES), st.text(max_size=6)),
    st.text(max_size=8),
)


@examples(60, 200)
@given(st.lists(ITEMS, max_size=6).map(",".join), st.sampled_from(["nfs", "nfs4", "efs", "aznfs", "other"]))
def test_any_text_is_read_and_every_problem_has_its_option(grammar: Grammar, text: str, fstype: str) -> None:
    items = split_options(text)
    told = grammar.judge(grammar.read(fstype, items), nothing_known)
    assert grammar.judge(grammar.read(fstype, items), nothing_known) == told
    assert all(any(p.start == item.start for item in items) for p in told)


def test_the_order_in_which_lines_are_read_does_not_matter() -> None:
    tunables = load().tunables
    texts = ["nconect=4,rw", "rw,intr,rsize=5000", "vers=3,vers=4", "rsize=5000,nconect=4"]
    forth, back = Grammar(tunables), Grammar(tunables)
    there = {t: forth.judge(forth.read("nfs", split_options(t)), nothing_known) for t in texts}
    again = {t: back.judge(back.read("nfs", split_options(t)), nothing_known) for t in reversed(texts)}
    assert there == again
