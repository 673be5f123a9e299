"""Many cases in one test, which costs less than a test for each: all are tried, and those that fail are named."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest


def shown(*arguments: object) -> str:
    return ", ".join(map(repr, arguments))


def each(cases: Callable[[], Iterable[Any]], name: Callable[..., str] = shown) -> Callable[[Any], Callable[[], None]]:
    """Makes one test of a law and its cases, which are asked for when it runs. A tuple is the law's arguments; `name`
    is given the same."""

    def decorate(law: Callable[..., None]) -> Callable[[], None]:
        def test() -> None:
            failed: list[str] = []
            first: BaseException | None = None
            told = list(cases())
            assert told, "there are no cases"
            for case in told:
                arguments = case if isinstance(case, tuple) else (case,)
                try:
                    law(*arguments)
                except (Exception, pytest.fail.Exception) as error:
                    first = first or error
                    failed.append(f"{name(*arguments)}: {place(error)}: {type(error).__name__}: {error}")
            if failed:
                raise AssertionError(f"{len(failed)} of {len(told)} cases failed:\n" + "\n".join(failed)) from first

        test.__name__, test.__qualname__ = law.__name__, law.__qualname__
        test.__doc__, test.__module__ = law.__doc__, law.__module__
        return test

    return decorate


def place(error: BaseException) -> str:
    """Where it was raised, or the innermost test that it came through."""
    found, trace = "", error.__traceback__
    while trace is not None:
        file = Path(trace.tb_frame.f_code.co_filename)
        if file.name.startswith("test_") or not found:
            found = f"{file.name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found
