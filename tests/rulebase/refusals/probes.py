"""Mistakes in how a fact is found on a host."""

from tests.rulebase.refusals import FACTS, Case

_OLD = "    says: The line that the kernel belongs to.\n"


def _probe(probe: str) -> str:
    return f"{_OLD}    probe: {probe}\n"


CASES: dict[str, Case] = {
    "a probe without a way": (FACTS, _OLD, _probe("‸{unless: {client.kernel: \"5.3\"}}"), ("ways of its own",)),
    "a probe with ways and like": (
        FACTS, _OLD, _probe("‸{like: client.kernel, ways: [{file: /proc/version}]}"), ("give one of them",),
    ),
    "a probe like no fact": (FACTS, _OLD, _probe("{like: ‸client.kernels}"), ("did you mean client.kernel?",)),
    "a probe beside no fact": (
        FACTS, _OLD, _probe("{beside: [‸client.kernels], ways: [{file: /proc/version}]}"), ("client.kernel?",),
    ),
    "a probe of a file that is never read": (
        FACTS, _OLD, _probe("{ways: [{file: ‸/home/x}]}"), ("never read", "/usr/lib"),
    ),
    "a probe of two places": (FACTS, _OLD, _probe("{ways: [‸{file: /proc/version, rpm: x}]}"), ("one thing to read",)),
    "a probe whose condition reads nothing": (
        FACTS, _OLD, _probe("{ways: [{rpm: x, where: [‸{match: x}]}]}"), ("nothing to read",),
    ),
    "a probe with a broken pattern": (
        FACTS, _OLD, _probe("{ways: [{file: /proc/version, match: ‸'('}]}"), ("not a regular expression",),
    ),
    "a probe whose pattern backtracks": (
        FACTS, _OLD, _probe("{ways: [{file: /proc/version, cases: {el8: ‸'el.*8.*x'}}]}"), ("busy for a very long",),
    ),
    "a probe that finds a value of its own": (
        FACTS, _OLD, _probe("{ways: [{file: /proc/version, value: ‸el88}]}"), ("el8",),
    ),
    "a probe whose map leads outside": (
        FACTS, _OLD, _probe("{ways: [{file: /proc/version, map: {x: ‸el88}}]}"), ("el8",),
    ),
    "a probe with a case of its own": (
        FACTS, _OLD, _probe("{ways: [{file: /proc/version, cases: {el88: ‸x}}]}"), ("el8",),
    ),
}
