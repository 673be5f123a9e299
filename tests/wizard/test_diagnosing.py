"""Something is wrong: a text, the answer, and one check after another."""

from __future__ import annotations

from pathlib import Path

from advisor import session as state
from advisor.diagnose.diagnosis import CANNOT
from advisor.wizard.diagnosing import Diagnosing
from tests.wizard.driving import Driver, both, play

DENIED = "mount.nfs: access denied by server while mounting nas:/srv/data"


@both
def test_a_check_narrows_the_causes_and_can_be_taken_back(size: tuple[int, int]) -> None:
    async def scene(driver: Driver) -> None:
        driver.app.push_screen(Diagnosing())
        await driver.press()
        page = driver.app.screen
        driver.sees("Paste a message")
        page.query_one("TextArea").text = DENIED
        await driver.press("f2")
        driver.sees("Check on the")
        first = page.step
        await driver.press("d")
        assert page.evidence == [CANNOT]
        assert page.step != first
        await driver.press("u")
        assert page.step == first
        await driver.press("1")
        assert page.step is None
        assert [one.cause.id for one in page.diagnosis.confirmed()] == [first.choices[0][0]]
        driver.sees("the check showed it")
        await driver.press("u")
        assert page.step == first
        await driver.press("escape")
        assert driver.app.screen.NAME == "Questions"

    play(scene, size, session=state.start())


def test_a_file_can_be_named_and_nothing_is_no_question(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(DENIED)

    async def scene(driver: Driver) -> None:
        driver.app.push_screen(Diagnosing())
        await driver.press("f2")
        driver.sees("Paste a message")
        driver.app.screen.query_one("TextArea").text = str(log)
        await driver.press("f2")
        driver.sees("The export names other clients")
        assert driver.app.screen.diagnosis.possible()

    play(scene, (80, 24), session=state.start())
