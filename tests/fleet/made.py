"""Reports made by hand, and any at all."""

from __future__ import annotations

from hypothesis import strategies as st

from advisor.fleet import model
from advisor.lint.finding import SEVERITIES

NOLOCK = model.ClassFinding(
    rule="nolock", severity="error", consequence="data-loss", place="/etc/fstab:3:20", setting="mount.nolock",
    value="yes", advised="omit", message="nolock: two clients can hold the same lock", remedy="Remove nolock.",
    cites=("nfs-5.nolock",),
)
NCONNECT = model.ClassFinding(
    rule="nconnect", severity="warning", consequence="performance", place="/etc/fstab:3:20", setting="mount.nconnect",
    value=None, advised="4", message="nconnect is missing", remedy="Write nconnect=4.", cites=(),
)


def host_class(name: str, hosts: tuple[str, ...], *findings: model.ClassFinding, failed: str | None = None,
               options: str = "hard,vers=4.2", kernel: str = "5.14") -> model.HostClass:
    mounts = (f"filer:/data /data nfs {options} 0 0",)
    return model.HostClass(name, hosts, {"client.kernel": kernel, "client.ram": 64}, mounts, findings, failed)


def share(finding: model.ClassFinding, *classes: model.HostClass) -> model.FindingShare:
    return model.FindingShare(finding.rule, finding.setting, finding.severity, finding.message, finding.remedy,
                 sum(len(one.hosts) for one in classes), tuple(one.name for one in classes))


def report(
    *classes: model.HostClass, shares: tuple[model.FindingShare, ...] = (), made: str = "2026-03-01T06:00:00Z"
) -> model.FleetReport:
    return model.FleetReport(made, classes, shares, (), (), (), None)


_text = st.text(max_size=8)
_texts = st.lists(_text, max_size=3).map(tuple)
_maybe = st.none() | _text
_scalar = st.booleans() | st.integers(-(1 << 70), 1 << 70) | st.floats(allow_nan=False, allow_infinity=False) | _text
_severity = st.sampled_from(SEVERITIES)
_findings = st.lists(
    st.builds(model.ClassFinding, _text, _severity, _text, _text, _text, _maybe, _maybe, _text, _text, _texts),
    max_size=2,
).map(tuple)
_facts = st.dictionaries(_text, _scalar | st.lists(_scalar, max_size=2), max_size=2)
_classes = st.lists(
    st.builds(model.HostClass, _text, _texts, _facts, _texts, _findings, _maybe, _texts), max_size=3
).map(tuple)
_shares = st.lists(
    st.builds(model.FindingShare, _text, _text, _severity, _text, _text, st.integers(0, 9), _texts), max_size=2
).map(tuple)
_differences = st.lists(st.builds(model.ClassDifference, _text, _maybe, _maybe), max_size=2).map(tuple)
_drift = st.builds(
    model.FleetDrift, _text, _texts, _texts,
    st.lists(st.builds(model.MovedHosts, _texts, _text, _text, _differences), max_size=2).map(tuple), _shares, _shares,
)
reports = st.builds(
    model.FleetReport, _text, _classes, _shares,
    st.lists(st.builds(model.OutlierClass, _text, _text, _differences), max_size=2).map(tuple),
    st.lists(
        st.builds(model.FleetFinding, _text, _severity, _text, _text, _text, _text, _texts, _texts), max_size=2
    ).map(tuple),
    st.lists(st.builds(model.UnreadBundle, _text, _text, st.booleans()), max_size=2).map(tuple), st.none() | _drift,
)
