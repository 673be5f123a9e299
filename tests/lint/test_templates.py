"""Templates: what stands for text is a gap, statements and comments are nothing, and in a file that a program reads as
it is a gap is the mistake."""

from __future__ import annotations

import pytest

from advisor.files.kinds import identify
from advisor.files.placeholders import is_live, plain_lines, without_statements
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests.each import each


def found(text: str, name: str, root: str = "") -> set[tuple[int, int, str]]:
    """Warnings and errors: line, column, rule."""
    kind = identify(text, name)
    assert kind is not None
    findings = lint_text(text, name, load(), {}, kind=kind, root=root).findings
    return {(f.line, f.column, f.rule) for f in findings if f.severity != "note"}


COMMENTED = "{# kept by a role\n   see its README #}\n"


@pytest.mark.parametrize(("name", "text", "line", "column", "rule"), [
    ("fstab.j2", "nas5:/a /a nfs hrad 0 0 {# why #}", 3, 16, "unknown-option"),
    ("exports.j2", "/srv 192.0.2.1(rw,synch)", 3, 19, "export-option-unknown"),
    ("nfs.conf.j2", "[nfsd]\nthreds={{ n }}", 4, 1, "setting-unknown"),
    ("auto.home.j2", "a -fstype=nfs4,hrad nas5:/a", 3, 16, "unknown-option"),
    ("mnt-a.mount.j2", "[Mount]\nWhat=nas5:/a\nWhere=/mnt/a\nType=nfs\nOptions=hrad", 7, 9, "unknown-option"),
])
def test_a_comment_over_several_lines_is_nothing(name: str, text: str, line: int, column: int, rule: str) -> None:
    assert found(f"{COMMENTED}{text}\n", name) == {(line, column, rule)}


def test_statements_in_front_of_a_block_of_text() -> None:
    """Were they as long as before, the text would be indented less than its first line, which YAML refuses."""
    for first in ("        {% for m in mounts %}", "        {{ more | indent(8) }}", "    {%- if a %}x{% endif %}"):
        text = f"- copy:\n    dest: /etc/fstab\n    content: |\n{first}\n      nas5:/a /a nfs hrad 0 0\n"
        assert found(text, "tasks/main.yml") == {(5, 22, "unknown-option")}, first


def test_a_chart() -> None:
    text = (
        "{{- if .Values.nfs }}\napiVersion: v1\nkind: PersistentVolume\nmetadata:\n  labels:\n"
        "    {{- include \"labels\" . | nindent 4 }}\nspec:\n  mountOptions:\n    {{- range .Values.o }}\n"
        "    - {{ . }}\n    {{- end }}\n    - hrad\n  nfs:\n    server: {{ .Values.server | quote }}\n"
        "    path: {{ .Values.path }}\n"
        "{{- end }}\n"
    )
    assert found(text, "templates/pv.yaml") == {(12, 7, "unknown-option")}


def test_lines_of_a_chart_that_cannot_be_read_are_gaps() -> None:
    """They continue what an include writes. What is never closed leaves the rest unread, which is no fault of it."""
    text = (
        "{{/*\nThe class: a claim\n*/}}\nkind: StorageClass\nmetadata:\n  name: {{ .Values.name }}\n"
        "{{ include \"labels\" . | indent 2 }}\n    app: {{ .Values.name }}\nprovisioner: nfs.csi.k8s.io\nparameters:\n"
        "{{ toYaml .Values.parameters | indent 2 }}\nmountOptions:\n  - hrad\n"
    )
    assert found(text, "templates/class.yaml") == {(13, 5, "unknown-option")}
    assert found("a: {{ b }}\nnfs: [\n", "templates/a.yaml") == set()
    assert found("a: b\nnfs: [\n", "a.yaml") == {(3, 1, "entry-not-understood")}


def test_a_gap_with_spaces_is_one_word() -> None:
    text = "options lockd nlm_udpport={{ ports['rpc.lockd'] }} nlm_tcprot={{ ports['rpc.lockd'] }}\n"
    assert found(text, "templates/modprobe.d/lockd.conf.j2") == {(1, 52, "setting-unknown")}
    assert found("options lockd nlm_udpport=1\n", "/etc/modprobe.d/lockd.conf.j2") == {(1, 1, "setting-file-ignored")}


def test_angle_brackets_of_two_lines_are_no_gap() -> None:
    assert found("# a < b\n/srv 192.0.2.1(rw,synch)\n# c > d\n", "exports.j2") == {(2, 19, "export-option-unknown")}


def test_braces_inside_an_expression() -> None:
    text = "- mount:\n    src: nas5:/a\n    path: /a\n    fstype: nfs\n    opts: \"{{ {'a': 'hard'}[b] }},hrad\"\n"
    assert found(text, "tasks/main.yml") == {(5, 35, "unknown-option")}


def test_a_schema_is_no_volume() -> None:
    text = (
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  schema:\n    openAPIV3Schema:\n"
        "      properties:\n        volumes:\n          items:\n            properties:\n"
        "              name: {type: string}\n              nfs:\n                properties:\n"
        "                  path: {type: string}\n"
    )
    assert found(text, "crds/a.yaml") == set()


def test_one_of_two_volumes() -> None:
    text = (
        "apiVersion: v1\nkind: PersistentVolume\nspec:\n{% if nfs %}\n  nfs: {server: nas5, path: /a}\n{% else %}\n"
        "  hostPath: {path: /a}\n{% endif %}\n"
    )
    assert found(text, "pv.yaml.j2") == set()


GAPS = ["{{opts}}", "hard,%opts%", "rsize=@RSIZE@", "$OPTS", "vers=<v>", "sec={{s}}", "nconnect={{n}}", "`cat o`",
        "YOUR_OPTIONS", "timeo=${T}", "local_lock=$L", "%(opts)s", "<%= @opts %>".replace(" ", "")]
HARMLESS = ["x-note={{a}}", "comment=<x>", "fsc=<tag>", "clientaddr=$A", "x-systemd.idle-timeout=@T@"]
"""The kernel mounts with these."""
SOURCES = ["<nas-host>:/<export>", "{{nas}}:/a", "$NAS:/a", "@NAS@:/a", "%NAS%:/a", "YOUR_NAS:/a", "nas5:/{{x}}",
           "nas5:/${X}", "192.168.x.10:/a"]
USUAL = ["nas5:/D$/a", "nas5:/a$b", "[nas5]:/a", "nas5:/a/{0}", "nas5:/a@b"]
"""Names that a server may have, and that a path may contain."""


def test_what_was_never_filled_in() -> None:
    for name in ("/etc/fstab", "host.tar.xz: /etc/fstab"):
        for options in GAPS:
            rules = {rule for _, _, rule in found(f"nas5:/a /a nfs {options} 0 0\n", name)}
            assert rules == {"placeholder-left"}, options
        for source in SOURCES:
            assert found(f"{source} /a nfs hard 0 0\n", name) == {(1, 1, "placeholder-left")}, source
        for options in HARMLESS:
            assert found(f"nas5:/a /a nfs {options} 0 0\n", name) == set(), options
        for source in USUAL:
            assert found(f"{source} /a nfs hard 0 0\n", name) == set(), source


def test_what_is_still_to_be_filled_in() -> None:
    for options in (*GAPS, *HARMLESS):
        assert found(f"nas5:/a /a nfs {options} 0 0\n", "fstab.j2") == set(), options
    for source in (*SOURCES, *USUAL):
        assert found(f"{source} /a nfs hard 0 0\n", "files/fstab") == set(), source


def test_a_placeholder_with_a_space_takes_the_line_with_it() -> None:
    assert found("{{ nas }}:/a /a nfs hard 0 0\n", "/etc/fstab") == {(1, 1, "placeholder-left")}
    assert found("nas5:/a /a nfs {{ o | join(',') }} 0 0\n", "/etc/fstab") == {(1, 16, "placeholder-left")}
    disk, nfs = "{{ disk }} /b ext4 defaults 0 0\n", "nas5:/a /a nfs hard 0 0\n"
    assert found(disk + nfs, "/etc/fstab") == {(1, 15, "fstab-line-dropped")}
    assert found(disk, "/etc/fstab") == set()


def test_a_single_backtick_is_no_placeholder() -> None:
    assert found("nas5:/a /a nfs vers`3 0 0\n", "fstab.j2") == {(1, 16, "unknown-option")}


def test_other_files_that_are_read_as_they_are() -> None:
    assert found("/srv <client>(rw)\n", "/etc/exports") == {(1, 6, "placeholder-left")}
    unit = "[Mount]\nWhat=<nas>:/a\nWhere=/mnt/a\nType=nfs\nOptions=rsize=@RSIZE@\n"
    assert found(unit, "/etc/systemd/system/mnt-a.mount") == {(2, 6, "placeholder-left"), (5, 9, "placeholder-left")}
    assert found("a -rw @NAS@:/a\nb -rw ${NAS}:/b\n", "/etc/auto.misc") == {(1, 7, "placeholder-left")}


@pytest.mark.parametrize(("name", "lines"), [
    ("fstab", ["nas5:/a /a nfs vers=3 0 0", "nas5:/a /a nfs vers=4.1 0 0"]),
    ("exports", ["/a nas5(rw,sync)", "/a nas5(ro,sync)"]),
    ("exports", ["/a nas5(ro,fsid=1)", "/b nas5(ro,fsid=1)"]),
    ("nfs.conf", ["[nfsd]\nthreads=16", "threads=32"]),
    ("auto.a", ["a -fstype=nfs,hard nas5:/a", "a -fstype=nfs,hard nas5:/b"]),
    ("ganesha.conf", ["NFSv4 { Lease_Lifetime = 60; }", "NFSv4 { Lease_Lifetime = 90; }"]),
])  # fmt: skip
def test_lines_of_several_branches_are_never_together(name: str, lines: list[str]) -> None:
    assert found("\n".join([*lines, ""]), name)
    for signs in (("{% if a %}", "{%- else %}", "{% endif %}"), ("<% if a %>", "<% else %>", "<% end %>"),
                  ("{{- if .a }}", "{{- else }}", "{{- end }}")):
        begin, between, end = signs
        assert not found("\n".join([begin, lines[0], between, *lines[1:], end, ""]), f"{name}.j2"), signs


def test_where_nothing_fills_in_a_placeholder() -> None:
    assert is_live("/etc/fstab", "")
    assert not is_live("/etc/ansible/fstab", "")
    assert not is_live("etc/fstab", "")
    assert not is_live("/etc/exports", "{% for a in b %}\n")  # a template under the name that it will have
    line = "<nas>:/a /a nfs hard 0 0\n"
    assert found(line, "/copy/etc/fstab", root="/copy") == {(1, 1, "placeholder-left")}
    assert found(line, "/copy/etc/fstab") == set()


@each(lambda: [
    ("a\n", "a\n"), ("{# x\ny #}\na\n", "\n\na\n"), ("a {# x #} b\n", "a         b\n"),
    ("${#a[@]} #}\n", "${#a[@]} #}\n"),
    ("{% if a %}\n  {%- b -%} {% c %}\nd {% e %}\n", "\n\nd {% e %}\n"), ("{% set a = [\n1\n] %}\nb\n", "\n\n\nb\n"),
    ("<% a %>\n<%= a %>\n", "\n<%= a %>\n"), ("%{ if a }\nb\n%{ endif }\n", "\nb\n\n"),
    ("{% include 'a' %}\n{{ a }}\n", "{% include 'a' %}\n{{ a }}\n"), ("{# a\n{% b\n", "{# a\n{% b\n"),
    ("{{- /* a\nb */ -}}\nc\n", "\n\nc\n"),
    ("$ cat /etc/fstab\na\n[root@b ~]# \n", "\na\n\n"), ("# mount it\n@admins\n", "# mount it\n@admins\n"),
])  # fmt: skip
def test_what_is_left_of_a_template(text: str, left: str) -> None:
    assert without_statements(text) == left


@each(lambda: [
    ("a {{\nb | c\n}}:/d\ne\n", "a {{_}}\n\n\ne\n"), ("a {{ b }} {{ c\n}}\n", "a {{_b_}} {{_}}\n\n"),
    ("a {{ b\n", "a {{ b\n"), ("a {{ b\n{ c }}\n", "a {{ b\n{ c }}\n"),
])  # fmt: skip
def test_an_expression_of_several_lines_ends_the_first(text: str, left: str) -> None:
    assert plain_lines(text) == left


def test_many_beginnings_take_no_longer_than_one() -> None:
    """Each is tried once: a comment that is never closed is not searched for again and again."""
    for begin in ("{#", "{% a\n", "<% a\n", "%{ a\n", "{{ a\n", "a@b"):
        text = begin * 50_000
        assert without_statements(text) == text
