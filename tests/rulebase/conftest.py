from pathlib import Path

import pytest

from tests.rulebase.bases import copy


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the minimal rule base; caches go to a folder of the test's own."""
    private = tmp_path / "tmp"
    private.mkdir()
    monkeypatch.setenv("TMPDIR", str(private))
    return copy(tmp_path)
