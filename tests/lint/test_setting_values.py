"""What is said of a value that a settings file may not have: what it should be, and what the program makes of it."""

from __future__ import annotations

import pytest

from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each


def messages(kind: str, text: str) -> list[str]:
    findings = lint_text(text, "x", load(), {}, kind=kind).findings
    return [f.message for f in findings if f.rule in ("setting-value", "setting-order")]


@each(lambda: [
    ("nfsd", "threads=0", "takes a number from 1 to 8192"),
    ("nfsd", "threads=64k", "takes a number from 1 to 8192, so it counts as 64"),
    ("nfsd", "threads=+64k", "takes a number from 1 to 8192, so it counts as +64"),
    ("nfsd", "lease-time=x", "takes a number from 10 to 3600 seconds, so it counts as 0"),
    ("nfsd", "vers3=maybe", "takes y or n, so the default, y, holds"),
    ("gssd", "verbosity=-1", "takes a number, so it counts as -1"),
    ("mountd", "debug=all,trace", "takes general, call, auth, parse, all, 0 or 1"),
    ("mountd", "debug=all,cal", "takes general, call, auth, parse, all, 0 or 1 (did you mean call?)"),
])  # fmt: skip
def test_a_value_of_nfs_conf(section: str, line: str, words: str) -> None:
    key = line.partition("=")[0]
    assert messages("nfs.conf", f"[{section}]\n{line}\n") == [f"{line}: {key} {words}"]


@pytest.mark.parametrize(("key", "value", "words"), [
    ("net.ipv4.tcp_rmem", "4096 5 x", "takes 3 numbers from 1 to 2147483647 (minimum, start, maximum), separated by "
     "spaces, so the kernel refuses it and keeps the old value"),
    ("net.ipv4.tcp_rmem", "4096 87380", "takes 3 numbers from 1 to 2147483647 (minimum, start, maximum), separated by "
     "spaces, so only the first 2 of them change"),
    ("net.ipv4.tcp_rmem", "0 87380 6291456", "takes 3 numbers from 1 to 2147483647 (minimum, start, maximum), "
     "separated by spaces, so the kernel refuses it and keeps the old value"),
    ("net.ipv4.tcp_rmem", "1 2 2147483648", "takes 3 numbers from 1 to 2147483647 (minimum, start, maximum), "
     "separated by spaces, so the kernel refuses it and keeps the old value"),
    ("net.ipv4.tcp_rmem", "1 2 3 4", "takes 3 numbers from 1 to 2147483647 (minimum, start, maximum), "
     "separated by spaces, so the kernel refuses it and keeps the old value"),
    ("vm.dirty_ratio", "101", "takes a number from 0 to 100 percent of available memory, so the kernel refuses it and "
     "keeps the old value"),
])  # fmt: skip
def test_a_value_of_the_kernel(key: str, value: str, words: str) -> None:
    assert messages("sysctl", f"{key} = {value}\n") == [f"{key}={value}: {key} {words}"]


@pytest.mark.parametrize("value", ["1 2 2147483647", "4096 4096 4096"])
def test_numbers_at_their_limits_are_right(value: str) -> None:
    assert messages("sysctl", f"net.ipv4.tcp_rmem = {value}\n") == []


@pytest.mark.parametrize(("value", "words"), [
    ("4096 2000 6291456", "the minimum, 4096, is above the start, 2000"),
    ("4096 6291456 6291455", "the start, 6291456, is above the maximum, 6291455"),
])  # fmt: skip
def test_numbers_that_must_not_descend(value: str, words: str) -> None:
    assert messages("sysctl", f"net.ipv4.tcp_rmem = {value}\n") == [f"net.ipv4.tcp_rmem={value}: {words}"]


def test_a_number_without_a_maximum_has_its_unit() -> None:
    assert messages("autofs.conf", "[ autofs ]\ntimeout = x\n") == [
        "timeout=x: timeout takes a number of seconds, so it counts as 0"
    ]


@pytest.mark.parametrize("value", ["$X", "{{ sizes }}", "4096 $X 6291456"])
def test_several_numbers_that_are_not_known_yet(value: str) -> None:
    assert messages("sysctl", f"net.ipv4.tcp_rmem = {value}\n") == []


@pytest.mark.parametrize(("text", "becomes"), [
    ("[nfsd]\nthreads={{ n }}\n", ", so it counts as 0"), ("[nfsd]\nhost={{ n }}\n", ", so it is used literally"),
])
def test_what_nothing_filled_in_is_a_warning(text: str, becomes: str) -> None:
    found = lint_text(text, "/etc/nfs.conf", load(), {}, kind="nfs.conf").findings
    assert [(f.rule, f.severity, f.consequence, f.message) for f in found if not f.policy] == [
        ("placeholder-left", "warning", "ignored", f"{{{{ n }}}} was never filled in{becomes}"),
    ]
