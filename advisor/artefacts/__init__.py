"""Makes files from advice: configuration, scripts that install, check and undo it, and a report. Only write.py does
I/O."""

from __future__ import annotations

from advisor.artefacts.build import artefacts
from advisor.artefacts.model import Artefact
from advisor.artefacts.write import Written, write_all

__all__ = ["Artefact", "Written", "artefacts", "write_all"]
