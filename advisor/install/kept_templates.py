"""Keeps templates as Python compiles them. To compile them is two fifths of an export."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib.util import cache_from_source
from pickle import UnpicklingError

import jinja2
from jinja2.bccache import Bucket

from advisor import user_files


class KeptTemplates(jinja2.BytecodeCache):
    """In the folder where Python keeps the modules beside them, as trusted as these, and only if it keeps any. Jinja
    itself finds out whether a template or Python has changed since. `folder`: of the templates."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def _path(self, bucket: Bucket) -> str:
        return cache_from_source(f"{self._folder}/{bucket.key}-{jinja2.__version__}.j2")

    def load_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError, EOFError, ValueError, UnpicklingError), open(self._path(bucket), "rb") as kept:  # noqa: PTH123
            bucket.load_bytecode(kept)

    def dump_bytecode(self, bucket: Bucket) -> None:
        if sys.dont_write_bytecode:
            return
        path = self._path(bucket)
        with suppress(OSError, user_files.WriteError):
            os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120
            user_files.save(path, bucket.bytecode_to_string(), 0o644)
