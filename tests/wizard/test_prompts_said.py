"""What the prompts say to one text, whole, and what it changes."""

from __future__ import annotations

import io

from advisor.wizard import mounts, state
from advisor.wizard.prompt_tasks import Talk
from advisor.wizard.prompts import NO_LINES, PlainWizard
from tests.each import each
from tests.wizard.prompting import ANF, BASE, NAMED, NEW, given

TWO = mounts.add(BASE, state.mount(BASE, state.start(), {"server": "nas1", "export": "/a", "target": "/a"}),
                 {"server": "nas1", "export": "/b", "target": "/b"})
SESSIONS = {"new": NEW, "mount": state.start(), "two": TWO, "kernel": state.go(NEW, "client.kernel"),
            "anf": state.go(given(**ANF), "storage.platform")}
USAGE = "Write p and a setting: p vers=4.1"
NAME = "Write name WHAT=TEXT; WHAT is server, export or target."


@each(lambda: [
    ("new", "0", "Refused: The choices are 1 to {all}."), ("new", "999", "Refused: The choices are 1 to {all}."),
    ("new", "1,999", "Refused: The choices are 1 to {all}."),
    ("new", "zzz", "Refused: 'zzz' is not one of the choices; h lists them."),
    ("new", "", "Write an answer, or d if you don't know; h shows the question again."),
    ("new", "q x", "Refused: 'q x' is not one of the choices; h lists them."),
    ("new", "Q", "", "quits"), ("new", "q", "", "quits"), ("mount", "q", "", "quits"),
    ("new", "a", "Write a and a fact: a mount.sec"), ("new", "a nope", "Unknown question 'nope'."),
    ("new", "A mount.sec", "", "at mount.sec"), ("new", "b", "", "at mount"), ("anf", "", "", "at host.role"),
    ("kernel", "RHEL 9", "Understood: {rhel}, 9\nNo setting changes.", "changed"),
    ("new", "compare /no-such", "/no-such: file not found"),
    ("anf", "1", "Understood: Azure NetApp Files\nThat was your answer already.", "changed"),
    ("new", "w", "Write w and a setting: w nconnect"), ("new", "p", USAGE), ("new", "p vers", USAGE),
    ("new", "p =4", USAGE), ("new", "p vers=", "It is no longer pinned."),
    ("new", "p vers=9", "Refused: mount.vers is '9'; it is one of 2, 3, 4, 4.0, 4.1 or 4.2"),
    ("new", "name", NAME), ("new", "name x=1", NAME), ("new", "name server nas9", NAME),
    ("new", "name server=nas9", "server is nas9 in the files.", "changed"),
    ("new", "name target=x", "Refused: target is 'x'; write an absolute path such as /mnt/nfs"),
    ("new", "watch", "advisor observe shows what the mounts of a host do."),
    ("new", "u", "There is nothing to undo."), ("new", "r", "There is nothing to redo."),
    ("two", "l 3", "Mount 3 is not in the list; l shows it."),
    ("two", "l 0", "Mount 0 is not in the list; l shows it."),
    ("two", "l -3", "Mount 3 is not in the list; l shows it."),
    ("two", "l 1,2", "Mount 1,2 is not in the list; l shows it."),
    ("two", "l 2", "", "at 2"), ("two", "l 1", ""), ("two", "l -2", "1 mount left.", "changed"),
    ("two", "l nas1:/c /c", "So far: nas1:/a on /a, nas1:/b on /b, nas1:/c on /c", "changed"),
    ("two", "l nas1:/b /b", "Refused: nas1:/b on /b is already in the list."),
    ("mount", "1", NO_LINES), ("mount", "1,2", NO_LINES), ("mount", "FSTAB /no-such", "/no-such: file not found"),
    ("mount", "nas1:/a a", "Refused: a is extra; write server:/export /mount/point"),
    ("mount", "nas1:/a /a", "So far: server nas1, export /a, target /a", "changed"),
    ("mount", "", "", "at None"), ("mount", "d", "", "at None"),
])
def test_what_is_said_to_a_text(name: str, text: str, words: str, *then: str) -> None:
    out, session = io.StringIO(), SESSIONS[name]
    wizard = PlainWizard(BASE, session, {}, Talk(io.StringIO(), out, 400), find_setting=NAMED)
    if wizard.at_mount:
        wizard._take_mount(text)
    elif not wizard._run_command(text):
        wizard._answer(wizard.fact, text)
    now = wizard.session
    labels = BASE.facts["client.distro"].values or {}
    everything = len(BASE.facts["storage.platform"].values or ())
    assert out.getvalue().strip() == words.format(all=everything, rhel=labels["rhel"])
    assert wizard._quits is ("quits" in then)
    assert len(now.past) == len(session.past) + ("changed" in then)
    places = [one.removeprefix("at ") for one in then if one.startswith("at ")]
    assert {*places} <= {str(now.at), str(now.place + 1)}
    assert places or now.place == session.place
