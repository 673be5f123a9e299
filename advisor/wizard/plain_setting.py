"""Why a setting is so, and pinning it, at the numbered prompts."""

from __future__ import annotations

from collections.abc import Callable

from advisor import session as state
from advisor.session import Refused
from advisor.wizard import pins
from advisor.wizard.plain_mount import MountTurn


class SettingTurn(MountTurn):
    """What is asked about a setting; Plain is what it is asked in."""

    named: Callable[[str], tuple[str | None, str]]

    def why(self, rest: str) -> None:
        """Explains the setting of this name."""
        name, problem = self.named(rest) if rest else (None, "Write w and a setting: w nconnect")
        if name is None:
            self.talk.say(problem)
        else:
            self._explain(name)

    def _explain(self, name: str) -> None:
        from advisor.document.layout import terminal  # noqa: PLC0415
        from advisor.document.style import Style  # noqa: PLC0415  only for those who ask
        from advisor.render.why import setting_pages  # noqa: PLC0415

        advice = state.advice_on(self.base, self.session, name)
        text = setting_pages(self.base, advice, name)
        self.talk.say()
        lines = terminal(text, self.talk.columns, Style(False)).splitlines()
        for line in lines or [f"{name}: nothing is said on it for these answers."]:
            self.talk.line(line)
        mine = [one for one in advice.advised if one.tunable == name]
        taken = [taken.fact for one in mine for taken in (*one.rests_on, *one.presumes)]
        if taken:
            self.talk.say(f"{', '.join(f'a {fact}' for fact in taken)} answers what it assumes.")

    def pin(self, rest: str) -> None:
        """Pins or unpins: "vers=4.1", "vers="."""
        text, equals, value = (part.strip() for part in rest.partition("="))
        name, problem = self.named(text) if text and equals else (None, "Write p and a setting: p vers=4.1")
        if name is None:
            self.talk.say(problem)
        elif value and self._is_meant(name, value):
            self.change(lambda: state.pin(self.base, self.session, name, value), "It is pinned.", name, value)
        elif value:
            self.talk.say("It is not pinned.")
        else:
            self.change(lambda: state.unpin(self.base, self.session, name), "It is no longer pinned.")

    def _is_meant(self, name: str, value: str) -> bool:
        """Whether to pin it: asks once more where it must not be. What cannot be pinned at all is told afterwards."""
        try:
            found = pins.against_one(self.base, self.session, name, value)
        except Refused:
            return True
        if found is None:
            return True
        from advisor.render.why import refusal  # noqa: PLC0415  only for those who ask

        self.talk.say(refusal(found))
        self.talk.say(pins.KEEP, "  1  ")
        self.talk.say(pins.PIN, "  2  ")
        return self.talk.ask("Which?") == "2"
