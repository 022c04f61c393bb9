"""Text that a terminal or a picture only shows.

Names and titles are data, perhaps a stranger's. A terminal takes some characters for commands: it
moves the cursor, changes colours, or sets what follows from right to left, so that a person reads
something else than what is there. Each of these is replaced by one character that can be seen:
␛ for an escape, ␊ for a line break, � for what has no picture of its own.

Everything that can be seen stays: letters of all scripts, Γ, ∞, →, spaces of any width, and the
two joiners that words of some scripts are spelt with.
"""

from __future__ import annotations

import unicodedata

_JOINERS = "\u200c\u200d"


def escape(text: str, *, lines: bool = False) -> str:
    """The text with whatever cannot be seen made visible; `lines` keeps its line breaks."""
    if text.isprintable():
        return text
    return "".join(c if c == "\n" and lines else _seen(c) for c in text)


def _seen(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    if unicodedata.category(character) == "Zs":
        return character
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\N{REPLACEMENT CHARACTER}"
