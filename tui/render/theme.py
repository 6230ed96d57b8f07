"""The styles of everything that is drawn, by role."""

from msgspec import Struct
from rich.style import Style


class Theme(Struct, frozen=True, kw_only=True):
    """One rich Style a role; `DARK` paints its own background, `TERMINAL` keeps to the terminal's sixteen colours."""

    text: Style
    dim: Style
    accent: Style
    user: Style
    good: Style
    warn: Style
    error: Style
    bad: Style
    note: Style
    heading: Style
    title: Style
    strong: Style
    emphasis: Style
    strike: Style
    code: Style
    code_block: Style
    bullet: Style
    quote: Style
    rule: Style
    link: Style
    added: Style
    removed: Style
    hunk: Style
    keyword: Style
    name: Style
    type_name: Style
    string: Style
    number: Style
    comment: Style


def _style(text: str) -> Style:
    return Style.parse(text)


DARK = Theme(
    text=_style("#d8dee9"),
    dim=_style("#7b8494"),
    accent=_style("#88b4e7"),
    user=_style("bold #f0e2b6"),
    good=_style("#8fc98a"),
    warn=_style("#e6c068"),
    error=_style("#e8935a"),
    bad=_style("bold #ef6b73"),
    note=_style("#9fb8d0"),
    heading=_style("bold #88b4e7"),
    title=_style("bold underline #88b4e7"),
    strong=_style("bold"),
    emphasis=_style("italic"),
    strike=_style("strike"),
    code=_style("#e6b673"),
    code_block=_style("#d8dee9 on #1b2029"),
    bullet=_style("#88b4e7"),
    quote=_style("italic #9aa5b1"),
    rule=_style("#4b5363"),
    link=_style("underline #7cb8d4"),
    added=_style("#b5e8b0 on #14301d"),
    removed=_style("#f0b4b4 on #3a191c"),
    hunk=_style("#7cb8d4"),
    keyword=_style("#c792ea"),
    name=_style("#82aaff"),
    type_name=_style("#ffcb6b"),
    string=_style("#a5d28a"),
    number=_style("#f0a070"),
    comment=_style("italic #7b8494"),
)

TERMINAL = Theme(
    text=Style(),
    dim=_style("bright_black"),
    accent=_style("blue"),
    user=_style("bold"),
    good=_style("green"),
    warn=_style("yellow"),
    error=_style("bold yellow"),
    bad=_style("bold red"),
    note=_style("cyan"),
    heading=_style("bold blue"),
    title=_style("bold underline blue"),
    strong=_style("bold"),
    emphasis=_style("italic"),
    strike=_style("strike"),
    code=_style("cyan"),
    code_block=Style(),
    bullet=_style("blue"),
    quote=_style("italic"),
    rule=_style("bright_black"),
    link=_style("underline cyan"),
    added=_style("green"),
    removed=_style("red"),
    hunk=_style("cyan"),
    keyword=_style("magenta"),
    name=_style("blue"),
    type_name=_style("yellow"),
    string=_style("green"),
    number=_style("yellow"),
    comment=_style("italic bright_black"),
)
