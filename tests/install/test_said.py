"""The pages that go with files, whole, of rows and plans made up for them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from advisor.advice.verdict import AdviceVerdict
from advisor.install import build, host_files, repair
from advisor.install.context import Artefact, data
from advisor.pages.markup import markdown
from tests.install.test_contexts import BASE


def row(tunable: str, **more: Any) -> Any:
    steps = SimpleNamespace(apply=more.pop("apply", f"set {tunable}"), verify="get x", seen="shows 1")
    return SimpleNamespace(**{
        "tunable": tunable, "value": 1, "text": "x=1", "why": f"Why {tunable}.", "steps": steps, "strength": "must",
        "definition": SimpleNamespace(title=f"Title of {tunable}"), **more})


@pytest.mark.parametrize(("server", "apply", "named"), [
    ("nas", "kinit in Kerberos", True), ("nas.example", "kinit in Kerberos", False), ("nas", "one", False),
])
def test_the_steps_of_both_sides(server: str, apply: str, named: bool) -> None:
    context: Any = SimpleNamespace(data=data(), server=server, provenance=lambda names: [f"Given: {' '.join(names)}"])
    sides = [("On the server", [row("a", apply="one\ntwo"), row("b", apply=apply)]), ("Nowhere", []),
             ("On the clients", [row("a"), row("c", text="sec=sys")])]
    title = data()["files"]["identity"]["title"]
    kerberos = ("Kerberos needs the server's full name, and nas is not one: write it in place of `nas` in these steps "
                "and in the mount line.")
    wanted = f"""\
# {title}

- Given: server export

{kerberos * named}

## On the server

### Title of a: 1

Why a.

```sh
one
two
```

Check: get x shows 1.

### Title of b: 1

Why b.

```
{apply}
```

Check: get x shows 1.

## On the clients

### Title of a: 1

As above.

### Title of c: 1

Why c.

```
set c
```

Check: get x shows 1.
"""
    assert " ".join(host_files._steps(context, sides).split()) == " ".join(wanted.split())


def test_kerberos_is_also_known_by_what_is_set() -> None:
    context: Any = SimpleNamespace(data=data(), server="192.0.2.7", provenance=lambda names: [])
    assert "Kerberos needs" in host_files._steps(context, [("x", [row("a", text="sec=krb5p")])])
    assert "Kerberos needs" not in host_files._steps(context, [("x", [row("a", text="sec=sys")])])


def test_the_steps_of_a_repair() -> None:
    edit: Any = SimpleNamespace(file=SimpleNamespace(path="/etc/fstab"))
    finding: Any = SimpleNamespace(file="/etc/x", line=3, message="It fails", remedy="Do it.",
                                   fix=SimpleNamespace(safety="unsafe"))
    new = Artefact("sysctl.d/a.conf", "", "t", "/etc/sysctl.d/a.conf", undo=("Undo it yourself.", "rm x"))
    change: Any = SimpleNamespace(tunable="module.x", apply="set x", undo="unset x")
    plan: Any = SimpleNamespace(edits=[edit], new=SimpleNamespace(files=[new], left=["Also this."]), changes=[change],
                                runs=["exportfs -a"], by_hand=["Mount it."], left=[finding])
    wanted = f"""\
# Repair of this host

Made by us.

## In this order

- Read `changes.diff` and the new files; nothing has been done to the host yet.
- As root: `sh apply.sh`. It stops if a file was changed since it was read.
- By hand: Mount it.
- `sh look.sh` shows what is in effect afterwards.
- To go back: `sh undo.sh`.

## Files

| on the host | to be | was |
| --- | --- | --- |
| `/etc/fstab` | `files/etc/fstab` | `found/etc/fstab` |
| `/etc/sysctl.d/a.conf` | `sysctl.d/a.conf` | not there |

## Values that are set at once

| setting | apply | undo |
| --- | --- | --- |
| `module.x` | `set x` | `unset x` |

## Not written: decide for yourself

- /etc/x:3: It fails. Do it. --unsafe-fixes makes this change.
- Also this.

## What undo.sh does not undo

- Undo it yourself.
- {repair._BY_HAND}
- {repair._MODULES}
- {repair._EXPORTS}
"""
    assert " ".join(repair._steps_page(plan, ["Made by us.", "More."]).split()) == " ".join(wanted.split())
    less = plan.__class__(**{**vars(plan), "by_hand": [], "changes": [], "runs": [],
                             "new": SimpleNamespace(files=[], left=[])})
    assert "What undo.sh does not undo" not in repair._steps_page(less, ["Made by us."])


def summary(monkeypatch: pytest.MonkeyPatch, files: list[Artefact], beside: str = "", **more: Any) -> str:
    answers = SimpleNamespace(names={})
    advice: Any = SimpleNamespace(**{"open": [], "bugs": [], "answers": answers, **more.pop("of", {})})
    context: Any = SimpleNamespace(**{
        "advice": advice, "base": BASE, "remarks": [], "lacking": [], "is_server": False,
        "provenance": lambda names: ["Given: it"], **more})
    for name, value in {"card": [], "picture": [], "_titled_rows": [("Settings", [row("b", part="set")])],
                        "names_of": [], "objections_to_pin": ["But."], "value_in_words": "b=1",
                        "strength_text": "must", "_objections_section": None}.items():
        monkeypatch.setattr(build, name, lambda *_, value=value, **__: value)
    return markdown(build._summary(context, files, AdviceVerdict(), [], beside))


def test_what_the_report_says_of_files(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [Artefact("fstab", "", "The line", "/etc/fstab"), Artefact("cluster/nfs-group.sh", "", "The group", "",
             apply=("First do this.", "sh x")), Artefact("cluster/other", "", "Other", "")]
    told = summary(monkeypatch, files)
    assert told.split("\n\n")[0] == "Each file and setting, with its steps, rules and sources: below."
    assert "## Files\n\n| file | what it is | belongs in |" in told
    assert "| `fstab` | The line | /etc/fstab |" in told
    assert "| `cluster/` | 2 files |  |" in told.replace("| |", "|  |")
    assert "To load the group:\n\n```sh\n# First do this.\nsh x\n```" in told
    assert "## Settings" in told
    assert "Why b. But." in told
    assert "Known bugs" not in told


def test_what_the_report_says_without_files(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "## Files" not in summary(monkeypatch, [])
    lacking = [SimpleNamespace(tunable="mount.vers")]
    told = summary(monkeypatch, [], remarks=["It waits."], lacking=lacking)
    assert told.index("## Files") < told.index("`mount.vers` must be written, but its value is open.")
    assert told.index("its value is open.") < told.index("It waits.")
    assert "its value is open" not in summary(monkeypatch, [], lacking=lacking, is_server=True)


def test_what_the_report_says_of_bugs_and_open_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    def bug(name: str, certain: bool, *asks: str) -> Any:
        return SimpleNamespace(fault=SimpleNamespace(title=name, symptom=f"{name} hangs"), certain=certain, asks=asks)

    waiting = [row("mount.vers", strength="should", kind="mount-option", asks=["f"]), row("mount.x", strength=None)]
    monkeypatch.setattr(build, "in_order", list)
    monkeypatch.setattr(build, "open_values", lambda one: f"values of {one.tunable}")
    told = summary(monkeypatch, [], of={"open": waiting, "bugs": [
        bug("A", True), bug("B", False, "f", "g"), bug("C", False, "g")]}, beside="details.md")
    assert "[details.md](details.md)" in told
    assert "| `mount.vers` | values of mount.vers | `f` |" in told
    assert "mount.x" not in told
    assert "| A | A hangs |" in told
    assert "B hangs" not in told
    assert "2 known bugs of some versions may affect you; the details list them." in told
    assert "Which ones do depends on `f`, `g`." in told.replace(" and ", ", ")
    assert "may affect you" not in summary(monkeypatch, [], of={"bugs": [bug("A", True)]})


@pytest.mark.parametrize(("before", "undo"), [
    ({"a": 1, "b": 2}, ["restore b=2"]), ({"a": 1}, ["reboot"]), ({}, ["reboot"]), ({"a": 3, "b": 64}, ["restore a=3"]),
    ({"a": "1", "b": "64"}, []),
])
def test_a_setting_that_was_otherwise_before_is_put_back_at_once(
    monkeypatch: pytest.MonkeyPatch, before: dict[str, object], undo: list[str]
) -> None:
    lines = [SimpleNamespace(name=name, row=row(name, written=written)) for name, written in (("a", 1), ("b", 64))]
    monkeypatch.setattr(host_files, "sysctls", lambda _: lines)
    context: Any = SimpleNamespace(
        data={"restore": "restore {setting}", "reboot": "reboot"}, rendered=lambda file, values, **more: (file, more),
        advice=SimpleNamespace(answers=SimpleNamespace(
            before={name: SimpleNamespace(value=value) for name, value in before.items()})))
    file, more = next(iter(host_files.host_files(context)))
    assert (file, more["more_undo"]) == ("sysctl", undo)
    assert more["more_verify"] == ["get x  # shows 1"] * 2
