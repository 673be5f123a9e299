"""What the mount helpers of EFS and Azure refuse, read in their source, and what they take beside it."""

from __future__ import annotations

from functools import cache

import pytest

from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each

base = cache(load)
AP = "fsap-0123456789abcdef0"
FILES, BLOB = "acct.file.core.windows.net", "acct.blob.core.windows.net"


def fails(line: str) -> set[str]:
    """The rules that say that a line does not mount."""
    return {f.rule for f in lint_text(f"{line} 0 0\n", "fstab", base(), {}).findings if f.consequence == "mount-fails"}


@each(lambda: [
    "tls,port=2049", "tls,notls", "tls,ocsp,noocsp", "tls,noocsp,ocsp", "tls,tlsport=abc", "tlsport=",
    "tlsport=65536",
    f"accesspoint={AP}", "tls,accesspoint=fsap-0123", "tls,accesspoint=fsap-0123456789ABCDEF0", "tls,accesspoint",
    "iam", "awsprofile=x", "tls,awsprofile=x", "tls,awscredsuri=/x", "tls,iam,awscredsuri=/x,awsprofile=y",
    "tls,iam,awscredsuri=x", "mounttargetip=10.0.0.1,crossaccount", "crossaccount,mounttargetip=10.0.0.1",
    "capath=/etc/ssl", "azid=use1-az1", "tls,verify=abc", "region=EU-west-1", "region=", "region=-x", "v4.1", "v4",
    "vers=4.1,nfsvers=4.1", "tls,rsize=1M", "notanoption",
])
def test_the_efs_helper_refuses(options: str) -> None:
    assert fails(f"fs-0123456789abcdef0:/ /efs efs _netdev,{options}")


@each(lambda: [
    "tls", "port=2049", "notls", "ocsp,noocsp", "tls,ocsp", "tls,noocsp", "tls,tlsport=20100", "tlsport=20100",
    f"tls,accesspoint={AP}", "tls,iam", "tls,iam,awsprofile=x", "tls,iam,awscredsuri=/x", "verify=abc",
    "tls,verify=0", "mounttargetip=10.0.0.1", "crossaccount", "region=eu-west-1", "region=x", "az=eu-west-1a",
    "vers=4.1", "nfsvers=4.0", "vers=4,minorversion=1", "tls,stunnel,cafile=/etc/ca.pem,netns=/run/netns/a",
    "tls,iam,rolearn=arn:aws:iam::1:role/r,jwtpath=/token", "softerr", "resvport",
])
def test_the_efs_helper_takes(options: str) -> None:
    assert fails(f"fs-0123456789abcdef0:/ /efs efs _netdev,{options}") == set()


@pytest.mark.parametrize("option", ["softerr", "resvport"])
def test_what_the_efs_helper_overrides(option: str) -> None:
    text = f"fs-0123456789abcdef0:/ /efs efs _netdev,{option} 0 0\n"
    assert "option-ignored" in {f.rule for f in lint_text(text, "fstab", base(), {}).findings}


@each(lambda: [
    (f"{FILES}:/acct/s", "nconnect=4"), (f"{FILES}:/acct/s", "v4.1"), (f"{FILES}:/acct/s", "vers=4"),
    (f"{FILES}:/acct/s", "vers=4.1,minorversion=1"), (f"{FILES}:/acct/s", "vers=4,minorversion=2"),
    (f"{FILES}:/acct/s", "vers=4.2"), (f"{FILES}:/acct/s", "vers=4.1,turbo"), (f"{FILES}:/acct/s",
    "vers=4.1,clean"),
    (f"{FILES}:/acct/s", "vers=4.1,configfile=/x"), (f"{FILES}:/s", "vers=4.1"), (f"{FILES}:/", "vers=4.1"),
    (f"{FILES}", "vers=4.1"), (f"{FILES}:acct/s", "vers=4.1"), (f"//{FILES}/s", "vers=4.1"),
    (f"{FILES}:/acct/s", "vers=3"), (f"{BLOB}:/acct/c", "vers=3,minorversion=0"), (f"{BLOB}:/acct/c",
    "vers=3,notls"),
    (f"{BLOB}:/acct/c", "vers=3,notls,clean"), (f"{BLOB}:/acct/c", "vers=3,configfile=/x"), (f"{BLOB}:/c",
    "vers=3"),
    (f"{BLOB}:/acct/c/dir", "vers=3"), ("10.0.0.4:/acct/c", "vers=3"), ("nas.example.com:/acct/c", "vers=3"),
    (f"{BLOB}:/acct/c", "v3"),
])
def test_the_aznfs_helper_refuses(source: str, options: str) -> None:
    assert fails(f"{source} /az aznfs _netdev,{options}")


@each(lambda: [
    (f"{FILES}:/acct/s", "vers=4.1"), (f"{FILES}:/acct/s", "nfsvers=4.1"), (f"{FILES}:/acct/s",
    "vers=4,minorversion=1"),
    (f"{FILES}:/acct/s/dir", "vers=4.1,notls,clean"), ("files.example.com:/acct/s", "vers=4.1"),
    (f"{BLOB}:/acct/c", "vers=3,nolock"), (f"{BLOB}:/acct/c/", "vers=3"), (f"{BLOB}:/acct/c",
    "vers=3,turbo,nconnect=64"),
    ("none", "vers=3,turbo,configfile=/etc/t.yaml,nconnect=128"),
    ("acct.privatelink.blob.core.usgovcloudapi.net:/acct/c", "vers=3"),
])
def test_the_aznfs_helper_takes(source: str, options: str) -> None:
    assert fails(f"{source} /az aznfs _netdev,{options}") == set()
