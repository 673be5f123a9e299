"""User data and Terraform, as cloud-init and Terraform themselves read them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.install import Artefact, artefacts
from tests.install.cases import CASES, HOME, HOSTILE, base, made
from tests.install.tools import lines, run, tool, written

USER_DATA = "cloud-init/user-data"
WITHOUT = ("failover-pair", "hpc-server")
"""A cluster is made of its nodes first."""
WITH = [case for case in CASES if case not in WITHOUT]
NAMES = [pytest.param(None, id="plain"), pytest.param(HOSTILE, id="hostile")]
CLOUDS = {"efs": "aws_efs_mount_target", "anf-eda-static": "azurerm_netapp_volume"}


def data(files: dict[str, Artefact]) -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load(files[USER_DATA].text)
    return read


def test_who_gets_it() -> None:
    assert [case for case in CASES if USER_DATA in made(case)] == WITH


@pytest.mark.parametrize(("case", "names"), [("anf-eda-static", None), ("debian-server", None), ("efs", HOSTILE)])
def test_cloud_init_takes_it(tmp_path: Path, case: str, names: Any) -> None:
    folder = written(tmp_path, made(case, names))
    told = run("cloud-init", "schema", "--config-file", str(folder / USER_DATA))
    assert told.returncode == 0, told.stdout + told.stderr


@pytest.mark.parametrize("names", NAMES)
@pytest.mark.parametrize("case", WITH)
def test_it_says_what_the_files_say(case: str, names: Any) -> None:
    files = made(case, names)
    told = data(files)
    for one in told.get("write_files", []):
        file = next(file for file in files.values() if file.install == one["path"])
        assert lines(one["content"]) == lines(file.text)
    steps = told["runcmd"]
    if "fstab" not in files:
        assert not [step for step in steps if step[0] == "mount"]
        return
    (line,) = lines(files["fstab"].text)
    script = next(step for step in steps if isinstance(step, str) and step.startswith("line="))
    shown = run("sh", "-c", script.partition("grep")[0].rstrip("\n ;") + '; printf "%s" "$line"').stdout
    assert shown == line
    assert steps.index(script) < len(steps) - 1, "the mount comes last"
    assert "mount" in steps[-1] or "mount" in steps[-1][0]


@pytest.mark.parametrize("case", ["anf-eda-static", "azure-files"])
def test_a_parameter_that_waits_holds_the_mount_back(case: str) -> None:
    told = data(made(case))
    parameters = [step for step in told["runcmd"] if isinstance(step, str) and "/parameters/" in step]
    assert bool(parameters) is ("power_state" in told) is ("modprobe.d/91-nfs.conf" in made(case))
    if parameters:
        assert told["runcmd"][-1] == "[ -e /run/nfs-advisor-restart ] || mount /mnt/nfs"
        assert told["power_state"]["condition"] == "test -e /run/nfs-advisor-restart"


@pytest.mark.parametrize(("facts", "wanted"), [
    ({"client.distro": "debian"}, ["nfs-common"]), ({"client.distro": "amazon"}, ["nfs-utils"]),
    ({"client.distro": "sles"}, ["nfs-client"]),
])
def test_packages_by_distribution(facts: dict[str, str], wanted: list[str]) -> None:
    known = {**HOME, "storage.platform": "knfsd", "workload.kind": "home", **facts}
    files = {one.path: one for one in artefacts(base(), advise(base(), Answers(facts=known)))}
    assert data(files)["packages"] == wanted


def test_an_unknown_distribution_is_told() -> None:
    assert "packages" not in data(made("nothing"))
    assert "# Add to packages: nfs-utils (rhel)" in made("nothing")[USER_DATA].text


@pytest.mark.parametrize("case", CLOUDS)
def test_terraform(tmp_path: Path, case: str) -> None:
    files = made(case)
    if "terraform/main.tf" not in files:
        pytest.fail(f"{case} has none: {sorted(files)}")
    folder = written(tmp_path, files) / "terraform"
    assert f'resource "{CLOUDS[case]}" "nfs"' in (folder / "main.tf").read_text()
    tool("terraform")
    (folder / "none.tfrc").write_text("")
    env = {"TF_CLI_CONFIG_FILE": str(folder / "none.tfrc"), "CHECKPOINT_DISABLE": "1"}
    told = run("terraform", "fmt", "-check", "-diff", cwd=folder, **env)
    assert told.returncode == 0, told.stdout + told.stderr
    (tmp_path / "one").mkdir()
    (tmp_path / "one/main.tf").write_text(
        f'output "it" {{\n  value = templatefile("{folder}/user-data.tftpl", {{ source = "fs.example:/x" }})\n}}\n'
    )
    told = run("terraform", "apply", "-auto-approve", cwd=tmp_path / "one", **env)
    assert told.returncode == 0, told.stderr
    read = json.loads(run("terraform", "output", "-json", cwd=tmp_path / "one", **env).stdout)["it"]["value"]
    assert read == files[USER_DATA].text.replace("nfs-server.example:/export", "fs.example:/x")
    assert re.search(r"^ +line='fs\.example:/x  /mnt/nfs  ", read, re.MULTILINE)


def test_a_file_system_that_requires_tls_is_made_so() -> None:
    for encrypted in (True, False):
        facts = {**CASES["efs"], "storage.encrypted_transit": encrypted}
        made_so = {one.path: one.text for one in artefacts(base(), advise(base(), Answers(facts)))}["terraform/main.tf"]
        assert ('"aws:SecureTransport" = "false"' in made_so) is encrypted


FIRST_BOOT = r"""
set -e
cd "$1"
mkdir upper root
mount -t tmpfs none upper
mkdir upper/upper upper/work
mount -t overlay overlay -o lowerdir=/,upperdir="$1/upper/upper",workdir="$1/upper/work" root
cd root
mkdir -p ".$1"
mount --bind "$1" ".$1"
mount --rbind /dev dev
mount -t proc proc proc
mount -t tmpfs none run
mount -t tmpfs none sys
mkdir -p sys/class/net sys/module/sunrpc/parameters var/lib/cloud/seed/nocloud
parameter=sys/module/sunrpc/parameters/tcp_max_slot_table_entries
echo 65536 > $parameter
if [ "$2" = fixed ]; then
    mount --bind $parameter $parameter
    mount -o remount,bind,ro $parameter
fi
rm -rf var/lib/cloud/instance*
echo "instance-id: one" > var/lib/cloud/seed/nocloud/meta-data
cp "$1/out/cloud-init/user-data" var/lib/cloud/seed/nocloud/user-data
echo "datasource_list: [NoCloud, None]
network: {config: disabled}
cloud_init_modules: [write-files]
cloud_config_modules: [runcmd]
cloud_final_modules: [package-update-upgrade-install, scripts-user]" > etc/cloud/cloud.cfg.d/99_only.cfg
: > etc/fstab
for program in apt-get eatmydata sysctl mount systemctl tuned-adm udevadm; do
    printf '#!/bin/sh\necho "${0##*/} $*; slots: $(cat /etc/modprobe.d/91-nfs.conf | tail -1)" >> %s/calls\n' "$1" \
        > usr/local/bin/$program
    chmod 755 usr/local/bin/$program
done
export PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
for stage in init "modules --mode=config" "modules --mode=final"; do chroot . cloud-init $stage > "$1/log" 2>&1; done
! grep WARN var/log/cloud-init.log
cp etc/fstab "$1/fstab"
cat $parameter > "$1/slots"
[ ! -e run/nfs-advisor-restart ] || : > "$1/restart"
"""


@pytest.mark.parametrize("how", ["loaded", "fixed"])
def test_cloud_init_does_it_in_order(tmp_path: Path, how: str) -> None:
    """All its stages in a root of its own, with programs that only note that they were called. `fixed`: the module is
    loaded already and does not take the parameter any more."""
    tool("cloud-init")
    files = made("anf-eda-static")
    written(tmp_path / "out", files)
    told = run("unshare", "--mount", "--net", "sh", "-c", FIRST_BOOT, "sh", str(tmp_path), how)
    if not (tmp_path / "log").exists():
        pytest.skip(f"no root of its own here: {told.stderr.strip()[-200:]}")
    assert told.returncode == 0, told.stdout + told.stderr
    calls = [line.partition("; slots: ") for line in (tmp_path / "calls").read_text().splitlines()]
    assert {slots for _, _, slots in calls} == {"options sunrpc tcp_max_slot_table_entries=128"}, "before all others"
    names = [call.removeprefix("eatmydata ").split(" ")[0] for call, _, _ in calls]
    assert names[:2] == ["apt-get", "apt-get"]
    assert "install nfs-utils" in calls[1][0]
    assert (tmp_path / "fstab").read_text() == files["fstab"].text.splitlines()[-1] + "\n"
    assert (tmp_path / "restart").exists() is (how == "fixed")
    if how == "fixed":
        assert "mount" not in names, "not before the parameter counts"
        return
    assert (tmp_path / "slots").read_text() == "128\n"
    assert calls[-1][0] == "mount /mnt/nfs"
    assert names.index("sysctl") < names.index("mount")
