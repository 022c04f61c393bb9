"""A reaction network in a few lines of plain Python: what the stand-in is checked against.

It reads its own text, lists its own states, computes its own rates and draws its own paths, and
imports nothing of covey. Rates are fractions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from random import Random

State = tuple[int, ...]
Law = Callable[[Mapping[str, int]], int]


@dataclass(frozen=True, eq=False)
class PlainChain:
    """Lines such as ("{A} + {B} -> {A,B}", 3/8); a rate may be a function of the counts."""

    lines: tuple[tuple[str, Fraction | Law], ...]
    start: Mapping[str, int]

    @cached_property
    def _sides(self) -> list[tuple[Counter[str], Counter[str]]]:
        halves = [text.split(" -> ") for text, _ in self.lines]
        return [(Counter(a.split(" + ")), Counter(b.split(" + "))) for a, b in halves]

    @cached_property
    def species(self) -> list[str]:
        """Every name, in the order of the alphabet."""
        return sorted({name for sides in self._sides for side in sides for name in side})

    @cached_property
    def origin(self) -> State:
        """Where the team begins."""
        return tuple(self.start.get(name, 0) for name in self.species)

    def moves(self, state: State) -> list[tuple[int, Fraction, State]]:
        """Every reaction that can happen in a state: its number, its rate, where it leads."""
        counts = dict(zip(self.species, state, strict=True))
        found = []
        for number, ((_, rate), (taken, made)) in enumerate(
            zip(self.lines, self._sides, strict=True)
        ):
            speed = Fraction(rate(counts)) if callable(rate) else rate
            if not callable(rate):
                for name, many in taken.items():
                    for k in range(many):
                        speed *= max(counts[name] - k, 0)
            if speed > 0:
                after = tuple(counts[n] - taken[n] + made[n] for n in self.species)
                found.append((number, speed, after))
        return found

    @cached_property
    def states(self) -> list[State]:
        """Every state that can be reached."""
        found, todo = {self.origin}, [self.origin]
        while todo:
            for _, _, after in self.moves(todo.pop()):
                if after not in found:
                    found.add(after)
                    todo.append(after)
        return sorted(found)

    def path(self, random: Random, until: float) -> Iterator[tuple[float, int, State]]:
        """One path: the time, the reaction and the state after it (Gillespie's direct method)."""
        now, state = 0.0, self.origin
        while True:
            moves = self._float_moves(state)
            total = sum(rate for _, rate, _ in moves)
            if total == 0.0:
                return
            now += random.expovariate(total)
            if now >= until:
                return
            number, _, state = random.choices(moves, [rate for _, rate, _ in moves])[0]
            yield now, number, state

    @cached_property
    def _known(self) -> dict[State, list[tuple[int, float, State]]]:
        return {}

    def _float_moves(self, state: State) -> list[tuple[int, float, State]]:
        if state not in self._known:
            self._known[state] = [(n, float(rate), after) for n, rate, after in self.moves(state)]
        return self._known[state]
