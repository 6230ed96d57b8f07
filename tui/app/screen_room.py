"""How many rows the screen has to give: what stands around a list or a question stays in view."""

TALL = 18  # rows of a screen on which there is room for frames and hints
AROUND, AROUND_SHORT = 7, 4  # rows of one line of transcript, the activity, the prompt and the meter: tall, and below
