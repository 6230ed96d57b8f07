"""The only places where we touch what Textual keeps to itself; each falls back when it is gone (contract test: test_textual_private)."""

import importlib

from textual.app import App
from textual.geometry import Size
from textual.keys import Keys
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.widget import Widget


def set_virtual_size(view: ScrollView, size: Size) -> None:
    """Tell `view` how large its content is without the second, laying-out frame that the reactive costs."""
    update = getattr(view, "_scroll_update", None)
    if update is None:
        view.virtual_size = size
        return
    view.set_reactive(Widget.virtual_size, size)
    update(size)


def start_scrollbar(view: ScrollView, kind: type[ScrollBar]) -> None:
    """Give `view` a vertical scroll bar of `kind` if it has none yet; if that cannot be done, Textual makes its own."""
    start = getattr(view.app, "_start_widget", None)
    if start is not None and getattr(view, "_vertical_scrollbar", view) is None:
        bar = view._vertical_scrollbar = kind(vertical=True, name="vertical", thickness=view.scrollbar_size_vertical)
        bar.display = False
        start(view, bar)


def writer_backlog(app: App[int]) -> int:
    """Frames that wait for a slow terminal; at 30 Textual's writer blocks the whole loop. 0 when it cannot be told."""
    driver = getattr(app, "_driver", None)
    queue = getattr(getattr(driver, "_writer_thread", None), "_queue", None)
    return int(queue.qsize()) if queue is not None else 0


def tell_alt_enter_from_enter() -> None:
    """Most terminals send Alt+Enter as ESC CR, which Textual takes for Enter: it becomes the Ctrl+J that also starts a new line."""
    try:
        table = getattr(importlib.import_module("textual._ansi_sequences"), "ANSI_SEQUENCES_KEYS", None)
    except ImportError:
        return
    if isinstance(table, dict):
        table.setdefault("\x1b\r", (Keys.ControlJ,))
