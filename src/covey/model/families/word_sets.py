"""Sets of words, for families: `sites = ["dock", "aisle"]`, `roads = ["dock -> aisle"]`.

An element is a word, several words that go together (`1,2`), or a route of such, whose stops are
joined by ->. The elements of a set are alike: words alone, or routes of one length.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from covey.errors import InputError, shown
from covey.model.frozen import FrozenMap

Sets = FrozenMap[str, tuple[str, ...]]

_SET_NAME = re.compile(r"[^\W\d]\w*")
_STOP = re.compile(r"\w+(?:\s*,\s*\w+)*")


def check_sets(sets: Mapping[str, Iterable[str]]) -> Sets:
    """The sets as they are kept: words and routes with their spaces put right, each only once."""
    checked: dict[str, tuple[str, ...]] = {}
    for name, words in sets.items():
        key = f"sets.{name}"
        if not isinstance(name, str) or not _SET_NAME.fullmatch(name):
            raise InputError(f"{shown(name)} cannot be the name of a set: a word is expected")
        if isinstance(words, str | Mapping) or not isinstance(words, Iterable):
            raise InputError(
                f'{key} is {shown(words)}: a list is expected, as ["dock", "aisle"] or '
                '["dock -> aisle", "aisle -> dock"]',
                key=key,
            )
        checked[name] = tuple(_element(word, key) for word in words)
        for word in checked[name]:
            if word.count("->") != checked[name][0].count("->"):
                raise InputError(
                    f"{key} has {shown(checked[name][0])} and {shown(word)}: words alone, or "
                    "routes of the same length, are expected",
                    key=key,
                )
        for word, times in Counter(checked[name]).items():
            if times > 1:
                raise InputError(f"{key} has {shown(word)} twice: leave one of them out", key=key)
    return FrozenMap(checked)


def _element(word: object, key: str) -> str:
    if isinstance(word, str):
        stops = [stop.strip() for stop in word.split("->")]
        if all(_STOP.fullmatch(stop) for stop in stops):
            return " -> ".join(re.sub(r"\s", "", stop) for stop in stops)
    raise InputError(
        f'{key} has {shown(word)}: a word is expected, as "dock", several that go together, as '
        '"1,2", or a route, as "dock -> aisle"',
        key=key,
    )
