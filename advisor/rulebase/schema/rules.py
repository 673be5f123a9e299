"""What to do: decisions (rules and tables), checks, errata."""

from __future__ import annotations

from typing import Any, Literal

from advisor.rulebase.schema.base import (
    ClaimId,
    Condition,
    Consequence,
    DottedId,
    RuleId,
    Scalar,
    Slug,
    Strength,
    Strict,
    Text,
)

Hit = Literal["unique", "any", "priority", "collect", "min", "max"]


class Example(Strict):
    """What is known, and the value that follows. `expect` may be a list: every value still possible."""

    given: dict[DottedId, Scalar | list[Scalar]]
    expect: Scalar | list[Scalar]
    note: Text | None = None


class RuleBody(Strict):
    """What a rule and a table row share."""

    id: RuleId
    layer: Slug = "default"
    value: Scalar
    """A literal, `omit`, `keep`, `n/a`, a bound ("<=262144", ">=8 <=16"), or a formula over facts
    ("2 * client.count")."""
    strength: Strength | None = None
    """Needed unless the value is `keep` or `n/a`."""
    consequence: Consequence | None = None
    missing: Strength | None = None
    """How much it matters where the setting is not written at all; the same where this is not said."""
    as_good: list[Scalar] = []
    """Other settings with which nobody is told to write the value: a literal, a bound, or a regular expression that
    the whole text matches (`~ …`)."""
    why: Text
    cites: list[ClaimId]
    overrides: list[RuleId] = []
    """Rules of the same decision that this one beats, whatever their layer."""
    risk: Text | None = None
    note: Text | None = None
    examples: list[Example] = []


class Rule(RuleBody):
    when: Condition = {}


class Row(RuleBody):
    when: list[Any]
    """One entry a column: a scalar, a list, a range, or `any`."""


class Decision(Strict):
    """rules/<area>/<tunable>.yaml: everything the rule base has to say on one tunable."""

    decision: DottedId
    """A tunable of kb/tunables."""
    hit: Hit = "priority"
    about: Text | None = None
    estimate: bool = False
    """The decision computes a figure to show (connections, clients needed) and not a setting."""
    unit: Text | None = None
    rules: list[Rule] | None = None
    columns: list[DottedId] | None = None
    rows: list[Row] | None = None
    examples: list[Example] = []


class Pair(Strict):
    """A check between two NFS lines of one file. All closed world, on effective settings.

    `same` / `differ`: tunables (`mount.*`, `fstab.*`, plus `fstab.host`, `fstab.export`, `fstab.server`) whose
    effective values must be equal / must not all be equal. A tunable that neither line has counts as equal; one that
    only one line has and that has no default is not known to be equal. `either`: tunable → pattern (as in a check's
    `on`), every entry must match one of the two lines at least; `neither`: no entry may match any of them. The check's
    own `when` must hold for both lines."""

    same: list[DottedId]
    differ: list[DottedId] = []
    either: dict[DottedId, Scalar | list[Scalar]] = {}
    neither: dict[DottedId, Scalar | list[Scalar]] = {}
    order: Literal["any", "child-before-parent"] = "any"


class Total(Strict):
    """A sum over the NFS lines of one file that must not pass `limit`.

    `of`: a number; a line that does not set it counts with its default. `each`: lines that are equal in all of these
    count once, with the smallest of their numbers, since any of them may be mounted first. `neither`: tunable →
    pattern; a line that matches any of them does not count."""

    of: DottedId
    each: list[DottedId]
    limit: int
    neither: dict[DottedId, Scalar | list[Scalar]] = {}


class CheckExample(Strict):
    """A text of one kind of file, and whether this check must find something in it. `given`: facts."""

    fstab: Text | None = None
    exports: Text | None = None
    autofs: Text | None = None
    unit: Text | None = None
    """Of systemd, with a [Mount] section."""
    kubernetes: Text | None = None
    nfsmount: Text | None = None
    given: dict[DottedId, Scalar | list[Scalar]] = {}
    finds: bool | int
    """True, false, or how many."""
    says: Text | None = None
    """The message of one of these findings, word for word."""
    fixed: Text | None = None
    note: Text | None = None


class Fix(Strict):
    """What to do about it: `remove` and `set` options, `add` those that the line does not set; `safety` says whether it
    may be done unasked. An entry of `remove` may be a tunable with a pattern as in `on`: it goes only where that
    fits."""

    safety: Literal["safe", "unsafe"]
    remove: list[DottedId | dict[DottedId, Scalar | list[Scalar]]] = []
    set: dict[DottedId, Scalar] = {}
    add: dict[DottedId, Scalar] = {}


class Figure(Strict):
    """A number worked out from the settings of a line. One that is not written counts with its default; where it has
    none, the check is silent."""

    formula: Text
    """Over settings that are numbers: + - * / (rounds up), min(), max() and parentheses."""
    unit: Text | None = None
    """Of the result: deciseconds, seconds and minutes are told as people say a time ("4.2 s", "10 minutes")."""
    range: Text | None = None
    """A bound such as "<300": outside of it the check finds nothing."""


class Signs(Strict):
    """What gives a line away: at least so many of these circumstances, each as in `on`, must stand there. `tells`:
    settings beside those that the fix mends of which this is the cause too."""

    least: int
    of: list[dict[DottedId, Scalar | list[Scalar]]]
    tells: list[DottedId] = []


class Variant(Strict):
    """Other words of a check, for where `when` holds for certain. They rest on the same claims."""

    when: Condition
    strength: Strength | None = None
    consequence: Consequence | None = None
    message: Text | None = None
    why: Text | None = None
    remedy: Text | None = None


class Check(Strict):
    """rules/checks/<slug>.yaml: a finding that is not a decision.

    Exactly one of `on`, `pair`, `total`, `builtin`.
    `on`: settings of the line that must all stand there: tunable → value, list, range, `present` or `absent`; of a text
    also a regular expression that all of it matches (`~ nas[0-9]+:.*`) or does not (`!~ …`).
    `differ`, beside `on`: settings of the same line of which the values must not all be equal.
    `signs`, beside `on`: the check is about the line as a whole, and tells the cause of what its fix mends: notes and
    warnings about these settings are not told beside it.
    `figures`, beside `on`: numbers worked out from the line, for the words and as a further condition.
    `variants`, beside `on`: other words where more is known; the first that holds for certain speaks.
    `builtin`: a question that the reader or the grammar answers (unknown option, parse error); the words are here.
    `message` may use {value}, {option}, {other}, {file_line} …; docs/rule-language.md lists them."""

    check: Slug
    title: Text
    on: dict[DottedId, Scalar | list[Scalar]] | None = None
    differ: list[DottedId] = []
    signs: Signs | None = None
    figures: dict[Slug, Figure] = {}
    variants: list[Variant] = []
    pair: Pair | None = None
    total: Total | None = None
    builtin: Slug | None = None
    when: Condition = {}
    unless: Condition = {}
    """Beside `on`: silent where this certainly holds. Where it is open the check finds what it looks for."""
    strength: Strength
    consequence: Consequence
    policy: bool = False
    """A matter of house policy: off unless --pedantic."""
    message: Text
    why: Text
    remedy: Text
    fix: Fix | None = None
    at: DottedId | list[DottedId] | None = None
    """The setting under which the caret stands; of several the first that is written; else the first of `on`."""
    cites: list[ClaimId]
    examples: list[CheckExample]


class VersionRange(Strict):
    introduced: Text | None = None
    fixed: Text | None = None
    last_affected: Text | None = None


class Erratum(Strict):
    """rules/errata/<slug>.yaml: a known bug, by version stream (as OSV has it)."""

    erratum: Slug
    title: Text
    package: Text
    facts: list[DottedId]
    """Version facts that tell the package's version on the host concerned: `client.kernel`, `server.kernel`."""
    affected: dict[str, list[VersionRange]]
    """Stream (a value of `<fact>_stream`) → ranges; introduced ≤ affected < fixed, or ≤ last_affected."""
    when: Condition = {}
    strength: Strength
    consequence: Consequence
    symptom: Text
    why: Text
    workaround: Text | None = None
    cites: list[ClaimId]
    examples: list[Example]
    """`expect: true` where affected, `expect: false` where not."""
