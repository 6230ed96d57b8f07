"""Design note 001 draws a ladder of thresholds that does not add up: a documented disagreement, kept out of the product."""

from agent.context.tiers import BLOCKING_BUFFER, compute_tiers
from agent.protocol.meter import Windows, WindowSource

WINDOW = 200_000
NOTE = {"effective": 195_904, "blocking": 192_904, "error": 172_904, "warning": 152_904, "auto_compact": 139_904}
OURS = compute_tiers(Windows(model=WINDOW, compaction=WINDOW, max_output=64_000, source=WindowSource.TABLE), auto=True)[
    0
]


def test_the_note_s_first_step_is_not_the_subtraction_it_names() -> None:
    assert WINDOW - 20_000 == 180_000 != NOTE["effective"]
    assert WINDOW - NOTE["effective"] == 4_096  # what is missing is an answer of 4,096 tokens, not a reserve of 20,000


def test_the_note_s_other_steps_do_subtract_what_they_name() -> None:
    assert NOTE["effective"] - 3_000 == NOTE["blocking"]
    assert NOTE["blocking"] - 20_000 == NOTE["error"]
    assert NOTE["error"] - 20_000 == NOTE["warning"]
    assert NOTE["warning"] - 13_000 == NOTE["auto_compact"]


def test_the_note_s_percentages_are_of_its_effective_window_and_inexact() -> None:
    shares = {name: 100 * tokens / NOTE["effective"] for name, tokens in NOTE.items()}
    assert round(shares["auto_compact"], 1) == 71.4  # the note says 71.5
    assert round(shares["warning"]) == 78
    assert round(shares["error"]) == 88
    assert round(shares["blocking"]) == 98


def test_in_the_note_compaction_comes_before_every_warning_so_no_warning_is_ever_seen() -> None:
    assert NOTE["auto_compact"] < NOTE["warning"] < NOTE["error"] < NOTE["blocking"]


def test_in_the_product_the_person_is_warned_before_anything_happens() -> None:
    assert OURS.auto_compact is not None
    assert OURS.warning < OURS.error < OURS.auto_compact < OURS.blocking


def test_what_we_took_from_the_note_is_its_blocking_buffer() -> None:
    assert BLOCKING_BUFFER == 3_000
    assert OURS.blocking == WINDOW - 20_000 - 3_000
