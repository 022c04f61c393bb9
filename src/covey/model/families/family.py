"""Families: many reactions that are written once.

    {$i} + {$j} <-> {$i,$j} @ meet_$i, 1     for i < j in types

At its end such a line says for which words `$i` and `$j` stand. It becomes one plain line for each
case before anything else is read, so that all that is true of plain reactions is true of these. How
many they will be is counted first: the product over the bindings. The sums that are seen can be
written so as well (`query`).

A name has letters and digits. As it has no `_`, `$s_$t` needs no more; `${s}` is for where a letter
or a digit follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

from covey.errors import InputError, did_you_mean
from covey.model.families.binding import Binding

MAX_REACTIONS = 20_000
_MAX_CHARACTERS = 100_000_000  # of all plain lines of a family together
_MAX_NAMES = 26

_FOR = re.compile(r"(?P<line>.*) for (?P<bindings>.*)")
_USE = re.compile(r"\$(?:\{(?P<braced>\w*)\}|(?P<plain>[^\W_]*))")


@dataclass(frozen=True)
class Family:
    """A line that stands for many: what is written, with its names, and what they stand for."""

    line: str
    bindings: tuple[Binding, ...]
    text: str  # both, as they were written

    @classmethod
    def parse(cls, text: str) -> Family | None:
        """The family that a line writes; None where it is a plain line."""
        match = _FOR.fullmatch(" ".join(text.split()))
        if match is not None and ("$" in text or " in " in match["bindings"]):
            bindings = tuple(Binding.parse(part) for part in match["bindings"].split(","))
            family = cls(match["line"], bindings, re.sub(r"\s", " ", text.strip()))
            family._check_names()
            return family
        if use := _USE.search(text):
            name = use["braced"] or use["plain"] or "i"
            raise InputError(
                f"nothing says what ${name} stands for: end the line with: for {name} in types"
            )
        return None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All names, in the order of the bindings."""
        return tuple(name for binding in self.bindings for name in binding.names)

    @cached_property
    def _pieces(self) -> list[str]:
        """The line cut at its names: text, name, text, …, text."""
        pieces, end = [], 0
        for use in _USE.finditer(self.line):
            pieces += [self.line[end : use.start()], use["braced"] or use["plain"] or ""]
            end = use.end()
        return [*pieces, self.line[end:]]

    def _check_names(self) -> None:
        if len(self.names) > _MAX_NAMES:
            raise InputError(f"a family has {len(self.names)} names: at most {_MAX_NAMES} can be")
        used = set(self._pieces[1::2])
        for name in sorted(used - set(self.names)):
            raise InputError(
                f'nothing after "for" says what ${name} stands for.{did_you_mean(name, self.names)}'
                " Write ${i} where letters or digits follow $i."
                if name
                else "a $ without a name: $i is expected, as in {$i}"
            )
        for place, name in enumerate(self.names):
            if name in self.names[:place]:
                raise InputError(f'{name} is bound twice after "for": give one another name')
            if name not in used:
                raise InputError(
                    f"${name} is nowhere in the reaction: use it, or leave {name} out after "
                    '"for"; else the same reaction would be there several times'
                )

    def size(self, sets: Mapping[str, tuple[str, ...]]) -> int:
        """How many there will be; raises `InputError` where there can be none."""
        for binding in self.bindings:
            if binding.set_name not in sets:
                known = f" Known: {', '.join(sets)}." if sets else ""
                raise InputError(
                    f"there is no set {binding.set_name}."
                    + (did_you_mean(binding.set_name, sets) or known)
                    + " A scenario has its sets under [sets], besides types and resources; "
                    "Network takes them as sets={...}."
                )
            binding.check(sets[binding.set_name])
        cases = prod(binding.size(sets[binding.set_name]) for binding in self.bindings)
        longest = max(len(word) for binding in self.bindings for word in sets[binding.set_name])
        if cases * (len(self.line) + longest * (len(self._pieces) // 2)) > _MAX_CHARACTERS:
            raise _explodes(cases)
        return cases * (2 if "<->" in self.line else 1)

    def cases(self, sets: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, str]]:
        """Every case in words, `for i = carrier`, and the plain line that it gives."""
        for chosen in product(*(b.cases(sets[b.set_name]) for b in self.bindings)):
            words = dict(zip(self.names, (word for part in chosen for word in part), strict=True))
            pieces = list(self._pieces)
            pieces[1::2] = [words[name] for name in pieces[1::2]]
            yield "for " + ", ".join(f"{n} = {w}" for n, w in words.items()), "".join(pieces)


def check_number(reactions: int) -> None:
    """Raises `InputError` where there would be too many, before they are written out."""
    if reactions > MAX_REACTIONS:
        raise _explodes(reactions)


def _explodes(reactions: int) -> InputError:
    many = f"{reactions:,}" if reactions < 10**15 else f"{reactions:.0e}"
    return InputError(
        f"there would be {many} reactions: at most {MAX_REACTIONS:,} can be, of no great length; "
        "of a family, bind fewer names, or take smaller sets"
    )
