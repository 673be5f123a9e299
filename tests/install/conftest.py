"""What several tests of the cluster's files begin with."""

from __future__ import annotations

import pytest

from tests.install.clusters import fenced_cib


@pytest.fixture(scope="session")
def fenced(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The configuration of a cluster that has fencing and nothing else."""
    cib = tmp_path_factory.mktemp("fenced") / "cib.xml"
    fenced_cib(cib, '<primitive id="fence" class="stonith" type="fence_any"/>')
    return cib.read_text()
