"""The command line: what is printed, written and returned, and what a signal does."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from advisor.probe import questions
from advisor.probe.result import from_data
from tests.cli.conftest import advisor as advisor  # noqa: PLC0414  the fixture
from tests.probe.fake import Fake, Shared, running
from tests.schemas import validate

OTHERS = {"/srv/x": Shared(("192.0.2.0/24",), "NOENT"), "/srv/y": Shared(mode=0o1777)}


def test_an_answer_in_text_and_its_exit_code(advisor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(Fake(dict(OTHERS))) as fake:
        monkeypatch.setattr(questions, "RPCBIND_PORT", fake.port)
        refused = advisor("probe", "127.0.0.1:/srv/x", "--port", str(fake.port))
        well = advisor("probe", "127.0.0.1:/srv/y", "--port", str(fake.port))
    assert (refused.code, well.code) == (1, 0)
    assert "LOOKUP says that /srv/x does not exist" in " ".join(refused.out.split())
    assert "This host can mount it" in " ".join(well.out.split())
    assert not any(fake.clients)


def test_json_and_the_file_are_the_same_answers(advisor: Any, tmp_path: Path) -> None:
    with running(Fake(dict(OTHERS))) as fake:
        ran = advisor("probe", "127.0.0.1:/srv/y", "--port", str(fake.port), "--output-format", "json",
                      "--write-to", str(tmp_path / "probe.json"))
    printed, written = json.loads(ran.out), json.loads((tmp_path / "probe.json").read_text())
    validate(printed, "advisor-probe-1")
    validate(written, "advisor-probe-1")
    assert {**written, "answers": printed["answers"]} == printed
    assert from_data(written) == from_data({name: value for name, value in printed.items() if name != "answers"})


def test_only_the_versions_that_are_asked_for(advisor: Any) -> None:
    with running(Fake(dict(OTHERS))) as fake:
        ran = advisor("probe", "127.0.0.1:/srv/y", "--port", str(fake.port), "--vers", "4.1", "--output-format", "json")
    assert json.loads(ran.out)["minors"] == [{"version": "4.1", "outcome": "on"}]
    assert json.loads(ran.out)["version"] == "4.1"


def test_what_a_server_sends_is_shown_and_never_obeyed(advisor: Any) -> None:
    with running(Fake({"/srv/\x1b[2Jx": Shared(("\x1b]0;x\x07",)), "/srv/y": Shared(owner="\x1b[31m@x")})) as fake:
        for words in ((), ("--output-format", "json")):
            ran = advisor("probe", "127.0.0.1:/srv/y", "--port", str(fake.port), *words)
            assert "\x1b" not in ran.out + ran.err
            assert "\x07" not in ran.out + ran.err


@pytest.mark.parametrize(("words", "says"), [
    (["nas:"], "write SERVER"), (["/srv"], "write SERVER"), (["nas:srv"], "write SERVER"), ([""], "write SERVER"),
    (["nfs://nas/srv"], "NFS URLs are not supported"), (["me@nas:/srv"], "cannot be a server name"),
    (["fd09::1:/srv"], "write [fd09::1]:/srv"), (["nas1,nas2:/srv"], "only one server works"),
    (["a,b"], "write SERVER"), (["nas:" + "/d" * 65], "more than 64 parts"),
    (["nas:/x", "--vers", "5"], '"5" cannot be asked for'),
    (["nas:/x", "--port", "70000"], "from 1 to 65535"), (["nas:/x", "--timeout", "0"], "from 0.05 to 60"),
])
def test_a_command_line_that_is_wrong(advisor: Any, words: list[str], says: str) -> None:
    ran = advisor("probe", *words)
    assert ran.code == 2
    assert says in ran.err


def test_a_path_as_mount_reads_it(advisor: Any) -> None:
    with running(Fake(dict(OTHERS))) as fake:
        ran = advisor("probe", "127.0.0.1:/srv/.//y/", "--port", str(fake.port), "--output-format", "json")
    assert [step["name"] for step in json.loads(ran.out)["steps"]] == ["/", "srv", "y"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_waits_for_the_reply_under_way(number: signal.Signals, tmp_path: Path) -> None:
    """The server is slow to answer LOOKUP; the signal comes in between, and nothing is left."""
    waiting = tmp_path / "waiting"

    def slow(name: str) -> None:
        if name == "LOOKUP":
            waiting.touch()
            time.sleep(0.4)

    with running(Fake(dict(OTHERS), on_call=slow)) as fake, subprocess.Popen(
        [sys.executable, "-m", "advisor", "probe", "127.0.0.1:/srv/y", "--port", str(fake.port)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(Path.cwd())},
    ) as process:
        while not waiting.exists() and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (128 + number, "")
    assert "nothing is left on the server" in err
    destroyed = [call for call in fake.calls if call.startswith("DESTROY")]  # other questions were under way
    assert destroyed == ["DESTROY_SESSION", "DESTROY_CLIENTID"]
    assert not any(fake.clients)
