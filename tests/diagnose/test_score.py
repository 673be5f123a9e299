"""What speaks for a cause, in numbers: each part for itself, on causes and weights made up for it."""

from __future__ import annotations

from collections import Counter
from math import exp, log
from types import SimpleNamespace
from typing import Any

import pytest

from advisor.diagnose import score
from advisor.diagnose.configuration import PastedFinding
from advisor.diagnose.evidence import StatedFact
from advisor.diagnose.score import CONFIRMED, POSSIBLE, RULED_OUT, RankedCause, Scores, by_score
from advisor.rulebase.base import load
from advisor.rulebase.model import Cause
from tests.each import each


def cause(name: str = "a", **more: Any) -> Cause:
    return Cause.from_data({"id": name, "family": "f", "explains": {}, **more})


def seen(name: str, line: int = 1, kind: str = "error", words: object = (), nearly: bool = False) -> Any:
    return SimpleNamespace(message=SimpleNamespace(id=name, kind=kind, words=words), line=line, nearly=nearly)


def test_what_a_fact_cannot_be_is_not_known() -> None:
    platform = "storage.platform"
    told = [StatedFact("no.such", "x", 1), StatedFact(platform, "x", 2), StatedFact(platform, "anf", 3)]
    known = score.KnownFacts(load().diagnosis, told, ())
    assert (known.lines, [*known.read]) == ({platform: 3}, [platform])
    assert known.base.answer(platform, known.read[platform]) == "anf"


def test_only_conditions_on_what_is_known_are_looked_at() -> None:
    """`always` rests on no fact; `no-such` would fail, but what it rests on is not known."""
    told = [StatedFact("storage.platform", "anf", 3)]
    known = score.KnownFacts(load().diagnosis, told, (), [((), ["always"]), (("client.kernel",), ["no-such"])])
    assert [known.verdict(name, read=True) for name in ("always", "no-such", "other")] == [True, None, None]


def test_what_was_only_stated_is_not_what_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score, "holds", lambda base, name, state: "client.kernel" in state)
    told = [StatedFact("storage.platform", "anf", 3)], [StatedFact("client.kernel", "6.1", 4)]
    known = score.KnownFacts(load().diagnosis, *told, [(("client.kernel",), ["it"])])
    assert [known.verdict("it", read=read) for read in (True, False)] == [False, True]


def scores(
    *causes: Cause, problems: tuple[Any, ...] = (), verdicts: dict[tuple[str, bool], bool] | None = None,
    terms: dict[str, int] | None = None, features: dict[str, int] | None = None, known: int = 0,
    weights: dict[str, dict[str, int]] | None = None, of_terms: dict[str, dict[str, int]] | None = None,
    warned: tuple[str, ...] = (), wrong: tuple[str, ...] = (), rules: dict[str, int] | None = None,
    failed: bool = True,
) -> Scores:
    made = Scores.__new__(Scores)
    counted = terms or {}
    made.base = SimpleNamespace(  # type: ignore[assignment]
        weights={score.PRIOR: {}, score.SCALES: {}, **(weights or {})}, terms=of_terms or {},
        causes={one.id: one for one in causes}, weighed={one.id: one for one in causes},
        ready=lambda make: make(made.base))
    made.evidence = SimpleNamespace(  # type: ignore[assignment]
        terms=Counter(counted), known_share=lambda: known / max(1, sum(counted.values())),
        seen={one.message.id: one for one in problems})
    made.known = SimpleNamespace(  # type: ignore[assignment]
        verdict=lambda name, read: (verdicts or {}).get((name, read)), grounds=lambda name: (("fact", name, 3),))
    made.seen, made.features, made.rules, made.warned = [*problems], features or {}, rules or {}, {*warned}
    made.wrong = {*wrong}
    made._may_have_failed = failed
    made._text, made._said = made._text_scores(), made._feature_scores()
    made._prior = made.base.weights[score.PRIOR]
    made._counts = score._Counts(made.base, made.seen)
    return made


@pytest.mark.parametrize(("priors", "prior"), [
    ({}, 0.0), ({"a": 50}, 0.5), ({"f": -20}, -0.2), ({"a": 50, "f": -20}, 0.3), ({"b": 70}, 0.0),
])
def test_the_prior_is_that_of_the_cause_and_of_its_family(priors: dict[str, int], prior: float) -> None:
    assert scores(weights={score.PRIOR: priors}).parts(cause())["prior"] == pytest.approx(prior)


@pytest.mark.parametrize(("count", "others", "wanted"), [
    (1, 0, 100 / 6 ** 0.5), (2, 0, 140 / 6 ** 0.5), (5, 0, 140 / 6 ** 0.5), (1, 5, 100 / 6 ** 0.5), (1, 8, 100 / 3.0),
])
def test_a_word_twice_counts_more_and_a_long_text_less(count: int, others: int, wanted: float) -> None:
    terms = {"x": count, **{f"y{number}": 1 for number in range(others)}}
    found = scores(terms=terms, of_terms={"x": {"a": 100, "f": 100}}).parts(cause())
    assert (found["text"], found["family-text"]) == (round(wanted) / 100, round(wanted) / 100)


def test_words_of_messages_count_less_as_words() -> None:
    none, half = (scores(terms={"x": 1, "y": 1}, known=known, of_terms={"x": {"a": 600}}).parts(cause())["text"]
                  for known in (0, 1))
    assert half == pytest.approx(none * (1 - 0.7 / 2))


@pytest.mark.parametrize("many", [1, 6, 7, 16])
def test_what_is_said_counts_by_how_much_is_said(many: int) -> None:
    features = {f"w{number}": 1 for number in range(many)}
    found = scores(features=features, weights={"w0": {"f": 300}, "other": {"f": 9}}).parts(cause())
    assert found["said"] == round(300 / max(6, many) ** 0.5) / 100


@each(lambda: [
    ({}, {}, 1.0), ({("when:a", False): True}, {}, 1.0), ({("when:a", False): False}, {}, 0.1),
    ({("family:f", False): False}, {}, 0.1), ({("when:a", False): False, ("family:f", False): False}, {}, 0.01),
    ({("proof:a", False): True}, {}, 4.0), ({("proof:a", False): True, ("proof:a", True): True}, {}, 40.0),
    ({}, {"warned": ("r",)}, 4.0), ({}, {"warned": ("other",)}, 1.0), ({}, {"warned": ("r",), "failed": False}, 1.0),
    ({}, {"wrong": ("r",)}, 40.0), ({}, {"wrong": ("r",), "warned": ("r",)}, 40.0), ({}, {"wrong": ("other",)}, 1.0),
    ({}, {"wrong": ("other",), "warned": ("r",)}, 4.0), ({}, {"wrong": ("r",), "failed": False}, 1.0),
    ({}, {"rules": {"r": 2}}, 40.0), ({}, {"rules": {"r": 2}, "failed": False}, 1.0),
    ({("likelier:a:0", True): True, ("likelier:a:0", False): True}, {}, 5.0),
    ({("likelier:a:0", False): True}, {}, 5.0 ** 0.75), ({("likelier:a:1", True): True}, {}, 0.5),
])
def test_what_is_known_multiplies(verdicts: dict[tuple[str, bool], bool], more: Any, factor: float) -> None:
    of = cause(findings=["r"], likelier=[{"when": {}, "times": 5.0}, {"when": {}, "times": 0.5}])
    assert exp(scores(verdicts=verdicts, **more).factors(of)) == pytest.approx(factor)


@pytest.mark.parametrize(("problem", "weight"), [
    (seen("m"), 1.0), (seen("m", kind="transient"), 0.5), (seen("m", words=[["x"]]), 0.8),
    (seen("m", nearly=True), 0.8), (seen("m", kind="information"), 0.0), (seen("n"), 0.0),
])
def test_a_message_speaks_for_a_cause_by_its_share_of_the_reports(problem: Any, weight: float) -> None:
    a, b, c = cause("a", explains={"m": 7}), cause("b", explains={"m": 2}), cause("c", explains={"o": 1})
    found = scores(a, b, c, problems=(problem,))
    assert found.parts(a)["message"] == pytest.approx(weight * log(7.5 / 10 * 3))
    assert found.parts(b)["message"] == pytest.approx(weight * 0.1)  # less than its part, and still one that explains
    assert found.parts(a)["explained"] == float(problem.message.id == "m")
    assert found.parts(c)["message"] == 0


def test_messages_of_one_line_count_once_and_those_of_several_each() -> None:
    a, b = cause("a", explains={"m": 7, "n": 3}), cause("b", explains={"m": 1, "n": 1})
    one, other, both, apart = (
        scores(a, b, problems=problems).parts(a)["message"] for problems in (
            (seen("m"),), (seen("n"),), (seen("m"), seen("n")), (seen("m"), seen("n", 2)))
    )
    assert (both, apart) == (pytest.approx(max(one, other)), pytest.approx(one + other))


def test_a_score_is_the_sum_of_the_scaled_parts() -> None:
    scales = {"prior": 200, "said": 100}
    found = scores(weights={score.PRIOR: {"a": 50}, score.SCALES: scales, "w": {"f": 245}}, features={"w": 1})
    assert found.score(cause()) == 100 + 100


@pytest.mark.parametrize(("weights", "left"), [
    ([9], []), ([10], [10]), ([-10, 11], [11, -10]), ([*range(10, 20)], [*range(19, 11, -1)]),
])
def test_of_the_evidence_the_eight_heaviest_are_shown_and_no_light_ones(weights: list[int], left: list[int]) -> None:
    features = {f"says:w{number}": number for number in range(len(weights))}
    root = max(6, len(weights)) ** 0.5
    of = {name: {"f": round(weight * root)} for name, weight in zip(features, weights)}
    found = scores(features=features, weights=of).evidence_for(cause(), "f")
    assert [one.weight for one in found] == left
    assert {one.kind for one in found} <= {"says"}


def test_a_cause_is_ruled_out_by_what_was_read_and_confirmed_by_a_proof() -> None:
    check = {"on": "client", "do": "look", "tells": "t", "cost": "low", "risk": "none"}
    a, b, c, d = cause("a", proved_by=["m"]), cause("b"), cause("c", check=check), cause("d", check=check)
    known = scores(a, b, c, d, problems=(seen("m"),), verdicts={("when:b", True): False})
    found = by_score(known, {"d": RULED_OUT, "c": CONFIRMED})
    assert {(one.cause.id, one.status) for one in found} == {
        ("a", CONFIRMED), ("b", RULED_OUT), ("c", CONFIRMED), ("d", RULED_OUT)}
    assert [one.status for one in found] == [CONFIRMED] * 2 + [RULED_OUT] * 2
    assert sum(one.likelihood for one in found) == pytest.approx(1)
    assert [one.likelihood for one in found[2:]] == [0, 0]
    assert next(one for one in found if one.cause is b).because == (("fact", "when:b", 3),)


@pytest.mark.parametrize(("nearly", "status"), [(False, CONFIRMED), (True, POSSIBLE)])
def test_what_is_nearly_a_message_proves_nothing(nearly: bool, status: str) -> None:
    a = cause("a", proved_by=["m"])
    assert by_score(scores(a, problems=(seen("m", nearly=nearly),)), {})[0].status == status


@pytest.mark.parametrize(("share", "right"), [(0.0, 0.0), (0.25, 0.2), (0.5, 0.4), (0.75, 0.6), (1.0, 0.8)])
def test_a_share_is_read_between_the_points_that_were_counted(share: float, right: float) -> None:
    assert score._calibrated({"50": 40, "100": 80}, share) == pytest.approx(right)
    assert score._calibrated({"50": 40}, 0.9) == pytest.approx(0.4)


@each(lambda: [
    (0, POSSIBLE, 0.0051, (), True), (0, POSSIBLE, 0.005, (), False), (11, POSSIBLE, 0.5, (), True),
    (12, POSSIBLE, 0.5, (), False), (12, POSSIBLE, 0.0, ("m",), True), (12, CONFIRMED, 0.0, (), True),
    (0, RULED_OUT, 0.0, ("m",), True), (0, RULED_OUT, 0.5, (), False),
])
def test_which_causes_have_a_line_in_the_list(
    at: int, status: str, likelihood: float, explains: tuple[str, ...], named: bool
) -> None:
    assert score._is_named(at, RankedCause(cause(), status, likelihood, (), explains, "f")) is named


def test_what_is_confirmed_is_sure_however_seldom_its_share_was_right() -> None:
    base: Any = SimpleNamespace(weights={score.SCALES: {}, score.SHARES: {"100": 0}}, families={})
    for status, least in ((CONFIRMED, score.SURE), (POSSIBLE, 0.0)):
        (found,) = score._with_likelihoods(base, [RankedCause(cause("a"), status, 1.0, (), (), "f")])
        assert found.likelihood == pytest.approx(least)


@each(lambda: [
    ((), (), (), POSSIBLE), (("m",), ("p",), (), CONFIRMED), ((), ("p",), ("x",), POSSIBLE),
    ((), ("p",), (), CONFIRMED),
    (("m",), (), (), POSSIBLE), (("m",), ("p",), ("x",), CONFIRMED),
])
def test_a_proof_confirms_unless_the_messages_are_of_something_else(
    explains: Any, proofs: Any, seen_: Any, status: str
) -> None:
    told: Any = SimpleNamespace(explains=lambda _: explains, proofs=lambda _: proofs, excluded=lambda _: (), seen=seen_)
    assert score._judged(told, cause("a"), {}).status == status
    told.excluded = lambda _: ("e",)
    assert score._judged(told, cause("a"), {}).status == RULED_OUT


def test_kin_that_are_ruled_out_make_no_family() -> None:
    base: Any = SimpleNamespace(weights={score.SCALES: {}, score.SHARES: {"100": 100}},
                                families={"f": SimpleNamespace(id="f")})
    ranked = [RankedCause(cause(name), status, share, (), (), family) for name, status, share, family in (
        ("a", POSSIBLE, 0.4, "f"), ("b", RULED_OUT, 0.4, "f"), ("c", POSSIBLE, 0.4, "g"))]
    assert [one.cause.id for one in score._with_likelihoods(base, ranked)] == ["a", "b", "c"]
    assert score._with_likelihoods(base, ranked[1:]) == ranked[1:], "nothing is possible"


@each(lambda: [
    ({}, [1, 2]), ({"severity": "warning"}, []), ({"rule": "known"}, []), ({"kind": "nothing"}, []),
    ({"problems": (seen("m"),)}, []),  # the message is not explained by it
])
def test_each_line_that_cannot_work_is_a_cause_unless_another_one_says_so(more: Any, lines: list[int]) -> None:
    told = {"rule": "r", "severity": "error", "kind": "fstab", "problems": (), **more}
    finding: Any = SimpleNamespace(rule=told["rule"], severity=told["severity"], consequence="mount-fails", cites=(),
                                   message="it is wrong", why="So it is.", remedy="Correct it.")
    made = scores(cause("a", findings=["known"]), problems=told["problems"])
    made.base.families = load().families
    pasted = PastedFinding(finding, 1, "nas:/a", told["kind"])
    made.evidence.configuration = SimpleNamespace(findings=[pasted, pasted, pasted._replace(line=2)])  # type: ignore[assignment]
    broken = [*made.broken_lines()]
    assert [one.because[0][2] for one in broken] == lines
    assert all(one.status == CONFIRMED for one in broken)


@pytest.mark.parametrize(("second", "family_first"), [(0.24, False), (0.25, False), (0.26, True)])
def test_a_family_goes_before_its_causes_where_none_leads_twofold(second: float, family_first: bool) -> None:
    base: Any = SimpleNamespace(weights={score.SCALES: {}, score.SHARES: {"100": 100}},
                                families={"f": SimpleNamespace(id="f")})
    ranked = [RankedCause(cause(name), POSSIBLE, share, (), (), "f") for name, share in (("a", 0.5), ("b", second))]
    ranked.append(RankedCause(cause("c"), POSSIBLE, 0.5 - second, (), (), "g"))
    found = score._with_likelihoods(base, ranked)
    assert (found[0].cause.id == "f") is family_first
    assert found[0].likelihood == pytest.approx(0.5)
    assert sum(one.likelihood for one in found if one.cause.id != "f") <= 1 + 1e-9
