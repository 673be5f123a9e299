"""The comparison of a program's source with the catalogue."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

FILE = Path(__file__).parents[2] / "tools" / "missing_messages.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("missing_messages", FILE)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_a_text_that_the_catalogue_lacks_is_listed(tool: ModuleType, tmp_path: Path) -> None:
    source = tmp_path / "stropts.c"
    source.write_text(
        '/* nfs_error("not this one: a comment") */\n'
        'nfs_error(_("%s: access denied by server while mounting %s"), progname, spec);\n'
        'nfs_error(_("%s: rpc.statd is not running but is "\n\t"required for remote locking."), progname);\n'
        'nfs_error(_("%s: the moon is full over %s"), progname, spec);\n'
        'printf(_("\\t-v\\t\\tVerbose\\n"));\n'
    )
    assert [text for _, text in tool.missing("mount.nfs", [source])] == ["%s: the moon is full over %s"]


def test_another_programs_messages_do_not_count(tool: ModuleType, tmp_path: Path) -> None:
    source = tmp_path / "main.c"
    source.write_text('nfs_error(_("%s: access denied by server while mounting %s"), progname, spec);\n')
    assert len(list(tool.missing("rpc.gssd", [source]))) == 1
