"""What the tasks of the prompts say and do, whole, with texts and findings made up for them; and the words of an
end."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

import pytest

from advisor.advice.verdict import AdviceVerdict
from advisor.rulebase.base import load
from advisor.wizard import ending, prompt_tasks
from advisor.wizard.mounts import OtherMount
from advisor.wizard.prompt_tasks import CHECK_HELP, Talk, _word_and_place
from advisor.wizard.questions import Ending
from advisor.wizard.texts import LINE, NO_NFS, NOT_ACCEPTED, NOT_FIXED
from tests.each import each

BASE = load()


def found(message: str, line: int = 1, **more: Any) -> Any:
    return SimpleNamespace(**{"severity": "warning", "line": line, "message": message, "fix": None, **more})


def talk(*lines: str) -> tuple[Talk, io.StringIO]:
    out = io.StringIO()
    return Talk(io.StringIO("".join(f"{line}\n" for line in lines)), out, 400), out


@each(lambda: [
    ("2", ("", 1)), ("0", ("", None)), ("3", ("", None)), ("f 1", ("f", 0)), ("F 2", ("f", 1)), ("f", ("f", None)),
    ("f x", ("f", None)), ("a 2 why", ("a", 1)), ("f -1", ("f", None)), ("9" * 5000, ("", None)),
])
def test_a_word_and_the_number_behind_it(text: str, told: tuple[str, int | None]) -> None:
    assert _word_and_place(text, 2) == told


class Text:
    """A text with findings, of which nothing is fixed or accepted unless it says so."""

    def __init__(self, *findings: Any, name: str = "fstab", does: bool = True, left: int = 0) -> None:
        self.findings, self.name, self.does, self.past = list(findings), name, does, []
        self.text, self.unsaved, self.left, self.name_to_save = "a\nb", "1 change is not saved", left, "fstab.new"
        self.done: list[object] = []

    def check(self) -> Any:
        return SimpleNamespace(open=[1] * self.left)

    def _changed(self, what: str) -> bool:
        self.done.append(what)
        self.past += [1] * self.does
        return self.does

    def fix(self, finding: Any) -> bool:
        return self._changed(f"fix {finding.message}")

    def accept(self, finding: Any, reason: str) -> bool:
        return self._changed(f"accept {finding.message}: {reason}")

    def undo(self) -> None:
        self.past.pop()

    def save(self, name: str) -> str:
        if name == "bad":
            raise ValueError("cannot be written")
        return f"saved {name}"


def check_text(text: Any, *lines: str) -> list[str]:
    told, out = talk(*lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prompt_tasks, "_explain", lambda talk, base, finding, result: talk.say(f"Why {finding.message}."))
        prompt_tasks._check_text(told, BASE, text)
    said = out.getvalue().replace("Finding: ", "").split("\n")
    return [" ".join(line.split()) for line in said if line.strip()]


def test_the_findings_in_a_text_are_numbered_explained_fixed_and_accepted() -> None:
    two = (found("one"), found("two", fix=1))
    assert check_text(Text()) == ["Nothing to object to."]
    told = check_text(Text(*two), "")
    assert (told[0], told[-1]) == ("2 findings:", CHECK_HELP)
    assert [line.split()[0] for line in told[1:-1]] == ["1", "2"], "they are numbered"
    assert "f fixes it" in told[2]
    assert "f fixes it" not in told[1]
    assert check_text(Text(found("one"), left=2), "")[2] == "2 settings not judged: questions settle them."
    assert check_text(Text(*two), "2", "")[len(told)] == "Why two."
    assert check_text(Text(*two), "3", "").count(CHECK_HELP) == 3
    assert check_text(Text(*two), "x 1", "").count(CHECK_HELP) == 3
    assert check_text(Text(*two), "u", "").count(CHECK_HELP) == 3, "there is nothing to undo"
    assert check_text(Text(*two), "a 2", "")[len(told)] == "Write the reason too: a 2 the vendor asked for it"
    assert check_text(Text(*two, does=False), "a 2 so it is", "")[len(told)] == NOT_ACCEPTED
    assert check_text(Text(*two, does=False), "f 1", "")[len(told)] == f"{NOT_FIXED} Its number says what to do."
    assert check_text(Text(*two), "s bad", "")[len(told)] == "cannot be written"
    saved = ["Saved; install it yourself:", "saved fstab.new"]
    assert check_text(Text(*two), "s", "")[len(told):len(told) + 2] == saved
    assert check_text(Text(*two), "s it", "")[len(told) + 1] == "saved it"


def test_what_was_changed_is_not_lost_unasked() -> None:
    text = Text(found("one"), name=LINE)
    told = check_text(text, "f 1", "a 1 so  it is", "", "1", "u", "u", "")
    assert text.done == ["fix one", "accept one: so it is"]
    assert told.count("The text now:") == 4
    assert told.count("1 change is not saved.") == 1
    assert "The text now:" not in check_text(Text(found("one")), "f 1", "u", "")
    assert check_text(Text(found("one")), "f 1", "", "2")[-1] != CHECK_HELP


@each(lambda: [
    (None, "advisor check looks at a whole host."), ([], f"Looking at this host …\n{NO_NFS}"),
    ([()], "Looking at this host …\nNothing to object to."),
    (ValueError("It cannot."), "Looking at this host …\nIt cannot."),
    (OSError("It is away."), "Looking at this host …\nIt is away."),
])
def test_what_is_said_of_a_host_without_findings(judged: Any, said: str) -> None:
    told, out = talk()

    def look(facts: object) -> Any:
        if isinstance(judged, Exception):
            raise judged
        return [SimpleNamespace(findings=one) for one in judged]

    prompt_tasks.check_host(told, BASE, None if judged is None else look, {})
    assert out.getvalue().strip() == said


def test_the_findings_on_a_host_are_in_files_or_in_what_is_in_effect() -> None:
    files = [SimpleNamespace(written=written, findings=[found(message, 7)], facts={},
                             result=SimpleNamespace(name=name, text="x"))
             for name, written, message in (("/etc/fstab", True, "one"), ("in effect", False, "two"))]
    told, out = talk("9", "x", "2", "f 2", "1", "f 1", "q")
    done: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prompt_tasks, "_explain", lambda talk, base, finding, result: done.append(finding.message))
        patch.setattr(prompt_tasks, "_check_text", lambda talk, base, text: done.append(text.name))
        prompt_tasks.check_host(told, BASE, lambda facts: files, {})
    said = out.getvalue()
    assert done == ["two", "two", "one", "/etc/fstab"]
    assert said.count("  1  warning, /etc/fstab, line 7: one") == said.count("  2  warning, in effect: two") == 7
    assert said.count("Write a number from 1 to 2, or f and a number.") == 2
    assert said.count("This is what is in effect, not a file that could be fixed here.") == 2


def barred(consequence: str, apply: str = "Do it.") -> Any:
    return SimpleNamespace(consequence=consequence, steps=SimpleNamespace(apply=apply), why="It is so.")


def left(**more: Any) -> Ending:
    return Ending(**{"taken": (), "waiting": (), "matter": 0, "more": 0, "barred": None, **more})


OPEN = tuple(SimpleNamespace(tunable=name) for name in ("mount.vers", "mount.nconnect"))
REST = (OtherMount(1, "/b", 0, ()),)


@each(lambda: [
    ({"barred": barred("ignored")}, (), {}, "This system mounts it in its own way."),
    ({"barred": barred("hang")}, (), {}, "NFS is not the answer here."),
    ({}, (), {}, "The configuration is complete."),
    ({"waiting": OPEN}, (), {}, "The configuration is ready; more answers could still improve it."),
    ({}, (OtherMount(1, "/b", 3, ()),), {}, "This mount is complete."),
    ({}, (OtherMount(1, "/b", 3, OPEN),), {}, "This mount is complete."),  # type: ignore[arg-type]
    ({"waiting": OPEN}, (OtherMount(1, "/b", 3, ()),), {}, "This mount is ready; more answers could still improve it."),
    ({}, (), {"unnamed": ("server", "export")},
     "The configuration is complete, but names are missing (server, export)."),
    ({}, (), {"state": "will-fail"}, "This will fail."), ({}, (), {"empty": True}, "Nothing to set."),
    ({}, (OtherMount(1, "/b", 3, ()),), {"state": "will-fail"}, "This will fail. This mount is complete."),
])
def test_the_title_of_an_end(own: Any, rest: Any, verdict: Any, title: str) -> None:
    assert ending.title(left(**own), rest, AdviceVerdict(**verdict)) == title


BAD = ("One.", "Two.", "Three.", "Four.", "Five.", "Six.")


@each(lambda: [
    ({"barred": barred("hang")}, (), {}, ["Do it. It is so."]), ({"barred": barred("hang", "")}, (), {}, ["It is so."]),
    ({}, (), {}, []), ({"next": "Next."}, (), {}, ["Next."]), ({"next": "Next."}, (), {"state": "open"}, []),
    ({}, (), {"reasons": BAD[:1]}, ["One."]), ({}, (), {"reasons": BAD[:2]}, ["One.", "1 more warning in the report."]),
    ({}, (), {"reasons": BAD[:3]}, ["One.", "2 more warnings in the report."]),
    ({"next": "Next."}, (), {"state": "will-fail", "reasons": BAD},
     [*BAD[:4], "2 more warnings in the report.", "Next."]),
    ({}, (), {"state": "will-fail", "reasons": BAD[:4]}, [*BAD[:4]]), ({}, (), {"state": "open", "reasons": BAD}, []),
    ({"waiting": OPEN}, (), {}, ["No more answers are needed; the defaults stay for vers, nconnect."]),
    ({"waiting": OPEN}, (OtherMount(1, "/b", 3, OPEN[:1]),), {},  # type: ignore[arg-type]
     ["The defaults stay for vers, nconnect.", "/b: the defaults stay for vers."]),
    ({"waiting": OPEN}, (), {"state": "open"}, ["Open until more is known: vers, nconnect."]),
    ({"waiting": None}, (OtherMount(1, "/b", 0, None),), {}, []),
])
def test_the_sentences_of_an_end(own: Any, rest: Any, verdict: Any, told: list[str]) -> None:
    assert ending.sentences(BASE, left(**own), rest, AdviceVerdict(**verdict)) == told


@each(lambda: [
    ("ready", 2, 1, "3 optional questions"), ("will-fail", 1, 0, "1 optional question"), ("open", 2, 1, None),
    ("ready", 0, 1, None),
])
def test_how_many_questions_are_left(state: Any, matter: int, more: int, words: str | None) -> None:
    told = ending.left_questions(AdviceVerdict(state=state), matter, more)
    assert told == (words if words is not None else ending.remaining_questions(matter, more))


@each(lambda: [
    (("ready", ()), ("will-fail", ("It breaks.",)), "It breaks."),
    (("will-fail", ()), ("will-fail", ("It breaks.",)), ""), (("ready", ()), ("open", ("It breaks.",)), ""),
    (("open", ()), ("will-fail", ("It breaks.", "More.")), "It breaks."),
])
def test_why_it_will_fail_now(before: Any, after: Any, why: str) -> None:
    verdicts = {"before": before, "after": after}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ending, "_verdict", lambda base, advices: AdviceVerdict(
            state=verdicts[advices[0]][0], reasons=verdicts[advices[0]][1]))
        assert ending.why_failing(BASE, "before", "after") == why  # type: ignore[arg-type]
