"""Servers: one for all tests that need no settings of their own, and those that a test starts for itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from tests import needs

if TYPE_CHECKING:
    from tests.lsp.editor import Editor


@pytest.fixture(scope="session")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    needs.package("pygls", "lsp")
    from tests.lsp.editor import Editor

    started = Editor(tmp_path_factory.mktemp("editor"))
    yield started
    assert started.quit() == 0


@pytest.fixture
def start() -> Iterator[Callable[..., Editor]]:
    needs.package("pygls", "lsp")
    from tests.lsp.editor import Editor

    started: list[Editor] = []

    def begin(*args: object, **more: object) -> Editor:
        started.append(Editor(*args, **more))
        return started[-1]

    yield begin
    for one in started:
        assert one.quit() == 0
