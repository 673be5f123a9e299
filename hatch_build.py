"""Build hook: compiles rules/ and kb/ to one file inside the wheel, and ships the YAML, documents and manual pages."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class RuleBaseHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds `advisor/_base.jsonl`, `advisor/_data/rules`, `advisor/_data/kb`, documents and pages to the wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile; not for an editable install, since a checkout compiles when it is first used."""
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        from advisor.rulebase import rule_files  # noqa: PLC0415  only now can it be found
        from advisor.rulebase.base import compiled  # noqa: PLC0415
        from tools import man_pages  # noqa: PLC0415

        self.folder = tempfile.TemporaryDirectory(prefix="advisor-build-")
        target = Path(self.folder.name, "_base.jsonl")
        target.write_bytes(compiled(self.root))
        build_data["force_include"][str(target)] = "advisor/_base.jsonl"
        for name in rule_files.FOLDERS:
            build_data["force_include"][str(Path(self.root, name))] = f"advisor/_data/{name}"
        for name in ("README.md", "CHANGELOG.md", "docs"):
            if Path(self.root, name).exists():
                build_data["shared_data"][str(Path(self.root, name))] = f"share/doc/nfs-advisor/{name}"
        for page in man_pages.write(Path(self.folder.name, "man")):
            build_data["shared_data"][str(page)] = f"share/man/man{page.suffix[1:]}/{page.name}"

    def finalize(self, version: str, _build_data: dict[str, Any], _artifact_path: str) -> None:
        """Remove the compiled file: it is in the wheel now."""
        if version != "editable":
            self.folder.cleanup()
