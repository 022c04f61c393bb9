"""Bindings: for which words the names of a family stand.

    i in S           every word of the set S
    i < j in S       every two words, the one that S has first as i
    i != j in S      every two words, either way round
    s -> t in S      every route "a -> b" of S

Names that are bound together stand for different words, whatever joins them: `i != j < k` takes
each word, and each two of the others. A set of n words gives m names, in runs of r₁, r₂, … that <
joins,

    n! / ((n − m)! ∏ r!)

cases. This is known before any is written out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb

from covey.errors import InputError, shown

_BINDING = re.compile(r"(?P<names>.*\S)\s+in\s+(?P<set>[^\W\d]\w*)")
_JOINED = re.compile(r"\s*(<|!=|->)\s*")
_NAME = re.compile(r"[^\W\d_][^\W_]*")


@dataclass(frozen=True)
class Binding:
    """What some names stand for: `i < j in types` is `Binding(("i", "j"), ("<",), "types")`."""

    names: tuple[str, ...]
    joined: tuple[str, ...]
    set_name: str

    @classmethod
    def parse(cls, text: str) -> Binding:
        """The binding that a part of what follows "for" writes."""
        match = _BINDING.fullmatch(text.strip())
        if match is None:
            raise InputError(
                f'after "for" there is {shown(text.strip())}: i in types, i < j in types or '
                "s -> t in roads is expected, several of them with commas between"
            )
        parts = _JOINED.split(match["names"])
        names, joined = tuple(parts[::2]), tuple(parts[1::2])
        for name in names:
            if not _NAME.fullmatch(name):
                raise InputError(
                    f'{shown(name)} after "for" is no name: a letter, then letters and digits '
                    "are expected, as in: for i < j in types"
                )
        if "->" in joined and set(joined) != {"->"}:
            raise InputError(f"{match['names']} mixes -> with other signs: routes have -> alone")
        return cls(names, joined, match["set"])

    def size(self, words: tuple[str, ...]) -> int:
        """How many cases there are."""
        if self._is_route:
            return len(words)
        left, total = len(words), 1
        for run in self._runs:
            total *= comb(left, run) if run <= left else 0
            left -= run
        return total

    def cases(self, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        """For each case what the names stand for, in their order."""
        if self._is_route:
            return (tuple(word.split(" -> ")) for word in words)
        return _choices(words, self._runs)

    def check(self, words: tuple[str, ...]) -> None:
        """Raises `InputError` where the words of the set are not what these names need."""
        stops = len(words[0].split(" -> ")) if words else 1
        wanted = len(self.names) if self._is_route else 1
        if stops != wanted:
            held = f"routes of {stops} words" if stops > 1 else "single words"
            names = " -> ".join("stuvwxyz"[:stops]) if 1 < stops <= 8 else "i"
            raise InputError(
                f"{self.set_name} has {held}, as {shown(words[0])}: "
                f"for {names} in {self.set_name} is expected"
            )
        if not words:
            raise InputError(f"{self.set_name} is empty: this family has no reaction; leave it out")
        if self.size(words) == 0:
            raise InputError(
                f"{self.set_name} has {len(words)}, and {', '.join(self.names)} are "
                f"{len(self.names)} different words: this family has no reaction; leave it out"
            )

    @property
    def _is_route(self) -> bool:
        return "->" in self.joined

    @property
    def _runs(self) -> tuple[int, ...]:
        """How many names each run has that < joins."""
        runs = [1]
        for sign in self.joined:
            if sign == "<":
                runs[-1] += 1
            else:
                runs.append(1)
        return tuple(runs)


def _choices(words: tuple[str, ...], runs: tuple[int, ...]) -> Iterator[tuple[str, ...]]:
    """Different words for every run of names, each run in the order of the set."""
    if not runs:
        yield ()
        return
    for chosen in combinations(words, runs[0]):
        rest = tuple(word for word in words if word not in chosen) if runs[1:] else ()
        for more in _choices(rest, runs[1:]):
            yield chosen + more
