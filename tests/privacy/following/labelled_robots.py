"""Every robot has a name here: the chain of whole assignments of robots to places, by brute force.

It shares no code with covey. A state is the set of groups of named robots, each with what it does.
A reaction takes an ordered choice of groups; those that stand on both sides stay, and all others
are dealt to the places of the products at random, robots of one type among themselves. With a rate
law the whole rate is shared by all choices alike.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import expm

Place = tuple[str, tuple[str, ...]]  # what is done, and the types that do it together
Group = tuple[str, tuple[str, ...]]  # what is done, and the names of those who do it
State = frozenset[Group]
STEP = 0.7  # from one look to the next


@dataclass(frozen=True)
class Step:
    """A reaction: what it takes and gives, one by one; and its rate, of how many there are."""

    takes: tuple[Place, ...]
    gives: tuple[Place, ...]
    constant: float
    law: Callable[[Counter[Place]], float] | None = None  # the whole rate, instead


def kind(name: str) -> str:
    """Names are a type and a number: A0, A1, B0."""
    return name.rstrip("0123456789")


def place_of(group: Group) -> Place:
    return group[0], tuple(sorted(map(kind, group[1])))


def _dealt(places: list[Place], names: list[str]) -> Iterator[tuple[float, list[Group]]]:
    """Every way to deal names to places, with its probability."""
    kinds = sorted(set(map(kind, names)))
    by_kind = [[n for n in names if kind(n) == k] for k in kinds]
    orders = [list(itertools.permutations(some)) for some in by_kind]
    ways = int(np.prod([len(o) for o in orders])) if orders else 1
    for chosen in itertools.product(*orders):
        left = {k: list(order) for k, order in zip(kinds, chosen, strict=True)}
        groups = [
            (activity, tuple(sorted(left[k].pop() for k in members)))
            for activity, members in places
        ]
        yield 1 / ways, groups


def _next(state: State, step: Step, power: bool) -> Iterator[tuple[State, float]]:
    at: dict[Place, list[Group]] = {}
    for group in sorted(state):
        at.setdefault(place_of(group), []).append(group)
    choices = [
        chosen
        for chosen in itertools.product(*(at.get(place, []) for place in step.takes))
        if len(set(chosen)) == len(chosen)
    ]
    if not choices:
        return
    counts = Counter({place: len(some) for place, some in at.items()})
    total = step.constant * len(choices)
    if power:
        total = step.constant * float(np.prod([counts[p] for p in step.takes]))
    if step.law is not None:
        total = step.law(counts)
    both = Counter(step.takes) & Counter(step.gives)
    gives = list((Counter(step.gives) - both).elements())
    for chosen in choices:
        stay, rest = Counter(both), []
        for group in chosen:
            if stay[place_of(group)] > 0:
                stay[place_of(group)] -= 1
            else:
                rest.append(group)
        names = [name for group in rest for name in group[1]]
        if not step.gives:
            yield state - set(rest), total / len(choices)
            continue
        for chance, made in _dealt(gives, names):
            yield (state - set(rest)) | set(made), total / len(choices) * chance


@dataclass(frozen=True)
class LabelledChain:
    """All assignments that can be reached, and how fast one leads to another."""

    states: list[State]
    rates: np.ndarray  # of the transition from row to column; rows add up to 0

    @classmethod
    def of(cls, start: State, steps: list[Step], power: bool, most: int = 1500) -> LabelledChain:
        places, moves = {start: 0}, []
        waiting = [start]
        while waiting:
            state = waiting.pop()
            for step in steps:
                for other, rate in _next(state, step, power):
                    if other not in places:
                        places[other] = len(places)
                        waiting.append(other)
                        if len(places) > most:
                            raise OverflowError
                    if other != state and rate > 0:
                        moves.append((places[state], places[other], rate))
        rates = np.zeros((len(places), len(places)))
        for i, j, rate in moves:
            rates[i, j] += rate
        rates -= np.diag(rates.sum(axis=1))
        return cls(list(places), rates)

    @cached_property
    def move(self) -> np.ndarray:
        """From every state to every other in one step."""
        return np.asarray(expm(self.rates * STEP))

    def seen(
        self, look: Callable[[State], tuple[int, ...]], looks: int
    ) -> dict[tuple[int, ...], float]:
        """The probability of what is seen at so many looks, STEP apart, one after the other."""
        shows = list(map(look, self.states))
        masks = {shown: np.array([s == shown for s in shows]) for shown in set(shows)}
        now: dict[tuple[int, ...], np.ndarray] = {(): np.eye(len(self.states))[0]}
        for _ in range(looks):
            then: dict[tuple[int, ...], np.ndarray] = {}
            for history, weights in now.items():
                moved = weights @ self.move
                for shown, mask in masks.items():
                    kept = np.where(mask, moved, 0.0)
                    if kept.any():
                        then[*history, *shown] = kept
            now = then
        return {history: float(weights.sum()) for history, weights in now.items()}
