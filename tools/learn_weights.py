"""Learns rules/weights.yaml from labelled reports, and says how often the answer was right on reports that it had not
learnt from: `python tools/learn_weights.py [--write]`, with ADVISOR_SHARED set.

The weights are those of a linear model that chooses among all causes, fitted by gradient descent from the same start in
the same order: what a text says weighs for families, so that a cause learns from its kin. Large weights are paid for,
so a word of few reports weighs little. Folds are drawn by a hash of the report's name."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import compress
from math import exp
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple

from ruamel.yaml import YAML

from advisor.diagnose.evidence import Reader, TextEvidence
from advisor.diagnose.score import FEW, RankedCause, Scores, by_score, rank, signs
from advisor.rulebase.base import load, source_root
from advisor.rulebase.build import check
from advisor.rulebase.compile import texts_of_causes
from advisor.rulebase.model import PRIOR, SCALES, SHARES, Cause, Family, RuleBase
from advisor.rulebase.rule_files import files
from advisor.rulebase.words import term_index

ROOT = Path(__file__).parents[1]
FOLDS = 5
START = {"text": 1.0, "family-text": 0.3, "message": 0.6, "explained": 0.5, "covered": 1.0, "fact": 0.6}
LEARNT = tuple(START)
"""Kinds of evidence whose scale is learnt; the other two, prior and what is said, are weights themselves."""
SEEN = 3
"""A feature of fewer reports has no weight."""
LIKELY = 40
LEAST = 1e-4
"""Smaller changes are left out."""
ROUNDS = 80
PRICE = 0.8
"""How much a weight of a feature is drawn back to nothing."""
DRAWN = 2.0
"""The same of the priors."""
MOST = 40
"""A prior is at most so many hundredths: what people ask about most must not be the answer to all that is short."""
KIN = 0.4
"""How much of a label counts for the whole family of the causes that it names."""
POINTS = {"20": 20, "40": 36, "82": 39, "85": 70, "90": 84, "95": 90, "100": 97}
"""How sure an answer seems → the likelihood that is said, as often as it was right among reports that were set aside.
Those of which one in four or more was wrong are held below what is taken for a verdict: of two errors, to be told less
is the smaller one."""
KEPT = 15
"""A weight of less than so many hundredths is left out."""


class Report(NamedTuple):
    """`family`, `causes`: what a good answer names. `accepted`: expressions that are found in an answer that counts as
    right; none where only the causes count."""

    id: str
    text: str
    family: str
    causes: frozenset[str]
    accepted: Sequence[str]
    answerable: str

    def families(self, base: RuleBase) -> set[str]:
        """Its family, or those of its causes."""
        named = {self.family} if self.family else set()
        return named or {base.causes[name].family for name in self.causes if name in base.causes}


class Case(NamedTuple):
    """A report, weighed. `likely`: the causes that are learnt from, which are those that may be taken for the answer;
    `parts` of each of them, of the kinds in LEARNT."""

    report: Report
    evidence: TextEvidence
    likely: list[Cause]
    parts: list[list[float]]
    features: list[str]
    families: set[str]


def said_of(cause: Cause | Family) -> str:
    check, remedy = cause.check, cause.remedy
    return " ".join(str(part or "") for part in (
        cause.title, cause.why, check.on, check.do, check.tells, remedy.do, remedy.risk, remedy.undo,
    ))


def is_right(cause: Cause | Family, report: Report) -> bool:
    """Whether an answer with this cause counts as right."""
    if cause.id in report.causes or cause.id == report.family:
        return True
    text = said_of(cause)
    return bool(report.accepted) and all(re.search(form, text, re.I | re.S) for form in report.accepted)


def reports() -> list[Report]:
    """The labelled reports, and those of the tests, which name causes only."""
    labels = YAML(typ="safe").load((ROOT / "tests/diagnose/labels.yaml").read_text(encoding="utf-8"))["labels"]
    found = []
    for name in ("train.jsonl", "train-2.jsonl"):
        for line in (Path(os.environ["ADVISOR_SHARED"]) / "symptoms" / name).read_text(encoding="utf-8").splitlines():
            told = json.loads(line)
            label = labels.get(told["id"])
            if label is None:
                continue
            text = told.get("report") or f"{told['message']}\n{told['environment'] or ''}"
            causes = frozenset((*label["causes"], *told.get("cause_ids", ())))
            answerable = str(told.get("answerable") or told["group"])
            found.append(Report(told["id"], text, label["family"], causes, told.get("match", ()), answerable))
    for name, key, text, causes in (("reports", "source", "text", "accepted"), ("produced", "made", "said", "causes")):
        told = YAML(typ="safe").load((ROOT / f"tests/diagnose/{name}.yaml").read_text(encoding="utf-8"))[name]
        found += [Report(one[key], one[text], "", frozenset(one[causes]), (), name) for one in told]
    return found


def case(base: RuleBase, reader: Reader, report: Report) -> Case:
    evidence = reader.read(report.text)
    scores = Scores(base, evidence)
    parts = {name: scores.parts(cause) for name, cause in base.causes.items() if not scores.excluded(cause)}
    first = sorted(parts, key=lambda name: -sum(START[kind] * parts[name][kind] for kind in LEARNT))[:LIKELY]
    families = report.families(base)
    likely = [
        base.causes[name] for name in parts
        if name in first or name in report.causes or base.causes[name].family in families
    ]
    learnt = [[parts[cause.id][kind] for kind in LEARNT] for cause in likely]
    return Case(report, evidence, likely, learnt, sorted(scores.features), families)


class Model:
    """`scales` of LEARNT; `prior` of causes and families; `weights`: feature → family → weight."""

    def __init__(self, cases: Sequence[Case]) -> None:
        known = Counter(feature for case in cases for feature in case.features)
        self.scales = [START[kind] for kind in LEARNT]
        self.prior: Counter[str] = Counter()
        self.weights: dict[str, Counter[str]] = {
            feature: Counter() for feature, count in sorted(known.items()) if count >= SEEN
        }
        for round_ in range(ROUNDS):
            self._learn(cases, 1.0 if round_ < ROUNDS // 2 else 0.5)

    def _learn(self, cases: Sequence[Case], rate: float) -> None:
        """A step towards what the labels say, of all weights at once."""
        scales = [0.0] * len(LEARNT)
        priors: Counter[str] = Counter()
        steps: dict[str, Counter[str]] = {feature: Counter() for feature in self.weights}
        for case in cases:
            by_family: Counter[str] = Counter()
            for cause, pull, parts in zip(case.likely, self._pulls(case), case.parts):
                if abs(pull) > LEAST:
                    by_family[cause.family] += pull
                    priors[cause.id] += pull
                    scales = [scale + pull * part for scale, part in zip(scales, parts)]
            priors.update(by_family)
            root = max(FEW, len(case.features)) ** 0.5
            pulls = {family: pull / root for family, pull in by_family.items() if abs(pull) > 10 * LEAST}
            for feature in case.features:
                if feature in steps:
                    step = steps[feature]
                    for family, pull in pulls.items():
                        step[family] += pull
        self.scales = [
            max(0.0, scale + rate * 0.2 * step / len(cases)) for scale, step in zip(self.scales, scales)
        ]
        for name, pull in priors.items():
            self.prior[name] += rate * 0.15 * (pull - DRAWN * self.prior[name])
        for feature, step in steps.items():
            weights = self.weights[feature]
            for family in {**step, **weights}:
                weights[family] += rate * 0.5 * (step[family] - PRICE * weights[family])

    def _pulls(self, case: Case) -> list[float]:
        """How much each cause's share should change: towards those of the label, and in part towards its family."""
        said: Counter[str] = Counter()
        for feature in case.features:
            said.update(self.weights.get(feature, {}))
        root = max(FEW, len(case.features)) ** 0.5
        scores = [
            sum(map(float.__mul__, self.scales, parts)) + said[cause.family] / root
            + self.prior[cause.family] + self.prior[cause.id]
            for cause, parts in zip(case.likely, case.parts)
        ]
        most = max(scores)
        powers = [exp(score - most) for score in scores]
        kin = [cause.family in case.families for cause in case.likely]
        right = [cause.id in case.report.causes for cause in case.likely]
        right = right if any(right) else kin
        whole, all_right, all_kin = sum(powers), sum(compress(powers, right)), sum(compress(powers, kin))
        return [
            (1 - KIN) * power * is_right / (all_right or 1.0) + KIN * power * is_kin / (all_kin or 1.0) - power / whole
            for power, is_right, is_kin in zip(powers, right, kin)
        ]

    def rounded(self) -> dict[str, dict[str, int]]:
        """What is kept of it, in hundredths."""
        weights = {
            feature: {family: round(100 * weight) for family, weight in sorted(families.items())
                      if abs(weight) * 100 >= KEPT}
            for feature, families in self.weights.items()
        }
        return {
            **{feature: families for feature, families in weights.items() if families},
            PRIOR: {
                name: max(-MOST, min(MOST, round(100 * weight))) for name, weight in sorted(self.prior.items())
                if round(100 * weight)
            },
            SCALES: {"prior": 100, "said": 100, **{
                kind: round(100 * scale) for kind, scale in zip(LEARNT, self.scales)
            }},
        }


def sureness(samples: Sequence[tuple[Sequence[float], bool]]) -> list[float]:
    """The weights of a logistic regression: of these numbers, whether the answer was right."""
    weights = [0.0] * len(samples[0][0])
    for _ in range(3000):
        step = [0.0] * len(weights)
        for numbers, right in samples:
            error = right - 1 / (1 + exp(-sum(map(float.__mul__, weights, numbers))))
            step = [one + error * number for one, number in zip(step, numbers)]
        weights = [weight + 0.3 * (one / len(samples) - 0.003 * weight) for weight, one in zip(weights, step)]
    return weights


def unsaid(base: RuleBase) -> None:
    """Leave out the sentences in which causes are put as people put them, and the examples: whoever wrote them had read
    the reports, and what fits them fits no report that is new."""
    root = source_root()
    catalogue = check(root, files(root), thorough=False).catalogue
    base.terms = term_index(dict(texts_of_causes(catalogue, said=False)))


def fold_of(report: Report) -> int:
    return sha256(report.id.encode()).digest()[0] % FOLDS


def measured(answers: Iterable[tuple[Report, list[RankedCause]]]) -> None:
    """Print how often the answers were right."""
    figures: dict[str, list[float]] = {}
    bands: dict[int, list[float]] = {}
    for report, ranked in answers:
        right = [is_right(candidate.cause, report) for candidate in ranked if candidate.status != "ruled-out"]
        likelihood = ranked[0].likelihood if ranked else 0.0
        row = [1, right[:1] == [True], any(right[:3]), not ranked, bool(right) and not right[0] and likelihood >= 0.4]
        for key in ("all", f"answerable {report.answerable}", *(("judged by expressions",) if report.accepted else ())):
            figures[key] = [a + b for a, b in zip(figures.get(key, [0.0] * 5), row)]
        if ranked:
            band = bands.setdefault(min(int(likelihood * 10), 9), [0, 0, 0])
            bands[min(int(likelihood * 10), 9)] = [a + b for a, b in zip(band, (1, likelihood, right[0]))]
    for key, (count, *rest) in sorted(figures.items()):
        first, three, nothing, wrong = (f"{number / count:.1%}" for number in rest)
        print(f"{key}: {count:.0f}, first {first}, three {three}, nothing {nothing}, wrong with 0.4 {wrong}")
    for _, (count, likelihood, right) in sorted(bands.items()):
        print(f"  {count:.0f} with {likelihood / count:.2f}: right {right / count:.2f}")


def written(base: RuleBase, weights: Mapping[str, Mapping[str, int]]) -> str:
    """The file of weights."""
    lines = [
        "# How much what a report says and shows speaks for each family of causes, in hundredths of a natural",
        "# logarithm; `prior`: before anything is read. Learnt by tools/learn_weights.py from the reports that",
        "# tests/diagnose/labels.yaml labels, not written by hand. A word is without its ending, `no:` a negation,",
        "# `says` a frame of advisor/rulebase/clauses.py. `shares`: how sure an answer seems, and what is said of it.",
        *folded(f"scales: {flow(weights[SCALES])}"),
        f"shares: [{', '.join(f'[{share}, {right}]' for share, right in weights[SHARES].items())}]",
        "weights:",
    ]
    for family in base.families:
        weighs = {
            feature: families[family] for feature, families in weights.items()
            if family in families and feature not in (PRIOR, SCALES, SHARES)
        }
        causes = {
            cause.id: weights[PRIOR][cause.id] for cause in base.causes.values()
            if cause.family == family and cause.id in weights[PRIOR]
        }
        lines += [f"  - id: {family}", f"    prior: {weights[PRIOR].get(family, 0)}"]
        for key, entries in (("causes", causes), ("weighs", dict(sorted(weighs.items(), key=lambda one: -one[1])))):
            lines += folded(f"    {key}: {flow(entries)}") if entries else []
    return "\n".join(lines) + "\n"


def folded(line: str) -> list[str]:
    """The lines of a mapping in one line; no key is torn from its number."""
    lines = wrap(line.replace("\": ", "\":\0"), 116, subsequent_indent="      ", break_long_words=False,
                 break_on_hyphens=False)
    return [folded_line.replace("\0", " ") for folded_line in lines]


def flow(entries: Mapping[str, int]) -> str:
    pairs = (f"{json.dumps(name, ensure_ascii=False)}: {number}" for name, number in entries.items())
    return "{" + ", ".join(pairs) + "}"


def main() -> None:
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--write", action="store_true", help="write rules/weights.yaml, from all reports")
    args = top.parse_args()
    base = load()
    unsaid(base)
    reader = base.ready(Reader)
    cases = [case(base, reader, report) for report in reports()]
    samples: list[tuple[Sequence[float], bool]] = []
    learnt = []
    for fold in range(FOLDS):
        base.weights = Model([case for case in cases if fold_of(case.report) != fold]).rounded()
        learnt.append(base.weights)
        for one in cases:
            if fold_of(one.report) == fold and one.evidence.is_about_trouble():
                ranked = by_score(Scores(base, one.evidence), {})
                samples.append((signs(ranked), is_right(ranked[0].cause, one.report)))
    sure = {f"sure-{at}": round(100 * weight) for at, weight in enumerate(sureness(samples))}
    answers = []
    for one in cases:
        weights = learnt[fold_of(one.report)]
        base.weights = {**weights, SCALES: {**weights[SCALES], **sure}, SHARES: POINTS}
        answers.append((one.report, rank(base, one.evidence)))
    measured(answers)
    if args.write:
        weights = Model(cases).rounded()
        weights = {**weights, SCALES: {**weights[SCALES], **sure}, SHARES: POINTS}
        (ROOT / "rules/weights.yaml").write_text(written(base, weights), encoding="utf-8")


if __name__ == "__main__":
    main()
