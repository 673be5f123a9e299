"""What the rule base says. `advisor explain NAME`: of a rule, check, option, sysctl, fact, erratum, claim or source,
and why; `advisor explain FILE|LINE`: the options of an exports file or line, with the defaults that apply. `advisor kb
sources | search WORDS | show ID | disputes | export`: what the sources say."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from advisor.cli import options
from advisor.cli.terminal import CannotRun, add_color_option, print_document, print_json
from advisor.engine import State, word_list
from advisor.pages import kb
from advisor.pages.blocks import Block, Document
from advisor.rulebase.citations import cited_by, disputes
from advisor.rulebase.model import Claim, Record, RuleBase
from advisor.rulebase.spelling import close_names, near

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse


def configure(top: argparse.ArgumentParser) -> None:
    top.add_argument("name", metavar="TOPIC", help="nconnect, nolock, net.ipv4.tcp_sack, nconnect/anf, a claim …; "
                          "or an exports file, or a line of one, to see every option in force")
    options.add_fact_options(top)
    options.add_site_options(top)
    add_color_option(top)
    top.add_argument("--all", action="store_true", help="of a setting: all rules with their reasons and sources")
    top.add_argument("--output-format", choices=("text", "brief"), default="text")


def run(args: argparse.Namespace) -> int:
    answer = _explain(options.site_rule_base(args), args)
    if isinstance(answer, int):
        return answer
    if isinstance(answer, str):
        sys.stdout.write(answer)
    else:
        print_document(args, answer)
    return 0


def _explain(base: RuleBase, args: argparse.Namespace) -> list[Block] | int | str:
    """The pages, or their brief form; the exit code if a diagnosis was printed instead."""
    from advisor.lint.lifetimes import told
    from advisor.lint.rule_index import RuleIndex
    from advisor.pages.rule_pages import summary_page

    topics = kb.pages_of(base, args.name, args.all)
    if not topics and (args.name.startswith(("/", '"/', "./", "../")) or args.name.endswith(".exports")):
        return _export_pages(base, args.name)
    given = options.given_facts(base, args.facts_set, options.read_facts_file(base, args))
    known = options.facts_with_bearing(base, given)
    topics = topics or kb.pages_of(base, args.name.lower(), args.all)
    if not topics and " " in args.name:
        from advisor.diagnose.messages import MessageIndex

        index = MessageIndex(base)
        if index.hits(index.folding.line(args.name)):
            from advisor.cli.diagnose import show
            from advisor.diagnose.diagnosis import Diagnosis
            from advisor.diagnose.messages import without_secrets

            return show(Diagnosis(base, args.name), without_secrets, args.output_format, args.color)
    if not topics:
        raise CannotRun(_unknown(args.name, kb.names(base)))
    page = Document()
    claims: list[str] = []
    for topic in topics:
        claims += topic.cites
        words, lacking = told(RuleIndex(base, known, kind="nfs.conf"), topic.tunable) if topic.tunable else ([], False)
        page.add(summary_page(base, topic.tunable, words) if lacking and topic.tunable else topic.make())
        if words and not lacking:
            page.heading("With the facts given")
            for sentence in words:
                page.para(sentence)
        if known and topic.decision and not lacking:
            _for_these_facts(page, base, topic.decision, base.engine.presume(options.certain_state(base, known)))
    if args.output_format == "brief":
        from advisor.pages.brief import of_pages

        return of_pages(base, page.blocks, claims, f"advisor explain {args.name} --all")
    return page.blocks


def _export_pages(base: RuleBase, given: str) -> list[Block]:
    """The exports of a file, or of a line that is given as it would be written."""
    from advisor.cli.lint import content, kind_of

    if any(sign in given for sign in " \t("):
        blocks = kb.export_pages(base, given)
    else:
        data = content(given)
        if kind_of(given, data, None) != "exports":
            raise CannotRun(f"{given}: not an exports file; `advisor lint` checks other kinds of files")
        blocks = kb.export_pages(base, data.decode("utf-8", "surrogateescape"))
    if not blocks:
        raise CannotRun(f"{given}: exports nothing")
    return blocks


def _unknown(name: str, names: Iterable[str]) -> str:
    if " " in name or (name.startswith("E") and name.isupper()):
        return f"nothing is called {name!r}; of an error, give the whole message to `advisor diagnose`"
    inside = [known for known in names if name.lower() in known.lower()][:5]
    hints = list(dict.fromkeys([*close_names(name.lower(), tuple(names)), *inside]))[:6]
    hint = f"did you mean {word_list(hints)}?" if hints else "`advisor rules list` lists the names"
    return f"nothing is called {name!r}; {hint}"


def _for_these_facts(page: Document, base: RuleBase, decision_id: str, known: State) -> None:
    """What holds under the facts given: the outcome, the rule that won, and the rules that apply but lose."""
    from advisor.engine import reach
    from advisor.engine.explain import proof, reason
    from advisor.pages.wording import outcome

    decision = base.decisions[decision_id]
    outcomes = reach(base.engine, decision_id, known)
    page.heading("With the facts given")
    for reached in outcomes:
        rule = decision.rules.get(reached.rule or "")
        head = "settled" if len(outcomes) == 1 else "possible"
        page.para(f"{head}: {outcome(reached.value)} by {reached.rule}{': ' + rule.why if rule else ''}")
    forced = reason(base.engine, decision_id, known)
    if forced:
        page.para("because " + ", ".join(f"{f} is {base.engine.describe(f, m)}" for f, m in forced.items()))
    for step in proof(base.engine, decision_id, known):
        if step.verdict and step.wins is False:
            by = ", ".join(step.beaten_by)
            why = decision.rules[step.rule].why
            page.para(f"loses to {by}: {outcome(step.value)} by {step.rule} ({step.layer}): {why}")


Answer = tuple[int, object, "Callable[[], list[Block]]"]
"""Exit code, the data, and what makes the page for people."""


def configure_kb(top: argparse.ArgumentParser) -> None:
    from advisor.cli.parser import subcommand

    what = top.add_subparsers(dest="what", metavar="WHAT", required=True)
    commands = {
        "sources": "every document, with its grade of evidence",
        "search": "claims, sources and tunables that contain all the words",
        "show": "one claim or source",
        "disputes": "where sources disagree, what was decided, and why",
        "export": "the whole knowledge base and all rules as JSON",
    }
    for name, says in commands.items():
        command = subcommand(what, name, says)
        options.add_site_options(command)
        if name == "search":
            command.add_argument("words", nargs="+", metavar="WORD", help="all of these")
        if name == "show":
            command.add_argument("id", metavar="ID", help="of a claim or a source")
        if name == "disputes":
            command.add_argument("tunable", nargs="?", metavar="TUNABLE", help="only this one")
        if name != "export":
            command.add_argument("--output-format", choices=("text", "json"), default="text")
            add_color_option(command)


def run_kb(args: argparse.Namespace) -> int:
    base = options.site_rule_base(args)
    if args.what == "export":
        print_json(_everything(base))
        return 0
    commands = {"sources": _sources, "search": _search, "show": _show, "disputes": _disputes}
    answer: Answer = commands[args.what](base, args)
    code, data, make_page = answer
    if args.output_format == "json":
        print_json(data)
        return code
    print_document(args, make_page())
    return code


def _sources(base: RuleBase, _: argparse.Namespace) -> Answer:
    counts = Counter(claim.source for claim in base.claims.values())
    rows = [(source, counts[name]) for name, source in sorted(base.sources.items())]
    return 0, [{**source.as_dict(), "claims": count} for source, count in rows], lambda: kb.sources(rows)


def _search(base: RuleBase, args: argparse.Namespace) -> Answer:
    words = [word.lower() for word in args.words]
    hits = []
    tables: dict[str, Mapping[str, Record]] = {"claim": base.claims, "source": base.sources, "tunable": base.tunables}
    for kind, table in tables.items():
        for name, record in table.items():
            entry = record.as_dict()
            text = f"{name} {' '.join(_strings(entry))}".lower()
            if all(word in text for word in words):
                hits.append((-sum(text.count(word) for word in words), kind, name, entry))
    hits.sort(key=lambda item: item[:3])
    data = [{"kind": kind, "id": name, **entry} for _, kind, name, entry in hits]
    return int(not data), data, lambda: kb.search(data, " ".join(args.words))


def _strings(value: object) -> list[str]:
    if isinstance(value, dict):
        return [s for key, nested in value.items() for s in (str(key), *_strings(nested))]
    if isinstance(value, list):
        return [s for nested in value for s in _strings(nested)]
    return [str(value)]


def _show(base: RuleBase, args: argparse.Namespace) -> Answer:
    name = args.id
    if name in base.claims:
        entry = {**base.claims[name].as_dict(), "used_by": cited_by(base, name)}
        return 0, entry, lambda: kb.claim_page(base, name)
    if name in base.sources:
        claims = [i for i, c in base.claims.items() if c.source == name]
        return 0, {**base.sources[name].as_dict(), "claims": claims}, lambda: kb.source_page(base, name)
    hint = near(name, [*base.claims, *base.sources], "`advisor kb search` searches by word")
    raise CannotRun(f"unknown claim or source {name!r}; {hint}")


def _disputes(base: RuleBase, args: argparse.Namespace) -> Answer:
    if args.tunable and args.tunable not in base.tunables:
        hint = near(args.tunable, base.tunables, "`advisor kb search` searches by word")
        raise CannotRun(f"unknown tunable {args.tunable!r}; {hint}")
    found = disputes(base, args.tunable)

    def side(claim: Claim) -> dict[str, object]:
        source = base.sources[claim.source]
        return {
            "claim": claim.id, "says": claim.says, "verdict": claim.verdict, "scope": claim.scope,
            "source": source.title, "publisher": source.publisher, "date": source.date, "grade": source.grade,
            "at": claim.at, "note": claim.note, "checked": claim.checked,
        }

    data = [{
        "tunable": one.tunable, "claims": [*map(side, one.claims)], "against": [*map(side, one.against)],
        "decided": [{
            "rule": rule.id, "value": rule.value, "when": rule.when, "layer": rule.layer, "why": rule.why,
            "strength": rule.strength,
        } for rule in one.decided],
    } for one in found]
    return 0, data, lambda: kb.disputes(base, found)


def _everything(base: RuleBase) -> dict[str, object]:
    return {
        "schema": "advisor-kb/1", "sources": base.sources, "claims": base.claims, "facts": base.facts,
        "capabilities": base.capabilities, "constraints": base.constraints, "layers": base.layers,
        "tunables": base.tunables, "decisions": base.decisions, "checks": base.checks, "errata": base.errata,
        "platforms": base.platforms, "recipes": base.recipes,
    }
