"""Holding a setting at a value that has to stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor import session as state
from advisor.render import wording
from advisor.render.wording import outcome
from advisor.wizard.prompt import Prompt

if TYPE_CHECKING:
    from advisor.wizard.app import Wizard


def hold(app: Wizard, tunable: str, problem: str = "") -> None:
    """Asks for the value and holds it; says what is wrong until it fits or is given up."""
    told = app.base.tunables[tunable]
    if tunable not in app.base.decisions:
        app.notify("No rule decides this setting, so there is nothing to pin.", markup=False)
        return
    held = app.session.answers.pins.get(tunable)
    advised = state.preview(app.base, app.session).find(tunable)
    value = held if held is not None else advised.written if advised is not None else None
    whose = " on all mounts" if app.session.others else ""
    help_text = problem or f"It stays as you say{whose}; the rest follows. Empty: let the rule base decide again."

    def done(text: str | None) -> None:
        if text is None:
            return
        if not text:
            app.change(lambda: state.unpin(app.base, app.session, tunable))
            return
        refused = app.change(lambda: state.pin(app.base, app.session, tunable, text))
        if refused is not None:
            hold(app, tunable, str(refused))

    app.push_screen(
        Prompt(f"Pin {wording.label(told)} to", help_text, "" if value is None else str(value), values(app, tunable)),
        done,
    )


def values(app: Wizard, tunable: str) -> list[tuple[str, str]]:
    """Values that rules give and that can be written as they are."""
    rules = app.base.decisions[tunable].rules.values()
    found = dict.fromkeys(str(rule.value) for rule in rules if _plain(rule.value))
    return [(value, outcome(value)) for value in found]


def _plain(value: object) -> bool:
    return value not in ("keep", "n/a") and not any(char in str(value) for char in "<>=*(")
