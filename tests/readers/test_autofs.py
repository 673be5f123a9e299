"""Maps of autofs(5): which options belong to which mount."""

from __future__ import annotations

import pytest

from advisor.readers import mounts


def read(text: str) -> list[tuple[str, str, str, str]]:
    table = mounts.read("autofs", text, "auto.data")
    assert not table.bad
    return [(one.source.value, one.target.value, one.fstype.value, one.options.text) for one in table.mounts]


def test_options_of_one_place_are_not_those_of_the_next() -> None:
    assert read("sw -hard /lib -ro nas:/lib /bin nas:/bin\n") == [
        ("nas:/lib", "/lib", "nfs", "hard,ro"), ("nas:/bin", "/bin", "nfs", "hard"),
    ]


@pytest.mark.parametrize(("options", "fstype"), [
    ("-soft", "nfs"), ("-fstype=nfs4,soft", "nfs4"), ("-fstype=nfs4,fstype=nfs,soft", "nfs"),
])  # fmt: skip
def test_the_type_that_a_master_file_gives_last_holds(options: str, fstype: str) -> None:
    assert read(f"/misc /etc/auto.misc {options}\n") == [("", "", fstype, "soft")]
