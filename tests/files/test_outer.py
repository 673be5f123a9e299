"""Which language a file is in that may contain NFS configuration: the name and `#!` tell, what is inside never does."""

from __future__ import annotations

from advisor.files.kinds import outer_language

LANGUAGES = [
    ("shell", "#!/bin/sh\n", ""),
    ("shell", "#!/usr/bin/env -S bash -e\n", "setup"),
    ("shell", "[nfsd]\nthreads=8\n", "deploy/nfs.sh"),
    ("shell", "{% if a %}\nservices:\n{% endif %}\n", "nfs.sh.j2"),
    ("shell", "all:\n\tmount -t nfs nas5:/a /a\n", "Makefile"),
    ("program", "#!/usr/bin/python3\n", "nfs.sh"),
    ("program", "const a = 1\n", "src/index.js"),
    ("yaml", "- copy:\n    content: |\n      [nfsd]\n      threads=8\n", "tasks/main.yml"),
    ("yaml", "---\n- hosts: all\n", ""),
    ("yaml", "#cloud-config\nruncmd: []\n", ""),
    ("hcl", "[nfsd]\n", "efs.tf"),
    ("hcl", 'resource "aws_efs_file_system" "a" {\n', ""),
    ("ruby", "[nfsd]\n", "Vagrantfile"),
    ("ruby", "[nfsd]\n", "recipes/nfs.rb"),
    ("nix", "# disks\n{ config, pkgs, ... }:\n{\n}\n", ""),
    ("puppet", "class site::nfs (\n", "manifests/nfs.pp"),
    ("dockerfile", "FROM debian:12\n", ""),
    ("dockerfile", "RUN true\n", "build/Dockerfile.client"),
    ("groovy", "pipeline {\n", "ci/Jenkinsfile"),
    ("hcl", '[tasks]\nrun = "mount -t nfs nas5:/a /a"\n', "mise.toml"),
    ("sections", "[DEFAULT]\ndebug = true\n[nfs]\nnfs_mount_options = vers=4.1\n", "cinder.conf"),
    ("shell", "lang en_US\nnfs --server=nas5 --dir=/install\n", "ks.cfg"),
    ("crmsh", "# the exports\nprimitive p_a ocf:heartbeat:exportfs \\\n  params fsid=1\n", ""),
]
NONE = [
    ("/srv/a *(rw)\n", "/etc/exports"),
    ("/srv/a {{ clients }}(rw)\n", "templates/exports.j2"),
    ("nas5:/a /a nfs rw 0 0\n", "fstab"),
    ("[nfsd]\nthreads=8\n", ""),
    ("nas5:/a /a nfs rw 0 0\n", ""),
    ("EXPORT {\n  Export_Id = 1;\n}\n", "ganesha.conf.in"),
    ("order deny,allow\n", ""),
    ("", ""),
    ("# nothing but a comment\n", ""),
]


def test_the_name_or_the_first_line_tells_the_language() -> None:
    wrong = [(name, text) for language, text, name in LANGUAGES if outer_language(text, name) != language]
    assert wrong == []


def test_files_of_nfs_are_in_no_other_language() -> None:
    assert [(name, text) for text, name in NONE if outer_language(text, name)] == []
