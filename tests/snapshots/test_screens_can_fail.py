"""Every stored picture of a meter tier, a block and a question is shown to fail: one cell that differs on the screen is seen."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_textual_snapshot import normalize_svg
from textual._doc import take_svg_screenshot
from textual.pilot import Pilot

from tests.snapshots import scenes
from tests.snapshots.scenes import BLOCKS, METERS, QUESTIONS, Scene
from tui.app.rows_widget import RowsWidget
from tui.render.lines import line
from tui.render.theme import DARK

PICTURES = Path(__file__).parent / "__snapshots__" / "test_screens"
ALL: dict[str, Callable[[], Scene]] = {
    **{f"test_meter[{name}]": lambda name=name: scenes.meter(METERS[name]) for name in METERS},
    **{f"test_block[{name}]": lambda name=name: scenes.block(name) for name in BLOCKS},
    **{f"test_question[{name}]": lambda name=name: scenes.question(name) for name in QUESTIONS},
}


def drawn(shown: Scene, *, cell: tuple[int, int] | None = None) -> str:
    """The picture of a scene, with one foreign character at `cell` if that is given."""

    async def before(pilot: Pilot[int]) -> None:
        await shown.before(pilot)
        if cell is not None:
            speck = RowsWidget(lambda _width: [line(("§", DARK.text))])
            speck.set_styles(f"position: absolute; overlay: screen; offset: {cell[0]} {cell[1]}; width: 1; height: 1;")
            await pilot.app.screen.mount(speck)
            await pilot.pause()

    return normalize_svg(take_svg_screenshot(app=shown.app, terminal_size=shown.size, run_before=before))


@pytest.mark.parametrize("name", ALL)
def test_one_cell_that_differs_is_seen(name: str) -> None:
    shown = ALL[name]()
    stored = normalize_svg((PICTURES / f"{name}.svg").read_text())
    altered = drawn(shown, cell=(shown.size[0] // 2, shown.size[1] // 2))
    assert "§" in altered
    assert altered != stored
    assert len(set(altered.splitlines()) - set(stored.splitlines())) <= 3  # nothing else has moved


def test_without_it_the_picture_is_the_stored_one() -> None:
    name = "test_block[edit]"
    assert drawn(ALL[name]()) == normalize_svg((PICTURES / f"{name}.svg").read_text())
