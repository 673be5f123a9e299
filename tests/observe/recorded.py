"""Write recorded.jsonl from the recordings: what was set up in each window, and the quantities that were counted.

python -m tests.observe.recorded"""

import json
from collections.abc import Iterator
from pathlib import Path

from advisor.observe.snapshot import replay
from advisor.observe.window import MountWindow, server_quantities, windows
from tests import needs

OBSERVE = needs.OTHERS / "observe"
SHARED = OBSERVE / "train"
WRITTEN = Path(__file__).parent / "recorded.jsonl"


def scenarios() -> list[dict[str, object]]:
    """The recordings as they were set up, with numbers that another program took from the same files."""
    with (SHARED / "scenario.jsonl").open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def judged(name: object, mount: object) -> tuple[MountWindow, dict[str, int]]:
    """The mount of a recording, and what the server counted, which was the same machine."""
    read = replay(str(SHARED / "files" / str(name)))
    (window,) = (one for one in windows(read.before, read.after, read.samples) if one.target == mount)
    return window, server_quantities(read.before, read.after)


def rows() -> Iterator[dict[str, object]]:
    for one in scenarios():
        truth = one["truth"]
        assert isinstance(truth, dict)
        window, server = judged(one["id"], one["mount"])
        yield {
            "id": one["id"], "kernel": one["kernel"], "options": one["options_asked"], "setup": one["setup"],
            "workload": one["workload"], "cause": truth["cause"], "conclusions": truth["conclusions"],
            "may_also": truth["may_also"], "quantities": dict(sorted(window.quantities.items())), "server": server,
        }


if __name__ == "__main__":
    WRITTEN.write_text("".join(json.dumps(row) + "\n" for row in rows()), encoding="utf-8")
