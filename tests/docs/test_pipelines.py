"""The hooks and the recipes of docs/pipelines.md work as they are printed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from advisor.files.kinds import identify
from tests import needs
from tests.tiers import thorough

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "pipelines.md").read_text(encoding="utf-8")
HOOKS = {hook["id"]: hook for hook in YAML(typ="safe").load(ROOT / ".pre-commit-hooks.yaml")}
RECIPES = [YAML(typ="safe").load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
PROGRAMS = str(Path(sys.executable).parent)
FSTAB = "# advisor: ignore[timeo-too-short] a test\nnas:/a /a nfs vers=4.2,hard,timeo=5,nconect=8 0 0\n"
OF_NFS = {
    "fstab": FSTAB, "hosts/a/etc/fstab": FSTAB, "lab.fstab": FSTAB, "etc/exports": "/srv *(rw,no_root_sqash)\n",
    "etc/exports.d/a.exports": "/srv *(rw,no_root_sqash)\n", "etc/nfs.conf": "[nfsd]\nthreads=many\n",
    "etc/nfs.conf.d/a.conf": "[nfsd]\nthreads=many\n", "nfsmount.conf": "[ NFSMount_Global_Options ]\nnconect=8\n",
    "idmapd.conf": "[General]\nDoman = a\n", "etc/auto.master": "/home /etc/auto.home nconect=8\n",
    "home.autofs": "/home /etc/auto.home -nconect=8\n",
    "units/mnt-data.mount": "[Mount]\nWhat=nas:/a\nWhere=/mnt/data\nType=nfs\nOptions=nconect=8\n",
}
OTHERS = ("src/exports.ts", "auto.py", "conf/nfs.conf.j2", "fstab.md", "docs/nfs.conf.txt", "mount", "amount")


def run(command: str | list[str], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PATH": f"{PROGRAMS}:{os.environ['PATH']}", **variables}
    return subprocess.run(
        command, cwd=folder, env=environment, shell=isinstance(command, str), text=True, capture_output=True,
        check=False,
    )


def tree(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def commit(folder: Path) -> None:
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
        assert run(["git", *words], folder).returncode == 0


@pytest.mark.parametrize("hook", sorted(HOOKS))
def test_the_hook_takes_what_is_certainly_of_nfs(hook: str) -> None:
    taken = re.compile(HOOKS[hook]["files"])
    for name, text in OF_NFS.items():
        assert taken.search(name), name
        assert identify(text, name) is not None, name
    assert [name for name in OTHERS if taken.search(name)] == []


@thorough
def test_pre_commit_runs_the_hook(tmp_path: Path) -> None:
    """With the program that is installed here: in a hook of its own, pip would install it for a minute."""
    needs.package("pre_commit")
    hooks = [{**hook, "language": "system"} for hook in HOOKS.values()]
    source = tree(tmp_path / "source", {".pre-commit-hooks.yaml": json.dumps(hooks)})
    commit(source)
    site = tree(tmp_path / "site", {**OF_NFS, **dict.fromkeys(OTHERS, "not of NFS\n")})
    commit(site)
    command = next(line.strip() for line in PAGE.splitlines() if line.startswith("    pre-commit "))
    command = command.replace("ADDRESS-OF-THE-REPOSITORY", str(source))
    home = str(tmp_path / "home")
    ran = run(command, site, PRE_COMMIT_HOME=home)
    assert ran.returncode == 1, ran.stderr
    assert "exit code: 1" in ran.stdout, ran.stdout
    for name in OF_NFS:
        assert re.search(rf"^{re.escape(name)}:\d+:\d+: ", ran.stdout, re.MULTILINE), name
    assert "not checked" not in ran.stdout
    clean = tree(tmp_path / "clean", {"etc/fstab": "nas:/a /a nfs vers=4.2,hard,nofail,_netdev 0 0\n"})
    commit(clean)
    assert run(command, clean, PRE_COMMIT_HOME=home).returncode == 0


def test_the_configuration_of_pre_commit_names_a_hook() -> None:
    (recipe,) = [one for one in RECIPES if "repos" in one]
    assert [hook["id"] for hook in recipe["repos"][0]["hooks"]] == ["advisor-lint"]
    assert set(re.findall(r"`(advisor-\w+)`", PAGE)) == set(HOOKS)


@thorough
@pytest.mark.parametrize("schema", ["github-workflows", "gitlab-ci"])
def test_recipes_are_as_their_schemas_say(schema: str, tmp_path: Path) -> None:
    needs.package("check_jsonschema")
    told = [one for one in RECIPES if ("jobs" in one) == (schema == "github-workflows") and "repos" not in one]
    assert len(told) == (2 if schema == "github-workflows" else 1)
    for number, recipe in enumerate(told):
        (tmp_path / f"{number}.yml").write_text(json.dumps(recipe), encoding="utf-8")
    own = [ROOT / ".github/workflows/release.yml"] if schema == "github-workflows" else []
    files = sorted(map(str, [*tmp_path.iterdir(), *own]))
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    assert run([*command, *files], tmp_path).returncode == 0
    (tmp_path / "0.yml").write_text(json.dumps({**told[0], "jobs": 1, "nfs": {"script": 1}}), encoding="utf-8")
    assert run([*command, *files], tmp_path).returncode == 1


def commands(recipe: dict[str, dict[str, dict[str, list[dict[str, str]]]]]) -> list[str]:
    """What a recipe runs of jq and of the single file, in its order, with the program of the checkout instead."""
    steps = [step.get("run", "") for step in recipe["jobs"].popitem()[1]["steps"]] if "jobs" in recipe else [
        *map(str, recipe["nfs"]["script"])
    ]
    steps = [re.sub("^python3 advisor.pyz ", "advisor ", step) for step in steps]
    return [step for step in steps if step.startswith(("advisor ", "jq "))]


def test_the_printed_commands(tmp_path: Path) -> None:
    if shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    site = tree(tmp_path, {"etc/fstab": FSTAB, "etc/exports": OF_NFS["etc/exports"], "advisor.toml": ""})
    annotated, scanned, gitlab = [commands(one) for one in RECIPES if "repos" not in one]
    (only,) = annotated
    ran = run(only, site)
    assert ran.returncode == 1
    assert "::error file=etc/fstab,line=2," in ran.stdout
    assert "::error file=etc/exports,line=1," in ran.stdout
    assert [run(command, site).returncode for command in scanned] == [0, 0]
    everything, kept = (json.loads((site / name).read_text())["runs"][0] for name in ("all.sarif", "advisor.sarif"))
    silent = [one["ruleId"] for one in everything["results"] if one["suppressions"]]
    assert silent == ["timeo-too-short"]
    assert kept == {**everything, "results": [one for one in everything["results"] if not one["suppressions"]]}
    (report,) = gitlab
    assert run(report, site).returncode == 1, "a job that finds something fails"
    issues = json.loads((site / "gl-code-quality-report.json").read_text())
    Draft202012Validator(CODE_QUALITY).validate(issues)
    assert {one["location"]["path"] for one in issues} == {"etc/fstab", "etc/exports"}


CODE_QUALITY = {
    "type": "array", "minItems": 2, "items": {
        "type": "object", "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1}, "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {"type": "object", "required": ["path", "lines"], "properties": {
                "path": {"type": "string", "pattern": "^[^./]"},
                "lines": {"type": "object", "required": ["begin"], "properties": {"begin": {"type": "integer"}}},
            }},
        },
    },
}
"""What GitLab asks of a Code Quality report."""
