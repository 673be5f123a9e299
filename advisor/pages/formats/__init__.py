"""The output formats of `advisor lint`, whose modules are imported when one is asked for.

Each is a function `(findings, summary, context) -> str`: findings in the order of files and lines, a `Summary` and a
`FindingContext`. The text ends with a line end unless it is empty."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from advisor.lint.finding import SEVERITY_OF, Finding
from advisor.named_tuple import NamedTuple
from advisor.pages.style import Style

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypedDict

    from advisor.lint.lines import Silenced
    from advisor.pages.blocks import Block
    from advisor.rulebase.model import Check, Erratum, Rule, RuleBase

    class LinePlace(TypedDict):
        file: str
        line: int

    class NotJudged(TypedDict):
        """A file that was not understood, or that advisor does not read yet."""

        file: str
        kind: str | None
        reason: str

    class NotSettled(LinePlace):
        """A setting that could not be judged, and the facts that could settle it."""

        tunable: str
        depends_on: Sequence[str]

    class Inferred(TypedDict):
        """A fact inferred from a server's name or a mount's type, and the lines with findings that rest on it."""

        fact: str
        value: str
        title: str
        places: Sequence[LinePlace]

    class OpenQuestion(TypedDict):
        """The fact on which most open settings depend. `concerns`: how many of the `open_settings`."""

        open_settings: int
        fact: str
        question: str
        concerns: int
        example: str

    class NotSeen(TypedDict):
        """A file of a host, or a sort of files, that could not be seen."""

        what: str
        reason: str

    class Summary(TypedDict):
        """The whole run. `config`: the configuration file that was read. `unseen`: only of `advisor check`."""

        files: Sequence[str]
        not_judged: Sequence[NotJudged]
        config: str | None
        nfs_lines: int
        errors: int
        warnings: int
        notes: int
        suppressed: int
        suppressions: Sequence[object]
        fixable: int
        fixable_unsafe: int
        inferred: Sequence[Inferred]
        open: Sequence[NotSettled]
        question: OpenQuestion | None
        unseen: NotRequired[Sequence[NotSeen]]

    class Cited(TypedDict):
        """A claim as a finding cites it."""

        claim: str
        source: str
        title: str
        publisher: str
        at: str
        grade: str
        date: str | None
        address: str | None

    class RuleFacts(TypedDict):
        """What the rule base says of a rule, check or erratum, in one shape for all three."""

        rule: str
        title: str
        why: str
        remedy: str
        severity: str
        consequence: str
        cites: Sequence[str]
else:
    LinePlace = NotJudged = NotSettled = Inferred = OpenQuestion = Summary = Cited = RuleFacts = object

FORMATS = ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown", "prometheus", "brief")


class FindingContext(NamedTuple):
    """How to look up what findings refer to, and how to show it.

    `line(file, number)`: a line of a file, without its end. `citation(claim)`, `rule(name)`: see `Cited`, `RuleFacts`.
    `proof(finding)`: what it rests on (advisor.pages.rule_pages), called only if `verbose`. `columns`: the width to
    wrap at. `fixing`: the command has --fix. `silenced`: findings that are not reported, each with the reason."""

    line: Callable[[str, int], str]
    citation: Callable[[str], Cited]
    rule: Callable[[str], RuleFacts]
    version: str
    proof: Callable[[Finding], list[Block]] | None = None
    style: Style = Style(False)
    columns: int = 100
    verbose: bool = False
    fixing: bool = True
    silenced: Sequence[Silenced] = ()


def rule_facts(base: RuleBase, name: str) -> RuleFacts:
    """What the rule base says of a rule, a check or an erratum. Raises KeyError for an unknown name."""
    rule: Check | Erratum | Rule
    if name in base.checks:
        rule = base.checks[name]
        title, remedy = rule.title, rule.remedy
    elif name in base.errata:
        rule = base.errata[name]
        title, remedy = rule.title, rule.workaround or ""
    else:
        tunable = base.decision_of[name]
        rule, remedy = base.decisions[tunable].rules[name], ""
        title = base.tunables[tunable].title if tunable in base.tunables else tunable
    return {
        "rule": name, "title": title, "why": rule.why, "remedy": remedy,
        "severity": SEVERITY_OF[rule.strength or "may"], "consequence": rule.consequence or "performance",
        "cites": list(dict.fromkeys(rule.cites)),
    }


def cite(base: RuleBase, claim: str) -> Cited:
    """A claim with the grade and address of its source, as the output of findings has it."""
    cited = base.claims[claim]
    source = base.sources[cited.source]
    return {
        "claim": claim, "source": source.source, "title": source.title, "publisher": source.publisher, "at": cited.at,
        "grade": source.grade, "date": source.date, "address": source.address,
    }


Render = Callable[["Sequence[Finding]", "Summary", "FindingContext"], str]


def renderer(name: str) -> Render:
    """The function that writes this format, one of FORMATS."""
    module = {"text": "formats.text", "brief": "brief"}.get(name, "formats.machine_readable")
    render: Render = getattr(__import__(f"advisor.pages.{module}", fromlist=["as_"]), f"as_{name}")
    return render
