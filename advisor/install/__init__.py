"""Makes files from advice: configuration, scripts that install, check and undo it, and a report. Only build.py does
I/O."""

from __future__ import annotations

from advisor.install.build import Written, artefacts, write_all
from advisor.install.context import Artefact

__all__ = ["Artefact", "Written", "artefacts", "write_all"]
