"""Tuples with names are made as `typing` makes them."""

from __future__ import annotations

import pickle
import typing

import pytest

from advisor import named_tuple


class Ours(named_tuple.NamedTuple):
    """What it is."""

    name: str
    count: int = 3

    @property
    def twice(self) -> int:
        return 2 * self.count


class Theirs(typing.NamedTuple):
    """What it is."""

    name: str
    count: int = 3

    @property
    def twice(self) -> int:
        return 2 * self.count


def test_as_typing_makes_them() -> None:
    ours, theirs = Ours("a"), Theirs("a")
    assert ours == theirs == ("a", 3)
    assert (ours.twice, ours._replace(count=4), ours._asdict()) == (theirs.twice, ("a", 4), theirs._asdict())
    for name in ("_fields", "_field_defaults", "__doc__", "__module__"):
        assert getattr(Ours, name) == getattr(Theirs, name), name
    assert pickle.loads(pickle.dumps(ours)) == ours


@pytest.mark.parametrize("made", [Ours, Theirs])
def test_what_is_missing_or_unknown_is_refused(made: type) -> None:
    for wrong in ({}, {"name": "a", "number": 1}):
        with pytest.raises(TypeError):
            made(**wrong)
