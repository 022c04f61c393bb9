"""Which reactions explain what several robots did at one time.

A reaction moves robots: each member of its left side goes to a place of its type on the right. In
`{carrier} + {picker} -> pick{carrier,picker}` a carrier goes from {carrier} to the pick, and a
picker from {picker}: two changes at once. Where equal robots may go to different places, every way
to share them out is one; whoever stays where it was, or is a resource, is not seen. Two reactions
that move robots the same way are told apart by their rates (`events`), not here.

What happened at one time is explained by reactions that together make exactly these changes. Of
several such explanations, those with the largest reactions come first: a meeting, not two robots
that set out by chance at the same moment. Each reaction is at the time of the last of its changes,
as long as the reactions can happen in that order; else all are at the last time.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, deque
from collections.abc import Iterator

from covey.errors import InputError
from covey.model.network import Network
from covey.model.team import Team
from covey.study.fit.logs.log import State
from covey.study.fit.logs.robots.robot_states import NOWHERE
from covey.study.fit.tally import Choice

Change = tuple[str, int, int]  # type, from, to: species by their numbers
Moves = tuple[Change, ...]  # sorted
Event = tuple[float, Choice, State]  # when, which reaction it may have been, the state after it

_WAYS = 5_000  # to share out equal robots
_TRIES = 2_000  # of explanations for one moment
_KEPT = 1 << 16  # explanations: the same comes again and again


class Explanations:
    """What changes of robots say about reactions."""

    def __init__(self, network: Network, team: Team) -> None:
        self.changes = [tuple(row) for row in network.changes.tolist()]
        self.reactants = [tuple(row) for row in network.reactants.tolist()]
        self.unseen: set[int] = set()  # reactions that may move nobody
        self._known: dict[tuple[Moves, State], list[Moves] | None] = {}
        by_moves: dict[Moves, list[int]] = {}
        for number in range(len(self.changes)):
            ways = set(_moves(network, number, team))
            if () in ways:
                self.unseen.add(number)
                continue
            for moves in ways:
                by_moves.setdefault(moves, []).append(number)
        self.by_moves = {moves: tuple(numbers) for moves, numbers in by_moves.items()}
        self.having: dict[Change, list[Moves]] = {}
        for moves in sorted(self.by_moves, key=len, reverse=True):
            for change in set(moves):
                self.having.setdefault(change, []).append(moves)

    def of(self, changes: list[tuple[float, Change]], state: State) -> list[Event] | None:
        """Events one after the other that make these changes; None where none do.

        Args:
            changes: When each was, in the order of time.
            state: The state before them.
        """
        key = tuple(change for _, change in changes), state
        if key not in self._known:
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._tries = _TRIES
            self._known[key] = self._cover(Counter(key[0]), state)
        found = self._known[key]
        if found is None:
            return None
        times: dict[Change, deque[float]] = {}
        for time, change in changes:
            times.setdefault(change, deque()).append(time)
        when = [max(times[change].popleft() for change in moves) for moves in found]
        ordered = sorted(zip(when, found, strict=True), key=lambda one: one[0])
        last = changes[-1][0]
        return self._events(ordered, state) or self._events([(last, m) for m in found], state)

    def _cover(self, left: Counter[Change], state: State) -> list[Moves] | None:
        """Ways in which reactions move robots, one after the other, that make all changes."""
        first = next(iter(left), None)
        if first is None:
            return []
        for moves in self.having.get(first, []):
            if self._tries <= 0:
                return None
            self._tries -= 1
            needed = Counter(moves)
            if any(left[change] < n for change, n in needed.items()):
                continue
            able = self._able(moves, state)
            if not able:
                continue
            rest = self._cover(left - needed, self._after(able, state))
            if rest is not None:
                return [moves, *rest]
        return None

    def _events(self, found: list[tuple[float, Moves]], state: State) -> list[Event] | None:
        """The reactions that move robots so; None where one of them cannot happen then."""
        events: list[Event] = []
        for time, moves in found:
            able = self._able(moves, state)
            if not able:
                return None
            state = self._after(able, state)
            events.append((time, able, state))
        return events

    def _able(self, moves: Moves, state: State) -> Choice:
        return tuple(
            number
            for number in self.by_moves[moves]
            if all(x >= n for x, n in zip(state, self.reactants[number], strict=True))
        )

    def _after(self, able: Choice, state: State) -> State:
        return tuple(x + d for x, d in zip(state, self.changes[able[0]], strict=True))


def _moves(network: Network, number: int, team: Team) -> Iterator[Moves]:
    """Every way in which a reaction can move robots."""
    reaction = network.reactions[number]
    sides: list[dict[str, list[int]]] = []
    for side in (reaction.reactants, reaction.products):
        places: dict[str, list[int]] = {}
        for species, count in side:
            for member in species.members:
                if member in team.types:
                    places.setdefault(member, []).extend([network.index[species]] * count)
        sides.append(places)
    ways = []
    for type_ in sides[0].keys() | sides[1].keys():
        left, right = (side.get(type_, []) for side in sides)
        size = max(len(left), len(right))
        left, right = (part + [NOWHERE] * (size - len(part)) for part in (left, right))
        if math.factorial(size) > _WAYS:
            raise InputError(
                f"{reaction.arrow} moves {size} robots of type {type_}: there are too many ways to "
                "tell who went where; give the reactions in the log instead"
            )
        ways.append(
            {
                tuple(sorted((type_, a, b) for a, b in zip(left, order, strict=True) if a != b))
                for order in itertools.permutations(right)
            }
        )
    if math.prod(map(len, ways)) > _WAYS:
        raise InputError(
            f"{reaction.arrow} can move robots in too many ways: give the reactions in the log"
        )
    for way in itertools.product(*ways):
        yield tuple(sorted(itertools.chain(*way)))
