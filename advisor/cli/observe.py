"""`advisor observe`: measure the mounts of this host by its counters, and find what limits them. With --listen, it
serves one text, the metrics, over HTTP to Prometheus, to one client at a time; nothing else is answered, and nothing of
a request but its first line is used."""

from __future__ import annotations

import argparse
import ipaddress
import os
import socket
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import BytesIO
from typing import TYPE_CHECKING

from advisor.cli import terminal
from advisor.cli.options import add_site_options, site_rule_base, tree_of
from advisor.cli.parser import between
from advisor.cli.terminal import CannotRun
from advisor.host.tree import Unread
from advisor.observe import compare, snapshot
from advisor.observe.compare import ReportedMount
from advisor.observe.counters import read_samples
from advisor.observe.snapshot import PLACES, Recording, Snapshot
from advisor.observe.window import HostFeed, KernelMessage, ObserveReport, RollingWindow, judge
from advisor.pages.style import visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from advisor.rulebase.model import RuleBase
    from advisor.wizard.live import Watch

_UNITS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_LONGEST = 86400.0
_SS = "/ss"
"""The output of ss in an archive, as kb/layouts.yaml names it."""
_MOST_DAYS = 3660
_LIVE_EVERY = 2.0
_LISTEN_EVERY = 10.0
_LIVE_SPAN = 60.0
_WRITE_EARLIER = "write it with: advisor observe --output-format json > before.json"
_WITHOUT_SCREEN = "advisor observe --every 5s prints a line for each mount; advisor observe prints the whole page once"


def configure(top: argparse.ArgumentParser) -> None:
    top.add_argument("--for", dest="span", type=_seconds, default=60.0, metavar="TIME",
                     help="how long to watch, such as 30s or 5m (default 60s); Ctrl-C ends it early")
    top.add_argument("--every", type=_seconds, default=0.0, metavar="TIME",
                     help="meanwhile, also print a line this often")
    top.add_argument("--live", action="store_true",
                     help="show it live on the screen: every 2s, judged over the last --for")
    top.add_argument("--listen", metavar="ADDRESS:PORT",
                     help="serve metrics for Prometheus over HTTP there, judged over the last --for, until Ctrl-C")
    top.add_argument("--mount", action="append", default=[], metavar="DIR", help="only this mount; may be repeated")
    top.add_argument("--root", metavar="DIR|ARCHIVE", help="the counters in a copy of a host's files: a sosreport")
    top.add_argument("--earlier", metavar="DIR|ARCHIVE",
                     help="an earlier copy of the same host: judge the time between the two")
    top.add_argument("--record", metavar="DIR", help="keep the raw readings in a new folder")
    top.add_argument("--replay", metavar="DIR", help="judge such a recording")
    top.add_argument("--compare", metavar="FILE",
                     help="report what changed since the window in this file, which --output-format json wrote")
    top.add_argument("--write-to", metavar="FILE",
                     help="also write the facts that it finds to this file, for --facts of other commands")
    top.add_argument("--good-for", type=between(1, _MOST_DAYS, int, f"{{}}: from 1 to {_MOST_DAYS} days"),
                     default=30, metavar="DAYS",
                     help="how long other commands may use these facts (default 30)")
    top.add_argument("--output-format", choices=(*terminal.DOCUMENT_FORMATS, "json", "brief"), default="text",
                     help="html is a page, svg one picture")
    terminal.add_color_option(top)
    add_site_options(top)


def run(args: argparse.Namespace) -> int:
    if sum(map(bool, (args.replay, args.root, args.record))) > 1:
        raise CannotRun("--replay, --root and --record: give one of them")
    if args.earlier and not args.root:
        raise CannotRun("--earlier needs the later copy too: --root DIR")
    if args.live:
        _check_live(args)
        with terminal.refuse_on(snapshot.RecordingError):
            return _watch_live(args, site_rule_base(args))
    if args.listen:
        _check_endless(args, "--listen", "serves metrics")
        return _serve(args, site_rule_base(args))
    if args.every and (args.output_format != "text" or args.replay or args.root):
        raise CannotRun("--every prints text while it watches this host: leave out --output-format, --replay, --root")
    earlier = _earlier_mounts(args.compare) if args.compare else None
    base = site_rule_base(args)
    with terminal.refuse_on(snapshot.RecordingError):
        read = _read(args, base)
    report = judge(base, read, _known_mounts(args.mount, [mount.target for mount in read.after.mounts]))
    report = report._replace(kernel=_kernel_messages(base, read.after.texts.get(snapshot.KERNEL, "")))
    if args.write_to:
        _write(args, base, report, read.after)
    _show(base, args, earlier, report, read)
    return 0


def _earlier_mounts(path: str) -> list[ReportedMount]:
    """The mounts of the file of --compare. CannotRun, before anything is watched, where it is not a window."""
    from advisor import user_files

    try:
        return compare.reported_mounts(user_files.parse_json(user_files.read_text(path), path))
    except user_files.UserFileError as error:
        raise CannotRun(f"--compare {error}", _WRITE_EARLIER) from None
    except compare.ReportError as error:
        raise CannotRun(f"--compare {path}: not a window that observe wrote: {error}", _WRITE_EARLIER) from None


def _show(
    base: RuleBase, args: argparse.Namespace, before: list[ReportedMount] | None, report: ObserveReport, read: Recording
) -> None:
    """Print the report, or what changed since an earlier window, in the format that was asked for."""
    from advisor.pages import observe as pages

    if args.output_format == "brief":
        from advisor.pages.brief import of_window

        sys.stdout.write(of_window(base, report))
        return
    data, blocks, title = pages.data(report, compare.parts_of(read)), pages.page(report), pages.TITLE
    if before is not None:
        is_chosen = _mount_filter(args.mount)
        earlier = [mount for mount in before if is_chosen(mount.target)]
        changes = compare.compare(earlier, compare.reported_mounts(data))
        data, blocks = pages.comparison_data(changes), pages.comparison_page(changes)
        title = pages.COMPARISON_TITLE
    if args.output_format == "json":
        terminal.print_json(data)
    elif before is None and report.empty and args.output_format == "text":
        print(pages.NOTHING)
    else:
        sys.stdout.write(terminal.render_document(args.output_format, blocks, title, args.color))


def _kernel_messages(base: RuleBase, text: str) -> list[KernelMessage]:
    """The messages of a kernel log that report more than normal operation, as `diagnose` knows them."""
    if not text.strip():
        return []
    from advisor.diagnose.evidence import Reader
    from advisor.diagnose.logs import read_log

    evidence = read_log(base.ready(Reader), BytesIO(text.encode("utf-8", "replace")).read)
    return [KernelMessage(problem.message.id, problem.text.strip(), problem.count) for problem in evidence.problems()]


def _write(args: argparse.Namespace, base: RuleBase, report: ObserveReport, last: Snapshot) -> None:
    from datetime import date, timedelta

    from advisor.pages.observe import facts_file

    until = (last.day or date.today()) + timedelta(days=args.good_for)
    terminal.save_file(args.write_to, facts_file(base, report, str(last.day or ""), str(until)).encode())


def _seconds(text: str) -> float:
    number = text.rstrip("smhin")
    try:
        value = float(number) * _UNITS[text[len(number):] or "s"]
    except (KeyError, ValueError):
        raise argparse.ArgumentTypeError(f'"{text}" is not a length of time: write 30s, 5m or 1h') from None
    if not 1 <= value <= _LONGEST:
        raise argparse.ArgumentTypeError(f"{text}: from 1s to 24h")
    return value


def _mount_filter(mounts: list[str]) -> Callable[[str], bool]:
    """Whether a mount point is one of `mounts`; all are if there are none."""
    chosen = {_normalized(mount_point) for mount_point in mounts}
    return lambda target: not chosen or target in chosen


def _normalized(mount_point: str) -> str:
    return mount_point.rstrip("/") or "/"


def _known_mounts(mounts: list[str], targets: list[str]) -> Callable[[str], bool]:
    """As `_mount_filter`. CannotRun if one of `mounts` is not among `targets`, the mount points in effect."""
    for mount_point in sorted({*map(_normalized, mounts)} - set(targets)):
        known = f"; mounted are {', '.join(targets)}" if targets else ""
        raise CannotRun(f"--mount {mount_point}: no NFS file system is mounted there{known}")
    return _mount_filter(mounts)


def _read(args: argparse.Namespace, base: RuleBase) -> Recording:
    if args.replay:
        return snapshot.replay(args.replay)
    if args.root:
        before = Snapshot(_readings_of_copy(base, args.earlier)) if args.earlier else None
        return Recording(before, Snapshot(_readings_of_copy(base, args.root)), [])
    return watch(args, base)


def _readings_of_copy(base: RuleBase, root: str) -> dict[str, str]:
    """The readings that a copy of a host holds. CannotRun if it has no counters of mounts."""
    tree = tree_of(base, root)
    texts = {}
    for name, path in (*PLACES.items(), (snapshot.SOCKETS, _SS)):
        try:
            texts[name] = tree.text(path, snapshot.MAX_BYTES)
        except Unread:
            continue
    if "mountstats" not in texts:
        raise CannotRun(f"{root}: contains no {PLACES['mountstats']}; sosreports have it, supportconfigs do not")
    return texts


def _print_lines(base: RuleBase, read: Recording, wanted: Callable[[str], bool]) -> None:
    """Print a line for each mount with calls or conclusions."""
    from advisor.pages.observe import one_line

    at = time.strftime("%H:%M:%S")
    for mount in judge(base, read, wanted).mounts:
        if mount.window.calls or mount.conclusions:
            print(f"{at}  {visible(one_line(mount))}", flush=True)


def watch(args: argparse.Namespace, base: RuleBase) -> Recording:
    """Watch this host for a while: a reading of its counters at each end, and samples of its connections between."""
    booted = time.clock_gettime(time.CLOCK_MONOTONIC)
    first = snapshot.snapshot()
    before = Snapshot(first)
    if not before.mounts and before.pools is None:
        return Recording(None, before, [])
    wanted = _known_mounts(args.mount, [mount.target for mount in before.mounts])
    if sys.stderr.isatty():
        terminal.warn(f"watching for {args.span:g} s; Ctrl-C ends it and judges what was seen")
    began, samples, between = time.monotonic(), list[str](), list[dict[str, str]]()
    printed, since, following = before, 0, args.every  # for the lines of --every
    try:
        for sample in snapshot.samples(args.span):
            samples.append(sample)
            passed = time.monotonic() - began
            if len(between) + 1 < compare.PARTS and passed >= args.span * (len(between) + 1) / compare.PARTS:
                between.append(snapshot.counters())
            if args.every and passed >= following:
                now = Snapshot(snapshot.snapshot())
                _print_lines(base, Recording(printed, now, read_samples("".join(samples[since:]))), wanted)
                printed, since, following = now, len(samples), following + args.every
    except KeyboardInterrupt:
        if time.monotonic() - began < 1:
            raise
    last, connections, messages = snapshot.snapshot(), "".join(samples), snapshot.kernel_log(booted)
    if messages is not None:
        last[snapshot.KERNEL] = "\n".join(messages)
    if args.record:
        snapshot.record(args.record, first, last, connections, between)
    compared = args.output_format == "json" or args.compare
    meanwhile = [Snapshot(reading) for reading in between] if compared else []
    return Recording(before, Snapshot(last), read_samples(connections), meanwhile)


def _check_endless(args: argparse.Namespace, option: str, does: str) -> None:
    """CannotRun if the options do not go with one that watches without an end."""
    for given, other in ((args.record, "--record"), (args.earlier, "--earlier"), (args.write_to, "--write-to"),
                         (args.compare, "--compare"), (args.listen and args.live, "--live"),
                         (args.listen and (args.replay or args.root), "--replay or --root")):
        if given:
            raise CannotRun(f"{option} only {does}; {other} needs a window that ends: leave out {option}")


def _check_live(args: argparse.Namespace) -> None:
    """CannotRun if the options do not go together, or nothing can be drawn."""
    _check_endless(args, "--live", "draws on the screen")
    if args.output_format != "text":
        raise CannotRun(f"--live draws on the terminal; for {args.output_format} leave it out")
    if args.root and not os.path.isdir(args.root):  # noqa: PTH112
        raise CannotRun(f"--live --root {args.root}: not a folder; it reads the files below one again and again",
                        f"for an archive: advisor observe --root {args.root}")
    terminal.check_terminal("--live", _WITHOUT_SCREEN)
    from importlib.util import find_spec

    if find_spec("textual") is None:
        raise CannotRun("--live needs the Python package textual, which is not installed",
                        f"install it as advisor was installed (pip install textual), or: {_WITHOUT_SCREEN}")


def _watch_live(args: argparse.Namespace, base: RuleBase) -> int:
    """Show the screens, fed by this host or by a recording. Raises RecordingError."""
    from advisor.wizard.live import Watch, recording_frame

    theme = terminal.usual_theme()
    if args.replay:
        read = snapshot.replay(args.replay)
        is_chosen = _known_mounts(args.mount, [mount.target for mount in read.after.mounts])
        frame = recording_frame(base, read, is_chosen, args.replay)
        return Watch(None, frame, theme).run() or 0
    rolling = RollingWindow(base, args.span, _mount_filter(args.mount))
    return Watch(HostFeed(rolling, args.every or _LIVE_EVERY, args.root or ""), theme=theme).run() or 0


def _serve(args: argparse.Namespace, base: RuleBase) -> int:
    """Serve the metrics of this host's mounts. CannotRun where the address cannot be had."""
    import threading

    from advisor.pages.observe import metrics

    feed = HostFeed(RollingWindow(base, args.span, _mount_filter(args.mount)), args.every or _LISTEN_EVERY)
    with terminal.refuse_on(ValueError):
        address = parse_address(args.listen)
    try:
        server = MetricsServer(address)
    except OSError as error:
        why = f"--listen {args.listen}: {error.strerror or error}"
        raise CannotRun(why, "name an address of this host, and a port that is free") from None

    def publish(rolling: RollingWindow) -> None:
        server.publish(metrics(rolling.report(), rolling.seconds))

    threading.Thread(target=feed.run, args=(publish,), daemon=True).start()
    terminal.warn(f"metrics at http://{server.place}/metrics; Ctrl-C ends it")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        feed.ended.set()
    return 0


def watch_this_host(base: RuleBase, theme: str, leads: str) -> Watch:
    """The live screens of this host's mounts. `leads`: where the key that ends them leads."""
    from advisor.wizard.live import Watch

    return Watch(HostFeed(RollingWindow(base, _LIVE_SPAN, lambda _: True), _LIVE_EVERY), theme=theme, leads=leads)


_PATH = "/metrics"
_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_LAST_PORT = 65535
_PATIENCE = 5
"""Seconds that a client may take for its request."""


def parse_address(text: str) -> tuple[str, int]:
    """The address and port of `127.0.0.1:9100` or `[::1]:9100`; port 0 means any. ValueError for anything else, names
    too: what listens should not depend on a name server."""
    host, colon, port = text.rpartition(":")
    bare = host[1:-1] if host[:1] == "[" and host[-1:] == "]" else host
    is_port = port.isascii() and port.isdecimal() and int(port[:6]) <= _LAST_PORT
    if not colon or not is_port or (":" in bare) is not (bare != host):
        raise ValueError(f"--listen {text}: write an address and a port, such as 127.0.0.1:9876 or [::1]:9876")
    try:
        return str(ipaddress.ip_address(bare)), int(port)
    except ValueError:
        raise ValueError(f"--listen {text}: {bare or 'nothing'} is not an address; write 127.0.0.1:{port}") from None


class _Request(BaseHTTPRequestHandler):
    server: MetricsServer
    server_version, sys_version = "advisor", ""
    timeout = _PATIENCE

    def do_GET(self) -> None:
        found = self.path.partition("?")[0] == _PATH
        body = self.server.text if found else f"See {_PATH}\n".encode()
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", _TYPE if found else "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815  http.server wants this name

    def log_message(self, *_: object) -> None:
        """Nothing is logged: Prometheus asks every few seconds."""


class MetricsServer(HTTPServer):
    """Listens at an address. `publish` replaces what it answers."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.text = b""
        super().__init__(address, _Request)

    @property
    def place(self) -> str:
        """Where it listens, as in a URL."""
        host, port = str(self.server_address[0]), self.server_address[1]
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def publish(self, text: str) -> None:
        """Answer with this from now on."""
        self.text = text.encode()
