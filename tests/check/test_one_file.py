"""Mounts of paths that the same file exports."""

from __future__ import annotations

from advisor.check.one_file import add_both_sides
from advisor.files.kinds import identify
from advisor.lint.lines import order
from advisor.lint.run import lint_text
from advisor.rulebase.base import load

EXPORTS = "cat > /etc/exports <<EOF\n/srv/data 192.0.2.0/24({})\nEOF\n"
MOUNT = "mount -t nfs -o {} $NAS:/srv/data /mnt\n"
PLAYBOOK = """\
- hosts: server
  tasks:
    - copy: {dest: /etc/exports, content: "{{ dir }} *(rw,fsid=0)"}
- hosts: clients
  tasks:
    - ansible.posix.mount: {src: "{{ nas }}:{{ dir }}", path: /mnt, fstype: nfs, opts: vers=4.1, state: mounted}
"""


def found(text: str, name: str = "setup.sh") -> list[str]:
    base = load()
    result = lint_text(text, name, base, {}, kind=identify(text, name) or "")
    before = [*result.findings]
    add_both_sides(base, result)
    added = [finding for finding in result.findings if finding not in before]
    assert result.findings == sorted([*before, *added], key=order), "nothing is lost, repeated or out of order"
    assert all(finding.severity == "warning" and base.checks[finding.rule].sides for finding in added)
    return [f"{f.line}:{f.column} {f.rule}" for f in added]


def test_the_path_that_repeats_the_root_of_nfsv4() -> None:
    rooted = EXPORTS.format("rw,fsid=0")
    assert found(rooted + MOUNT.format("vers=4.2")) == ["4:26 path-below-v4-root"]
    assert found(rooted + MOUNT.format("'vers=4.2,\n hard'")) == ["5:8 path-below-v4-root"]
    assert found(rooted + MOUNT.format("hard")) == ["4:22 version-falls-back"]
    assert found(rooted + MOUNT.format("vers=3")) == []
    assert found(EXPORTS.format("rw,fsid=1") + MOUNT.format("vers=4.2")) == []
    assert found(rooted + "mount -t nfs -o vers=4.2 $NAS:/ /mnt\n") == []
    assert found(rooted + "echo '$NAS:/srv/data /mnt nfs vers=4.2 0 0' >> /etc/fstab\n") == ["4:7 path-below-v4-root"]
    assert found(PLAYBOOK, "site.yml") == ["6:35 path-below-v4-root"]


def test_a_version_and_a_flavour_that_the_server_does_not_offer() -> None:
    turned_off = EXPORTS.format("rw") + "printf '[nfsd]\\nvers3=n\\n' > /etc/nfs.conf\n"
    assert found(turned_off + MOUNT.format("vers=3")) == ["5:24 version-not-offered"]
    assert found(turned_off + MOUNT.format("vers=4.2")) == []
    assert found(EXPORTS.format("rw,sec=krb5") + MOUNT.format("sec=sys")) == ["4:25 flavour-not-accepted"]
    assert found(EXPORTS.format("rw,sec=krb5:sys") + MOUNT.format("sec=krb5")) == []
    assert found(EXPORTS.format("ro") + MOUNT.format("rw")) == ["4:20 rw-on-read-only-export"]


def test_what_the_file_does_not_show() -> None:
    rooted = EXPORTS.format("rw,fsid=0")
    for text in (
        rooted + "mount -t nfs -o vers=4.2 $NAS:/srv/other /mnt\n",  # of another server
        rooted + "mount -t nfs -o vers=4.2 $NAS:/srv/data /srv/data\n",  # a gateway
        rooted + "echo '/srv/data *(rw,fsid=1)' > /etc/exports\n" + MOUNT.format("vers=4.2"),  # of another branch
        EXPORTS.format("rw,$OPTIONS") + MOUNT.format("vers=4.2,sec=krb5"),
        EXPORTS.format("rw") + MOUNT.format("port=2050,proto=udp,vers=3"),
        rooted + "# advisor: ignore[path-below-v4-root] old\n" + MOUNT.format("vers=4.2"),
    ):
        assert found(text) == [], text
