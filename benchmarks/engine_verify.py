"""How long the engine takes on a made-up rule base of 600 rules: `python benchmarks/engine_verify.py`.

Prints medians in milliseconds: building, reading the compiled form, verifying, and the questions that a linter and a
wizard ask. The base is made from a fixed seed and has no problem, as a real one would."""

from __future__ import annotations

import json
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

from advisor.engine import Base, holds, reach
from advisor.engine.ask import next_questions
from advisor.engine.compiler import build, verify

DECISIONS, RULES, CONDITIONS, RUNS = 100, 6, 200, 7
LAYERS = ["default", "protocol", "workload", "platform", "erratum", "measured"]


def main() -> None:
    data = rule_base(random.Random(7))
    base = build(data)
    compiled = base.to_json()
    text = json.dumps(compiled, separators=(",", ":"))
    problems = [problem for problem in verify(base) if problem.kind != "unused-fact"]
    rules = sum(len(decision["rules"]) for decision in data["decisions"])
    print(
        f"{len(base.facts)} facts, {base.space.guards.bit_length()} bits, {rules} rules, {len(text) // 1024} KiB, "
        f"{len(problems)} problems"
    )
    known = base.state({"platform": "v3", "flag0": True, "release1": "5.5", "enum3": "v1", "number1": 3})
    fresh = Base.from_json(json.loads(text))
    timed("build", lambda: build(data))
    timed("json.loads", lambda: json.loads(text))
    timed("from_json", lambda: Base.from_json(compiled))
    timed("verify", lambda: verify(Base.from_json(compiled)))
    timed(
        "every decision, cold",
        lambda: [reach(cold, name, known) for cold in [Base.from_json(compiled)] for name in cold.decisions],
    )
    timed(
        "every condition, cold",
        lambda: [holds(cold, name, known) for cold in [Base.from_json(compiled)] for name in cold.conditions],
    )
    timed("every decision, again", lambda: [reach(fresh, name, known) for name in fresh.decisions])
    timed("next questions, nothing known", lambda: next_questions(Base.from_json(compiled), base.decisions, {}))
    timed(
        "next questions, some known",
        lambda: next_questions(Base.from_json(compiled), base.decisions, known, quick=True),
    )


def timed(what: str, run: Callable[[], object]) -> None:
    """Prints the median and the spread of several runs."""
    spent = []
    for _ in range(RUNS):
        start = time.perf_counter()
        run()
        spent.append((time.perf_counter() - start) * 1000)
    print(f"{what:32} {statistics.median(spent):9.2f} ms  ({min(spent):.2f} to {max(spent):.2f})")


def rule_base(chance: random.Random) -> dict[str, Any]:
    """A platform of 20 kinds, 5 versions with 25 constants or so each, 40 other facts, 15 derived ones."""
    facts: list[dict[str, Any]] = [{"id": "platform", "type": "enum", "values": [f"v{n}" for n in range(20)]}]
    facts += [{"id": f"release{n}", "type": "version", "scheme": "kernel"} for n in range(5)]
    facts += [{"id": f"stream{n}", "type": "enum", "values": [f"s{m}" for m in range(8)]} for n in range(2)]
    facts += [{"id": f"flag{n}", "type": "bool"} for n in range(15)]
    facts += [{"id": f"enum{n}", "type": "enum", "values": [f"v{m}" for m in range(5)]} for n in range(10)]
    facts += [{"id": f"number{n}", "type": "int", "minimum": 1} for n in range(5)]
    facts += [{"id": f"detail{n}", "type": "bool", "applies": {"platform": [f"v{n}", f"v{n + 10}"]}} for n in range(7)]
    plain = list(facts)
    for number in range(15):
        backports = [
            {f"stream{number % 2}": f"s{stream}", f"release{number % 2}": f">={3 + stream // 3}.{chance.randrange(12)}"}
            for stream in chance.sample(range(8), 4)
        ]
        upstream = {f"release{number % 2}": f">=6.{chance.randrange(12)}"}
        facts.append(
            {
                "id": f"can{number}",
                "type": "bool",
                "derive": {"true": {"any": [upstream, *backports]}},
                "otherwise": False,
            }
        )
    constraints = [
        {"id": f"never-{n}", "never": {f"flag{n}": True, f"enum{n}": "v1", "platform": f"v{n}"}} for n in range(8)
    ]
    named = {f"condition-{n}": condition(chance, plain) for n in range(CONDITIONS)}
    decisions = [decision(chance, facts, number) for number in range(DECISIONS)]
    return {"facts": facts, "layers": LAYERS, "constraints": constraints, "decisions": decisions, "conditions": named}


def condition(chance: random.Random, facts: list[dict[str, Any]]) -> dict[str, Any]:
    """Two or three facts."""
    return {fact["id"]: value(chance, fact) for fact in chance.sample(facts, chance.randint(1, 3))}


def value(chance: random.Random, fact: dict[str, Any]) -> Any:
    if fact["type"] == "enum":
        return chance.sample(fact["values"], chance.randint(1, 2))
    if fact["type"] == "bool":
        return chance.random() < 0.5
    if fact["type"] == "int":
        return f">={chance.randint(2, 9)}"
    return f">={chance.randint(3, 5)}.{chance.randrange(8)}"


def decision(chance: random.Random, facts: list[dict[str, Any]], number: int) -> dict[str, Any]:
    """A default, and one rule for each of some platforms or in a layer of its own, so that none contradict."""
    rules = [{"id": "default", "layer": "default", "when": {}, "value": "omit"}]
    for index in range(1, RULES):
        if index < 3:
            when = {**condition(chance, facts), "platform": [f"v{index}", f"v{index + 5}"]}
            layer = "platform"
        else:
            when, layer = condition(chance, facts), LAYERS[(1, 2, 4)[index - 3]]
        rules.append({"id": f"rule{index}", "layer": layer, "when": when, "value": index})
    return {"id": f"decision{number}", "hit": "priority", "rules": rules}


if __name__ == "__main__":
    main()
