"""The person's own status line below the meter: as they printed it, with nothing that could steer the terminal."""

from agent.protocol.events import StatusLineChanged
from tests.support.app_stage import on_stage, rows_of, until
from tests.support.scripted_engine import ScriptedEngine


async def test_its_lines_stand_below_the_meter_and_steer_nothing() -> None:
    engine = ScriptedEngine()
    async with on_stage(engine) as (app, pilot):
        assert len(rows_of(app, "#footer").splitlines()) == 2
        engine.tell(StatusLineChanged(("\x1b[31mmain\x1b[0m [bold]17%[/bold]", "two\x1b]0;owned\x07 \x9b2J")))
        await until(pilot, lambda: "17%" in rows_of(app, "#footer"))
        assert rows_of(app, "#footer").splitlines()[2:] == ["main [bold]17%[/bold]", "two"]
        engine.tell(StatusLineChanged(()))
        await until(pilot, lambda: len(rows_of(app, "#footer").splitlines()) == 2)
