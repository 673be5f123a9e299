"""Security profiles: reported on demand, and never mixed with the rest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from advisor.cli import main
from advisor.rulebase.base import load

LINE = "nas:/data /data nfs vers=4.2,_netdev,nosuid 0 0\n"
EXPORT = "/srv/a 10.1.0.0/16(rw,sync,no_root_squash,no_subtree_check)\n"


def rules(path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> set[str]:
    main(["lint", str(path), "--output-format", "json", *options])
    return {finding["rule"] for finding in json.loads(capsys.readouterr().out)["findings"]}


@pytest.fixture
def fstab(tmp_path: Path) -> Path:
    path = tmp_path / "fstab"
    path.write_text(LINE)
    return path


def test_a_profile_adds_its_checks(fstab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain = rules(fstab, capsys, "--no-config")
    stig = rules(fstab, capsys, "--no-config", "--profile", "stig")
    assert stig - plain == {"profile-nodev", "profile-noexec", "profile-mount-kerberos"}
    assert plain <= stig
    assert not any(rule.startswith("profile-") for rule in rules(fstab, capsys, "--no-config", "--pedantic"))


def test_exports_have_a_profile_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "exports"
    path.write_text(EXPORT)
    added = rules(path, capsys, "--no-config", "--profile", "scap") - rules(path, capsys, "--no-config")
    assert added == {"profile-root-squash", "profile-export-kerberos", "profile-anonymous"}
    assert rules(path, capsys, "--no-config", "--profile", "stig") == rules(path, capsys, "--no-config")


def test_the_configuration_names_profiles(fstab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = fstab.parent / "site.toml"
    config.write_text('profile = ["stig"]\n')
    assert "profile-nodev" in rules(fstab, capsys, "--config", str(config))
    config.write_text('profile = ["sitg"]\n')
    assert main(["lint", str(fstab), "--config", str(config)]) == 2
    assert "profile sitg: unknown security profile; the profiles are cis, scap, stig" in capsys.readouterr().err


def test_a_profile_hides_no_other_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "fstab"
    path.write_text("nas:/data /data nfs vers=4.2,sec=sys 0 0\n")
    many = ("--set", "workload.over_16_groups=yes")
    plain = rules(path, capsys, "--no-config", *many)
    assert "groups-over-16" in plain
    assert plain | {"profile-mount-kerberos"} <= rules(path, capsys, "--no-config", "--profile", "stig", *many)


def test_every_profile_check_cites_the_guide() -> None:
    checks = [check for check in load().checks.values() if check.profiles]
    assert len(checks) == 12
    for check in checks:
        assert not check.policy
        assert check.cites[0].startswith("scap-security-guide.")


def test_services_are_told_of_where_a_host_is_seen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "host/etc/systemd/system/multi-user.target.wants"
    folder.mkdir(parents=True)
    (folder / "nfs-server.service").symlink_to("/lib/systemd/system/nfs-server.service")

    def seen(*options: str) -> tuple[set[str], list[str]]:
        main(["check", "--root", str(tmp_path / "host"), "--output-format", "json", "--no-config", *options])
        told = json.loads(capsys.readouterr().out)
        unseen = [one["what"] for one in told["summary"]["unseen"]]
        return {finding["rule"] for finding in told["findings"]}, unseen

    assert seen()[0] == set()
    assert seen("--profile", "cis")[0] == {"profile-nfs-server"}
    (tmp_path / "host/supportconfig.txt").write_text("")
    told, unseen = seen("--profile", "cis")
    assert not told
    assert "units that start at boot" in unseen
    assert "units that start at boot" not in seen()[1]
