"""Embedded text is read in steps that grow with the file and no faster, and whatever is in it."""

from __future__ import annotations

import random

from advisor.files.embedded import read_embedded
from advisor.lint.run import lint_text
from advisor.rulebase.base import load
from tests import tiers
from tests.each import each
from tests.steps import steps
from tests.tiers import in_both

SHAPES = {
    "nfs.sh": (
        "mount -t nfs -o rw,soft nas5:/a /a\n", "echo '/srv/a *(rw)' >> /etc/exports\n", "x=$(mount -t nfs a:/a /a)\n",
        "cat <<E > /etc/exports\n/a *(rw)\nE\n", "ssh h 'mount -t nfs nas5:/a /a'\n", "$(", '"$(', "${", "'", '"',
        "<<E ", "{ ", "a\\\n", "a=(", "sysctl -w a.b=1\n", "a=(b c) ",
    ),
    "maps.ldif": ("automountInformation: -hard nas5:/a\n", " a\n"),
    "main.tf": (
        'a = "mount -t nfs nas5:/a /a"\n', 'a "b" {\n', '"${', "[", "x = <<E\nmount -t nfs nas5:/a /a\nE\n", "/* ",
        'a = "b"\na = a\n', 'a = "c"\na = b\nb = a\n',
    ),
    "nfs.rb": ("mount '/a' do\n fstype 'nfs'\nend\n", "%w(a b) ", "do\n", "end\n", "a['b']['c'] = 'nfs'\n", "#{"),
    "nfs.nix": ("{ fsType = \"nfs\"; options = [ \"a\" ];\n", "''", "a.b = \"nfs\";\n"),
    "README.md": (
        "```\nnas5:/a /a nfs soft 0 0\n```\n", "```sh\n", "a ::\n\n  mount -t nfs a:/a /a\n", "`mount a:/a /a -t nfs` ",
        "mount -t nfs a:/a /a \\\n", "cat <<E > /etc/fstab\n", "----\n",
    ),
    "pool.xml": ("<a b='c' d='nfs'>", "<a>nfs</a>", "</a>", "<a b='c'/>\n", "<!-- ", "<![CDATA[ ", "<", " a=", " a='"),
    "mime.txt": ("\n--", "Content-Type: text/cloud-config\n\n#cloud-config\nmounts: [nfs]\n\n--"),
    "a.ign": ('{"contents": {"source": "data:,a"}, "path": "/etc/fstab"},\n', '"contents": {'),
    "tasks.yml": ("- shell: mount -t nfs nas5:/a /a\n", "- lineinfile: {path: /etc/exports, line: '/a *(rw)'}\n"),
}
"""The name of a file and what is repeated in it."""
FEW, ONE_IN = (40, 8) if tiers.asked == tiers.FIRST else (100, 1)
NOISE = (
    "'", '"', "$(", "${", "}", "{", "[", "]", "(", ")", "\\", "\n", "<<E\n", "E\n", "`", "#{", "%w(", "do\n", "end\n",
    "''", "/*", "=>", "=", ":", ";", ",", "\0", "\udc80", "{{ ", "}}", "mount -t nfs -o ", "/etc/exports ", "*(rw) ",
)


@in_both
@each(lambda: ((name, part) for name, parts in SHAPES.items() for part in parts[::ONE_IN]), "{} {!r}".format)
def test_steps_grow_with_the_file(name: str, part: str) -> None:
    few, many = (steps(lambda n=n: read_embedded(f"# nfs\n{part * n}", name, "script")) for n in (FEW, 4 * FEW))
    assert many < 5 * few + 1000


@each(lambda: ((name, seed) for name in SHAPES for seed in range(40)), "{} {}".format)
def test_nothing_is_too_odd_to_be_read(name: str, seed: int) -> None:
    pick = random.Random(seed)
    text = "nfs " + "".join(pick.choice(NOISE) for _ in range(pick.randrange(200)))
    for segment in read_embedded(text, name, "script").segments:
        assert all(part.text is not None for part in segment.texts)


@in_both
def test_text_inside_text_is_read_once() -> None:
    """The same text is shown by its first line, and by the path beside it."""
    def nested(depth: int) -> str:
        text = "#cloud-config\nmounts:\n- [ nas5:/a, /a, nfs, soft ]\n"
        for _ in range(depth):
            inside = "".join(f"    {line}\n" for line in text.splitlines())
            text = f"#cloud-config\nwrite_files:\n- path: /a/user-data\n  content: |\n{inside}"
        return text

    few, many = (steps(lambda n=n: lint_text(nested(n), "user-data", load(), {}, kind="cloud-init")) for n in (4, 8))
    assert many < 5 * few
