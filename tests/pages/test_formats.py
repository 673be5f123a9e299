"""Every format, given hostile input: real parsers read it, and what they read is what was found."""

import json
import re
from xml.etree import ElementTree

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from advisor.pages.formats import FORMATS, renderer
from advisor.pages.phrases import json_text, well_formed
from advisor.pages.style import Style, visible, width
from tests import needs
from tests.each import each
from tests.pages.hostile import CITED, QUESTION, context, everything, findings, summary
from tests.pages.sarif_model import problems
from tests.schemas import published, validate
from tests.tiers import examples
from tests.zipped import zip_equal

ALL = examples(8, 100)
asked = st.sampled_from((None, QUESTION))
NASTY = everything()


def written(form, case, question=None, **more):
    found, lines = case
    return renderer(form)(found, summary(found, lines, question), context(lines, **more))


@given(case=findings(), question=asked)
@example(case=NASTY, question=QUESTION)
@ALL
def test_nothing_is_left_that_a_terminal_could_obey(case, question):
    for form in FORMATS:
        text = written(form, case, question)
        assert all(char == "\n" or char.isprintable() for char in text), form
        assert text == "" or text.endswith("\n"), form
        text.encode("utf-8")


@each(lambda: sorted(FORMATS))
def test_no_findings(form):
    text = written(form, ([], {("/etc/fstab", 1): "nas:/a /a nfs hard 0 0"}))
    assert text == "" if form in ("concise", "github") else text


@given(case=findings(), question=asked)
@example(case=NASTY, question=QUESTION)
@ALL
def test_json(case, question):
    found, _ = case
    document = json.loads(written("json", case, question))
    validate(document, "advisor-lint-1")
    fields = published("advisor-lint-1")["properties"]
    assert list(document["summary"]) == fields["summary"]["required"]
    assert len(document["findings"]) == len(found)
    for told, f in zip_equal(document["findings"], found):
        assert list(told) == fields["findings"]["items"]["required"]
        assert told["message"] == well_formed(f.message)
        assert told["cites"] == [CITED[claim] for claim in f.cites]
        json.dumps(told, ensure_ascii=False).encode("utf-8")


@given(case=findings(), question=asked)
@example(case=NASTY, question=QUESTION)
@ALL
def test_sarif(case, question):
    found, _ = case
    document = json.loads(written("sarif", case, question))
    assert problems(document) == []
    assert _is_plain(document)
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rules[one["ruleIndex"]]["id"] for one in run["results"]] == [f.rule for f in found]
    assert [one["level"] for one in run["results"]] == [f.severity for f in found]
    assert len({json.dumps(one["partialFingerprints"]) for one in run["results"]}) == len(found)
    for one, f in zip_equal(run["results"], found):
        region = one["locations"][0]["physicalLocation"]["region"]
        assert (region["startLine"], region["startColumn"], region["endColumn"]) == (f.line, f.column, f.end_column)
        assert not re.search(r"\]\(", one["message"]["text"])
        assert one["message"]["text"].replace("{{", "").replace("}}", "").count("{") == 0
        assert ("fixes" in one) == (f.fix is not None)


def test_a_file_that_is_named_twice_is_one_artifact():
    found, lines = NASTY
    told = {**summary(found, lines), "files": ["a/fstab", "./a/fstab", "a/fstab"]}
    document = json.loads(renderer("sarif")(found, told, context(lines)))
    assert problems(document) == []
    assert document["runs"][0]["artifacts"] == [{"location": {"uri": "a/fstab"}}]


@given(case=findings())
@example(case=NASTY)
@ALL
def test_gitlab(case):
    found, _ = case
    issues = json.loads(written("gitlab", case))
    assert _is_plain(issues)
    assert len({one["fingerprint"] for one in issues}) == len(found)
    for one, f in zip_equal(issues, found):
        assert set(one) == {"description", "check_name", "fingerprint", "severity", "location"}
        assert one["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert visible(f.message) in one["description"]
        assert one["location"]["lines"]["begin"] == f.line
        assert not one["location"]["path"].startswith("./")


@given(case=findings())
@example(case=NASTY)
@ALL
def test_prometheus(case):
    parser = needs.package("prometheus_client.parser")
    found, _ = case
    families = {one.name: one for one in parser.text_string_to_metric_families(written("prometheus", case))}
    assert {one.type for one in families.values()} == {"gauge"}
    by_rule = families["advisor_rule_findings"].samples if found else []
    assert sum(one.value for one in by_rule) == len(found)
    assert {one.labels["rule"] for one in by_rule} == {visible(f.rule) for f in found}
    by_severity = {one.labels["severity"]: one.value for one in families["advisor_findings"].samples}
    assert by_severity == {one: sum(f.severity == one for f in found) for one in ("error", "warning", "note")}


@given(case=findings())
@example(case=NASTY)
@ALL
def test_junit(case):
    found, lines = case
    root = ElementTree.fromstring(written("junit", case).encode("ascii"))
    cases = root.findall("testsuite/testcase")
    assert len(root) == len({file for file, _ in lines})
    assert len(cases) == int(root.get("tests")) == sum(int(suite.get("tests")) for suite in root)
    failed = root.findall("testsuite/testcase/failure")
    assert len(failed) == int(root.get("failures")) == sum(f.severity != "note" for f in found)
    told = sorted(one.get("message") for case in cases for one in case)
    assert told == sorted(visible(f.message) for f in found)


def _is_plain(data):
    """No text in the data holds what cannot be printed, but for line ends."""
    if isinstance(data, str):
        return all(char == "\n" or char.isprintable() for char in data)
    parts = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return all(map(_is_plain, parts))


_COMMAND = re.compile(r"::(error|warning|notice) ([^:]*)::([^\r\n]*)")


@given(case=findings())
@example(case=NASTY)
@ALL
def test_github(case):
    found, _ = case
    lines = written("github", case).split("\n")[:-1]
    assert len(lines) == len(found)
    for line, f in zip_equal(lines, found):
        _, given_, text = _COMMAND.fullmatch(line).groups()
        told = dict(one.split("=", 1) for one in given_.split(","))
        assert _decoded(told["file"]) == visible(f.file)
        assert (told["line"], told["col"], told["endColumn"]) == (str(f.line), str(f.column), str(f.end_column))
        assert _decoded(text).startswith(visible(f.message))


def _decoded(text):
    for code, char in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(code, char)
    return text


@given(case=findings())
@example(case=NASTY)
@ALL
def test_concise(case):
    found, _ = case
    lines = written("concise", case).splitlines()
    assert len(lines) == len(found)
    for line, f in zip_equal(lines, found):
        assert line.startswith(f"{visible(f.file)}:{f.line}:{f.column}: {f.severity}[{f.rule}] ")


@given(case=findings(), question=asked)
@example(case=NASTY, question=QUESTION)
@ALL
def test_markdown(case, question):
    found, _ = case
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(written("markdown", case, question))
    inline = [token for token in tokens if token.type == "inline"]
    kinds = {child.type for token in inline for child in token.children}
    assert not kinds & {"html_inline", "image", "em_open", "s_open", "softbreak", "hardbreak"}
    links = [child.attrs["href"] for token in inline for child in token.children if child.type == "link_open"]
    assert set(links) <= {cite["address"] for cite in CITED.values()}
    rows = _rows(tokens)
    assert len(rows) == len(found)
    for row, f in zip_equal(rows, _by_file(found)):
        assert len(row) == 6
        assert row[0] == f"{f.line}:{f.column}"
        told = visible(f.message)
        assert _loose(row[3]) == _loose(f"{told} ({f.consequence})" if told.strip() else f"({f.consequence})")


def _rows(tokens):
    """The text of every cell of every row below a head, as it shows."""
    rows, inside = [], False
    for token in tokens:
        if token.type in ("tbody_open", "tbody_close"):
            inside = token.type == "tbody_open"
        elif inside and token.type == "tr_open":
            rows.append([])
        elif inside and token.type == "inline":
            rows[-1].append("".join(child.content for child in token.children))
    return rows


def _loose(text):
    """Without blanks, and without what stands for nothing: they may differ in code spans."""
    return re.sub(r" |\(empty\)", "", text)


def _by_file(found):
    return [f for file in dict.fromkeys(f.file for f in found) for f in found if f.file == file]


@given(case=findings(), question=asked, columns=st.integers(30, 120), colour=st.booleans())
@example(case=NASTY, question=QUESTION, columns=40, colour=True)
@ALL
def test_text_with_and_without_colour(case, question, columns, colour):
    plain = written("text", case, question, columns=columns)
    assert all(width(line) <= columns for line in plain.split("\n"))
    if colour:
        coloured = written("text", case, question, columns=columns, style=Style(True, True))
        bare = re.sub(r"\x1b\[[0-9;]*m|\x1b\]8;;[^\x1b]*\x1b\\", "", coloured)
        assert bare == plain
        assert "\x1b" not in bare


def test_json_for_people_is_readable_and_drives_no_terminal():
    data = {"naïve": ["–", "日本", "a\nb", "\x1b[2J", "\x9b", "\u202e", "\ufeff", "\U000e0041", "\u00a0", '"', 7, None]}
    text = json_text(data)
    assert json.loads(text) == data
    assert all(line.isprintable() for line in text.split("\n"))
    assert "naïve" in text
    assert "日本" in text
    assert json.loads(json_text(["\udcff"])) == ["\\xff"]
