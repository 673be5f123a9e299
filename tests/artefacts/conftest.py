"""What several tests of the cluster's files begin with."""

from __future__ import annotations

import pytest

from tests.artefacts.tools import run

FENCE = '<primitive id="fence" class="stonith" type="fence_any"/>'


@pytest.fixture(scope="session")
def fenced(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The configuration of a cluster that has fencing and nothing else."""
    cib = tmp_path_factory.mktemp("fenced") / "cib.xml"
    cib.write_text(run("cibadmin", "--empty").stdout)
    run("cibadmin", "--create", "--scope", "resources", "--xml-text", FENCE, CIB_file=str(cib))
    return cib.read_text()
