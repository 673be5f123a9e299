"""Keys of mount and automount units, and names of units that do not fit their mount points."""

from __future__ import annotations

import pytest

from advisor.files import kinds
from advisor.files.kinds import read_settings
from advisor.files.records import Span, continued_lines
from advisor.files.units import leaves_type_open, options_at, runs_before_network
from tests.each import each


@each(lambda: [
    ("/etc/systemd/system/mnt-data.mount", "/mnt/data", ""),
    ("/etc/systemd/system/mnt-data.mount", "/mnt/data/", ""),
    ("/etc/systemd/system/data.mount", "/mnt/data", "mnt-data.mount"),
    ("/etc/systemd/system/mnt-my-data.mount", "/mnt/my-data", "mnt-my\\x2ddata.mount"),
    ("/etc/systemd/system/mnt-my\\x2ddata.mount", "/mnt/my-data", ""),
    ("/etc/systemd/system/data.mount.d/more.conf", "/mnt/data", "mnt-data.mount"),
    ("kept-mnt-data.mount", "/mnt/data", ""), ("mnt-data.unit", "/srv", ""), ("a@.mount", "/srv/%i", ""),
    ("data.mount", "$WHERE", ""), ("data.mount", "relative", ""), ("data.mount", "/a/../b", ""),
])  # fmt: skip
def test_the_name_of_a_mount_unit(name: str, where: str, right: str) -> None:
    file = read_settings("systemd-mount", f"[Mount]\nWhat=nas:/data\nWhere={where}\n", name)
    assert [slip.words["right"] for slip in file.slips] == ([right] if right else [])


def test_an_automount_unit() -> None:
    text = "[Unit]\nDescription=x\n[Automount]\n Where = /mnt/dat\nTimeoutIdleSec=5min\n[X-Own]\na=1\n[Service]\nb=2\n"
    file = read_settings("systemd-mount", text, "mnt-data.automount")
    assert [(one.section, one.key.text, one.value.text) for one in file.settings] == [
        ("Unit", "Description", "x"), ("Automount", "Where", "/mnt/dat"), ("Automount", "TimeoutIdleSec", "5min"),
        ("Service", "b", "2"),
    ]
    assert [one.text for one in file.sections] == ["Automount", "Service"]
    assert [(slip.slug, slip.span) for slip in file.slips] == [("unit-name-differs", (4, 10, 18))]


def test_the_lines_of_a_unit_are_joined() -> None:
    def lines(text: str) -> list[tuple[int, int, str]]:
        return [(line.span.line, line.span.column, line.text) for line in continued_lines(text, "#;", " ") if line.text]

    assert lines("[a]\n\n ;b\n#c\n  d = 1 \\\n#e\n\\\n f\n  g\nh\\\n\n") == [
        (1, 1, "[a]"), (5, 3, "d = 1   f"), (9, 3, "g"), (10, 1, "h "),
    ]
    assert lines("a\nb\\") == [(1, 1, "a"), (2, 1, "b ")]
    assert lines("a\\\\\nb") == [(1, 1, "a\\ b")]


def test_a_joined_line_knows_where_its_characters_are() -> None:
    (line,) = continued_lines("ab\\\ncd", joint="  ")
    assert line.text == "ab  cd"
    assert line.token(0, 2).span == Span(1, 1, 3)
    assert line.token(1, 6).span == Span(1, 2, 4), "up to the end of the first line, of which the text has one more"
    assert line.token(4, 6).span == Span(2, 1, 3)
    (line,) = continued_lines("ab\\\ncd")
    assert line.token(1, 4).span == Span(1, 2, 3)


OPTIONS = "[Mount]\n  Options =  rw,\\\n hard\nWhat=nas:/a\nWhere= /a\n[Unit]\nOptions=x\n"


def test_a_mount_and_its_places() -> None:
    (mount,) = kinds.read_mounts("systemd-mount", OPTIONS, "a.mount").mounts
    fields = (mount.source, mount.target, mount.fstype, mount.options)
    assert [(field.value, tuple(field.span)) for field in fields] == [
        ("nas:/a", (4, 6, 12)), ("/a", (5, 8, 10)), ("nfs", (4, 6, 12)), ("rw, hard", (2, 14, 18)),
    ]
    assert (mount.line_no, options_at(OPTIONS), options_at("[Unit]\nOptions=a\n")) == (2, Span(2, 14, 18), None)


@each(lambda: [
    ("[Mount]\nWhat=nas:/a\n", "", ("nas:/a", "", "nfs", "")),
    ("[Mount]\nWhat=/dev/sda\n", "", ("/dev/sda", "", "", "")),
    ("[Mount]\nType=nfs4\nOptions=rw\n", "", ("", "", "nfs4", "rw")), ("[Mount]\nOptions=rw\n", "", None),
    ("[Mount]\nOptions=rw\n", "[Mount]\nWhat=nas:/a\nWhere=/a\nOptions=ro\n", ("nas:/a", "/a", "nfs", "rw")),
    ("[Mount]\nWhat=b:/b\nWhat=c:/c\n", "[Mount]\nWhat=a:/a\nType=nfs4\n", ("c:/c", "", "nfs4", "")),
    ("[Unit]\nAfter=x\n", "[Mount]\nWhat=nas:/a\n", None), ("[Mount]\nType=ext4\n", "", None),
    ("[Mount]\nWhat=[::1]:/a\n", "", ("[::1]:/a", "", "nfs", "")),
    ("[Mount]\nWhat=1.2.3.4:/\n", "", ("1.2.3.4:/", "", "nfs", "")),
])  # fmt: skip
def test_the_mount_of_a_unit_or_of_its_drop_in(text: str, unit: str, mount: tuple[str, ...] | None) -> None:
    table = kinds.read_mounts("systemd-mount", text, "a.mount", unit)
    assert [
        (made.source.value, made.target.value, made.fstype.value, made.options.value) for made in table.mounts
    ] == ([mount] if mount else [])


def test_lines_that_are_no_assignment_are_told() -> None:
    header = "a section header must be alone on its line, in square brackets"
    table = kinds.read_mounts("systemd-mount", "[Mount] x\n[Mount\n  abc\n[Mount] \nWhat=n:/a\n", "a.mount")
    assert table.bad == (
        (Span(1, 1, 10), header), (Span(2, 1, 7), header), (Span(3, 3, 6), "not an assignment; write Key=value"),
    )


@pytest.mark.parametrize(("text", "unit", "left_open"), [
    ("[Mount]\nOptions=rw\n", "", True), ("[Mount]\nOptions=rw\nType=nfs\n", "", False),
    ("[Mount]\nWhere=/a\n", "", False),
    ("[Mount]\nOptions=rw\n", "[Mount]\nWhat=nas:/a\n", False), ("[Mount]\nOptions=rw\n", "[Mount]\nWhere=/a\n", True),
])  # fmt: skip
def test_a_drop_in_that_leaves_the_type_open(text: str, unit: str, left_open: bool) -> None:
    assert leaves_type_open(text, unit) is left_open


EARLY = "[Unit]\n{}[Service]\n{}ExecStart=/bin/mount nas:/a /a\n[Install]\nWantedBy=multi-user.target\n"


@each(lambda: [
    ("", ""), ("After=network.target\n", "Restart=no\n"), ("After=\nAfter=network.target \\\n  local-fs.target\n", ""),
    ("Description=wait until online, then sleep\n", ""), ("# After=a.service\n; ping nas\n", "#Restart=always\n"),
    ("Wants=network-online.target\n", "Restart=always\nRestart=no\nRestart=\n"), ("", "ExecStop=/bin/sleep 9\n"),
    ("", "ExecStartPre=/bin/sleep 9\nExecStartPre=\n"),
    ("[Service]\nAfter=a.service\n", "[Unit]\nRestart=always\n"),
    ("Before=a.service\n", "Environment=A=sleep\n"),
])  # fmt: skip
def test_a_unit_that_runs_before_the_network_is_up(unit: str, service: str) -> None:
    assert runs_before_network(EARLY.format(unit, service))
    assert runs_before_network("# made by hand\n\n{{ ansible_managed | comment }}\n" + EARLY.format(unit, service))
    assert not runs_before_network(EARLY.format(unit, service).replace("WantedBy", "#WantedBy"))
    assert not runs_before_network("set -e\ncat > a.service <<E\n" + EARLY.format(unit, service) + "E\n")


@each(lambda: [
    ("After=network-online.target\n", ""), ("After=network.target \\\n  a.service\n", ""), ("BindsTo=a.service\n", ""),
    ("After=network.target \\\n# why\nnetwork-online.target\n", ""), ("After=a.service\nAfter=\n", ""),
    ("After=network.target\nAfter=a.service\n", ""), (" After = a.service \n", " Restart = on-failure\n"),
    ("", "Restart=\\\n always\n"), ("", "ExecStartPre=/bin/sh -c \\\n 'sleep 9'\n"),
    ("", "ExecCondition=ping -c1 nas\n"),
    ("", "ExecStart=\nExecStart=/bin/sh -c 'until mount nas:/a /a; do :; done'\n"),
])  # fmt: skip
def test_a_unit_that_waits_or_tries_again(unit: str, service: str) -> None:
    assert not runs_before_network(EARLY.format(unit, service))


def test_what_starts_a_unit_at_boot() -> None:
    for wanted, early in (
        ("WantedBy=a.target default.target", True), ("RequiredBy=graphical.target", True), ("WantedBy=a.target", False),
        ("WantedBy=multi-user.target\nWantedBy=\nWantedBy=a.target", False), ("WantedBy=\\\nmulti-user.target", True),
        ("", False), ("WantedBy=remote-fs.target", False),
    ):
        text = EARLY.format("", "").replace("WantedBy=multi-user.target", wanted)
        assert runs_before_network(text) is early, wanted
