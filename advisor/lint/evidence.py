"""What is known of a line of a result: the mount that it is, the facts that it answers, and why there is a finding: the
facts behind it and where each is from, the rule that won and those that it beat. Worked out only for those who ask."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.engine import word_list
from advisor.engine.explain import ProofPart, proof, reason
from advisor.files.fstab import read
from advisor.files.patterns import by_server_name
from advisor.files.source import is_ipv6, parse_source
from advisor.lint.alike import named
from advisor.lint.finding import Finding
from advisor.lint.lines import Result
from advisor.lint.rule_index import PLATFORM, Judged, RuleIndex
from advisor.lint.run import lint_text
from advisor.named_tuple import NamedTuple
from advisor.rulebase.model import Check, RuleBase, Values
from advisor.rulebase.values import is_bound
from advisor.sections import Mount, normalized


class Ground(NamedTuple):
    """A fact behind a finding. `value` and `origin`, where the fact is from, are in words. `cites`: claims on that."""

    fact: str
    value: str
    origin: str
    cites: tuple[str, ...] = ()


class RuleSide(NamedTuple):
    """A rule that wins or is beaten. `needs`: the unknown facts and what they must be for it to hold; "" if it does."""

    rule: str
    layer: str
    value: object
    needs: str


class Evidence(NamedTuple):
    """`wins`, `beaten`: the rules of a decision, the finding's own first; empty for a check. `check`: None for a
    decision."""

    known: tuple[Ground, ...]
    wins: tuple[RuleSide, ...]
    beaten: tuple[RuleSide, ...]
    check: Check | None


def evidence(result: Result, finding: Finding) -> Evidence:
    judged = result.judged.get(finding.line)
    index = judged.rule_index if judged is not None else result.rule_index
    base, state = index.rulebase, dict(judged.state if judged is not None else index.state)
    decision = finding.tunable or ""
    if decision in base.decisions and finding.rule in base.decisions[decision].rules:
        return _of_rule(result, finding, decision, state)
    check = base.checks.get(finding.rule)
    names = [f"check:{finding.rule}"] if check and check.when else []
    names += [f"variant:{finding.rule}:{number}" for number, _ in enumerate(check.variants if check else ())]
    if finding.rule in base.errata:
        names = [f"erratum:{finding.rule}:{fact}" for fact in base.errata[finding.rule].facts]
    known: dict[str, Ground] = {}
    for name in names:
        if index.holds(name, state):
            grounds = _grounds(result, finding.line, _least(index, name, state))
            known.update((ground.fact, ground) for ground in grounds)
    return Evidence(tuple(known.values()), (), (), check)


def _of_rule(result: Result, finding: Finding, decision: str, state: dict[str, int]) -> Evidence:
    engine = result.rule_index.engine
    wins, beaten = [], []
    for rule in proof(engine, decision, state):
        side = RuleSide(rule.rule, rule.layer, rule.value, _open(rule.tree) if rule.verdict is None else "")
        if rule.wins is not False:
            wins.append(side)
        elif rule.verdict is not False:
            beaten.append(side)
    wins.sort(key=lambda side: side.rule != finding.rule)
    known = _grounds(result, finding.line, reason(engine, decision, state))
    return Evidence(tuple(known), tuple(wins), tuple(beaten), None)


def _open(tree: ProofPart) -> str:
    """The unknown facts of a condition, with the values that it needs; "" if all are known."""
    if tree.parts:
        return "; ".join(dict.fromkeys(text for text in map(_open, tree.parts) if text))
    return f"{tree.kind} is {_words(tree.need)}" if tree.verdict is None else ""


def _least(index: RuleIndex, condition: str, state: Mapping[str, int]) -> dict[str, int]:
    """A smallest part of the state in which the condition still holds."""
    kept = dict(state)
    for fact in reversed(list(state)):
        less = {name: mask for name, mask in kept.items() if name != fact}
        if index.holds(condition, less):
            kept = less
    return kept


def _grounds(result: Result, line: int, part: Mapping[str, int]) -> list[Ground]:
    """The facts of a part of the state, in words."""
    judged = result.judged.get(line)
    index = judged.rule_index if judged is not None else result.rule_index
    grounds = []
    for fact, mask in part.items():
        value = _words(index.known[fact] if fact in index.known else index.engine.describe(fact, mask))
        taken = judged.inferred_platform if judged is not None and fact == PLATFORM else None
        if taken is not None:
            grounds.append(Ground(fact, value, *_why_inferred(result, line, taken)))
        else:
            grounds.append(Ground(fact, value, _origin(index, judged, fact)))
    return grounds


def _words(value: object) -> str:
    if isinstance(value, list):
        return word_list(map(_words, value))
    text = str(value)
    return {"true": "yes", "false": "no"}.get(text.lower(), text)


def _origin(index: RuleIndex, judged: Judged | None, fact: str) -> str:
    if judged is not None and fact in judged.masks:
        setting = index.facts[fact].setting
        written = judged.settings.get(setting.tunable) if setting else None
        return f"the line says {written.text}" if written is not None else "follows from the line"
    if fact == "host.role":
        return "a host with NFS lines in its fstab is a client"
    if fact in index.observed:
        return index.observed[fact]
    if fact in index.given_at:
        return f"given at {index.given_at[fact]}"
    return "given" if fact in index.known else "follows from the given facts"


def _why_inferred(result: Result, line: int, mask: int) -> tuple[str, tuple[str, ...]]:
    """What showed the platform of a line (`mask`), in words, and the claims that it shows it."""
    index = result.rule_index
    value = index.engine.describe(PLATFORM, mask)
    platform = next((known for known in index.rulebase.platforms if known.platform == value), None)
    fstype = result.judged[line].settings["fstab.type"].text
    if platform and fstype in platform.fstypes:
        return f"the mount's type is {fstype}", tuple(platform.cites[:1])
    host = normalized("server", mount_of(result, line).server)
    for _, name in by_server_name([platform] if platform else [], host):
        return f"the server's name matches {name.pattern}", tuple(name.cites)
    return "the server's name shows it", ()


def mount_of(result: Result, line: int) -> Mount:
    return named(read(result.line(line)).entries[0], result.name)._replace(place=f"{result.name}:{line}")


class NfsLine(NamedTuple):
    """A line that mounts NFS. `mount`: "" for a name that is missing. `facts`: fact → value, only facts that the wizard
    would ask for."""

    mount: Mount
    facts: dict[str, Values]


def nfs_lines(base: RuleBase, text: str, name: str) -> list[NfsLine]:
    """The lines that mount NFS. `name`: of the file, for messages. Nothing on this host is read."""
    judged = lint_text(text, name, base, {}).judged
    presumed = base.engine.judging({})
    lines = []
    for entry in read(text, name).entries:
        if entry.line_no not in judged:
            continue
        facts: dict[str, Values] = {}
        for fact, mask in judged[entry.line_no].state.items():
            asked = base.facts[fact].ask and mask != presumed.get(fact)
            value = base.engine.answer(fact, mask) if asked else []
            if not isinstance(value, list) and not is_bound(value):
                facts[fact] = value
        lines.append(NfsLine(named(entry, name), facts))
    return lines


def line_of(base: RuleBase, text: str) -> NfsLine:
    """The line for a text that names a mount: `server:/export /mount/point`, a part of that, or a whole line of fstab.

    Raises ValueError with what is wrong, for the user."""
    words = text.split()
    if len(words) > 2:
        lines = nfs_lines(base, text, "the line")
        if not lines:
            raise ValueError("this is not an NFS line of fstab; write server:/export /mount/point")
        return lines[0]
    server = export = target = ""
    for word in words:
        if word.startswith("/"):
            target, twice = word, bool(target)
        else:
            twice = bool(server)
            server, export = _source(word)
        if twice:
            raise ValueError(f"{word} is extra; write server:/export /mount/point")
    return NfsLine(Mount(server, export, target), {})


def _source(word: str) -> tuple[str, str]:
    """The server and the export, which may be "", of a first field. Raises ValueError."""
    if ":" not in word or is_ipv6(word):
        return word, ""
    source = parse_source(word)
    if source.problem or not source.host:
        raise ValueError(f"{word}: {source.problem or 'no server is named'}")
    return source.host, source.export
