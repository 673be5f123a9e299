"""Fixes in files that are not fstab: inside of the option list, or not at all."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.files.records import Placed, Stretch
from advisor.lint import other_kinds
from advisor.lint.finding import Edit, Finding
from advisor.lint.fix import fix_text
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.tiers import examples

BOTH = frozenset(("safe", "unsafe"))
FORMS = {
    "systemd-mount": "[Mount]\nWhat=nas:/a\nWhere=/a\nType=nfs\nOptions={}\n\n[Install]\nWantedBy=remote-fs.target\n",
    "autofs": "# a map\ndata  -{}  nas:/data\nother -fstype=ext4,soft :/dev/sda1\n",
    "compose": 'volumes:\n  d:\n    driver_opts:\n      type: nfs\n      o: "addr=nas,{}"\n      device: ":/a"\n',
    "ansible": "- name: m\n  ansible.posix.mount:\n    src: nas:/a\n    path: /a\n    fstype: nfs\n    opts: {}\n"
               "    state: mounted\n",
    "salt": "/a:\n  mount.mounted:\n    - device: nas:/a\n    - fstype: nfs\n    - opts: {}\n    - persist: True\n",
    "cloud-init": '#cloud-config\nmounts:\n  - [ "nas:/a", "/a", "nfs", "{}", "0", "0" ]\n',
    "kubernetes": "apiVersion: v1\nkind: PersistentVolume\nspec:\n  nfs: {{server: nas, path: /a}}\n"
                  "  mountOptions:\n    - {}\n",
}  # fmt: skip
"""Kind → a file with one option list, {}."""


def fixed(text: str, kind: str) -> str:
    base = load()

    def judge(now: str) -> tuple[Sequence[Finding], Sequence[Finding]]:
        findings = lint_text(now, "x", base, {}, kind=kind).findings
        return findings, findings

    once = fix_text(text, judge, BOTH, fstab=False).text
    assert fix_text(once, judge, BOTH, fstab=False).text == once, "fixing twice changes something more"
    return once


@pytest.mark.parametrize("kind", FORMS)
def test_an_option_is_replaced_where_it_stands(kind: str) -> None:
    assert fixed(FORMS[kind].format("soft"), kind) == FORMS[kind].format("hard")


@pytest.mark.parametrize("kind", sorted(FORMS.keys() - {"kubernetes"}))
def test_options_are_taken_out_with_their_commas(kind: str) -> None:
    assert fixed(FORMS[kind].format("vers=3,intr,timeo=14,rw"), kind) == FORMS[kind].format("vers=3,rw")


@pytest.mark.parametrize(("kind", "text"), [
    ("kubernetes", FORMS["kubernetes"].format("hard\n    - intr")),  # an item would be left empty
    ("systemd-mount", FORMS["systemd-mount"].format("rw, \\\n  intr")),  # goes on in the next line
    ("nfsmount.conf", "[ NFSMount_Global_Options ]\nIntr=True\n"),  # not as an option is written
    ("ansible", FORMS["ansible"].format(r'"hard\u002cintr"')),
    ("proc-mounts", "nas:/a /a nfs rw,soft,intr,addr=10.0.0.1 0 0\n"),
])  # fmt: skip
def test_what_is_not_written_in_one_piece_is_left_alone(kind: str, text: str) -> None:
    assert fixed(text, kind) == text


@pytest.mark.parametrize(("before", "after"), [
    ("/a x(rw,async)\n", "/a x(rw)\n"),
    ("/a x(async)\n", "/a x()\n"),
    ("/a \\\n  x(rw,async) \\\n  y(ro)\n", "/a \\\n  x(rw) \\\n  y(ro)\n"),
    ("/a -async x(rw)\n", "/a -async x(rw)\n"),
    ('"/a b" x(rw,async) # why\n', '"/a b" x(rw) # why\n'),
])  # fmt: skip
def test_exports(before: str, after: str) -> None:
    assert fixed(before, "exports") == after


@examples(20, 100)
@given(
    st.sampled_from(sorted(FORMS)),
    st.lists(st.sampled_from(("soft", "intr", "timeo=14", "nconect=8", "vers=3", "rsize=1024", "udp", "rw", "bg")),
             max_size=5),
)
def test_nothing_but_the_option_list_changes(kind: str, options: list[str]) -> None:
    head, _, tail = FORMS[kind].replace("addr=nas,", "").format("\0").partition("\0")
    changed = fixed(head + ",".join(options) + tail, kind)
    assert changed.startswith(head)
    assert changed.endswith(tail)
    assert "\n" not in changed[len(head) : len(changed) - len(tail)]


@pytest.mark.parametrize(("edit", "found"), [
    (Edit(1, 1, 4, "x"), Edit(2, 5, 8, "x")), (Edit(1, 4, 6, "x"), None), (Edit(1, 5, 8, "x"), None),
    (Edit(2, 1, 2, "x"), None), (Edit(1, 1, 4, "'"), None), (Edit(1, 1, 4, "a b"), Edit(2, 5, 8, "a b")),
])
def test_an_edit_of_embedded_text_is_one_of_the_file_where_the_file_has_it(edit: Edit, found: Edit | None) -> None:
    text = Placed([Stretch("abc", 2, 5), Stretch("defg", 2, 9, False)])
    assert other_kinds._edit(edit, text, {1: 0}) == found
