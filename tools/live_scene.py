"""The mounts that the pictures of `advisor observe --live` show: counters of four mounts, made up of formulas."""

from __future__ import annotations

import math
from typing import Any

from advisor.observe.counters import read_samples
from advisor.observe.snapshot import Snapshot
from advisor.observe.window import HostFeed, RollingWindow
from advisor.wizard.live import Watch, make_frame

STEPS, SECONDS = 40, 2
MOUNTS = (
    # target, calls a second, ms queued, ms answered, ms of TCP's round trip, share of calls that wait for a slot
    ("/srv/build", 410.0, 21.0, 7.5, 0.4, 6.0),
    ("/home", 120.0, 0.1, 1.2, 0.3, 0.0),
    ("/data/archive", 36.0, 0.2, 64.0, 0.5, 0.0),
    ("/opt/tools", 0.0, 0.0, 0.0, 0.3, 0.0),
)


def _mount(number: int, step: int) -> str:
    target, rate, queue, answer, _, backlog = MOUNTS[number]
    waves = sum(1 + 0.5 * math.sin(at * (0.3 + number / 10)) for at in range(step))
    calls = round(rate * SECONDS * waves)
    kinds = (("READ", 7, 132, 65664), ("GETATTR", 2, 160, 240), ("WRITE", 1, 32900, 136))
    rows = []
    for name, tenths, sent, back in kinds:
        ops = calls * tenths // 10
        queued, answered = round(ops * queue), round(ops * answer)
        taken = queued + answered + ops // 9
        rows.append(f"\t{name}: {ops} {ops} 0 {ops * sent} {ops * back} {queued} {answered} {taken} 0")
    port = 700 + number
    return "\n".join((
        f"device nas{number + 1}.example:/vol{target} mounted on {target} with fstype nfs statvers=1.1",
        "\topts:\trw,vers=3,rsize=1048576,wsize=1048576,hard,proto=tcp,timeo=600,retrans=2,sec=sys",
        f"\tage:\t{5000 + step * SECONDS}",
        f"\tevents:\t{'0 ' * 27}", f"\tbytes:\t0 0 0 0 {calls * 45000} {calls * 3000} 0 0",
        f"\txprt:\ttcp {port} 1 1 0 0 {calls} {calls} 0 {calls * 3} {round(calls * backlog)} 16 0 0",
        *rows, "",
    ))


def _reading(step: int) -> Snapshot:
    places = "".join(f"{40 + at} 1 0:{50 + at} / {one[0]} rw - nfs nas{at}:/vol rw,addr=192.0.2.{at + 1}\n"
                     for at, one in enumerate(MOUNTS))
    sockets = "".join(
        f"0 0 192.0.2.99:{700 + at} 192.0.2.{at + 1}:2049\n"
        f"\t cubic rtt:{one[4]}/0.1 data_segs_in:{step * 900} minrtt:0.2\n"
        for at, one in enumerate(MOUNTS)
    )
    return Snapshot({
        "mountstats": "\n".join(_mount(at, step) for at in range(len(MOUNTS))), "mountinfo": places,
        "uptime": f"{9000 + step * SECONDS} 0\n", "ss_client": sockets,
    })


def _looks(step: int) -> str:
    return f"@@ t={9000 + step * SECONDS}\n" + "".join(
        f"# /sys/switch-{at}/xprt-{at}-tcp/xprt_info state: CONNECTED dst: 192.0.2.{at + 1}\n"
        f"last_used={step}\npending_q_len=1\ntasks_queuelen=1\nsrc_port={700 + at}\ndst_port=2049\n"
        for at in range(len(MOUNTS))
    )


def watched(base: Any, theme: str) -> Watch:
    """The application as it looks after STEPS readings; nothing is read any more."""
    rolling = RollingWindow(base, 60.0)
    for step in range(STEPS):
        rolling.add(float(step * SECONDS), _reading(step), read_samples(_looks(step)))
    feed = HostFeed(rolling, float(SECONDS))
    feed.ended.set()
    return Watch(feed, make_frame(rolling.report(), rolling.steps, rolling.seconds), theme=theme)
