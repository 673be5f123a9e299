"""Dialogs that pin a setting to a value, and the reasons against a pinned value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.advice.model import Advice
from advisor.pages import wording
from advisor.pages.why import refusal
from advisor.pages.wording import outcome
from advisor.rulebase.model import RuleBase
from advisor.wizard import advice_cache, questions, state
from advisor.wizard.advice_cache import Cache
from advisor.wizard.state import Refused, Session

if TYPE_CHECKING:
    from advisor.advice.model import RefusedPin
    from advisor.wizard.app import Wizard

KEEP, PIN = "Leave it as advised", "Pin it all the same"
_refusal_cache: Cache[dict[str, RefusedPin]] = Cache(64)


def refusals(base: RuleBase, advice: Advice) -> dict[str, RefusedPin]:
    """Setting → why its pinned value must not be used. Cached for each set of answers."""
    if not any(recommendation.pinned for recommendation in advice.advised):
        return {}
    from advisor.advice.beside_fstab import refused_pins  # noqa: PLC0415  few pin anything

    return _refusal_cache.get(advice_cache.key_of(base, advice.answers), lambda: refused_pins(base, advice))


def refusal_of(base: RuleBase, session: Session, tunable: str, value: object) -> RefusedPin | None:
    """Why a setting must not be pinned to a value; None if it may. Raises Refused if it cannot be pinned."""
    pinned = state.pin(base, session, tunable, value)
    return refusals(base, questions.preview(base, pinned)).get(tunable)


def ask_for_pin(app: Wizard, tunable: str, problem: str = "") -> None:
    """Asks for a value and pins the setting to it; asks again, with the problem, if the value cannot be pinned."""
    from advisor.wizard.prompt import Prompt  # noqa: PLC0415  the first frame needs no other screen

    definition = app.base.tunables[tunable]
    if tunable not in app.base.decisions:
        app.notify("No rule decides this setting, so there is nothing to pin.", markup=False)
        return
    pinned = app.session.answers.pins.get(tunable)
    advised = questions.preview(app.base, app.session).find(tunable)
    value = pinned if pinned is not None else advised.written if advised is not None else None
    scope = " on all mounts" if app.session.others else ""
    help_text = problem or f"It keeps this value{scope}; the rest follows. Empty: the rule base decides again."

    def done(text: str | None) -> None:
        if text is None:
            return
        if not text:
            app.change(lambda: state.unpin(app.base, app.session, tunable))
            return
        try:
            refused_pin = refusal_of(app.base, app.session, tunable, text)
        except Refused as refused:
            ask_for_pin(app, tunable, str(refused))
            return
        if refused_pin is None:
            app.change(lambda: state.pin(app.base, app.session, tunable, text))
        else:
            _confirm(app, tunable, text, refused_pin)

    app.push_screen(
        Prompt(f"Pin {wording.label(definition)} to", help_text,
               "" if value is None else str(value), offered_values(app, tunable)),
        done,
    )


def _confirm(app: Wizard, tunable: str, value: str, refused_pin: RefusedPin) -> None:
    """Asks for confirmation before a value is pinned that breaks a rule."""
    from advisor.wizard.prompt import Confirm  # noqa: PLC0415

    def done(chosen: str | None) -> None:
        if chosen == PIN:
            app.change(lambda: state.pin(app.base, app.session, tunable, value))

    app.push_screen(Confirm(f"Pin {wording.label(app.base.tunables[tunable])} all the same?", refusal(refused_pin),
                             [KEEP, PIN]), done)


def offered_values(app: Wizard, tunable: str) -> list[tuple[str, str]]:
    """(value, in words) of each rule whose value is literal, not a bound or a formula."""
    rules = app.base.decisions[tunable].rules.values()
    values = dict.fromkeys(str(rule.value) for rule in rules if _is_literal(rule.value))
    return [(value, outcome(value)) for value in values]


def _is_literal(value: object) -> bool:
    return value not in ("keep", "n/a") and not any(char in str(value) for char in "<>=*(")
