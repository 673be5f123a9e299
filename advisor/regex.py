"""Regular expressions of modules, compiled when they are first used: a command uses few of those in the modules that it
imports, and compiling all would be a tenth of a short one."""

from __future__ import annotations

import re

__all__ = ["regex"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import compile as regex
else:

    class regex:  # noqa: N801  called like a function, as re.compile is
        """`re.compile`, later."""

        def __init__(self, form, flags=0):
            self._arguments = form, flags

        def __getattr__(self, name):
            """`match`, `sub` … of the compiled expression; from then on they are attributes."""
            method = self.__dict__[name] = getattr(re.compile(*self._arguments), name)
            return method
