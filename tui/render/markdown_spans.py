"""Inline Markdown: a token's children as styled spans."""

from collections.abc import Sequence

from markdown_it.token import Token
from rich.style import Style

from tui.render.theme import Theme
from tui.render.wrap import Span

_SAFE_LINKS = ("http://", "https://", "mailto:")


def inline_spans(token: Token, base: Style, theme: Theme) -> list[Span]:
    """The text of an inline token; soft breaks are spaces, hard breaks newlines, and a link also shows where it leads."""
    spans: list[Span] = []
    styles = [base]
    links: list[tuple[str, int]] = []
    for child in token.children or ():
        match child.type:
            case "text" | "text_special":
                spans.append((child.content, styles[-1]))
            case "softbreak":
                spans.append((" ", styles[-1]))
            case "hardbreak":
                spans.append(("\n", styles[-1]))
            case "code_inline":
                spans.append((child.content, styles[-1] + theme.code))
            case "link_open":
                links.append((str(child.attrs.get("href", "")), len(spans)))
                styles.append(styles[-1] + theme.link + _hyperlink(links[-1][0]))
            case "link_close":
                styles.pop()
                spans += _target(*links.pop(), spans, styles[-1] + theme.dim)
            case "strong_open" | "em_open" | "s_open":
                styles.append(styles[-1] + {"strong": theme.strong, "em": theme.emphasis, "s": theme.strike}[child.tag])
            case "strong_close" | "em_close" | "s_close":
                styles.pop()
            case "image":
                spans.append((f"[image: {child.content}]", styles[-1] + theme.dim))
            case _:
                spans.append((child.content, styles[-1]))
    return [span for span in spans if span[0]]


def _hyperlink(target: str) -> Style:
    """An OSC 8 link for the schemes that are safe to click; everything else is only text."""
    return Style(link=target) if target.startswith(_SAFE_LINKS) and target.isprintable() else Style()


def _target(target: str, begin: int, spans: Sequence[Span], style: Style) -> list[Span]:
    """The address after a link whose text hides it, so that nobody clicks blind."""
    label = "".join(text for text, _ in spans[begin:])
    if not target or label in (target, target.removeprefix("mailto:")):
        return []
    return [(f" ({target})", style)]
