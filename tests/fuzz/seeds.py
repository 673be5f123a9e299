"""What the fuzzer begins with, before anything is changed in it."""

from __future__ import annotations

from collections.abc import Mapping

from tests.host import trees
from tests.lint.fixing import SHARED
from tests.lint.test_embedded import files
from tests.lint.test_growth_of_kinds import MANY, ONE, text_of
from tests.rulebase.test_packs import CHECK, CLAIMS, DECISION, SOURCE

FSTABS = (
    b"nas:/a /a nfs defaults 0 0\nnas:/b\t/b\tnfs\tvers=4.1,soft,timeo=14,nconect=4\t0\t0\n",
    b"# the home folders\nnas:/home /home nfs4 rw,hard,intr,rsize=8192,wsize=8192,_netdev,nofail 0 2\n",
    b"# advisor: ignore[hard/default] scratch\nnas:/s /s nfs soft,timeo=600,retrans=5,actimeo=0,nocto\n",
    b"nas:/e /m/1 nfs vers=4.2,nconnect=4 0 0\nnas:/e /m/2 nfs vers=4.2,nconnect=8 0 0\nnas:/e /m nfs vers=3,nolock\n",
    b"fs-01.efs.eu-west-1.amazonaws.com:/ /efs nfs4 nfsvers=4.1,rsize=1048576,noresvport 0 0\nfs-01:/ /e efs tls,iam\n",
    b"acct.file.core.windows.net:/acct/share /azure nfs vers=4,minorversion=1,sec=sys,nconnect=4 0 0\n"
    b"acct.blob.core.windows.net:/acct/c /blob aznfs sec=sys,vers=3,nolock,proto=tcp 0 0\n",
    b"[fe80::1%eth0]:/x /x nfs proto=tcp6,port=2049,mountport=20048,mountproto=udp,mountvers=3 0 0\n",
    b"nas:/db /var/lib/pgsql nfs hard,noatime,sync,lookupcache=none,acregmin=3,acregmax=60,acdirmin=30,acdirmax=60\n",
    b"UUID=1 / ext4 defaults 0 1\nnas:/up /up nfs rw 0 0\noverlay /o overlay lowerdir=/a,upperdir=/up,workdir=/w 0 0\n",
    rb'nas:/x\040y /x\040y nfs context="system_u:object_r:nfs_t:s0:c1,c2",x-systemd.idle-timeout=1min,x-a.b=c 0 0',
    b"${NAS}:/{{ export }} <mount point> nfs <options>,vers=@VERS@ 0 0\nnas:/a /a nfs rw, hard 0 0\nnas:/x nfs hard\n",
    # What the kernel prints.
    b"10.0.0.9:/vol /mnt/vol nfs rw,relatime,vers=3,rsize=1048576,wsize=1048576,namlen=255,hard,proto=tcp,timeo=600,"
    b"retrans=2,sec=sys,mountaddr=10.0.0.9,mountvers=3,mountport=635,mountproto=udp,addr=10.0.0.9 0 0\n",
    b"nas:/ /n nfs4 rw,relatime,vers=4.2,rsize=262144,wsize=262144,namlen=255,hard,proto=tcp,nconnect=8,timeo=600,"
    b"retrans=2,sec=krb5p,clientaddr=10.0.0.5,local_lock=none,addr=10.0.0.9 0 0\nauto /n autofs rw,fd=9,pgrp=1 0 0\n",
)
OTHERS = tuple(
    path.read_bytes() for folder in ("fstab", "procmounts") for path in sorted((SHARED / "corpus" / folder).glob("*"))
)
"""Files of others; none where there is no collection of them."""

FILES: Mapping[str, bytes] = {
    "fstab": FSTABS[0],
    "facts.yaml": b'client.kernel: "5.14.0-362.el9"\nstorage: {platform: anf}\nworkload.static_data: false\n',
    "facts.json": b'{"client.kernel": "6.1", "storage": {"platform": "aws-efs"}, "workload.kind": "eda"}\n',
    "answers.yaml": b'schema: advisor-answers/1\n'
                    b'facts:\n  storage.platform: anf\n  client.kernel: ">=5.15 <6.2"\nunknown: [client.count]\n'
                    b'pins: {mount.vers: "4.1"}\nnames:\n  server: nas\n  export: /v\n  target: /mnt/v\n',
    "site.toml": b'select = ["*"]\nignore = ["passno/*"]\nfail_on = "note"\npedantic = true\n'
                 b'baseline = "baseline.json"\n[facts]\n"client.kernel" = "5.14"\n[severity]\n"hard/default" = "off"\n'
                 b'[[path]]\nmatch = "*fstab"\nmin_severity = "warning"\n',
    "baseline.json": b'{"schema": "advisor-baseline/1", "findings": [{"file": "fstab", "rule": "hard/default", '
                     b'"source": "nas:/b", "target": "/b", "option": "soft", "count": 1}]}\n',
    "rules/source.yaml": SOURCE.encode(), "rules/claims.yaml": CLAIMS.encode(),
    "rules/decision.yaml": DECISION.encode(), "rules/check.yaml": CHECK.encode(),
    "typed": b"1\n2\n?\nyes\n\nback\n3\n4.1\nd\nw nconnect\np nconnect=8\nu\nr\ns\no\nh\nx new\nnas\n1\nq\n",
}
"""The folder in which the command line runs; `typed` is what standard input holds."""
HOSTS = tuple(
    {path: content.encode() for path, content in host.items() if content and not content.startswith("-> ")}
    for host in (trees.RHEL8, trees.SLES15, trees.DEBIAN12, trees.EFS)
)
"""Copies of hosts that `--root` reads: path → content."""

SAMPLES: Mapping[str, list[bytes]] = {}
"""Kind of file other than fstab, or the name of a script → texts."""
for _shape in (*ONE, *MANY):
    SAMPLES.setdefault(_shape.partition(":")[0], []).extend(
        text_of(_shape, option, 3).encode() for option in ("hard", "rsize={i}", "nconect{i}", "sec=krb5")
    )
del SAMPLES["fstab"]
for _name, _text in (*files("embedded_cases.txt"), *files("embedded_traps.txt")):
    SAMPLES.setdefault(_name, []).append(_text.replace("§", "").encode())
_FOLDERS = {"cloudinit": "cloud-init", "k8s": "kubernetes", "nfs_conf": "nfs.conf", "systemd": "systemd-mount"}
OTHER_SAMPLES = {
    kind: [path.read_bytes() for path in sorted((SHARED / "corpus" / folder).glob("*"))]
    for folder, kind in ((folder, _FOLDERS.get(folder, folder)) for folder in (
        *_FOLDERS, "ansible", "autofs", "compose", "exports", "modprobe", "sysctl", "udev"))
}
"""The same of others."""
BITS = (
    b"&a ", b"*a", b"<<: ", b"- ", b"? ", b"!!set ", b"{", b"}", b"[", b"]", b": ", b"|\n  ", b">-\n", b"---\n",
    b"{{ x }}", b"{% if x %}", b"$X", b"@X@", b"<!--", b"-->", b"<a b='c'/>", b"&amp;", b"<!DOCTYPE a>", b"\\\n",
    b"\n[", b"]\n", b" = ", b"#", b";", b"(", b")", b"(ro,", b"%include x", b"include = y\n", b"-fstype=nfs4,",
    b"Options=", b"ACTION==\"x\", ", b"*(rw)", b"10.0.0.0/8(ro)", b"options nfs ", b"net.ipv4.tcp_rmem = 1",
    b"mountOptions: ", b"driver_opts: ",
)
"""What files of other kinds are made of."""
VALUES = (
    "3", "4.1", "4.2", "8", "17", "1024", "1M", "5000", "abc", "0", "-1", "tcp", "krb5p", "600", "none", "all",
    "pos", "udp", "65536", "1048576", "1min", "rdma6", "sys:krb5",
)
FIELDS = (
    "nas:/a", "nas:/b", "[fe80::1]:/x", "fs-01.efs.eu-west-1.amazonaws.com:/", "/a", "/a/b", "/", "none", "nfs",
    "nfs4", "efs", "aznfs", "ext4", "0", "2",
)
YAML = (
    "true", "false", "null", "3", "4.1", "'5.10'", "{a: 1}", "[1, 2]", "facts", "pins", "names", "unknown", "when",
    "value", "layer", "site", "strength", "must", "on", "fix", "any", "not",
)
"""Words that stand in such texts."""
