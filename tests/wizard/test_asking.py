"""Questions, answers, and what follows from them on the screen."""

from __future__ import annotations

from typing import Any

from advisor import session as state
from advisor.wizard.preview import SettingList
from advisor.wizard.rows import ListRow
from tests.wizard.driving import ANF, DONE, EDA, Driver, both, given, play


def rows(driver: Driver) -> list[ListRow]:
    return driver.app.screen.query_one(SettingList).rows


@both
def test_the_first_screen_asks_explains_and_previews(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        driver.sees("Where does the data live?", "Choose the service", "1 Azure NetApp Files", "to set", "open")
        driver.sees("Why it is asked" if size[0] > 100 else "not the application")
        driver.sees("Enter choose", "? keys", "o shows the rest" if size[0] > 100 else "Mount options")

    play(scene, size)


@both
def test_an_answer_changes_the_preview_and_says_why(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("1")
        driver.sees("Just changed", "Which NFS version is the volume set up for?")
        assert driver.app.session.answers.facts == {"storage.platform": "anf"}
        before = driver.app.news
        await driver.press("3")
        assert driver.app.session.order == ("storage.platform", "storage.volume_protocol")
        assert driver.app.news != before
        driver.sees("vers=3")

    play(scene, size)


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
        assert "Where does the data live?" not in driver.text()
        await driver.press("left")
        driver.sees("Where does the data live?", "Your answer: I don't know")

    play(scene, size)


@both
def test_a_version_is_checked_while_it_is_typed(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        driver.app.look_at("client.kernel")
        await driver.press("x")
        driver.sees("is not a version", "write it like 5.14")
        await driver.press("backspace")
        await driver.write("5.14.0-362.el9")
        driver.sees("Understood as 5.14.0-362.el9")
        await driver.press("enter")
        assert driver.app.session.answers.facts["client.kernel"] == "5.14.0-362.el9"

    play(scene, size, session=given(**ANF))


def test_a_wrong_answer_is_not_taken() -> None:
    async def scene(driver: Driver) -> None:
        driver.app.look_at("client.count")
        await driver.write("0")
        await driver.press("enter")
        driver.sees("the minimum is 1")
        assert "client.count" not in driver.app.session.answers.facts

    play(scene, session=given(**ANF))


@both
def test_a_contradiction_names_the_earlier_answer_and_offers_to_drop_it(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        driver.app.look_at("client.distro")
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
        driver.app.look_at("client.kernel")
        await driver.press("down")
        driver.sees("6.1.0-18-amd64 (found; Enter takes it)", "found in /proc/sys/kernel/osrelease")
        assert "client.kernel" not in driver.app.session.answers.facts
        await driver.press("1")
        assert driver.app.session.answers.facts["client.kernel"] == "6.1.0-18-amd64"
        assert driver.app.session.answers.origin["client.kernel"] == "/proc/sys/kernel/osrelease"

    play(scene, size, session=given(**ANF), found=found)


def test_undo_and_redo() -> None:
    async def scene(driver: Driver) -> None:
        await driver.press("1", "3", "ctrl+z")
        assert driver.app.session.order == ("storage.platform",)
        await driver.press("ctrl+y")
        assert driver.app.session.order == ("storage.platform", "storage.volume_protocol")

    play(scene)


async def to_the_end(driver: Driver) -> None:
    """Says "I don't know" as long as something is asked."""
    for _ in range(60):
        if state.current(driver.app.base, driver.app.session) is None:
            return
        await driver.press("escape", "end", "enter")


@both
def test_the_end_says_what_is_missing_and_offers_what_can_be_done(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        await to_the_end(driver)
        driver.sees("The configuration is complete but for", "Still open, because they depend on what is not known: ",
                    "vers (must)", "1 Export the configuration", "2 Review all answers", "could fine-tune")
        await driver.press("2")
        assert driver.app.screen.NAME == "Review"

    play(scene, size, session=given(**ANF))


@both
def test_it_ends_when_no_question_matters_and_goes_on_with_one_key(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        driver.sees("The configuration is complete.", "No question matters any more", "6 Go on:", "costs speed at most")
        await driver.press("6")
        assert driver.app.session.fine
        assert "The configuration is complete" not in driver.text()
        await to_the_end(driver)
        driver.sees("The configuration is complete.")
        assert "Go on:" not in driver.text()

    play(scene, size, session=given(**DONE))


@both
def test_an_assumption_is_marked_explained_and_answered_at_once(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        assert any("≈ should hard" in row.content.plain and "mount.ro=no" in row.content.plain for row in rows(driver))
        driver.app.explain("setting", "mount.hard")
        await driver.press("home")
        driver.sees("It assumes", "Is the mount read-only? no (mount.ro)")
        await driver.press("a")
        driver.sees("Is the mount read-only?")
        await driver.press("2")
        assert driver.app.session.answers.facts["mount.ro"] is False
        driver.sees("The configuration is complete.")
        assert "assumes mount.ro" not in driver.text()
        await driver.press("end", "enter")
        assert driver.app.session.at in {one.fact for one in state.ending(driver.app.base, driver.app.session).taken}

    play(scene, size, session=given(**DONE))


def test_text_of_the_rule_base_is_never_markup() -> None:
    async def scene(driver: Driver) -> None:
        driver.app.look_at("client.kernel")
        await driver.press(*"[", *"red", "]")
        driver.sees("'[red]' is not a version")

    play(scene, session=given(**ANF))


def test_a_small_terminal_still_asks() -> None:
    async def scene(driver: Driver) -> None:
        driver.sees("Where does the data live?", "1 Azure NetApp Files")
        await driver.press("question_mark")
        driver.sees("Choose the service or product")

    play(scene, (40, 12))
