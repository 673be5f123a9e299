"""Comments that keep findings silent, and those that do nothing."""

from __future__ import annotations

import pytest

from advisor.lint.lines import Result
from advisor.lint.run import lint_text
from advisor.lint.suppress import accepting_comment, only_silences
from tests.lint.fixing import base

SHORT = "nas:/a /a nfs hard,timeo=14 0 0\n"
FINE = "nas:/a /a nfs hard,timeo=600 0 0\n"


def lint(text: str, **facts: object) -> Result:
    return lint_text(text, "fstab", base(), {name.replace("__", "."): value for name, value in facts.items()})


def useless(result: Result) -> list[tuple[int, str, str]]:
    return [(f.line, f.severity, f.message) for f in result.findings if f.rule == "unused-suppression"]


def test_a_finding_is_kept_silent_with_its_reason() -> None:
    result = lint(f"# advisor: ignore[timeo-too-short] it is next door\n{SHORT}")
    assert "timeo-too-short" not in {f.rule for f in result.findings}
    assert [(one.finding.rule, one.reason) for one in result.silenced] == [("timeo-too-short", "it is next door")]
    assert len(result.silenced) == 1
    assert not useless(result)


def test_a_comment_on_a_rule_that_is_met_for_certain_is_useless() -> None:
    line = "fs-1.efs.eu-west-1.amazonaws.com:/ /x nfs4 noresvport,vers=4.1 0 0\n"
    result = lint(f"# advisor: ignore[noresvport/asked-for]\n{line}", storage__platform="aws-efs")
    assert useless(result) == [(1, "note", "line 2 has no finding noresvport/asked-for to suppress")]


def test_of_two_comments_on_one_rule_the_upper_gives_the_reason() -> None:
    result = lint(f"# advisor: ignore[timeo-too-short] upper\n# advisor: ignore[timeo-too-short] lower\n{SHORT}")
    assert [one.reason for one in result.silenced] == ["upper"]
    assert not useless(result)


def test_only_the_entry_below_is_meant() -> None:
    result = lint(f"# advisor: ignore[timeo-too-short]\n{SHORT}{SHORT.replace('/a', '/b')}")
    assert [f.line for f in result.findings if f.rule == "timeo-too-short"] == [3]


def test_one_that_suppresses_nothing() -> None:
    text = f"# advisor: ignore[timeo-too-short, option-ignored]\n{SHORT}"
    result = lint(text)
    assert useless(result) == [(1, "note", "line 2 has no finding option-ignored to suppress")]
    (finding,) = (f for f in result.findings if f.rule == "unused-suppression")
    assert text[finding.column - 1 : finding.end_column - 1] == "option-ignored"


@pytest.mark.parametrize(
    ("comment", "words"),
    [
        ("# advisor: ignore timeo-too-short", "not understood"),
        ("# advisor: ignore[]", "not understood"),
        ("# advisor: ignore[timeo-to-short]", "did you mean timeo-too-short?"),
        ("# advisor: ignore[no-such-thing-anywhere-at-all]", "no rule is called"),
    ],
)
def test_one_that_is_not_understood_is_told(comment: str, words: str) -> None:
    ((line, severity, message),) = useless(lint(f"{comment}\n{SHORT}"))
    assert (line, severity) == (1, "note")
    assert words in message


def test_one_without_an_entry() -> None:
    assert [line for line, _, _ in useless(lint(f"{FINE}# advisor: ignore[timeo-too-short]\n"))] == [2]


def test_several_comments_for_one_line() -> None:
    text = f"# advisor: ignore[timeo-too-short] a\n# advisor: ignore[timeo-too-short] b\n{SHORT}"
    assert not useless(lint(text)), "neither is more useless than the other"


def test_what_depends_on_facts_that_are_not_known_is_not_called_useless() -> None:
    text = "# advisor: ignore[nconnect/azure-files]\nnas:/a /a nfs vers=4.1,hard,nconnect=8 0 0\n"
    assert not useless(lint(text))
    assert not useless(lint(text, storage__platform="azure-files", client__kernel="6.1"))
    assert useless(lint(text, storage__platform="knfsd"))


def test_a_check_that_may_come_is_not_called_useless() -> None:
    check = base().checks["bg-under-systemd"]
    assert check.when == {"client.init": "systemd"}
    text = "# advisor: ignore[bg-under-systemd]\nnas:/a /a nfs hard,bg 0 0\n"
    assert not useless(lint(text))
    assert useless(lint(text, client__init="other"))


def test_an_erratum_is_not_called_useless_while_the_kernel_is_not_known() -> None:
    text = f"# advisor: ignore[readdir-loop-5-11]\n{FINE}"
    assert not useless(lint(text))
    facts = {"client__kernel_stream": "mainline"}
    assert useless(lint(text, client__kernel="6.1.0", **facts))
    assert not useless(lint(text, client__kernel="5.12.4", **facts))


def test_it_can_be_silenced_itself() -> None:
    assert not useless(lint(f"# advisor: ignore[timeo-too-short, unused-suppression] when it is moved\n{FINE}"))


def test_a_line_that_mount_ignores() -> None:
    text = "# advisor: ignore[fstab-line-dropped] a note\nnas:/a /a nfs rw, hard 0 0\n"
    assert len(lint(text).silenced) == 1


@pytest.mark.parametrize(("kind", "text", "rule"), [
    ("exports", "# advisor: ignore[{rule}] lab\n/srv/a \\\n  10.0.0.1(rw,async)\n", "export-async/safe"),
    ("autofs", "# advisor: ignore[{rule}] lab\ndata -soft,rw nas:/data\n", "hard/default"),
    ("systemd-mount", "[Mount]\nWhat=nas:/a\nWhere=/a\nType=nfs\n; advisor: ignore[{rule}] lab\nOptions=soft\n",
     "hard/default"),
    ("kubernetes", "apiVersion: v1\nkind: PersistentVolume\nspec:\n  nfs: {{server: nas, path: /a}}\n  mountOptions:\n"
     "    # advisor: ignore[{rule}] lab\n    - soft\n", "hard/default"),
    ("nfs.conf", "[nfsd]\n# advisor: ignore[{rule}] lab\nthreds=8\n", "setting-unknown"),
])  # fmt: skip
def test_other_files_than_fstab(kind: str, text: str, rule: str) -> None:
    def lint(name: str) -> Result:
        return lint_text(text.format(rule=name), "x", base(), {}, kind=kind)

    assert rule in [f.rule for f in lint("fstab-trap").findings]
    silent = lint(rule)
    assert rule not in [f.rule for f in silent.findings]
    assert [(one.finding.rule, one.reason) for one in silent.silenced] == [(rule, "lab")]
    assert "no rule is called" in useless(lint("nonsense"))[0][2]


def test_similar_names_are_searched_for_a_few_unknown_ones_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("advisor.lint.suppress.MAX_GUESSES", 2)
    text = "".join(f"# advisor: ignore[timeo-to-short]\n{FINE.replace('/a', f'/{name}')}" for name in "abc")
    assert ["did you mean" in message for _, _, message in useless(lint(text))].count(True) == 2


@pytest.mark.parametrize("rule", ["bg-under-systemd", "nconnect/azure-files"])
def test_a_line_that_is_not_of_nfs_has_nothing_to_suppress(rule: str) -> None:
    text = f"# advisor: ignore[{rule}]\n/dev/sda1 /a ext4 defaults 0 0\n"
    assert [message for _, _, message in useless(lint(text))] == [f"line 2 has no finding {rule} to suppress"]


def test_an_open_rule_of_exports_is_not_called_useless() -> None:
    text = "# advisor: ignore[export-root-squash/root-writes]\n/srv/a 10.0.0.1(rw)\n"
    assert not useless(lint_text(text, "exports", base(), {}, kind="exports"))


@pytest.mark.parametrize(("text", "line", "comment"), [
    ("# a\nnas:/a /a nfs soft 0 0\n", 2, (2, "# advisor: ignore[hard/default] lab\n")),
    ("# a\r\n\tnas:/a /a nfs soft 0 0\r\n", 2, (2, "\t# advisor: ignore[hard/default] lab\r\n")),
    ("data -soft \\\n  -rw \\\n  nas:/data\n", 3, (1, "# advisor: ignore[hard/default] lab\n")),
    ("data -soft \\\r\n  -rw \\\r\n  nas:/data\r\n", 3, (1, "# advisor: ignore[hard/default] lab\r\n")),
    ("# a\ndata -rw \\\n  nas:/data\n", 3, (2, "# advisor: ignore[hard/default] lab\n")),
])  # fmt: skip
def test_the_comment_that_accepts_a_finding_is_above_its_entry(text: str, line: int, comment: tuple[int, str]) -> None:
    (finding,) = (f for f in lint("nas:/a /a nfs soft 0 0\n").findings if f.rule == "hard/default")
    assert accepting_comment(text, finding._replace(line=line), "lab") == comment


def test_a_comment_that_does_anything_else_is_not_offered() -> None:
    found = lint("nas:/a /a nfs soft,intr 0 0\n").findings
    soft, *others = sorted(found, key=lambda f: f.rule != "hard/default")
    assert soft.rule == "hard/default"
    assert others
    assert only_silences(found, others, soft)
    assert not only_silences(found, found, soft), "it silences nothing"
    assert not only_silences(others, found, soft), "there are more"
    assert not only_silences(found, [], soft), "it silences the others too"
    assert not only_silences(found, [soft], soft), "it silences the others alone"
