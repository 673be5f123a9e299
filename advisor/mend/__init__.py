"""What brings a checked host to the advice: files, a script to apply them, one to look, and one to undo it all."""

from advisor.mend.build import written
from advisor.mend.plan import CheckedFiles, HowFar

__all__ = ["CheckedFiles", "HowFar", "written"]
