"""The documentation as a site: it builds without a warning, and each page of docs/ is in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.prose import ROOT

pytest.importorskip("sphinx", reason="the extra site is not installed")
pytest.importorskip("furo", reason="the extra site is not installed")


def test_the_site_is_built_and_its_pages_lead_to_one_another(tmp_path: Path) -> None:
    built = subprocess.run([sys.executable, "tools/documentation.py", str(tmp_path / "site"), "--docs-only"], cwd=ROOT,
                           capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    names = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"README"}
    assert names <= {path.stem for path in (tmp_path / "site").glob("*.html")}
    first = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert all(f'href="{name}.html"' in first for name in names)
    assert 'src="_images/choice-120x40-dark.svg"' in first
    words = (tmp_path / "site" / "searchindex.js").read_text(encoding="utf-8")
    assert "nconnect" in words
    assert "sources/" in (tmp_path / "site" / "_static" / "language_data.js").read_text(encoding="utf-8")
