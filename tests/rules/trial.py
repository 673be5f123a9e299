"""Tries mutants: does loading or `advisor rules verify` refuse them, and if not, do they change anything at all?

The real loader is used, on the part of the rule base that the mutant's file needs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch
from typing import Any

from advisor.engine import Base, compiler
from advisor.engine.base import GATE, RankedDecision
from advisor.engine.decisions import none_winning, value_key
from advisor.engine.situation import first_case
from advisor.rulebase import build, schema
from advisor.rulebase.catalogue import Authored, Catalogue, build_catalogue
from advisor.rulebase.compile import affected_condition, assemble, engine_data
from advisor.rulebase.document import Problem, YamlDocument
from advisor.rulebase.model import CheckExample, Decision
from advisor.rulebase.rule_files import Verified
from advisor.verify import check_examples
from tests.rules.mutate import Mutant, changed

_PARTS = ("host.role", "storage.platform", "mount.vers", "mount.proto", "mount.sec")
_OPTION = re.compile(r"[\w.-]+")
_WORD = re.compile(r"[\w.*-]+")
_CAPABILITIES = "kb/capabilities.yaml"
_ABLE = (
    "host.configured_by_files", "client.has_softerr", "client.has_softreval", "client.has_nconnect",
    "client.udp_built_in", "client.vers2_supported",
)
"""Capabilities that constraints, kinds of files and the options of every mount rest on."""
_ALWAYS = ("rules/layers.yaml", "rules/constraints.yaml", "kb/kinds.yaml")
_PLATFORMS = "kb/platforms/"
_LINTERS_OWN = ("rules/checks/internal.yaml", "rules/checks/fstab-line-dropped.yaml")
"""Checks that the linter takes to be there, whatever it lints."""
_LISTS = ("facts", "capabilities", "tunables", "claims")
_OF_A_CLAIM = ("id", "source", "at", "says", "verdict", "disputed_by")


class Loader:
    """The real loader, given documents instead of files. As in a checkout, what passed is tried again only after a
    change of what it rests on."""

    def __init__(self, monkeypatch: Any) -> None:
        self.documents: list[YamlDocument] = []
        self.contents: dict[YamlDocument, bytes] = {}
        self.passed: dict[str, str] = {}
        monkeypatch.setattr(build, "parsed_documents", lambda root, contents, progress: list(self.documents))
        build_diagnosis, empty = build.build_diagnosis, compiler.build({"facts": [], "layers": [], "decisions": []})

        def of_causes(catalogue: Catalogue, faulty: set[str]) -> tuple[Base | None, list[Problem]]:
            """Nothing rests on it in a part without causes, where it took a fifth of the time."""
            anything = catalogue.causes or catalogue.families or catalogue.conclusions or catalogue.observations
            return build_diagnosis(catalogue, faulty) if anything else (empty, [])

        monkeypatch.setattr(build, "build_diagnosis", of_causes)

    def check(self, documents: Iterable[YamlDocument]) -> build.Validated:
        self.documents = list(documents)
        for document in self.documents:
            if document not in self.contents:
                self.contents[document] = json.dumps(document.data).encode()
        verified = Verified(contents={document.path: self.contents[document] for document in self.documents})
        verified.parts = self.passed
        return build.check("", {}, thorough=True, verified=verified)

    def refusal(self, documents: Iterable[YamlDocument]) -> str | None:
        """What `rules verify` says first of these files; None when nothing is wrong."""
        checked = self.check(documents)
        problems = [*checked.problems, *checked.near_misses]
        if not problems and checked.catalogue.checks:
            assert checked.base is not None
            assert checked.diagnosis is not None
            compiled = assemble(checked.catalogue, checked.base, checked.diagnosis, "")
            problems += check_examples(checked.catalogue, compiled)
        return str(problems[0]) if problems else None


class Trial:
    """`documents`: every file of a rule base in which nothing is wrong; `catalogue`: what they define."""

    def __init__(self, documents: list[YamlDocument], catalogue: Catalogue, loader: Loader) -> None:
        self.documents = {document.path: document for document in documents}
        self.catalogue = catalogue
        self.loader = loader
        self._parts: dict[tuple[str, str], list[YamlDocument]] = {}
        self.whole: set[str] = set()
        """Files that need more than what they name: with these each trial takes a hundred times as long."""

    def refusal(self, mutant: Mutant) -> str | None:
        """What is said against the mutant in its part."""
        document = changed(self.documents[mutant.path], mutant)
        return self.loader.refusal([*self.part(mutant), _only(document, mutant.owner)])

    def refusal_of_others(self, mutant: Mutant) -> str | None:
        """What is said against it by others that need it, if there can be any."""
        if mutant.owner in self.catalogue.rules and not mutant.path.startswith(_PLATFORMS):
            return None
        document = changed(self.documents[mutant.path], mutant)
        return self.loader.refusal({**self.documents, mutant.path: document}.values())

    def changes(self, mutant: Mutant) -> bool:
        """Whether any outcome is another one, in any case that can be. Cases that are presumed not to be are among
        them: whoever says that it is so is believed, so there the answers count."""
        before, after = (
            catalogue_of([*self.part(mutant), _only(document, mutant.owner)])
            for document in (self.documents[mutant.path], changed(self.documents[mutant.path], mutant))
        )
        if mutant.path.startswith(_PLATFORMS):  # found by the decision's name: a base for each
            name = next(of for of, rules in before.advised.items() if mutant.owner in {rule.id for rule in rules})
            was, now = (compiler.build(engine_data(one, [one.decisions[name]], {})) for one in (before, after))
            return _decides_otherwise(was, was.decision(name), now.decision(name))
        if mutant.owner in before.rules:
            old, new = (_decision(catalogue, mutant.path) for catalogue in (before, after))
            second = Authored(Decision, "mutant.of", new.document, (), {**new.data, "decision": "mutant.of"})
            data = engine_data(before, [old, second], {})
            ours, its = (one["rules"] for one in data["decisions"])
            advised = {rule.id for rule in before.advised.get(old.id, ())}
            # Gates, and what platforms advise, are found by the decision's name.
            its += [rule for rule in ours if rule["layer"] == GATE or rule["id"] in advised]
            base = compiler.build(data)
            return _decides_otherwise(base, base.decision(old.id), base.decision("mutant.of"))
        olds, news = _conditions(before, mutant.owner), _conditions(after, mutant.owner)
        if olds == news:
            return True  # no condition was changed but something that only the linter knows
        named = {f"{side} {name}": when for side, all_ in (("old", olds), ("new", news)) for name, when in all_.items()}
        base = compiler.build(engine_data(before, [], named))
        return olds.keys() != news.keys() or any(_differ(base, f"old {name}", f"new {name}") for name in olds)

    def part(self, mutant: Mutant) -> list[YamlDocument]:
        """What the mutant's file needs, besides itself, so that nothing is wrong with it."""
        key = (mutant.path, mutant.owner if mutant.path == _CAPABILITIES or mutant.path.startswith(_PLATFORMS) else "")
        if key not in self._parts:
            own = _only(self.documents[mutant.path], mutant.owner)
            kept = [self.documents[name] for name in _ALWAYS]
            if mutant.path.startswith(_PLATFORMS):
                kept += {self.catalogue.decisions[rule["decision"]].document for rule in own.data["rules"]}
            kept += self._platforms([own, *kept])
            if mutant.path.startswith("rules/checks/"):
                kept += [self.documents[name] for name in _LINTERS_OWN if name != mutant.path]
            more = {*_PARTS, *self._options(own.data)} if "check" in own.data else set()
            if "sides" in own.data or any("host" in one for one in own.data.get("examples", ())):
                # Hosts are judged by what their files are, which depends on how they were copied.
                kept += [self.documents["kb/host-files.yaml"], self.documents["kb/layouts.yaml"]]
            if "sides" in own.data:  # and compared by every option of an export
                more |= {name for name in self.catalogue.tunables if name.startswith("exports.")}
            self._parts[key] = self._enough(own, kept, more)
        return self._parts[key]

    def _enough(self, own: YamlDocument, kept: list[YamlDocument], more: set[str]) -> list[YamlDocument]:
        """The first of these with which nothing is wrong: what is named, every tunable besides, everything."""
        for also in (more, more | self.catalogue.tunables.keys()):
            part = self._with_needed(own, kept, also)
            if self.loader.refusal([*part, own]) is None:
                return part
        self.whole.add(own.path)
        return [one for one in self.documents.values() if one.path != own.path]

    def _platforms(self, documents: list[YamlDocument]) -> Iterator[YamlDocument]:
        """Other platforms that these files name, by their traits too, with what they advise on the files' decisions."""
        words = {word for document in documents for word in _words(document.data)}
        decisions = {document.data["decision"] for document in documents if "decision" in document.data}
        for name, document in self.documents.items():
            if name.startswith(_PLATFORMS) and name != documents[0].path:
                rules = [rule for rule in document.data.get("rules", ()) if rule["decision"] in decisions]
                if rules or not words.isdisjoint((document.data["platform"], *document.data.get("traits", ()))):
                    data = {**document.data, "rules": rules}  # its claims come with what needs them
                    kept = {key: value for key, value in data.items() if value and key not in ("claims", "sources")}
                    yield YamlDocument(name, kept, [1, 1], [])

    def _options(self, check: dict[str, Any]) -> Iterator[str]:
        """The mount options that the examples of a check write."""
        texts = [CheckExample.from_data(example).kind_and_text()[1] for example in check["examples"]]
        words = {word for text in texts for word in _OPTION.findall(text)}
        for item in self.catalogue.tunables.values():
            for form in item.data.get("forms", ()):
                if any(fnmatch(word, form["spelling"]) for word in words):
                    yield item.id

    def _with_needed(self, own: YamlDocument, kept: list[YamlDocument], more: set[str]) -> list[YamlDocument]:
        """These files, and others with nothing in them but the facts, tunables, claims and sources that they name, and
        `more`. Of platforms, these get the claims that are named."""
        whole = {document.path for document in (own, *kept)}
        parts = {document.path: document.data for document in kept if document.path.startswith(_PLATFORMS)}
        whole -= parts.keys()
        waiting = more | {word for document in (own, *kept) for word in _words(document.data)}
        words: set[str] = set()
        found: dict[str, dict[str, Any]] = {}
        while waiting:
            words |= waiting
            waiting = set()
            for item in (item for kind in _LISTS for item in getattr(self.catalogue, kind).values()):
                items = found.setdefault(item.document.path, {})
                if item.id in words and item.document.path not in whole and item.id not in items:
                    items[item.id] = self._bare(item)
                    waiting |= {*_words(items[item.id]), f"{item.id}_stream"} - words
        sources = [item for item in self.catalogue.sources.values() if item.id in words]
        for path, items in found.items():
            if items:
                data = self.documents[path].data
                if path.startswith(_PLATFORMS):
                    data = parts.get(path, {key: data[key] for key in ("platform", "title", "says")})
                    beside = [item.data for item in sources if item.document.path == path]
                    data = {**data, **({"sources": beside} if beside else {}), "claims": []}
                key = next(key for key in _LISTS if key in data)
                parts[path] = {**data, key: list(items.values())}
        made = [YamlDocument(path, data, [1, 1], []) for path, data in parts.items()]
        alone = [item.document for item in sources if item.document.path not in {*whole, *parts}]
        return [*(one for one in kept if one.path not in parts), *made, *alone]

    def _bare(self, item: Authored) -> dict[str, Any]:
        """An item without what would need others in turn: a claim's figures, the decision behind a setting, the
        settings related to one."""
        if item.id in self.catalogue.claims:
            return {key: item.data[key] for key in _OF_A_CLAIM if key in item.data}
        if "negotiated" in item.data.get("setting", {}):
            return {**item.data, "setting": {"tunable": item.data["setting"]["tunable"]}}
        return {key: value for key, value in item.data.items() if key != "related"}


def _words(data: Any) -> set[str]:
    """The words of the strings, which may be patterns or formulas."""
    words = set(_WORD.findall(json.dumps(data)))
    return words | {part for word in words if "*" in word for part in word.split("*")}


def catalogue_of(documents: Iterable[YamlDocument]) -> Catalogue:
    """What the files define; whether it is right has been asked."""
    return build_catalogue([(document, schema.shape_problems(document)[1]) for document in documents])


def _only(document: YamlDocument, owner: str) -> YamlDocument:
    """Of the capabilities, the owner, and what every part rests on; of what a platform advises, the rules on the
    owner's decision, and of its claims what these may need. The others have no part in it."""
    if document.path == _CAPABILITIES:
        data = {"capabilities": [one for one in document.data["capabilities"] if one["id"] in (owner, *_ABLE)]}
    elif document.path.startswith(_PLATFORMS):
        (decision,) = {rule["decision"] for rule in document.data["rules"] if rule["id"] == owner}
        others = [rule for rule in document.data["rules"] if rule["decision"] != decision]
        data = {**document.data, "rules": [rule for rule in document.data["rules"] if rule not in others]}
        used = _words({key: value for key, value in data.items() if key not in ("claims", "sources")})
        claims = [one for one in data.pop("claims", ()) if one["id"] in used or one["id"] not in _words(others)]
        named = {one["source"] for one in claims}
        sources = [one for one in data.pop("sources", ()) if one["source"] in named]
        for key, several in (("sources", sources), ("claims", [_about(claim, decision) for claim in claims])):
            if several:
                data[key] = several
    else:
        return document
    return YamlDocument(document.path, data, [1, 1], [])


def _about(claim: dict[str, Any], decision: str) -> dict[str, Any]:
    """A claim without the settings of its row that rules on other decisions follow."""
    row = {name: value for name, value in claim.get("row", {}).items() if name in (decision, *claim.get("left", ()))}
    kept = {key: value for key, value in claim.items() if row or key not in ("row", "left")}
    return {**kept, "row": row} if row else kept


def _decision(catalogue: Catalogue, path: str) -> Authored:
    """The decision of a file of rules; other files may be there because it needs them."""
    (found,) = (one for one in catalogue.decisions.values() if one.document.path == path)
    return found


def _conditions(catalogue: Catalogue, owner: str) -> dict[str, Any]:
    """Every condition of a check, an erratum or a capability."""
    if owner in catalogue.checks:
        return {"when": catalogue.checks[owner].data.get("when", {})}
    if owner in catalogue.errata:
        item = catalogue.errata[owner]
        return {fact: affected_condition(catalogue, item.record, fact) for fact in item.data["facts"]}
    data = catalogue.capabilities[owner].data
    return {part: data[part] for part in ("when", "unless") if part in data}


def _differ(base: Base, one: str, other: str) -> bool:
    """Whether there is a case that can be in which one condition holds and the other does not."""
    first, second = base.condition(one), base.condition(other)
    situation = base.situation({})
    covers = situation.near(first.reads | second.reads).covers
    return any(
        first_case(base.space, situation.cases(a.boxes), b.boxes, covers) is not None
        for a, b in ((first, second), (second, first))
    )


def _decides_otherwise(base: Base, one: RankedDecision, other: RankedDecision) -> bool:
    """Whether there is a case that can be in which the two decisions have different outcomes."""
    space, situation = base.space, base.situation({})
    covers = situation.near(one.reads | other.reads).covers
    if one.hit == "collect":
        return any(
            none_winning(space, b, [r for r in b.rules if value_key(r.value) == value_key(rule.value)], case, shut)
            is not None
            for a, b in ((one, other), (other, one))
            for rule in a.rules
            for shut in [covers + a.covers_above(rule)]
            for case in situation.cases(rule.boxes)
        )
    for rule in one.rules:
        for rival in other.rules:
            if value_key(rule.value) != value_key(rival.value):
                both = [case for a in rule.boxes for b in rival.boxes if (case := space.meet(a, b)) is not None]
                above = one.covers_above(rule) + other.covers_above(rival)
                if first_case(space, situation.cases(both), above, covers) is not None:
                    return True
    return False
