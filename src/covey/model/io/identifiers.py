"""Names that other programs accept: letters, digits and _, each one given only once."""

from __future__ import annotations

import re

_OTHER = re.compile(r"[^A-Za-z0-9]+")


class Identifiers:
    """Gives out identifiers for texts, and never the same one twice; some are taken already."""

    def __init__(self, *taken: str) -> None:
        self._taken = set(taken)

    def new(self, text: str, otherwise: str) -> str:
        """`pick{carrier,picker}` becomes pick_carrier_picker; `otherwise` where nothing is left.

        It is also put before what would start with a digit, as {1} does.
        """
        word = _OTHER.sub("_", text).strip("_")
        if not word or word[0].isdigit():
            word = f"{otherwise}_{word}" if word else otherwise
        name, number = word, 1
        while name in self._taken:
            number += 1
            name = f"{word}_{number}"
        self._taken.add(name)
        return name


def one_line(text: str) -> str:
    """A text that can stand in a comment or an attribute: whatever cannot be seen is a space."""
    return "".join(c if c.isprintable() else " " for c in text)
