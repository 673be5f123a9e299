"""Text inside other text: commands of scripts, files that they write, options beside a type. In embedded_cases.txt §
stands in front of each option that is to be reported, and nothing else is; in embedded_traps.txt nothing is at all."""

from __future__ import annotations

from base64 import b64encode
from gzip import compress
from pathlib import Path

from advisor.cli.lint import kind_of
from advisor.lint.finding import Finding, Fix
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each

HERE = Path(__file__).parent
_RULES = "/etc/udev/rules.d/99-nfs.rules"
_UDEV = (
    'SUBSYSTEM=="bdi", ACTION=="add", PROGRAM="/bin/awk -v b=$kernel \'{if ($4 == b) r=1} END{exit !r}\' '
    '/proc/fs/nfsfs/volumes", ATTR{read_ahead_kb}="15380"'
)


def files(name: str) -> list[tuple[str, str]]:
    """The name and text of each file in a file of these."""
    parts = (HERE / name).read_text(encoding="utf-8").split("=== ")[1:]
    return [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts]


def judged(name: str, text: str) -> tuple[set[tuple[int, int]], list[int]]:
    """The places of all errors and warnings, and the lines that were not read."""
    kind = kind_of(name, text.encode(), None)
    assert kind is not None
    result = lint_text(text, name, load(), {}, kind=kind)
    return {(f.line, f.column) for f in result.findings if f.severity != "note"}, result.unread


@each(lambda: files("embedded_cases.txt"), "{}: {}".format)
def test_embedded_text_is_judged_at_its_place(name: str, marked: str) -> None:
    lines = marked.split("\n")
    places = {(number, line.index("§") + 1) for number, line in enumerate(lines, 1) if "§" in line}
    assert places
    assert judged(name, marked.replace("§", "")) == (places, [])


@each(lambda: files("embedded_traps.txt"), "{}: {}".format)
def test_what_looks_like_it_is_left_alone(name: str, text: str) -> None:
    assert judged(name, text) == (set(), [])


@each(lambda: [
    ("fstab", "/etc/fstab", "".join(
        f"nas{number}:/{number} /{number} nfs vers=4.1,timeo={600 + number},{more} 0 0\n" for number, more in
        enumerate(("soft", "hard", "nosuch", "noac,actimeo=3", "rsize=8192,wsize=4096", "sec=krb5") * 9))),
    ("exports", "/etc/exports", "/a *(rw,no_root_squash)\n/a/b 192.0.2.0/24(ro,nosuch) 192.0.2.1(rw,async)\n"),
    ("nfs.conf", "/etc/nfs.conf", "[nfsd]\nthreads=0\nnosuch=1\nvers3=maybe\n"),
    ("sysctl", "/etc/sysctl.d/nfs.conf", "sunrpc.tcp_slot_table_entries=1\nfs.nfs.nosuch=1\n"),
])
def test_a_file_that_a_script_writes_is_judged_as_that_file(kind: str, path: str, text: str) -> None:
    alone = lint_text(text, path, load(), {}, kind=kind)
    inside = lint_text(f"cat > {path} <<'EOF'\n{text}EOF\n", "a.sh", load(), {}, kind="script")

    def one_below(finding: Finding) -> Finding:
        fix, joint = finding.fix, finding.joint
        return finding._replace(
            file="a.sh", line=finding.line + 1,
            fix=fix and Fix(fix.safety, tuple(edit._replace(line=edit.line + 1) for edit in fix.edits)),
            joint=joint and joint._replace(both=one_below(joint.both)),
        )

    assert alone.findings
    assert inside.findings == [one_below(finding) for finding in alone.findings]
    assert inside.open == [item._replace(line=item.line + 1) for item in alone.open]
    assert (inside.votes, inside.nfs_lines) == (alone.votes, alone.nfs_lines)
    assert bool(alone.alike) is (kind == "fstab")
    assert {line: inside.settings(line) for line in inside.judged} == {
        line + 1: alone.settings(line) for line in alone.judged
    }


def test_what_is_said_of_two_options_together_is_in_the_file_around() -> None:
    text = "cat > /etc/fstab <<EOF\nnas5:/a /a nfs rsize=8192,wsize=8192 0 0\nEOF\n"
    findings = lint_text(text, "a.sh", load(), {}, kind="script").findings
    both = [finding.joint.both for finding in findings if finding.joint]
    assert both
    assert {one.file for one in (*findings, *both)} == {"a.sh"}


def test_what_is_said_of_a_whole_file_is_at_its_first_line() -> None:
    text = "\n\necho 'options nfs nfs4_disable_idmapping=1' > /etc/modprobe.d/.nfs.conf\n"
    (finding,) = lint_text(text, "a.sh", load(), {}, kind="script").findings
    assert (finding.rule, finding.line) == ("setting-file-ignored", 3)


CLUSTER = """\
primitive a Filesystem params device=/dev/a directory=/a fstype=xfs
primitive b exportfs params directory=/a fsid=1 options=rw clientspec=10.1.0.0/16
primitive address ocf:heartbeat:IPaddr2 params ip=10.1.0.9
"""
PCS = """\
pcs resource create {} {} directory=/a ip=10.1.0.9 fsid=1 options=rw clientspec=10.1.0.0/16 --group g
pcs resource create {} {} directory=/a ip=10.1.0.9 fsid=1 options=rw clientspec=10.1.0.0/16 --group g
"""


@each(lambda: [
    ("sh", "#!/bin/sh\r\nmount -t nfs -o vers=4.2 nas5:/a /a\r\n", {"script-carriage-return": 1}),
    ("sh", "#!/bin/sh\nmount -t nfs -o vers=4.2 nas5:/a /a\r\n", {}),
    ("sh", "#!/bin/sh\r\nexit 0\r\n", {}),
    ("crmsh", CLUSTER + "group g a address b\n", {"cluster-address-early": 4}),
    ("crmsh", CLUSTER + "group g a b address\n", {}), ("crmsh", CLUSTER + "group g b\ngroup h address\n", {}),
    ("sh", PCS.format("address", "IPaddr2", "b", "exportfs"), {"cluster-address-early": 2}),
    ("sh", PCS.format("b", "exportfs", "address", "IPaddr2"), {}),
    ("sh", PCS.format("address", "IPaddr2", "b", "exportfs").rstrip() + " --before address\n", {}),
    ("sh", PCS.format("address", "IPaddr2", "b", "exportfs").replace("--group g", "--group h", 1), {}),
    ("pp", "class a {\n  $common = 'rw,async,no_all_squash,security_label'\n}\n", {"export-async/safe": 2}),
    ("pp", "class a {\n  $common = 'rw,sync,no_all_squash,security_label'\n}\n", {}),
    ("nix", 'let nfsOpts = lib.flatten [ "vers=4.2" (if a then [ "timeo=20" ] else [ "timeo=300" ]) ];\n'
            'in { fileSystems."/a" = { fsType = "nfs"; device = "nas5:/a"; options = nfsOpts; }; }\n', {}),
    ("sls", f"a:\n  file.managed:\n    - name: {_RULES}\n    - contents: |\n        {_UDEV}\n", {"udev-dollar": 5}),
    ("sh", f"cat > {_RULES} << EOF\n{_UDEV}\nEOF\n", {"udev-shell-expanded": 2}),
    ("sh", f"cat > {_RULES} << 'EOF'\n{_UDEV}\nEOF\n", {"udev-dollar": 2}),
    ("sh", f"AWK=/bin/awk\ncat > {_RULES} << EOF\n{_UDEV}\nEOF\n".replace("$", "\\$").replace("/bin/awk -v", "$AWK -v"),
     {"udev-dollar": 3}),
    ("sh", "#!/bin/sh\nmount –t nfs -o vers=4.2 nas5:/a /a\n", {"mount-typographic-dash": 2}),
    ("sh", "#!/bin/sh\nmount –t ext4 /dev/sda1 /a\nmount -t nfs -o vers=4.2 nas5:/a /a  # – as ever\n", {}),
    ("tf", 'resource "aws_efs_file_system" "a" {\n  name = "a"\n}\n', {"efs-not-encrypted": 1}),
    ("tf", 'resource "aws_efs_file_system" "a" {\n  encrypted = false\n}\n', {"efs-not-encrypted": 1}),
    ("tf", 'provider "aws" {\n  region = "a"\n}\nresource "aws_efs_file_system" "a" {\n  name = "a"\n}\n',
     {"efs-not-encrypted": 4}),
    ("tf", 'resource "aws_efs_file_system" "a" {\n  encrypted = true\n}\n', {}),
    ("tf", 'resource "aws_efs_file_system" "a" {\n  encrypted = var.encrypted\n}\n', {}),
    ("tf", 'resource "aws_efs_mount_target" "a" {\n  subnet_id = "a"\n}\n', {}),
    ("yaml", "Resources:\n  A:\n    Type: AWS::EFS::FileSystem\n    Properties: {}\n", {"efs-not-encrypted": 4}),
    ("yaml", "Resources:\n  A:\n    Type: AWS::EFS::FileSystem\n    Properties: {Encrypted: true}\n", {}),
    ("yaml", "Resources:\n  A:\n    Type: AWS::EFS::FileSystem\n    Properties: {Encrypted: !Ref A}\n", {}),
    ("yaml", "Resources:\n  A:\n    Type: AWS::EC2::Instance\n    Properties: {Image: a}\n", {}),
], "{}: {}".format)
def test_what_stands_around_nfs(end: str, text: str, found: dict[str, int]) -> None:
    for above in ((0,) if text.startswith("#!") else (0, 2)):
        kind = "ansible" if end == "yaml" else "script"
        findings = lint_text("\n" * above + text, f"a.{end}", load(), {}, kind=kind).findings
        assert {finding.rule: finding.line - above for finding in findings} == found


@each(lambda: [
    ("values.yaml", "defaultSettings:\n  backupTarget: nfs://nas5:/a\n", [2]),
    ("a.ps1", 'Set-ItemProperty -Path "HKLM:\\SOFTWARE\\Microsoft\\ClientForNFS\\CurrentVersion" -Value 0\n', [1]),
    ("a.ps1", "New-Datastore -Nfs -Name a -Path <path> -NfsHost <server>\n", [1]),
    ("a.ps1", "New-Datastore -Vmfs -Name a -Path <path>\n", []),
    ("a.sh", "esxcli storage nfs41 add -H nas5 -s /a -v a\nesxcli storage nfs41 list\n", [1]),
    ("a.sh", "mount -n nas5 -o bg,rsize=32768 /a /b\nmknfsexp -d /a -t rw\n", [1, 2]),
    ("mac.md", "```\n/Volumes/a -fstype=nfs,rw,resvport,nfc nfs://nas5/a\n```\n", [2]),
    ("pool.xml", "<pool type='netfs'>\n<source><format type='auto'/></source>\n</pool>\n", [1]),
    ("values.yaml", "defaultSettings:\n  backupTarget: s3://nfs@eu/\n", []),
    ("a.sh", "tool <<E\nexport options: ro,no_root_squash\nE\n", [2]),
    ("a.tf", 'raw = <<E\n  mount fstype=nfs*,\nE\n', []),  # of AppArmor
    ("a.sh", "# nfs: tool --help tells of no_root_squash\ntool nfs://\n", []),
], "{}: {}".format)
def test_what_no_reader_takes_is_named(name: str, text: str, unread: list[int]) -> None:
    assert judged(name, text) == (set(), unread)


def test_what_is_packed_and_cannot_be_read_is_named() -> None:
    too_large = b64encode(compress(b" " * 100_000)).decode()
    for content in (too_large, b64encode(b"\x1f\x8bnot packed").decode()):
        head = "#cloud-config\nwrite_files:\n- path: /etc/exports\n"
        assert judged("user-data", f"{head}  encoding: gz+b64\n  content: {content}\n") == (set(), [5])
        assert judged("user-data", f"{head}  encoding: gzip\n  content: {content}\n") == (set(), [5])


def test_a_server_whose_firewall_is_turned_off() -> None:
    served = "echo '/srv 192.0.2.0/24(rw,sync)' > /etc/exports\n"
    for command in ("systemctl stop firewalld", "systemctl disable --now ufw", "sudo ufw disable"):
        findings = lint_text(f"{served}{command}\n", "a.sh", load(), {}, kind="script").findings
        assert [(f.rule, f.line) for f in findings if f.rule == "firewall-turned-off"] == [("firewall-turned-off", 2)]
    findings = lint_text(f"{served}systemctl enable firewalld\n", "a.sh", load(), {}, kind="script").findings
    assert "firewall-turned-off" not in [f.rule for f in findings]


def lines_with(rule: str, name: str, text: str) -> list[int]:
    """The lines of a file that have a finding of this rule."""
    kind = kind_of(name, text.encode(), None)
    assert kind is not None
    return [finding.line for finding in lint_text(text, name, load(), {}, kind=kind).findings if finding.rule == rule]


def test_directories_that_are_exported_although_everyone_may_write_in_them() -> None:
    rule = "exported-directory-open"
    script = "DIR=/srv/a\n{}\ncat > /etc/exports <<EOF\n$DIR 192.0.2.0/24({},sync)\nEOF\nexportfs -ra\n"
    for command in ("chmod 777 $DIR", "chmod -R a+rwx /srv/a/", "mkdir -m 0777 -p ${DIR}/in", "sudo chmod 2777 /srv/a"):
        assert lines_with(rule, "a.sh", script.format(command, "rw")) == [2], command
    for command in ("chmod 1777 $DIR", "chmod 775 $DIR", "chmod g+w $DIR", "chmod 777 /srv/ab", "chmod 777 $path"):
        assert not lines_with(rule, "a.sh", script.format(command, "rw")), command
    assert not lines_with(rule, "a.sh", script.format("chmod 777 /srv/a", "ro"))
    play = """
- file: {path: /srv/a, state: directory, mode: '0777'}
- lineinfile: {path: /etc/exports, line: '/srv/a 192.0.2.0/24(rw)'}
"""
    assert lines_with(rule, "tasks/main.yml", play) == [2]
    assert not lines_with(rule, "tasks/main.yml", play.replace("state: directory", "src: a"))
    client = "- mount: {path: /srv/a, src: 'nas:/srv/a', fstype: nfs, state: mounted}\n"
    assert not lines_with(rule, "tasks/main.yml", play + client)  # whose mount point it may be


    looped = "for fs in {}; do\nchmod -R 777 $fs\ndone\necho '/srv/a 192.0.2.0/24(rw,sync)' >> /etc/exports\n"
    assert lines_with(rule, "a.sh", looped.format("/srv/b /srv/a")) == [1]
    assert not lines_with(rule, "a.sh", looped.format("/srv/b /srv/c"))
    within = 'for fs in a b; do\nchmod 777 /srv/$fs\necho "{}/$fs 192.0.2.0/24(rw,sync)" >> /etc/exports\ndone\n'
    assert lines_with(rule, "a.sh", within.format("/srv")) == [2]
    assert not lines_with(rule, "a.sh", within.format("/home"))


def test_files_of_nfs_that_everyone_may_change() -> None:
    rule = "open-configuration"
    for name, text in (
        ("a.rb", "template '/etc/exports' do\n  source 'exports.erb'\n  mode '{}'\nend\n"),
        ("user-data", "#cloud-config\nwrite_files:\n- {{path: /etc/exports, permissions: '{}', content: ''}}\n"),
        ("tasks/nfs.yml", "- name: nfs\n  template: {{src: a, dest: /etc/nfs.conf, mode: '{}'}}\n"),
    ):
        assert lines_with(rule, name, text.format("0777")), text
        assert not lines_with(rule, name, text.format("0664")), text
        assert not lines_with(rule, name, text.format("0777").replace("/etc/", "/srv/")), text


def test_state_of_a_cluster_inside_its_exports() -> None:
    rule = "cluster-state-exported"
    resources = """
pcs resource create server nfsserver nfs_shared_infodir={} --group g
pcs resource create a exportfs directory=/srv/a fsid=1 options=rw clientspec=10.1.0.0/16 --group g
"""
    assert lines_with(rule, "a.sh", resources.format("/srv/a/state")) == [2]
    assert not lines_with(rule, "a.sh", resources.format("/srv/state"))


def test_a_firewall_that_lets_rpcbind_through_but_not_mountd() -> None:
    rule = "firewall-without-mountd"
    served = "echo '/srv 192.0.2.0/24(rw,sync)' > /etc/exports\n"
    for name, text, line in (
        ("a.sh", f"{served}ufw allow 2049\nufw allow from 192.0.2.0/24 to any port 111 proto tcp\n", 3),
        ("a.sh", f"{served}iptables -A INPUT -p tcp -m multiport --dports 111,2049 -j ACCEPT\n", 2),
        ("a.sh", f"{served}firewall-cmd --permanent --add-port=2049/tcp --add-port=111/tcp\n", 2),
        ("tasks/nfs.yml", "- firewalld: {port: 111/tcp, permanent: true}\n- ufw: {port: '2049', rule: allow}\n", 1),
        ("nfs.nix", "{\n  networking.firewall.allowedTCPPorts = [ 22 111 2049 ];\n}\n", 2),
        ("a.nix", "{\n  nfsPorts = mkOption { default = [ 111 2049 ]; };\n  a.allowedTCPPorts = cfg.nfsPorts;\n}\n", 2),
    ):
        assert lines_with(rule, name, text) == [line], text
        assert not lines_with(rule, name, text.replace("111", "112")), text
        assert not lines_with(rule, name, text.replace("2049", "20048")), text
        assert not lines_with(rule, name, f"{text}# the port of mountd is open too\n"), text
    assert not lines_with(rule, "a.sh", f"{served}ufw allow 111\nufw allow 2049\nufw allow 4002\n")
    assert not lines_with(rule, "a.sh", f"{served}ufw deny 111\nufw allow 2049\n")


def test_a_service_that_mounts_before_the_network_is_up() -> None:
    rule = "unit-mounts-early"
    unit = "[Unit]\n{}\n[Service]\n{}ExecStart=/bin/mount -t nfs -o {} nas5:/a /a\n[Install]\nWantedBy={}.target\n"
    early = ("After=network.target local-fs.target", "", "hard", "multi-user")
    for name, around, line in (("a.service", "{}", 4), ("a.sh", "cat > /etc/systemd/system/a.service <<E\n{}E\n", 5)):
        assert lines_with(rule, name, around.format(unit.format(*early))) == [line]
        for change in (
            ("After=network-online.target", *early[1:]), ("After=network.target\nAfter=docker.service", *early[1:]),
            (early[0], "Restart=on-failure\n", *early[2:]), (early[0], "ExecStartPre=/bin/sleep 30\n", *early[2:]),
            (*early[:2], "bg", early[3]), (*early[:3], "a"),
        ):
            assert not lines_with(rule, name, around.format(unit.format(*change))), change
    assert not lines_with(rule, "a.service", unit.format(*early).replace("-t nfs", "-t ext4").replace("nas5:", ""))


def test_options_of_macos_in_a_mount_on_linux() -> None:
    mount = "mount -t nfs -o vers=3,nolocks nas5:/a /a\n"
    assert lines_with("unknown-option", "a.sh", f"apt-get install nfs-common\n{mount}") == [2]
    for before in ("", "sw_vers  # on a Mac\n", "[ $(uname) = Linux ] && apt-get install nfs-common\n"):
        assert not lines_with("unknown-option", "a.sh", f"{before}{mount}"), before


def test_settings_of_the_kernel_that_chef_and_puppet_write() -> None:
    for name, text in (
        ("a.rb", "sysctl 'fs.nfs.nlm_tcpport' do\n  value {}\nend\n"),
        ("a.rb", "sysctl_param 'a' do\n  key 'fs.nfs.nlm_tcpport'\n  value '{}'\nend\n"),
        ("a.pp", "sysctl {{ 'fs.nfs.nlm_tcpport': value => '{}' }}\n"),
    ):
        assert lines_with("setting-value", name, text.format(99999)), text
        assert not lines_with("setting-value", name, text.format(4001)), text


def test_the_image_of_a_provisioner() -> None:
    rule = "k8s-provisioner-image"
    pod = "kind: Deployment\nspec:\n  containers:\n  - image: {}\n  volumes:\n  - nfs: {{server: nas5, path: /a}}\n"
    assert lines_with(rule, "a.yaml", pod.format("quay.io/external_storage/nfs-client-provisioner:latest")) == [4]
    assert not lines_with(rule, "a.yaml", pod.format("registry.example/nfs-client-provisioner:4"))


def test_variables_of_the_services_in_commands_and_data() -> None:
    rule = "setting-perhaps-not-read"
    for name, text in (
        ("a.sh", "sed -i 's/^RPCNFSDCOUNT=.*/RPCNFSDCOUNT=64/' /etc/default/nfs-kernel-server\n"),
        ("a.sh", "sed -i 's|#RPCNFSDARGS=\"\"|RPCNFSDARGS=\"-V 4.2\"|g' /etc/sysconfig/nfs\n"),
        ("nfs/map.jinja", "{% set nfs = {\n  'RPCNFSDCOUNT': 64,\n} %}\n"),
        ("nfs.sls", "nfs-server: {RPCMOUNTDOPTS: '--port 2000'}\n"),
        ("nfs.pp", "$nfs = { 'RPCNFSDCOUNT' => '64' }\n"),
    ):
        assert lines_with(rule, name, text) == [text[: text.index("RPC")].count("\n") + 1], text
    for name, text in (
        ("a.sh", "sed -i 's/^RPCNFSDCOUNT=.*/RPCNFSDCOUNT=64/' /srv/readme\n"),
        ("a.sh", "RPCNFSDCOUNT=64\nrpc.nfsd $RPCNFSDCOUNT\n"),
        ("nfs.sls", "# nfs-server: {RPCMOUNTDOPTS: '--port 2000'}\nnfs: {}\n"),
        ("nfs.sls", "nfs-server: {RPCNFSDCOUNT: 8}\n"),
    ):
        assert not lines_with(rule, name, text), text


def test_a_server_of_a_cluster_whose_state_stays_on_its_node() -> None:
    rule, create = "cluster-state-stays", "pcs resource create nfs systemd:nfs-server --group nfs\n"
    assert lines_with(rule, "a.sh", create) == [1]
    mounted = "pcs resource create state Filesystem device=/dev/drbd1 directory=/var/lib/nfs fstype=xfs\n"
    assert not lines_with(rule, "a.sh", mounted + create)
    assert not lines_with(rule, "a.sh", "pcs resource create nfs ocf:heartbeat:nfsserver nfs_shared_infodir=/srv\n")


def test_a_string_that_is_the_value_of_a_block() -> None:
    text = "$all = $prefixes.map |$p| { \"${p}*.example.com(${options},nosuch,no_root_squash)\" }.join(' ')\n"
    assert lines_with("export-option-unknown", "nfs.pp", text) == [1]
    assert not lines_with("export-option-unknown", "nfs.pp", text.replace("nosuch,", ""))
