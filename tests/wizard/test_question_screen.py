"""The first screen: questions, answers and their keys, what follows, and what to do where the answers are many."""

from __future__ import annotations

import asyncio
import string
from collections.abc import Callable
from typing import Any

import pytest
from textual.screen import Screen
from textual.widgets._toast import Toast

from advisor.advice.answers import Answers
from advisor.pages import wording
from advisor.pages.phrases import first_sentence
from advisor.pages.style import wrap
from advisor.pages.wording import UNKNOWN
from advisor.rulebase.model import Fact
from advisor.wizard import ending, mounts, questions, state
from advisor.wizard.app import Wizard
from advisor.wizard.explanation import all_hits, search
from advisor.wizard.hero import Hero, shown_line
from advisor.wizard.mounts import use_text
from advisor.wizard.panes import QuestionPane
from advisor.wizard.question_screen import QuestionScreen
from advisor.wizard.row_lists import Choices, SettingList
from advisor.wizard.rows import ListRow
from advisor.wizard.state import Session
from advisor.wizard.steps import DIGITS, answer_choices, keys_of
from tests.each import each
from tests.tiers import sizes, some, thorough
from tests.wizard.driving import ANF, BASE, DONE, EDA, NEW, Driver, both, given, play


def rows(driver: Driver) -> list[ListRow]:
    return driver.app.screen.query_one(SettingList).rows


@both
def test_the_first_screen_asks_explains_and_previews(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        driver.sees("Where does the data live?", "1 Azure NetApp Files", "Enter choose", "? keys")
        if size[0] > 100:
            driver.sees("Choose the service", "Why it is asked", "o shows the rest")
        await driver.press("tab")
        driver.sees("o shows the rest", "Mount options")

    play(scene, size)


def test_an_empty_pane_says_what_is_asked_next() -> None:
    """Not where the rest is shown or the pane is full of settings, nor what is asked now."""
    def to_come(driver: Driver) -> list[str]:
        return [row.key[1] for row in rows(driver) if row.key and row.key[0] == "answer"]

    async def empty(driver: Driver) -> None:
        coming = to_come(driver)
        assert {"host.role", "workload.kind"} <= {*coming}
        driver.sees("Asked next", "What uses the data?")
        await driver.press("tab", "o")
        assert not to_come(driver)
        await driver.press("o", "down", "down", "enter")
        assert driver.app.session.at == coming[0]
        assert coming[0] not in to_come(driver)

    async def full(driver: Driver) -> None:
        assert not to_come(driver)

    play(empty, (200, 60))
    play(full, (120, 40), session=given(**DONE))


@both
def test_an_answer_changes_the_preview_and_says_why(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("1")
        driver.sees("changed", "Which NFS version is the volume set up for?")
        assert driver.app.session.answers.facts == {"storage.platform": "anf"}
        before = driver.app.news
        await driver.press("1")
        assert driver.app.session.order == ("storage.platform", "storage.volume_protocol")
        assert driver.app.news != before
        driver.sees("vers=3")

    play(scene, size)


def test_an_answer_is_laid_out_once_where_no_scroll_bar_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    laid_out = []
    lay_out = Screen._refresh_layout

    def counted(screen: Screen[None], *args: Any, **named: Any) -> None:
        laid_out.append(screen)
        lay_out(screen, *args, **named)

    async def scene(driver: Driver) -> None:
        monkeypatch.setattr(Screen, "_refresh_layout", counted)
        await driver.press("1")  # five answers, after as many as need a scroll bar
        driver.sees("Which NFS version is the volume set up for?")
        assert len(laid_out) == 1

    play(scene, (120, 40))


@both
def test_the_mount_line_is_shown(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        driver.sees("/etc/fstab", "nconnect=8", "rsize=262144")

    play(scene, size, session=given(**EDA))


@both
def test_i_do_not_know_is_a_choice_and_is_not_asked_again(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("end", "enter")
        assert driver.app.session.answers.unknown == {"storage.platform"}
        assert driver.app.screen.query_one(QuestionPane).fact != PLATFORM
        await driver.press("escape")
        driver.sees("Where does the data live?", "Your answer: I don't know")

    play(scene, size)


@both
def test_a_version_is_checked_while_it_is_typed(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        driver.app.go_to_question("client.kernel")
        await driver.press("enter", "x")
        driver.sees("is not a version", "write it like 5.14")
        await driver.press("backspace")
        await driver.write("5.14.0-362.el9")
        driver.sees("Understood as 5.14.0-362.el9")
        await driver.press("enter")
        assert driver.app.session.answers.facts["client.kernel"] == "5.14.0-362.el9"

    play(scene, size, session=given(**ANF))


def test_a_wrong_answer_is_not_taken() -> None:
    async def scene(driver: Driver) -> None:
        driver.app.go_to_question("client.count")
        await driver.write("0")
        await driver.press("enter")
        driver.sees("the minimum is 1")
        assert "client.count" not in driver.app.session.answers.facts

    play(scene, session=given(**ANF))


@both
def test_a_contradiction_names_the_earlier_answer_and_offers_to_drop_it(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        driver.app.go_to_question("client.distro")
        await driver.press("3")
        driver.sees("Debian: this contradicts an earlier answer", "Which kernel do the clients run?")
        assert "client.distro" not in driver.app.session.answers.facts
        await driver.press("2")
        facts = driver.app.session.answers.facts
        assert facts["client.distro"] == "debian"
        assert "client.kernel" not in facts
        await driver.press("ctrl+z")
        assert driver.app.session.answers.facts["client.kernel"] == "5.14.0-362.el9"

    play(scene, size, session=given(**EDA))


@both
def test_what_was_found_on_this_host_is_offered_with_its_place_and_not_taken(size: tuple[int, int]) -> None:
    found: dict[str, tuple[Any, str]] = {"client.kernel": ("6.1.0-18-amd64", "/proc/sys/kernel/osrelease")}

    async def scene(driver: Driver) -> None:
        driver.app.go_to_question("client.kernel")
        await driver.press("down")
        driver.sees("6.1.0-18-amd64: found, Enter takes it",
                    "Found on this host: 6.1.0-18-amd64 in /proc/sys/kernel/osrelease; take it or choose another",
                    "6.1.0-18-amd64 found in /proc")
        assert "client.kernel" not in driver.app.session.answers.facts
        await driver.press("up", "enter")
        assert driver.app.session.answers.facts["client.kernel"] == "6.1.0-18-amd64"
        assert driver.app.session.answers.origin["client.kernel"] == "/proc/sys/kernel/osrelease"

    play(scene, size, session=given(**ANF), found=found)


def test_undo_and_redo() -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("1", "1", "ctrl+z")
        assert driver.app.session.order == ("storage.platform",)
        await driver.press("ctrl+y")
        assert driver.app.session.order == ("storage.platform", "storage.volume_protocol")

    play(scene)


async def to_the_end(driver: Driver) -> None:
    """Says "I don't know" as long as something is asked."""
    for _ in range(60):
        if questions.current_question(driver.app.base, driver.app.session) is None:
            return
        await driver.press("d")


@both
def test_the_end_says_what_is_missing_and_offers_what_can_be_done(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        await to_the_end(driver)
        driver.sees("NOT READY: ", "Open until more is known: ",
                    "vers", "1 Show the result", "2 Export the configuration", "could fine-tune")
        await driver.press("3")
        assert driver.app.screen.NAME == "Review"
        driver.sees(f"{len(driver.app.session.order)} answers; ", " settings to make, ")

    play(scene, size, session=given(**ANF))


@sizes((80, 24), (132, 30), (132, 35), (120, 40))
def test_what_can_be_done_at_the_end_is_in_sight_below_a_long_line(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        await to_the_end(driver)
        driver.sees("NOT READY", "1 Show the result")

    play(scene, size, session=state.mount(BASE, given(**ANF), {
        "server": "nas.example", "export": "/v", "target": f"/mnt/{'x' * 100}",
    }))


@both
def test_it_ends_when_no_question_matters_and_goes_on_with_one_key(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        driver.sees("The configuration is complete, but names are missing (server, export).",
                    "more questions could fine-tune", "6 More questions")
        await driver.press("6")
        assert driver.app.session.fine
        assert "The configuration is complete" not in driver.text()
        await to_the_end(driver)
        driver.sees("The configuration is complete, but names are missing")
        assert "Continue:" not in driver.text()

    play(scene, size, session=given(**DONE))


@both
def test_an_assumption_is_marked_explained_and_answered_at_once(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        assert any("≈ hard should" in row.plain for row in rows(driver))
        driver.app.explain("setting", "mount.hard")
        await driver.press("home")
        driver.sees("It assumes", "Is the mount read-only? no (mount.ro)")
        await driver.press("a")
        driver.sees("Is the mount read-only?")
        await driver.press("2")
        assert driver.app.session.answers.facts["mount.ro"] is False
        driver.sees("The configuration is complete, but names are missing")
        assert "assumes mount.ro" not in driver.text()
        await driver.press("end", "enter")
        assert driver.app.session.at in {
            one.fact for one in questions.ending(driver.app.base, driver.app.session).taken
        }

    play(scene, size, session=given(**DONE))


def test_text_of_the_rule_base_is_never_markup() -> None:
    async def scene(driver: Driver) -> None:
        driver.app.go_to_question("client.kernel")
        await driver.press("enter", *"[", *"red", "]")
        driver.sees("'[red]' is not a version")

    play(scene, session=given(**ANF))


def test_a_small_terminal_still_asks() -> None:
    async def scene(driver: Driver) -> None:
        driver.sees("Where does the data live?", "1 Azure NetApp Files")
        await driver.press("question_mark")
        driver.sees("Choose the service or product")

    play(scene, (40, 12))


SIZES = ((80, 24), (80, 30), (60, 36), (100, 24), (100, 30), (120, 24), (160, 36), (120, 40), (200, 60))
every = sizes(*SIZES)
PLATFORM = "storage.platform"


def crowded() -> list[Fact]:
    """The questions with many answers."""
    asked = [fact for fact in BASE.facts.values() if fact.ask and fact.type == "enum"]
    return [fact for fact in asked if len(answer_choices(BASE, NEW, fact.id)) > DIGITS]


def test_there_are_such_questions() -> None:
    assert PLATFORM in {fact.id for fact in crowded()}
    assert len(crowded()) > 2


@thorough
@every
def test_at_least_eight_answers_are_in_sight(size: tuple[int, int]) -> None:
    one = mounts.add(BASE, state.start(), {"server": "a", "export": "/a", "target": "/a"})
    two = use_text(BASE, one, "b:/b /mnt/b")

    async def scene(driver: Driver) -> None:
        for fact in crowded():
            driver.app.go_to_question(fact.id)
            await driver.press()
            listed = driver.app.screen.query_one(Choices)
            seen = listed.region.intersection(driver.app.screen.query_one("QuestionPane").region)
            assert listed.region == seen, "all of the list can be seen"
            assert seen.height >= min(8, len(listed.choices)), driver.text()
            rows = driver.text().split("\n")[seen.y : seen.bottom]
            shown = [one.label for one in listed.choices if any(f" {one.label[:20]}" in row for row in rows)]
            assert len(shown) >= min(8, len(listed.choices)), driver.text()
            if fact.help and len(fact.help) < 60 and len(listed.choices) + 2 < seen.height:
                driver.sees(fact.help)  # rows are free

    for session in (NEW, given(**EDA), two):
        play(scene, size, session=session, prefetch=False)


def test_five_answers_or_all_are_in_sight_beside_a_long_help() -> None:
    asked = [fact for fact in BASE.facts.values() if fact.ask and fact.help and len(fact.help) > 150]

    async def scene(driver: Driver) -> None:
        for fact in (one for one in asked if one not in crowded() and one.type in ("bool", "enum")):
            driver.app.go_to_question(fact.id)
            await driver.press()
            listed = driver.app.screen.query_one(Choices)
            pane = driver.app.screen.query_one("QuestionPane")
            seen = listed.region.intersection(pane.content_region)
            assert seen.height >= min(5, len(listed.choices)), driver.text()

    names = {"server": "fs-0a1b.efs.eu-west-1.amazonaws.com", "export": "/", "target": "/var/www"}
    for session in (state.mount(BASE, state.start(), names), given(**EDA)):  # with long lines
        play(scene, (80, 24), session=session)


@both
def test_the_help_that_is_cut_is_a_key_away(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        driver.sees("? keys", "/ find")
        await driver.press("question_mark")
        framed = " ".join(driver.text().replace("│", " ").split())
        assert " ".join(str(BASE.facts[PLATFORM].help).split()) in framed
        driver.sees("Why it is asked")

    play(scene, size)


@both
@pytest.mark.parametrize("fact", some([PLATFORM, "workload.kind", "client.distro", "workload.static_data"], 3))
def test_enter_answers_nothing_that_nobody_has_chosen(fact: str, size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        driver.app.go_to_question(fact)
        await driver.press("enter")
        assert driver.app.session.order == ()
        driver.sees("Choose an answer first")
        assert not driver.app._notifications
        await driver.press("down", "enter")
        assert driver.app.session.order == (fact,)
        assert "Choose an answer first" not in driver.text()

    play(scene, size)


@both
def test_one_enter_too_many_at_the_mount_says_nothing_of_the_platform(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("1", "enter")
        await driver.write("synology.lan:/volume1/media")
        await driver.press("enter", "enter", "enter")
        assert PLATFORM not in driver.app.session.answers.facts
        driver.sees("Where does the data live?", "Where the data lives · / finds one by name")

    play(scene, size, session=state.start())


def test_the_answer_so_far_and_what_was_found_are_highlighted() -> None:
    async def scene(driver: Driver) -> None:
        listed = driver.app.screen.query_one(Choices)
        driver.app.go_to_question("client.distro")
        await driver.press()
        assert listed.choice is not None
        assert (listed.choice.act, listed.choice.value) == ("found", "debian")
        driver.app.go_to_question(PLATFORM)
        await driver.press()
        assert listed.choice is not None
        assert listed.choice.value == "anf"

    play(scene, session=given(**ANF), found={"client.distro": ("debian", "/etc/os-release")})


@both
def test_what_is_highlighted_stays_so_while_the_question_does(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        listed = driver.app.screen.query_one(Choices)
        await driver.press("down", "down", "down", "o", "r", "escape")
        assert listed.highlighted == 2
        driver.app.go_to_question("workload.kind")
        await driver.press()
        assert listed.highlighted is None
        assert not listed.scroll_y

    play(scene, size)


@pytest.mark.parametrize("fact", some([PLATFORM, "workload.kind", "client.distro"], 3))
def test_a_capital_chooses_what_its_letter_does(fact: str) -> None:
    keys = [key for key in keys_of(answer_choices(BASE, NEW, fact)) if key.isalpha()]
    given_by: dict[str, Session] = {}

    async def scene(driver: Driver) -> None:
        for key in keys:
            for pressed in (key, key.upper()):
                driver.app.go_to_question(fact)
                await driver.press(pressed)
                given_by[pressed] = driver.app.session
                await driver.press("u")

    play(scene)
    for key in keys:
        one, other = given_by[key].answers, given_by[key.upper()].answers
        assert (one.facts, one.unknown) == (other.facts, other.unknown)
        assert one.facts or one.unknown


@both
def test_a_key_of_no_choice_covers_none_and_goes_with_its_question(size: tuple[int, int]) -> None:
    commands = {key for kind in QuestionScreen.__mro__ for binding in vars(kind).get("BINDINGS", ())
                for key in getattr(binding, "key", "").split(",")}
    free = [key for key in string.ascii_letters + "0" if key not in commands
            and key.lower() not in keys_of(answer_choices(BASE, NEW, PLATFORM))]
    assert {"A", "W", "0"} <= set(free)

    async def scene(driver: Driver) -> None:
        await driver.effects()
        before = driver.text()
        await driver.press(*free)
        await driver.effects()
        assert (driver.text(), driver.app.session.order) == (before, ())
        for key in "wi":  # they work on the option under the cursor of the line
            await driver.press(key)
            assert driver.app.screen.NAME in ("Explanation", "What if")
            while len(driver.app.screen_stack) > 1:
                await driver.press("escape")

    play(scene, size)


@every
def test_a_message_covers_no_answer_and_not_the_verdict(size: tuple[int, int]) -> None:
    app = Wizard(BASE, NEW)
    app.prefetcher.stop()

    async def run() -> None:
        async with app.run_test(size=size, notifications=True) as pilot:
            await pilot.pause()
            app.notify("The answers cannot be saved: /home/somebody/.local/state/advisor: no space left on device. "
                       "What you answer from here on is lost when the terminal closes, so export it now",
                       severity="warning", markup=False)
            await pilot.pause(0.3)
            toasts = list(app.screen.query(Toast))
            assert toasts
            for toast in toasts:
                assert toast.region.height
                verdict = app.screen.query_one(Hero).content_region.split_horizontal(1)[0]
                for kept in (app.screen.query_one(Choices).region, verdict):
                    assert not toast.region.overlaps(kept), Driver(app, pilot).text()

    asyncio.run(run())


@both
@pytest.mark.parametrize("about", some(["what is asked", "another question"], 2))
def test_an_answer_is_found_by_a_part_of_its_name(about: str, size: tuple[int, int]) -> None:
    session = NEW if about == "what is asked" else given(workload__kind="media")

    async def scene(driver: Driver) -> None:
        driver.app.go_to_question("workload.kind" if session.order or session.answers.facts else PLATFORM)
        await driver.press("slash")
        await driver.write("syno")
        driver.sees("answer Synology DSM: Where does the data live?")
        await driver.press("enter")
        listed = driver.app.screen.query_one(Choices)
        assert listed.choice is not None
        assert (listed.choice.act, listed.choice.value) == ("answer", "synology")
        driver.sees("Where does the data live?", "Synology DSM")
        assert PLATFORM not in driver.app.session.answers.facts, "only Enter answers"
        await driver.press("enter")
        assert driver.app.session.answers.facts[PLATFORM] == "synology"

    play(scene, size, session=state.go(session, None))


@each(lambda: [fact.id for fact in crowded()])
def test_every_answer_without_a_key_is_found(fact: str) -> None:
    hits = [hit for hit in all_hits(BASE) if hit.kind in ("answer", "question")]
    offered = answer_choices(BASE, NEW, fact)
    for key, one in zip(keys_of(offered), offered):
        if not key:
            assert f"{fact}={one.value}" in [hit.name for hit in search(hits, one.label)]


def unknown_to_the_end() -> Session:
    session = use_text(BASE, state.start(), "synology.lan:/volume1/media /mnt/media")
    while (fact := questions.current_question(BASE, session)) is not None:
        session = state.dont_know(BASE, session, fact)
    return session


@pytest.mark.parametrize("session_of", [
    lambda: NEW, lambda: given(**ANF), lambda: given(**EDA), lambda: given(**DONE),
    pytest.param(unknown_to_the_end, marks=thorough), lambda: given(storage__platform="knfsd", host__role="nfs-server"),
], ids=["nothing", "ANF", "EDA", "complete", "all unknown", "a server"])
def test_the_review_counts_what_it_lists(session_of: Callable[[], Session]) -> None:
    session = session_of()
    advice = mounts.known_advice(BASE, session)[0]
    todo, fine, waiting = questions.counts(advice)
    assert todo == len({one.tunable for one in advice.part("set")})
    assert fine == len(advice.part("fine", "leave out"))

    async def scene(driver: Driver) -> None:
        await driver.press("r")
        driver.sees(wording.progress_text((todo, fine, waiting)))
        rows = [row for row in driver.app.screen.query_one(SettingList).rows if row.key and row.key[0] == "setting"]
        mine = {row.key[1] for row in rows if row.key}
        opened = {one.tunable for one in advice.part("open")}
        assert len(mine & opened) == waiting
        assert len(mine - opened) == todo + fine

    play(scene, session=session)


@sizes((40, 15), (80, 24), (80, 17), (120, 40))
def test_the_next_screen_says_what_was_answered(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        listed = driver.app.screen.query_one(Choices)
        driver.app.go_to_question(PLATFORM)
        await driver.press(*["down"] * 10)
        assert listed.choice is not None
        chosen = listed.choice.label[:20]
        await driver.press("enter")
        assert driver.app.session.order == (PLATFORM,)
        driver.sees(chosen)
        await driver.press("d")
        driver.sees(UNKNOWN)
        await driver.press("u")
        driver.sees(chosen)

    play(scene, size)


def test_each_reason_can_be_read_whole_in_two_rows_of_80_columns() -> None:
    for decision in BASE.decisions.values():
        for name, rule in decision.rules.items():
            assert len(wrap(first_sentence(rule.why), 74)) <= 2, name


def test_nothing_above_the_question_is_cut_at_80_columns() -> None:
    async def scene(driver: Driver) -> None:
        hero = driver.app.screen.query_one(Hero)
        for _ in hero.line.options:
            shown = "\n".join(row.plain for row in hero._rows(hero.content_size.width))
            assert "…" not in shown, shown
            assert max(map(len, shown.splitlines())) <= hero.content_size.width
            await driver.press("right")

    pair = {"storage.platform": "knfsd", "host.role": "nfs-server", "server.ha": True, "server.distro": "rhel"}
    for session in (NEW, state.answer(BASE, state.start(Answers(pair)), "server.v3_clients", False),
                    use_text(BASE, state.start(), "fs-0123456789abcdef0.efs.eu-west-1.amazonaws.com:/ /var/www")):
        play(scene, (80, 24), session=session)


def test_the_effects_of_an_answer_are_told_as_far_as_they_fit_whole() -> None:
    async def scene(driver: Driver) -> None:
        choices = driver.app.screen.query_one(Choices)
        choices.note(6, "  ".join(("+ _netdev", "+ rsize=1048576", "+ wsize=1048576", "+ timeo=600", "− soft")))
        await driver.press()
        driver.sees("7 Amazon FSx for OpenZFS + _netdev + rsize=1048576 and 3 more")
        (row,) = [row for row in driver.text().split("\n") if "+ _netdev" in row]
        choices.note(7, "+ sec=sys")
        await driver.press()
        (other,) = [row for row in driver.text().split("\n") if "+ sec=sys" in row]
        assert len(row.rstrip("│ ▃▅▆▇█")) == len(other.rstrip("│ ▃▅▆▇█")), "notes end at one edge"

    play(scene, (80, 24))


@both
def test_an_answer_without_a_digit_shows_the_key_that_lists_it(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        listed = driver.app.screen.query_one(Choices)
        tenth = listed.choices[DIGITS]
        driver.sees(f"/ {tenth.label}")
        await driver.press("slash", "enter")
        choice = driver.app.screen.query_one(Choices).choice
        assert choice is not None
        assert choice.value == tenth.value
        assert driver.app.session.order == (), "Enter goes there, and another Enter chooses"

    play(scene, size, session=NEW)


def test_an_open_option_of_an_export_is_named_as_in_its_file() -> None:
    advice = questions.preview(BASE, given(host__role="nfs-server", storage__platform="knfsd"))
    texts = [option.text for option in shown_line(advice).options if option.look == "open"]
    assert any(text.startswith("root_squash") for text in texts)
    assert not any("." in text for text in texts)


def test_what_an_answer_would_do_stands_beside_no_way_out_of_a_refusal() -> None:
    async def scene(driver: Driver) -> None:
        screen: Any = driver.app.screen
        await driver.effects()
        (place, trial), *_ = screen.ahead.trials
        ending.judge(BASE, trial)
        screen.ahead.show_effects()
        assert screen.query_one(Choices).choices[place].note
        await driver.press("2")
        driver.sees("this will fail")
        screen.ahead.show_effects()
        assert not any(choice.note for choice in screen.query_one(Choices).choices)

    play(scene, session=state.mount(BASE, NEW, {"server": "nas0", "export": "/vol0"}))


def test_the_thread_infers_what_each_answer_says_and_then_what_it_would_do() -> None:
    async def scene(driver: Driver) -> None:
        choices = driver.app.screen.query_one(Choices)
        for _ in range(500):
            if any(choice.note.startswith("+") for choice in choices.choices):
                return
            await driver.pilot.pause(0.02)
        driver.sees("+")

    play(scene, session=state.mount(BASE, NEW, {"server": "nas0", "export": "/vol0"}), prefetch=True)
