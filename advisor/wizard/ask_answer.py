"""Taking answers on the first screen, and what is in the way of one."""

from __future__ import annotations

from typing import Any

from advisor import session as state
from advisor.render import wording
from advisor.wizard.ask_mount import AskMount
from advisor.wizard.choices import Choice
from advisor.wizard.question import QuestionPane


class AskAnswer(AskMount):
    """Answers to questions of the rule base."""

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
        told = app.session.answers if refused.place is None else app.session.mounts[refused.place].answers
        names = {**told.facts, **told.pins}
        earlier = [
            f"{wording.question(app.base, one)} {wording.said(app.base, one, names[one])}" for one in refused.against
        ]
        pane.offer(
            f"{wording.said(app.base, fact, value)}: this contradicts an earlier answer.",
            "\n".join((str(refused), *earlier)),
            [Choice("keep", "Keep the earlier answer")] + [
                Choice("instead", f"Drop it: {text}", (fact, value, (one,), refused.place))
                for one, text in zip(refused.against, earlier)
            ],
        )
