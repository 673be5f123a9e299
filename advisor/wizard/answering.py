"""Taking answers on the first screen: which mount it is about, the answer to a question, what is in the way of one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from textual.widgets import Input

from advisor import session as state
from advisor.render import wording
from advisor.session import Session
from advisor.user_files import UserFileError
from advisor.wizard import which_mount, words
from advisor.wizard.ask_keys import AskKeys
from advisor.wizard.choices import Choice
from advisor.wizard.doors import Door
from advisor.wizard.fitting import Head
from advisor.wizard.prompt import Prompt
from advisor.wizard.question import QuestionPane


class Answering(AskKeys):
    """What the first screen does with what was chosen or written."""

    def ask_for_mount(self) -> None:
        """Asks which mount it is about; a line is picked, or names are written."""
        app, pane = self.app, self.query_one(QuestionPane)
        lines = [Choice("mount", one.label, one, one.note) for one in app.mounts]
        skip = "Go on with these names" if app.session.answers.names else "Go on without names"
        ways = [
            *lines, Choice("file", "Pick a line of another fstab …"), Choice("skip", skip),
            Choice("mounts", "Name several mounts of this host …"),
            *(Choice("door", door.title, door, door.note) for door in app.doors),
        ]
        self.query_one(Head).update_with("NFS advisor")
        text = f"{which_mount.HELP} Space marks several lines." if len(lines) > 1 else which_mount.HELP
        pane.about(words.about(app.base, app.session, None))
        pane.offer(which_mount.TITLE, text, ways, which_mount.EXAMPLE)
        pane.say(which_mount.so_far(app.session))

    def take_mount(self, act: str, value: object) -> None:
        """Takes the mount that was picked or written."""
        app = self.app
        if act == "file":
            app.push_screen(Prompt("Which file?", "Its NFS lines are offered.", "/etc/fstab"), self._other_file)
            return
        if isinstance(value, Door):
            app.open_door(value)
            return
        if act == "mounts":
            self.open_mounts(self.query_one(Input).value)
            return
        ways: dict[str, Callable[[Any, Session, Any], Session]] = {
            "mount": which_mount.pick, "marked": which_mount.pick_more,
        }
        step = partial(ways.get(act, which_mount.write), app.base, app.session, value or "")
        refused = app.change(step)
        if refused is not None:
            self.query_one(QuestionPane).complain(str(refused))

    def _other_file(self, path: str | None) -> None:
        if path:
            try:
                self.app.mounts = which_mount.of_file(self.app.base, path)
            except UserFileError as error:
                self.app.notify(str(error), severity="warning", timeout=8, markup=False)
            self.show_session()

    def answer_instead(self, fact: str, value: object, against: tuple[str, ...], of: int | None) -> None:
        """Takes an answer in the place of earlier ones; `of`: the mount that these are about."""
        app = self.app
        refused = app.change(lambda: state.answer(app.base, app.session, fact, value, instead_of=against, of=of))
        if refused is not None:
            self._refuse(fact, value, refused)

    def take_answer(self, fact: str, act: str, value: Any) -> None:
        """Takes what was chosen, or typed."""
        app, pane = self.app, self.query_one(QuestionPane)
        if act == "unknown":
            app.change(lambda: state.dont_know(app.base, app.session, fact))
            return
        if act == "typed":
            parsed = state.parse(app.base, fact, value)
            if parsed.problem:
                pane.complain(parsed.problem)
                return
            value = parsed.value
        origin = app.found[fact][1] if act == "found" else None
        refused = app.change(lambda: state.answer(app.base, app.session, fact, value, origin=origin))
        if refused is not None:
            self._refuse(fact, value, refused)

    def _refuse(self, fact: str, value: object, refused: state.Refused) -> None:
        """Says which earlier answer is in the way, and offers to drop it."""
        app, pane = self.app, self.query_one(QuestionPane)
        if not refused.against:
            pane.complain(str(refused))
            return
        answers = app.session.answers if refused.place is None else app.session.mounts[refused.place].answers
        names = {**answers.facts, **answers.pins}
        earlier = [
            f"{wording.question(app.base, one)} {wording.answer_text(app.base, one, names[one])}"
            for one in refused.against
        ]
        pane.offer(
            f"{wording.answer_text(app.base, fact, value)}: this contradicts an earlier answer.",
            "\n".join(earlier if refused.place is None else (str(refused), *earlier)),
            [Choice("keep", "Keep the earlier answer")] + [
                Choice("instead", f"Drop it: {text}", (fact, value, (one,), refused.place))
                for one, text in zip(refused.against, earlier)
            ],
        )
