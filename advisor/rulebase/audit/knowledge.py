"""What only sources, claims, platforms, recipes, layouts, tunables, messages, causes and the like ask for, beyond their
annotations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from advisor.engine import versions as versions_of
from advisor.engine import word_list
from advisor.regex import regex
from advisor.rulebase import model
from advisor.rulebase.audit import values
from advisor.rulebase.audit.rules import both_outcomes, both_sides, fields_in, limits
from advisor.rulebase.catalogue import TABLES, Authored, Catalogue, Items
from advisor.rulebase.citations import places, section_of
from advisor.rulebase.document import Problem, YamlPath, shown
from advisor.rulebase.gates import reason
from advisor.rulebase.lives import UPSTREAM
from advisor.rulebase.model import FIELDS, PROBED
from advisor.rulebase.spelling import near
from advisor.rulebase.values import NUMERIC, supports, words_of
from advisor.rulebase.words import count_letters, message_pieces

_PLACEHOLDER = regex(r"\{([^{}]*)\}")
RuleValues = Mapping[str, Mapping[str, list["model.Value"]]]
"""Claim → setting → the values that rules citing it give; None of a check, which judges what is written."""
_GRADES = ("vendor", "code")
"""Grades of the sources whose option lines count as advice."""
_UNITS = ("", "_bytes", "_ds", "_s")
"""What follows an option's name in the key of its figure."""
_GROUP = regex(r"\{([^}]{0,20})\}")
_TEXTS = ("sets", "verify", "shows", "lacks", "undo", "undo_to", "undo_unset", "undo_same")
_NAMED = regex(r"(?<!\w)\{([a-z]+)(?: - [0-9]{1,6})?\}")
_KNOWN = (
    "value", "text", "other", "unset", "name", "before", "server", "export", "target", "clients", "section", "key",
    "module", "parameter",
)
_LINE = ("server", "export", "options")
LETTERS = 10
"""Letters outside its fields that a text needs to be recognised without further evidence."""
_SEEN = ("first", "confirmed", "possible")
_NOT_SEEN = ("ruled-out", "absent")


def file_name_problems(catalogue: Catalogue) -> Iterator[Problem]:
    """Files that hold one entry and have another name. That of a decision has its tunable's, without the kind."""
    for table in (table for table in TABLES if table.key and table.name != "decisions"):
        items: Mapping[str, Authored[model.Record]] = getattr(catalogue, table.name)
        for item in items.values():
            where, _, name = item.file.rpartition("/")
            if name != f"{item.id}.yaml" and not item.steps:
                why = f"one {table.key}, one file of the same name: it is {item.file}"
                write = f"rename the file to {where}/{item.id}.yaml"
                yield item.problem((table.key,), f'the {table.key} "{item.id}"', why, write)


def source_problems(item: Authored[model.Source], _: Catalogue) -> Iterator[Problem]:
    """Sections that claims could not name."""
    sections = item.record.sections
    for index, section in enumerate(sections):
        if section in sections[:index]:
            why = "a claim could not say which of the two it is from"
            yield item.problem(("sections", index), f'the section "{section}" again', why, "name it differently")
        if len(places(section)) > 1:
            why = "a semicolon separates the places of a claim"
            yield item.problem(("sections", index), f'the section "{section}"', why, "write a comma")


def claim_problems(item: Authored[model.Claim], catalogue: Catalogue) -> Iterator[Problem]:
    claim = item.record
    source = catalogue.sources.get(claim.source)
    sections = source.record.sections if source is not None and source.sound else ()
    for place in places(claim.at) if sections else ():
        if section_of(place, sections) is None:
            hint = near(place, sections, "begin with one of the sections in the source's file")
            yield item.problem(("at",), f'the place "{place}"', "the source has no such section", hint)
    if not item.id.startswith(f"{claim.source}."):
        write = f'write "{claim.source}.…"'
        yield item.problem(("id",), f'the claim "{item.id}"', "a claim's id begins with its source", write)
    if claim.checked is not None:
        yield from _checked(item, claim.checked)
    if claim.verdict == "disputed" and not (claim.disputed_by or claim.better):
        why = "readers must learn who disagrees"
        yield item.problem(("verdict",), "a disputed claim that no claim disputes", why, "add disputed_by: [claim]")
    for setting in claim.left.keys() - (claim.row or {}).keys():
        yield item.problem(("left", setting), f'"{setting}" is left', "the row does not have it", "delete it", key=True)


def _checked(item: Authored[model.Claim], checked: model.Checked) -> Iterator[Problem]:
    closed = checked.outcome == "not-opened"
    needed, idle = ("because", "against") if closed else ("against", "because")
    shown_check = f'a check with the outcome "{checked.outcome}"'
    if vars(checked).get(needed) is None:
        why = "it says what was opened, or why nothing could be"
        yield item.problem(("checked",), f'{shown_check} without "{needed}"', why, f"add {needed}: …", key=True)
    if vars(checked).get(idle) is not None:
        why = "what could not be opened was not compared with anything" if closed else "it was opened"
        yield item.problem(("checked", idle), f'{shown_check} with "{idle}"', why, "delete it", key=True)


def platform_problems(item: Authored[model.Platform], catalogue: Catalogue) -> Iterator[Problem]:
    fact = catalogue.facts.get("storage.platform")
    words = fact.record.values if fact is not None and fact.sound else None
    if fact is not None and words and item.id not in words:
        _, hint = values.no_such_value(fact, words, item.id)
        yield item.problem(("platform",), f'unknown platform "{item.id}"', "storage.platform has no such value", hint)
    traits = fact.record.traits if fact is not None and fact.sound else item.record.traits
    for trait in item.record.traits:
        if trait not in traits:
            hint = near(trait, traits, f"it is one of {word_list(traits)}")
            where = ("traits", trait)
            yield item.problem(where, f'unknown trait "{trait}"', "storage.platform lists them", hint, key=True)
    for index, name in enumerate(item.record.server_names):
        lower = name.pattern.lower()
        if name.pattern != lower:
            at = ("server_names", index, "pattern")
            why = "host names are compared in lower case"
            yield item.problem(at, f'the pattern "{name.pattern}"', why, f'write "{lower}"')


def capability_problems(item: Authored[model.Capability], catalogue: Catalogue) -> Iterator[Problem]:
    if item.record.life is not None:
        yield from life_problems(item, ("life",), item.record.life, catalogue)
    elif not item.record.when:
        yield item.problem((), f"{item.id} without when", "nothing could be able", "add when: …, or life: …")
    yield from both_outcomes(item, item.record.examples, "a capability")


def life_problems(
    item: Authored[model.Record], at: YamlPath, life: model.Life, catalogue: Catalogue
) -> Iterator[Problem]:
    """Problems of a lifetime: versions that do not exist, and ranges that are empty or contradict each other."""
    facts = [catalogue.facts[name].record for name in life.of if name in catalogue.facts]
    packages = {fact.upstream.name if fact.upstream else "" for fact in facts}
    if len(packages) != 1 or "" in packages:
        write = "name facts with upstream, all of one package: client.kernel and server.kernel"
        yield item.problem((*at, "of"), f"a lifetime of {word_list(life.of)}", "these do not compare", write)
        return
    streams = {UPSTREAM, *(name for fact in facts for name in catalogue.facts[f"{fact.id}_stream"].record.values or ())}
    dates = {name: vars(life).get(name, {}) for name in ("not_before", "since", "ignored_from", "until")}
    for name, versions in dates.items():
        for stream, version in versions.items():
            if stream not in streams or not _is_version(facts[0].scheme, version):
                why = f"it is a version of {word_list(sorted(streams))}"
                yield item.problem((*at, name, stream), f"{version} of {stream}", why, 'write upstream: "6.14"')
                return
    for early, late in combinations(dates, 2):
        for stream in dates[early].keys() & dates[late].keys():
            first, last = dates[early][stream], dates[late][stream]
            if versions_of.compare(facts[0].scheme or "", first, last) >= 0:
                mistake = f"{early} {first} and {late} {last} of {stream}"
                yield item.problem((*at, late, stream), mistake, "nothing is between them", "correct one of the two")
    if not (life.since or life.until or life.ignored_from):
        yield item.problem(at, "this lifetime names no version", "so it has no effect", 'add since: {upstream: "6.14"}')
    if (life.default is None) != (life.before is None) or (life.default is not None and not life.since):
        yield item.problem(at, "half of a new default", "it has a version", "add since, default and before")


def _is_version(scheme: str | None, text: str) -> bool:
    try:
        return bool(versions_of.key(scheme or "", text))
    except ValueError:
        return False


def recipe_problems(item: Authored[model.Recipe], _: Catalogue) -> Iterator[Problem]:
    """Parameters that a recipe does not have."""
    recipe = item.record
    known = [parameter.name for parameter in recipe.parameters]

    def problem(at: YamlPath, name: str, found: str, key: bool = False) -> Problem:
        hint = near(name, known, f"it is one of {word_list(known)}")
        return item.problem(at, found, "no parameter has this name", hint, key)

    for index, word in enumerate(recipe.command):
        for name in _PLACEHOLDER.findall(word):
            if name not in known:
                yield problem(("command", index), name, f"{{{name}}} in the command")
    for index, run in enumerate(recipe.runs):
        for name in run:
            if name not in known:
                yield problem(("runs", index, name), name, f'the parameter "{name}"', key=True)


def layout_problems(item: Authored[model.Layout], _: Catalogue) -> Iterator[Problem]:
    """Where things lie in archives: lines and what they give, groups that expressions have."""
    for index, place in enumerate(item.record.places):
        at: YamlPath = ("places", index)
        if (place.line is None) != (place.gives is None) or (place.line is not None and place.before is not None):
            why = "a line that fits gives something, and there is one way to read it"
            yield item.problem(at, "a place that is half said", why, "write line and gives, or before, or neither")
        elif place.line is not None:
            groups = _groups(place.line)
            for match in _GROUP.finditer(place.gives or "" if groups is not None else ""):
                if not (match[1].isdigit() and 1 <= int(match[1]) <= (groups or 0)):
                    write = f"write one of {{1}} to {{{groups}}}"
                    yield item.problem((*at, "gives"), f'"{match[0]}"', "no group of line has that number", write)


def _groups(expression: str) -> int | None:
    try:
        return re.compile(expression).groups
    except (re.error, OverflowError, RecursionError):
        return None  # the walk over the annotations reports it


def row_problems(catalogue: Catalogue) -> Iterator[Problem]:
    """A vendor's option line is taken whole: each option of it is what a rule says that cites the claim, or left out
    for a reason that the claim gives."""
    taken, unread, unclear = _values_by_claim(catalogue), _unsound_decisions(catalogue), _ambiguous_claims(catalogue)
    for item in catalogue.claims.values():
        if item.sound and item.id in taken and item.id not in unclear:
            yield from _row(item, taken[item.id], unread, catalogue)


def _values_by_claim(catalogue: Catalogue) -> RuleValues:
    by_claim: dict[str, dict[str, list[model.Value]]] = {}
    for decision, rule in ((decision, rule) for decision, rules in catalogue.rules_on.items() for rule in rules):
        if rule.sound and rule.record.value != "keep":
            for claim in rule.record.cites:
                by_claim.setdefault(claim, {}).setdefault(decision, []).append(rule.record.value)
    for item in catalogue.checks.values():
        for claim in item.record.cites if item.sound else ():
            for setting in item.record.on or {}:
                by_claim.setdefault(claim, {}).setdefault(setting, []).append(None)
    return by_claim


def _unsound_decisions(catalogue: Catalogue) -> set[str]:
    """Decisions with a rule that cannot be read: it may be the one that uses the row."""
    return {
        name for name, rules in catalogue.rules_on.items()
        if not (catalogue.decisions[name].sound and all(rule.sound for rule in rules))
    }


def _ambiguous_claims(catalogue: Catalogue) -> set[str]:
    """The claims that rules on an unknown tunable cite: which option of a row they use is unknown."""
    unknown = (
        name for name, item in catalogue.decisions.items()
        if name not in catalogue.tunables and not item.data.get("estimate")
    )
    rules = (rule for name in unknown for rule in catalogue.rules_on[name] if rule.sound)
    return {claim for rule in rules for claim in rule.record.cites}


def _row(
    item: Authored[model.Claim], taken: Mapping[str, list[model.Value]], unread: set[str], catalogue: Catalogue
) -> Iterator[Problem]:
    claim = item.record
    if claim.row is None:
        source = catalogue.sources.get(claim.source)
        advises = source is not None and source.sound and source.record.grade in _GRADES
        options = _options_with_figures(claim) if advises else []
        if len(options) > 1 and any(setting in catalogue.decisions for setting in taken):
            why = "each option of an option line becomes a rule, or the claim says why not"
            yield item.problem(("figures",), f"figures of {' and '.join(options)}, and no row", why, "add row: {…}")
        return
    for setting, written in claim.row.items():
        tunable = catalogue.tunables.get(setting)
        default = tunable.record.default if tunable is not None and tunable.sound else None
        listed = written if isinstance(written, list) else [written]
        given = taken.get(setting, [])
        fits = any(wanted is None or supports(value, wanted, default) for wanted in given for value in listed)
        if fits and setting in claim.left:
            mistake = f"{setting} is said to be left"
            yield item.problem(("left", setting), mistake, "a rule uses it", "delete it", key=True)
        elif not fits and setting not in claim.left and setting not in unread:
            mistake = f"{setting} is {shown(written)} in the row"
            why = f"rules that cite it say {', '.join(map(str, given))}" if given else "no rule that cites it uses it"
            write = f"write a rule or a check that cites the claim, or left: {{{setting}: why none does}}"
            yield item.problem(("row", setting), mistake, why, write, key=True)


def _options_with_figures(claim: model.Claim) -> list[str]:
    figures = claim.figures or {}
    options = [option for kind, _, option in (name.partition(".") for name in claim.about) if kind == "mount"]
    return [option for option in options if any(f"{option}{unit}" in figures for unit in _UNITS)]


def tunable_problems(item: Authored[model.Tunable], catalogue: Catalogue) -> Iterator[Problem]:
    tunable = item.record
    yield from _value_type(item, tunable)
    if tunable.kind == "mount-option" and not tunable.forms:
        write = "add forms: [{spelling: …, takes: value}]"
        yield item.problem((), f"the mount option {item.id} without spellings", "it could not be written", write)
    for index, form in enumerate(tunable.forms):
        yield from _form(item, ("forms", index), form)
    for part, verdicts in (("refused", tunable.refused), ("ignored", tunable.ignored)):
        for index, verdict in enumerate(verdicts):
            yield from _judged_values(item, (part, index, "values"), verdict.values or ())
    for index, attempt in enumerate(tunable.tries):
        yield from _judged_values(item, ("tries", index, "values"), attempt.values)
    for index, change in enumerate(tunable.becomes):
        if values.comparisons(change.range) is None:
            mistake, write = f'the range "{change.range}"', 'write one such as "<1024"'
            yield item.problem(("becomes", index, "range"), mistake, "it is a bound", write)
    if tunable.needs is not None and not all(reason(item, catalogue).values()):
        why = "people told to leave the setting out need the reason and the source"
        yield item.problem(("needs",), "needs without a reason", why, "add without: {why: …, cites: […]}", key=True)
    yield from kind_problems(item, catalogue)
    yield from values.probe_problems(item, tunable.probe)


def _value_type(item: Authored[model.Tunable], tunable: model.Tunable) -> Iterator[Problem]:
    kind = tunable.type
    if kind in ("enum", "list") and not words_of(tunable):
        mistake = f"a tunable of type {kind} without values"
        yield item.problem((), mistake, "no value would be right", "add values: [word, …]")
    for index, word in enumerate(tunable.values or ()):
        source = item.source(("values", index))
        if isinstance(word, float) and kind != "number" and source:
            mistake = f"the value is {shown(word, source)}"
            yield values.unquoted_version(item, ("values", index), mistake, source)
    if kind == "list" and not tunable.separator:
        write = 'add separator: ":" or ","'
        yield item.problem((), "a list tunable without separator", "a list could not be split", write)
    if kind == "pattern" and not tunable.pattern:
        mistake = "a tunable of type pattern without a pattern"
        yield item.problem((), mistake, "anything would match", "add pattern: …")
    yield from limits(item, tunable)


def _form(item: Authored[model.Tunable], at: YamlPath, form: model.Form) -> Iterator[Problem]:
    if (form.takes is None) == (form.means is None):
        which = "with neither takes nor means" if form.takes is None else "with both takes and means"
        why = "it either has a value or stands for one"
        yield item.problem(at, f"a spelling {which}", why, "write one of the two")
    if not (item.record.type in ("string", "pattern") and isinstance(form.means, bool)):
        yield from values.literal(item, (*at, "means"), item, form.means, by_type=True)


def _judged_values(item: Authored[model.Tunable], at: YamlPath, listed: Sequence[object]) -> Iterator[Problem]:
    """Problems of values that are refused, ignored or tried: they need not be in range, but can be written."""
    kind = item.record.type
    for place, value in values.each(at, listed):
        whole = isinstance(value, int) and not isinstance(value, bool)
        if not values.is_bound(value) and kind != "string" and not (kind in NUMERIC and whole):
            yield from values.literal(item, place, item, value)


def spelling_problems(tunables: Items[model.Tunable]) -> Iterator[Problem]:
    """A spelling that two tunables claim, in the same shape (bare or with a value), for the same file system types."""
    owners: dict[tuple[str, str, str], tuple[Authored[model.Tunable], int]] = {}
    for item in tunables.values():
        if not item.sound or item.record.kind != "mount-option":
            continue
        for index, form in enumerate(item.record.forms):
            takes = form.takes
            shapes = ["bare"] if takes is None else ["value"] if takes == "value" else ["bare", "value"]
            claims = [(form.spelling, shape, of) for of in item.record.applies_to or ["nfs"] for shape in shapes]
            # A form with a condition may widen what applies to all clients.
            taken = [owners.setdefault(claim, (item, index)) for claim in claims] if form.when is None else []
            first, place = next(((other, at) for other, at in taken if other.id != item.id), (item, index))
            if first.id != item.id:
                line, column = first.document.place((*first.steps, "forms", place))
                why = f"{first.id} has it already ({first.document.path}:{line}:{column})"
                mistake = f'the spelling "{form.spelling}" of {item.id}'
                yield item.problem(("forms", index), mistake, why, "one word means one thing: delete one of them")


def kind_problems(item: Authored[model.Tunable] | Authored[model.KindSteps], catalogue: Catalogue) -> Iterator[Problem]:
    """Problems of lifetimes, and names in braces of the steps that stand for nothing."""
    for index, life in enumerate(item.record.lives):
        yield from life_problems(item, ("lives", index), life, catalogue)
        what = (life.of, life.default is None)
        if any((other.of, other.default is None) == what for other in item.record.lives[:index]):
            mistake, write = f"a second lifetime by {word_list(life.of)}", "write one lifetime for each package"
            yield item.problem(("lives", index), mistake, "the two may contradict each other", write)
    yield from _braces(item, (), item.record)
    for value, steps in item.record.by_value.items():
        yield from _braces(item, ("by_value", value), steps)


def _braces(item: Authored[model.Record], at: YamlPath, steps: model.StepTexts) -> Iterator[Problem]:
    for word, known in (*((text, _KNOWN) for text in _TEXTS), ("line", _LINE)):
        for match in _NAMED.finditer(getattr(steps, word) or ""):
            if match[1] not in known:
                write = f"write one of {', '.join(known)}"
                yield item.problem((*at, word), f'"{match[0]}"', "nothing has that name", write)


def message_problems(item: Authored[model.Message], catalogue: Catalogue) -> Iterator[Problem]:
    message = item.record
    yield from life_problems(item, ("life",), message.life, catalogue) if message.life else ()
    written: list[tuple[YamlPath, str]] = [] if message.text is None else [(("text",), message.text)]
    written += [(("also", index), text) for index, text in enumerate(message.also)]
    if bool(written) == bool(message.words):
        why = "a message is known by its text and a symptom by its words"
        yield item.problem((), f"{item.id} has neither text nor words, or both", why, "give one of them")
    fields: set[str] = set()
    for at, text in written:
        try:
            parts = message_pieces(text)
        except ValueError as error:
            yield item.problem(at, f'"{text}"', str(error), "close it, or write {{ for a brace")
            continue
        yield from _text(item, at, text, parts)
        fields |= {field for _, field in parts[1:]}
    yield from _words(item, ("words",), message.words)
    if message.at is not None and message.source is None:
        yield item.problem(("at",), "a place without a source", "there is no such place", "add source: …", key=True)
    if message.errno is not None and message.errno not in catalogue.errno:
        hint = near(message.errno, catalogue.errno, "add it to kb/errno.yaml")
        yield item.problem(("errno",), f'unknown error "{message.errno}"', "kb/errno.yaml does not have it", hint)
    for name, value in message.holds.items():
        at = ("holds", name)
        if not (isinstance(value, str) and value.startswith("{") and value.endswith("}")):
            yield from values.answer(item, at, name, value, catalogue.observable)
        elif value[1:-1] not in fields:
            write = f"it is one of {word_list(sorted(fields))}" if fields else "write the value"
            yield item.problem(at, f'"{value}"', "no text of the message has this field", write)


def _text(item: Authored[model.Message], at: YamlPath, text: str, parts: list[tuple[str, str]]) -> Iterator[Problem]:
    for _, field in parts[1:]:
        if field.rstrip("0123456789") not in FIELDS:
            hint = near(field, FIELDS, f"it is one of {word_list(FIELDS)}")
            yield item.problem(at, f'the field "{{{field}}}"', "there is no such field", hint)
    if any(not literal for literal, _ in parts[1:-1]):
        mistake, why = "two fields without anything between them", "it would be unclear where one ends"
        yield item.problem(at, mistake, why, "make them one")
    if count_letters(parts) < LETTERS and not item.record.generic:
        write = "add generic: true; it then counts only where the text names NFS"
        yield item.problem(at, f'"{text}"', f"it has fewer than {LETTERS} letters to be known by", write)


def phrase_problems(item: Authored[model.Phrase], _: Catalogue) -> Iterator[Problem]:
    if not item.record.words:
        yield item.problem(("words",), "no words", "it could never be found", "add words: [[…]]")
    yield from _words(item, ("words",), item.record.words)
    yield from _words(item, ("unless",), item.record.unless)


def _words(item: Authored[model.Record], at: YamlPath, groups: model.WordGroups) -> Iterator[Problem]:
    for index, group in enumerate(groups):
        if not group or not all(word.strip() for word in group):
            yield item.problem((*at, index), "an empty group", "it would always count", "write its words")
        for place, word in enumerate(group):
            if word != word.lower():
                why = "words are compared in lower case"
                yield item.problem((*at, index, place), f'"{word}"', why, f'write "{word.lower()}"')


def cause_problems(item: Authored[model.Cause], _: Catalogue) -> Iterator[Problem]:
    cause = item.record
    if not (cause.explains or cause.words):
        why, write = "nothing would lead to it", "add explains: {message: 0}, or words"
        yield item.problem(("explains",), f"{item.id} explains nothing", why, write)
    for name, count in cause.explains.items():
        if count < 0:
            yield item.problem(("explains", name), f"{count} reports", "it is a number of reports", "write 0 or more")
    for index, weight in enumerate(cause.likelier):
        if not weight.times > 0:
            why = "what cannot be is said with when"
            yield item.problem(("likelier", index, "times"), f"times {weight.times}", why, "write a number above 0")
    expected = [example.expect for example in cause.examples]
    at, why = ("examples",), "both sides need an example"
    if not any(expect in _SEEN for expect in expected):
        write = "add one: {text: …, expect: first}"
        yield item.problem(at, f"no example in which {item.id} is the cause", why, write)
    if not any(expect in _NOT_SEEN for expect in expected) and ("possible" not in expected or len(set(expected)) == 1):
        write = "add one: {text: …, expect: absent}, or ruled-out"
        yield item.problem(at, f"no example in which {item.id} is not the cause", why, write)


def conclusion_problems(item: Authored[model.Conclusion], catalogue: Catalogue) -> Iterator[Problem]:
    """Problems of a conclusion: its sentences, and facts that a setting cannot rest on."""
    conclusion = item.record
    sentences: list[tuple[YamlPath, str]] = [(("says",), conclusion.says)]
    sentences += [(("measures", name), value) for name, value in conclusion.measures.items()]
    for at, sentence in sentences:
        mistake, write = "a sentence with a broken field", "close it, or write {{ for a brace"
        fields, wrong = fields_in(item, at, sentence, mistake, write)
        yield from wrong
        for field in fields:
            if field not in PROBED or conclusion.of != "probe":
                yield from values.reference(item, at, field, catalogue.observable, "fact")
    for part, names in (("holds", conclusion.holds), ("measures", conclusion.measures)):
        for name in names:
            if name in catalogue.observations:
                yield from values.reference(item, (part, name), name, catalogue.known_facts, "fact", key=True)
    found = [example.expect for example in conclusion.examples]
    template = "{{given: {{…}}, expect: {}}}"
    yield from both_sides(item, found, template, "it is concluded", "it is not")
