"""The reports: the argument is there, both say the same, measured figures are drawn to scale, servers hear nothing of
mounts."""

from __future__ import annotations

import re

from advisor.advice.advise import advise
from advisor.advice.answers import Answers
from advisor.advice.rows import BY_HAND, by_hand
from advisor.advice.several import advise_several
from advisor.install import artefacts
from advisor.install.build import artefacts_several
from advisor.install.scripts import role
from tests.install.cases import CASES, advice, base, made
from tests.pages.test_backends import Words, parsed, seen
from tests.tiers import thorough


@thorough
def test_both_reports_say_the_same() -> None:
    for case in CASES:
        files = made(case)
        page, said, more = (" ".join(seen(text)) for text in (
            Words(files["REPORT.html"].text).text, parsed(files["REPORT.md"].text).text,
            parsed(files["REPORT-details.md"].text).text,
        ))
        _, below, details = more.partition("Measured effects")
        assert f"{said.replace('REPORT details.md', 'below.')} {below}{details}" == page, case


def test_measured_figures_are_drawn_to_scale() -> None:
    page = made("anf-eda-static")["REPORT.html"].text
    assert re.search(r'<th scope="row">after</th><td><meter value="0.0400"></meter></td><td>6,000 IOPS</td>', page)


@thorough
def test_every_setting_that_is_written_is_argued() -> None:
    for case in CASES:
        files = made(case)
        report = files["REPORT-details.md"].text
        for path, one in files.items():
            if path.startswith("REPORT"):
                continue
            for tunable in re.findall(r"^# ((?:mount|sysctl|module|nfs\.conf|exports|tuned)\.\S+): ", one.text, re.M):
                assert f"### `{tunable}`" in report, (case, path)


def test_every_file_says_what_made_it_and_where_the_argument_stands() -> None:
    """Files that are configuration tell it in a few lines; the facts stand in the report, once."""
    fixed = {one.path for one in role()}
    for case in CASES:
        for one in made(case).values():
            if one.path in fixed:
                continue
            assert f"Made by advisor 0.1.0 from the rule base {base().hash}." in one.text, one.path
            if one.path.startswith("REPORT"):
                for fact in CASES[case]:
                    said = fact.replace("_", "\\_") if one.path.endswith(".md") else fact
                    assert said in one.text, (one.path, fact)
            elif not one.path.startswith(("cluster/", "identity/")):
                assert "Facts, reasons and sources: REPORT.md" in one.text, one.path


def test_the_report_is_short_and_its_links_lead_to_the_details() -> None:
    for case in CASES:
        files = made(case)
        report = files["REPORT.md"].text
        assert len(report.splitlines()) <= 300, case
        assert report.startswith(("# READY: ", "# READY · ", "# OPEN: ", "# WILL FAIL · ")), case
        headings = re.findall(r"^#+ `(.+)`$", files["REPORT-details.md"].text, re.MULTILINE)
        anchors = {re.sub(r"[^\w-]", "", heading.lower()) for heading in headings}
        links = re.findall(r"\]\(REPORT-details\.md#([^)]+)\)", report)
        assert set(links) <= anchors, case
        page = files["REPORT.html"].text
        assert all(f'<div id="{link}">' in page and f'href="#{link}"' in page for link in links), case


def test_one_mount_has_a_header_that_fits_on_a_screen() -> None:
    """Where nothing is known, the open questions are longer than that."""
    for case in CASES.keys() - {"nothing"}:
        fstab = made(case).get("fstab")
        assert fstab is None or len(fstab.text.splitlines()) <= 35, case


def test_a_server_hears_nothing_of_mounts() -> None:
    paths = made("hpc-server")
    assert not any(path.startswith(("fstab", "mount", "systemd", "autofs")) for path in paths)
    assert "nfsd-threads" in paths
    assert paths["nfsd-threads"].install == "/etc/sysconfig/nfs"
    assert "mount.nconnect" not in paths["REPORT.md"].text.partition("## Open")[2]
    assert "## To do by hand" in paths["REPORT.md"].text
    for path in ("REPORT.md", "REPORT-details.md", "apply.sh"):
        settings = (paths | made("debian-server"))[path].text.partition("## With what")[0]
        assert not re.search(r"lines? (of|for|in) /?(etc/)?fstab", settings), path
        assert "\n| [fstab." not in settings
        assert "\n| [mount." not in settings
    assert "mounts the lines of fstab" in made("anf-eda-static")["REPORT.md"].text


def test_only_names_that_its_files_have_are_called_placeholders() -> None:
    for case, other in (("anf-eda-static", "client.example"), ("hpc-server", "/mnt/nfs")):
        for path in ("REPORT.md", "REPORT-details.md"):
            head = made(case)[path].text.partition("## Each file")[0]
            assert other not in head, (case, path)


def test_what_must_be_written_and_is_open_stops_the_mount() -> None:
    told = advise(base(), Answers(facts={"storage.platform": "anf"}))
    files = {one.path: one for one in artefacts(base(), told)}
    assert "fstab" not in files
    assert "No file here mounts anything yet: `mount.vers` must be written" in files["REPORT.md"].text


def test_a_held_value_tells_what_it_costs() -> None:
    facts = {"storage.platform": "aws-efs"}
    told = advise(base(), Answers(facts=facts, pins={"mount.noresvport": False}))
    files = {one.path: one.text for one in artefacts(base(), told)}
    assert "What pinning it costs" in files["REPORT-details.md"]
    assert "Pinned: mount.noresvport = no" in files["REPORT.md"].replace("\\_", "_")


def test_slots_are_module_parameters() -> None:
    files = made("anf-eda-static")
    assert "options sunrpc tcp_max_slot_table_entries=128" in files["modprobe.d/91-nfs.conf"].text
    assert "sunrpc" not in files["sysctl.d/91-nfs.conf"].text


def test_what_no_setting_can_mend_is_told() -> None:
    report = made("azure-files-24.04")["REPORT.md"].text
    assert "## What the linter says of the line" in report
    assert "`clear-text-over-internet`" in report
    assert "## What the linter says" not in made("home-1gbe")["REPORT.md"].text


def test_read_ahead_goes_to_nfs_conf_where_nfsrahead_is() -> None:
    files = made("azure-files-24.04")
    assert "\n[nfsrahead]\n" in files["nfs.conf.d/91-nfs.conf"].text
    assert "\nnfs4=15360\n" in files["nfs.conf.d/91-nfs.conf"].text
    assert "udev/90-nfs-read-ahead.rules" not in files
    assert not [step for step in files["nfs.conf.d/91-nfs.conf"].apply if "restart" in step]  # nothing of the server
    assert "systemctl restart nfs-server" in made("debian-server")["nfs.conf.d/91-nfs.conf"].apply
    assert 'ATTR{read_ahead_kb}="15360"' in made("azure-files")["udev/90-nfs-read-ahead.rules"].text


def test_what_no_file_holds_is_to_be_done_by_hand() -> None:
    """RHEL 7 reads no folder of nfs.conf, so its server gets no script."""
    files, scripted = made("hpc-server"), made("failover-pair")
    assert "apply.sh" not in files
    report = files["REPORT.md"].text.replace("\\_", "_")

    def names(title: str) -> set[str]:
        _, _, part = report.partition(f"## {title}\n")
        return set(re.findall(r"^\| \[([a-z][\w.*-]+)", part.partition("\n## ")[0], re.MULTILINE))

    titles = ("Settings", "To do by hand")
    kinds = {title: {base().tunables[name].kind for name in names(title)} for title in titles}
    assert kinds["Settings"] >= {"nfs.conf", "export-option", "sysctl"}
    assert kinds["To do by hand"] >= {"cluster", "raid", "bios"}
    report = scripted["REPORT.md"].text.replace("\\_", "_")
    for_people = {name for name in names("To do by hand") | names("Settings") if base().tunables[name].kind in BY_HAND}
    left = {name for name in for_people if f"({name})" in scripted["apply.sh"].text}
    assert names("To do by hand") == left, "what a script does is not left to do"
    assert for_people - left


_STEPS = {"identity": "identity/both-sides.md", "cluster": "cluster/nfs-group.sh"}
"""Kind of settings that stand together in a file for people → that file."""


def test_whatever_is_advised_is_in_a_file_or_named_as_left_to_do() -> None:
    """By apply.sh where there is one, and by the card at the head of the report."""
    for case in CASES:
        files, told = made(case), advice(case)
        said = " ".join(file.text for path, file in files.items() if not path.startswith(("REPORT", "roles/", "play")))
        for row in told.part("set"):
            settles_where = row.definition.places or row.kind in ("benchmark", "fstab-field")
            held = f"# {row.tunable}: " in said or (row.kind in _STEPS and _STEPS[row.kind] in files)
            beside = row.kind == "bdi" and "\n[nfsrahead]\n" in said
            text, name = ("apply.sh", f"({row.tunable})") if "apply.sh" in files else ("REPORT.md", f"[{row.tunable}]")
            by_hand_there = name in files[text].text.replace("\\_", "_")
            assert settles_where or held or beside or by_hand_there, (case, row.tunable)
        manual = [row for row in by_hand(told) if row.strength != "may"]
        head = files["REPORT.md"].text.partition("\n## ")[0]
        assert ("By hand" in head) == bool(manual), case


def test_each_mount_of_several_has_its_work_by_hand_named() -> None:
    facts = {"storage.platform": "anf", "mount.vers": "4.1", "host.role": "nfs-client"}
    answers = [Answers({**facts, **more}, names={"target": target})
               for target, more in (("/a", {}), ("/b", {"mount.sec": "krb5p"}))]
    several = advise_several(base(), answers[0], answers)
    script = {file.path: file.text for file in artefacts_several(base(), several)}["apply.sh"]
    manual = by_hand(several.mounts[1])
    assert {row.kind for row in manual} >= {"identity", "service"}
    for row in manual:
        assert f"({row.tunable})" in script, row.tunable


def test_the_domain_of_the_service_is_written_and_checked() -> None:
    told = advise(base(), Answers(facts={"storage.platform": "anf", "mount.vers": "4.1"}))
    files = {file.path: file.text for file in artefacts(base(), told)}
    assert "\n[General]\nDomain = defaultv4iddomain.com\n" in files["identity/idmapd.conf"]
    assert "(identity/idmapd.conf)" in files["apply.sh"]
    assert "found service.idmapd_domain defaultv4iddomain.com" in files["verify.sh"]


def test_a_missing_program_is_named_with_its_package() -> None:
    script = made("efs")["apply.sh"].text
    for program, package in re.findall(r"'?Nothing was done: (\S+) is missing. Install (.*)\.'", script):
        assert (package == "the package that has it") is (program == "awk"), program
    facts = {"storage.platform": "aws-efs", "storage.encrypted_transit": True}
    files = {file.path: file.text for file in artefacts(base(), advise(base(), Answers(facts)))}
    assert "mount.efs is missing. Install amazon-efs-utils." in files["apply.sh"]
