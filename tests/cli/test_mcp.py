"""`advisor mcp`: what its tools answer and refuse, and that a client of the official kit can use it. The skill: its
commands run, and answer what it says."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from advisor.cli import servers as mcp
from advisor.cli.terminal import THIS_PROGRAM, CannotRun
from tests import needs
from tests.schemas import validate
from tests.tiers import thorough

ROOT = Path(__file__).parents[2]
SKILL = (ROOT / "skills/nfs-advisor/SKILL.md").read_text(encoding="utf-8")
BAD = "nas:/a /a nfs soft,nconect=4 0 0\n"


def read(answer: list[str]) -> Any:
    document = json.loads(answer[0])
    validate(document, "advisor-brief-1")
    return document


def test_a_text_is_judged_with_the_facts_given() -> None:
    document = read(mcp.lint_text(BAD, "fstab"))
    assert [point["about"] for point in document["points"]] == ["unknown-option", "hard/default"]
    facts = {"storage.platform": "anf", "mount.ro": False}
    assert read(mcp.why("nconnect", facts))["points"][0]["about"] == "mount.nconnect"


def test_what_a_command_remarks_comes_second() -> None:
    _, remark = mcp.recommend({"storage.platform": "nonsense"})
    assert "nonsense is not known here" in remark


@pytest.mark.parametrize("call", [
    lambda: mcp.explain("/etc/passwd"), lambda: mcp.explain("../x"), lambda: mcp.explain('"/etc/passwd"'),
    lambda: mcp.explain("etc.exports"), lambda: mcp.lint_text("x" * (mcp.LIMIT + 1)), lambda: mcp.why("a\0b"),
    lambda: mcp.recommend({"storage.platform": "x" * (64 << 10)}),
])
def test_files_and_what_is_too_large_are_refused_before_a_command_runs(
    call: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp.subprocess, "run", lambda *_, **__: pytest.fail("it ran"))
    with pytest.raises(CannotRun):
        call()


@pytest.mark.parametrize("call", [
    lambda: mcp.why("--help"), lambda: mcp.why("--rules=/tmp"), lambda: mcp.explain("--facts=/etc/passwd"),
    lambda: mcp.recommend({"client.kernel --rules": "/tmp"}), lambda: mcp.lint_text(BAD, "--help"),
])
def test_no_text_becomes_an_option(call: Any) -> None:
    with pytest.raises(CannotRun, match=r"^(?!.*usage:)"):
        call()


def test_a_bundle_is_named_as_what_it_is() -> None:
    with pytest.raises(CannotRun, match=r"^advisor: the bundle: not a bundle"):
        mcp.check_bundle("{}")


def test_the_skill_is_short_and_names_no_command_that_is_not_there() -> None:
    assert len(SKILL.splitlines()) <= 60
    for command in commands():
        assert "--output-format brief" in command


def commands() -> list[str]:
    """The lines of the skill that are to be run."""
    return re.findall(r"^    (.+)$", SKILL.partition("\n---\n")[2], re.MULTILINE)


@thorough
@pytest.mark.parametrize("line", [line for line in commands() if "probe" not in line])
def test_each_command_of_the_skill_answers(line: str) -> None:
    text, _, command = line.rpartition(" | ")
    words = shlex.split(command.replace("FILE", "examples/fstab"))
    assert words[0] == "advisor"
    given = " ".join(shlex.split(text)[1:]) + "\n"
    done = subprocess.run([sys.executable, "-c", THIS_PROGRAM, *words[1:]], input=given, cwd=ROOT, check=False,
                          capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    validate(json.loads(done.stdout), "advisor-brief-1")


@thorough
def test_a_client_lists_calls_and_reads(tmp_path: Path) -> None:
    client = needs.package("mcp")
    import anyio
    from mcp.client.stdio import stdio_client

    async def talk() -> None:
        program = client.StdioServerParameters(command=sys.executable, args=["-m", "advisor", "mcp"], cwd=ROOT)
        async with stdio_client(program) as streams, client.ClientSession(*streams) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            assert [tool.name for tool in tools] == [
                "lint_text", "recommend", "why", "diagnose", "explain", "check_bundle",
            ]
            assert all(tool.annotations.read_only_hint and tool.description for tool in tools)
            judged = await session.call_tool("lint_text", {"text": BAD, "kind": "fstab"})
            assert not judged.is_error
            assert read([judged.content[0].text])["points"][0]["about"] == "unknown-option"
            refused = await session.call_tool("explain", {"topic": "/etc/passwd"})
            assert refused.is_error
            assert "give its text to lint_text" in refused.content[0].text
            claim = await session.read_resource("advisor://claim/nfs5.nconnect")
            assert "nfs5.nconnect" in read([claim.contents[0].text])["sources"]

    anyio.run(talk)
