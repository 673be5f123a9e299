"""Pinning a setting to a value, and what speaks against a pinned value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor import session as state
from advisor.advice.model import Advice
from advisor.render import wording
from advisor.render.why import refusal
from advisor.render.wording import outcome
from advisor.rulebase.model import RuleBase
from advisor.session import Refused, Session
from advisor.session.cache import Cache

if TYPE_CHECKING:
    from advisor.today.objections import RefusedPin
    from advisor.wizard.app import Wizard

KEEP, PIN = "Leave it as advised", "Pin it all the same"
_against: Cache[dict[str, RefusedPin]] = Cache(64)


def against(base: RuleBase, advice: Advice) -> dict[str, RefusedPin]:
    """Setting → what speaks against its pinned value; worked out once for each set of answers."""
    if not any(one.pinned for one in advice.advised):
        return {}
    from advisor.today.objections import refused_pins  # noqa: PLC0415  few pin anything

    return _against.get(state.key_of(base, advice.answers), lambda: refused_pins(base, advice))


def against_value(base: RuleBase, session: Session, tunable: str, value: object) -> RefusedPin | None:
    """What would speak against a setting once it has this value. Raises Refused if it cannot be pinned."""
    pinned = state.pin(base, session, tunable, value)
    return against(base, state.preview(base, pinned)).get(tunable)


def ask(app: Wizard, tunable: str, problem: str = "") -> None:
    """Asks for the value and pins it; says what is wrong with it until it can be pinned or Esc cancels."""
    from advisor.wizard.prompt import Prompt  # noqa: PLC0415  the first frame needs no other screen

    definition = app.base.tunables[tunable]
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
        try:
            found = against_value(app.base, app.session, tunable, text)
        except Refused as refused:
            ask(app, tunable, str(refused))
            return
        if found is None:
            app.change(lambda: state.pin(app.base, app.session, tunable, text))
        else:
            _confirm(app, tunable, text, found)

    app.push_screen(
        Prompt(f"Pin {wording.label(definition)} to", help_text,
               "" if value is None else str(value), values(app, tunable)),
        done,
    )


def _confirm(app: Wizard, tunable: str, value: str, found: RefusedPin) -> None:
    """Asks once more before a value is pinned that breaks a rule."""
    from advisor.wizard.prompt import Confirm  # noqa: PLC0415

    def done(chosen: str | None) -> None:
        if chosen == PIN:
            app.change(lambda: state.pin(app.base, app.session, tunable, value))

    app.push_screen(Confirm(f"Pin {wording.label(app.base.tunables[tunable])} all the same?", refusal(found),
                             [KEEP, PIN]), done)


def values(app: Wizard, tunable: str) -> list[tuple[str, str]]:
    """(value, in words) of the rules, as far as values can be written as they are."""
    rules = app.base.decisions[tunable].rules.values()
    found = dict.fromkeys(str(rule.value) for rule in rules if _plain(rule.value))
    return [(value, outcome(value)) for value in found]


def _plain(value: object) -> bool:
    return value not in ("keep", "n/a") and not any(char in str(value) for char in "<>=*(")
