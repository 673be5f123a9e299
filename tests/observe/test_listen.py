"""`observe --listen`: metrics over HTTP, for Prometheus."""

from __future__ import annotations

import threading
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from advisor.cli.observe import MetricsServer, parse_address
from advisor.observe.snapshot import Recording, Snapshot
from advisor.observe.window import judge
from advisor.pages.observe import metrics
from tests import needs
from tests.each import each
from tests.observe.texts import mount, mountinfo
from tests.wizard.driving import BASE

READS_BEFORE, READS_AFTER = [f"{n} {n} 0 {10 * n} {20 * n} 0 {n} {n} 0".split() for n in (100, 6100)]


@pytest.fixture
def server() -> Iterator[MetricsServer]:
    one = MetricsServer(("127.0.0.1", 0))
    threading.Thread(target=one.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield one
    one.shutdown()
    one.server_close()


def test_it_answers_with_the_last_text_and_nothing_else(server: MetricsServer) -> None:
    server.publish("advisor_observe_window_seconds 1\n")
    server.publish("advisor_observe_window_seconds 2\n")
    with urllib.request.urlopen(f"http://{server.place}/metrics", timeout=5) as answer:
        assert answer.read() == b"advisor_observe_window_seconds 2\n"
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"http://{server.place}/etc/passwd", timeout=5)


@pytest.mark.parametrize(("text", "address"), [
    ("127.0.0.1:9876", ("127.0.0.1", 9876)), ("[::1]:9876", ("::1", 9876)), ("0.0.0.0:0", ("0.0.0.0", 0)),
])
def test_an_address(text: str, address: tuple[str, int]) -> None:
    assert parse_address(text) == address


@each(lambda: [
    "9876", ":9876", "localhost:9876", "127.0.0.1", "127.0.0.1:99999", "::1:9", "[::1]", "[1.2.3.4]:5",
])
def test_what_is_no_address_is_refused_with_one_to_write(text: str) -> None:
    with pytest.raises(ValueError, match=r"such as 127\.0\.0\.1|write 127\.0\.0\.1"):
        parse_address(text)


def test_the_parser_of_prometheus_reads_what_the_page_says() -> None:
    parser = needs.package("prometheus_client.parser")
    texts = {"mountinfo": mountinfo("/data")}
    before = Snapshot({**texts, "mountstats": mount("/data", age=100, ops={"READ": READS_BEFORE})})
    after = Snapshot({**texts, "mountstats": mount("/data", age=160, ops={"READ": READS_AFTER})})
    report = judge(BASE, Recording(before, after, []))
    found = {family.name: family.samples for family in parser.text_string_to_metric_families(metrics(report, 60.0))}
    quantities = {one.labels["quantity"]: one.value for one in found["advisor_observe_quantity"]}
    assert quantities["calls"] == report.mounts[0].window.quantities["observed.calls"] == 6000
    assert {one.labels["mount"] for one in found["advisor_observe_quantity"]} == {"/data"}
    assert found["advisor_observe_window_seconds"][0].value == 60
