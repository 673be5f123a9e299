"""What holds of every fix: over texts that are made up, and over the files of others."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from advisor.files.fstab import Entry, read, split_options
from advisor.files.libmount import as_bytes
from advisor.lint.finding import Finding
from advisor.lint.fix import fix_text
from tests import needs
from tests.each import each
from tests.lint.fixing import BOTH, SAFE, SHARED, fixed_well, index, judge, texts
from tests.lint.fixing import options as all_options
from tests.tiers import examples, in_both, part
from tests.zipped import zip_equal

CORPUS = sorted(SHARED.glob("corpus/fstab/*.fstab"))
corpus = pytest.mark.skipif(not CORPUS, reason=needs.SHARED)


@examples(20, 60)
@given(texts())
def test_all_fixes(text: str) -> None:
    fixed_well(text, BOTH)


@examples(20, 60)
@given(texts())
@example("a.file.core.windows.net:/a/s  /a  nfs  nolock")
def test_safe_fixes_change_nothing_that_is_in_effect(text: str) -> None:
    fixed = fixed_well(text, SAFE)
    gone: dict[int, set[str | None]] = {}
    for finding in fixed.done:
        gone.setdefault(finding.line, set()).add(finding.tunable)
    for a, b in zip_equal(read(text).entries, read(fixed.text).entries):
        if a.raw != b.raw:
            (before, brought), (after, _) = (_in_effect(entry) for entry in (a, b))
            changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
            with_them = {name for name, by in brought.items() if by & gone[a.line_no]}
            assert changed <= gone[a.line_no] | with_them | {"mount.defaults"}


def _in_effect(entry: Entry) -> tuple[dict[str, object], dict[str, set[str]]]:
    """What a line sets; and what its options bring with them (`nolock`, local_lock), with the settings that do."""
    items = split_options(entry.options.text) if entry.options.parts else ()
    line = index().rules.grammar.read(entry.fstype.value, items)
    brought = {
        name: {by for by, other in line.effective.items() if other.start == one.start}
        for name, one in line.implied.items()
    }
    return {name: one.value for name, one in (*line.implied.items(), *line.effective.items())}, brought


@in_both
@corpus
@pytest.mark.parametrize("safeties", [SAFE, BOTH], ids=["safe", "all"])
def test_files_of_others(safeties: frozenset[str]) -> None:
    changed, tried = 0, part(CORPUS, 3)
    for file in tried:
        raw = file.read_bytes()
        text = raw.decode("utf-8", "surrogateescape")
        fixed = fixed_well(text, safeties)
        assert as_bytes(text) == raw
        changed += fixed.text != text
    assert changed > len(tried) // 20


def verified(folder: Path, content: bytes) -> tuple[bool, int]:
    """Whether findmnt accepts a file, and how many parse errors it tells."""
    file = folder / "fstab"
    file.write_bytes(content)
    ran = subprocess.run(
        ["findmnt", "--verify", "--tab-file", str(file)], capture_output=True, check=False, env={"LC_ALL": "C"}
    )
    return ran.returncode == 0, ran.stdout.count(b"[E]") + ran.stderr.count(b"parse error")


@in_both
@corpus
@pytest.mark.skipif(shutil.which("findmnt") is None, reason="findmnt is not installed")
def test_findmnt_accepts_what_it_accepted_before(tmp_path: Path) -> None:
    for file in part(CORPUS, 4):
        raw = file.read_bytes()
        fixed = fix_text(raw.decode("utf-8", "surrogateescape"), judge, BOTH).text
        if as_bytes(fixed) != raw:
            (was_fine, errors), (is_fine, errors_left) = verified(tmp_path, raw), verified(tmp_path, as_bytes(fixed))
            assert is_fine or not was_fine, file.name
            assert errors_left <= errors, file.name


OPTIONS = (
    "soft", "softerr", "hard", "timeo=60", "timeo=14", "timeo=6000", "retrans=1", "rsize=8192", "wsize=8192",
    "rsize=32768", "wsize=32768", "rsize=1M", "intr", "noatime", "nolock", "vers=3", "vers=4.1", "vers=4.2", "rw", "bg",
    "proto=udp", "actimeo=600", "lookupcache=none", "nconnect=4", "nconnect=99", "hrad", "sloppy", "fsc", "noac",
    "x-systemd.device-timeout=4", "addr=192.0.2.4", "namlen=255", "sync", "timeo=60s", "auto", "defaults",
)
HARMLESS = ("nosuid", "nodev", "nofail", "x-site.note=1", "_netdev", "acl")


@examples(25, 80)
@given(
    st.lists(st.sampled_from(OPTIONS), min_size=1, max_size=6, unique_by=lambda text: text.partition("=")[0]),
    st.sampled_from(HARMLESS), st.integers(0, 6), st.randoms(use_true_random=False), st.sampled_from(["nfs", "nfs4"]),
)
def test_the_order_of_the_options_does_not_matter(
    options: list[str], more: str, at: int, random: Random, fstype: str
) -> None:
    def fixed(several: list[str]) -> set[str]:
        text = fix_text(f"nas:/a /a {fstype} {','.join(several)} 0 0\n", told, BOTH).text
        return {*text.split()[3].split(","), text.split()[2]} - {"defaults"}

    def told(text: str) -> tuple[list[Finding], list[Finding]]:
        found = judge(text)[0]
        return found, [finding for finding in found if not finding.policy]

    shuffled = random.sample(options, len(options))
    if _meant(options, fstype) != _meant(shuffled, fstype):
        return  # where one option overrides another, the order is what they say
    assert fixed(options) == fixed(shuffled)
    assert fixed([*options[:at], more, *options[at:]]) - {more} == fixed(options) - {more}


def _meant(options: list[str], fstype: str) -> tuple[dict[str, object], ...]:
    line = index().rules.grammar.read(fstype, split_options(",".join(options)))
    return tuple({name: one.value for name, one in told.items()} for told in (line.implied, line.effective))


@pytest.mark.parametrize("options", ["soft,timeo=60", "timeo=60,soft", "soft,intr,timeo=60", "timeo=60,intr,soft"])
def test_the_smaller_change_is_to_leave_a_short_time_out(options: str) -> None:
    fixed = fix_text(f"nas:/a /a nfs {options} 0 0\n", lambda text: (judge(text)[0], judge(text)[0]), BOTH).text
    assert "timeo" not in fixed
    assert "hard" in fixed


@each(lambda: [
    ("nas:/a  /a  nfs4  hard  0 0", "nas:/a  /a  nfs   hard,vers=4  0 0"),
    ("nas:/a /a nfs4 vers=4.2 0 0", "nas:/a /a nfs vers=4.2 0 0"),
    ("nas:/a /a nfs4 nfsvers=3 0 0", "nas:/a /a nfs nfsvers=3 0 0"),
    ("nas:/a /a rw,hard 0 0", "nas:/a /a nfs rw,hard 0 0"),
    ("nas:/a\t/a\tdefaults\t0\t0", "nas:/a\t/a\tnfs\tdefaults\t0\t0"),
    ("nas:/a /a 0 0", "nas:/a /a nfs defaults 0 0"),
    ("nas:/a /a nfs 0 0", "nas:/a /a nfs defaults 0 0"),
    ("nas:/a /a defaults", "nas:/a /a nfs defaults"),
    ("mon1:/ /c name=admin,secretfile=/k 0 0", "mon1:/ /c name=admin,secretfile=/k 0 0"),
    ("/dev/sdb1 /d defaults 0 2", "/dev/sdb1 /d defaults 0 2"),
    ("nas:/a /a ext4 0 0", "nas:/a /a ext4 0 0"),
    ("nas:/a hard 0 0", "nas:/a hard 0 0"),
    ("rw,hard,timeo=14 0 0", "rw,hard,timeo=14 0 0"),
    ("nas:/a /a nfs nfsvers=2 0 0", "nas:/a /a nfs nfsvers=3 0 0"),
])
def test_a_type_is_written_where_it_is_missing_or_old(line: str, fixed: str) -> None:
    def told(text: str) -> tuple[list[Finding], list[Finding]]:
        found = judge(text)[0]
        return found, [finding for finding in found if not finding.policy]

    assert fix_text(f"{line}\n", told, BOTH).text.split() == fixed.split()


@pytest.mark.parametrize("line", ["nas:/a /a 0 0 \n", "nas:/a /a nfs 0 0 \r\n", "nas:/a\t/a nfs soft 0 0\t# x \n"])
def test_blanks_at_the_end_are_no_field(line: str) -> None:
    assert fixed_well(line, BOTH).text != line


def test_a_line_with_every_option_is_fixed_at_once() -> None:
    several = [f"{option}3" if option.endswith("=") else option for option in all_options()]
    assert len(fixed_well(f"nas:/a /a nfs {','.join(several)} 0 0\n", BOTH).done) > 100


def test_a_fix_that_does_harm_does_not_keep_others_from_being_made() -> None:
    others = ",".join(f"cafile=abc{n},rolearn={n}" for n in range(60))
    fixed = fixed_well(f"nas:/a /a aznfs vers=4,minorversrol=50000,{others} 0 0\n", BOTH)
    assert "cafile" not in fixed.text
    assert "rolearn" not in fixed.text
