"""The options of an export in full, and the values of fsid= that mean one file system."""

from __future__ import annotations

import pytest

from advisor.files.export_options import ExportGrammar, ExportOptions, FullOptions, each_in_full, misplaced
from advisor.files.exports import file_system, read
from advisor.rulebase.base import load
from tests.each import each


def in_full(options: str) -> FullOptions | str:
    ((path, client, full),) = each_in_full(load(), f"/a x({options})\n")
    assert (path, client) == ("/a", "x")
    return full


@pytest.mark.parametrize(("options", "written", "idle"), [
    ("rw,sync", ("rw", "sync"), ()), ("ro,sync,rw", ("sync", "rw"), ("ro",)), ("", (), ()),
    ("sec=sys,ro,sec=krb5,rw", ("sec=sys", "ro", "sec=krb5", "rw"), ()),
    ("anonuid=1,anonuid=2", ("anonuid=2",), ("anonuid=1",)),
])  # fmt: skip
def test_the_last_option_on_one_thing_counts(options: str, written: tuple[str, ...], idle: tuple[str, ...]) -> None:
    full = in_full(options)
    assert isinstance(full, FullOptions)
    assert (set(full.written), full.idle) == (set(written), idle)


def test_the_rest_is_as_by_default() -> None:
    full = in_full("rw,anonuid=5")
    assert isinstance(full, FullOptions)
    assert {"sync", "root_squash", "wdelay", "anongid=65534"} <= set(full.defaults)
    assert not {"ro", "rw", "async", "anonuid=65534"} & set(full.defaults)


@pytest.mark.parametrize(("options", "words"), [
    ("rw,$OPTIONS", "stands for others"), ("rww", "does not know"), ("rw", None), ("rw, sync", "cannot be read: "),
])  # fmt: skip
def test_options_that_are_not_known(options: str, words: str | None) -> None:
    full = in_full(options) if options != "rw, sync" else next(
        full for _, client, full in each_in_full(load(), f"/a x({options})\n") if client
    )
    assert isinstance(full, FullOptions) if words is None else words in full


UUID = "8c3a6f0e-5d0b-4b3e-9d55-1f0e5c2a7b61"


@each(lambda: [
    ("root", "0"), ("0", "0"), ("4294967296", "0"), ("-1", "4294967295"), ("+8", "8"), ("010", "8"), ("0x8", "8"),
    ("0X8", "8"), ("08", None), ("", None), ("x", None), (UUID, UUID.replace("-", "")),
    (UUID.upper(), UUID.replace("-", "")), (UUID[1:], None), (f"{UUID}0", None),
])  # fmt: skip
def test_one_spelling_for_all_values_of_fsid(value: str, same: str | None) -> None:
    """A number as strtoul(3) reads it, of which 32 bits are kept; or the 32 hexadecimal digits of a UUID."""
    assert file_system(value) == same


@pytest.mark.parametrize(("before", "text", "words"), [
    (["rw", "reexport=none"], "fsid=1", "must stand before"), (["reexport=none"], "reexport=none", "only one"),
    (["reexport=none"], "ro", None), (["rw"], "fsid=1", None), ([], "reexport=none", None),
])  # fmt: skip
def test_what_must_not_follow_reexport(before: list[str], text: str, words: str | None) -> None:
    reason = misplaced("reexport=none" in before, text)
    assert reason is None if words is None else words in (reason or "")


def options(text: str) -> ExportOptions:
    (export,) = read(f"/a x({text})\n")
    return load().ready(ExportGrammar).read(export.options)


@each(lambda: [
    ("rw", "sys:rw"), ("", "sys:ro"), ("sec=krb5,rw", "krb5:rw"), ("rw,sec=sys,ro,sec=none", "sys:ro none:ro"),
    ("sec=unix,rw", "sys:rw"), ("sec=krb5:krb5p,rw,sec=sys,ro", "krb5:rw krb5p:rw sys:ro"),
    ("sec=sys,sec=krb5,rw,sec=krb5i", "sys:ro krb5:rw krb5i:rw"), ("sec=krb5,rw,sec=krb5,ro", "krb5:ro"),
])  # fmt: skip
def test_each_flavour_has_its_rights(text: str, flavours: str) -> None:
    """As exportfs 2.6.2 wrote them to etab: a flavour begins with what is written before its `sec=`."""
    told = options(text).flavours
    assert " ".join(f"{name}:{'rw' if own['exports.rw'] else 'ro'}" for name, own in told.items()) == flavours


def test_insecure_is_for_all_flavours() -> None:
    """exportfs 2.6.2 writes the last one to etab, before the flavours."""
    told = options("sec=sys,insecure,sec=krb5,secure")
    assert told.values["exports.insecure"] is False
    assert all("exports.insecure" not in own for own in told.flavours.values())
    assert told.several_flavours


def test_words_that_add_up_and_words_that_replace() -> None:
    told = options("xprtsec=tls,anonuid=5,xprtsec=none,anonuid=6")
    assert told.values["exports.xprtsec"] == "none:tls"
    assert told.values["exports.anonuid"] == 6
    assert [word.value for word in told.words] == ["tls", 5, "none:tls", 6]
    assert told.written["exports.anonuid"].start == len("xprtsec=tls,anonuid=5,xprtsec=none,")


@each(lambda: [
    ("rw,rww,ro", ["rw", "rww", "ro"], "rww is not an export option", False), ("rw,", ["rw"], None, True),
    ("rw,,ro", ["rw", "", "ro"], "an empty option", False), ("rw,$MORE,ro", ["rw", "$MORE", "ro"], None, False),
    ("rw=1", ["rw=1"], "not an export option", False), ("fsid", ["fsid"], "not an export option", False),
    ("reexport=none,fsid=1,rw", ["reexport=none", "fsid=1", "rw"], "must stand before", False),
])  # fmt: skip
def test_where_exportfs_stops(text: str, words: list[str], wrong: str | None, is_whole: bool) -> None:
    told = options(text)
    assert [word.text for word in told.words] == words
    assert (told.wrong is None) if wrong is None else (wrong in (told.wrong or ""))
    assert told.is_whole is is_whole
