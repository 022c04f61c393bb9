"""Small random teams and probes, as covey reads them and by sums over all paths of states."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm

State = tuple[int, ...]
SPECIES = ("{A}", "{B}", "{R}", "h{A,R}", "h{B,R}", "w{A,B}", "c{A}", "t")
_BEGIN = {"types.A": 0, "types.B": 1, "resources.R": 2, "initial.t": 7}
# What is taken, and what is given; the first eight are four reactions, each with its reverse.
_POOL: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((0, 2), (3,)),
    ((3,), (0, 2)),
    ((1, 2), (4,)),
    ((4,), (1, 2)),
    ((0,), (6,)),
    ((6,), (0,)),
    ((0, 1), (5,)),
    ((5,), (0, 1)),
    ((7, 0), (6,)),  # a task sends a robot away
    ((3, 7), (0, 2)),
)
_SEEN = {"free": (0, 1), "busy": (3, 4), "queue": (7,)}
_FOREVER = 400.0


@dataclass(frozen=True)
class Case:
    """Reactions with rates, a team, a probe, and perhaps a phase before which rates are others."""

    reactions: tuple[int, ...]
    rates: tuple[float, ...]
    phase: tuple[float, float] | None  # until when, and the first rate until then
    team: dict[str, int]
    tasks: int
    at: float | str
    set: dict[str, float]
    lasts: float | None
    looks: tuple[float, ...]

    @property
    def toml(self) -> str:
        lines = [
            f"{' + '.join(SPECIES[i] for i in _POOL[r][0])} -> "
            f"{' + '.join(SPECIES[i] for i in _POOL[r][1])} @ k{r}"
            for r in self.reactions
        ]
        made = {i for r in self.reactions for side in _POOL[r] for i in side}
        sums = {n: [SPECIES[i] for i in s if i in made or i < 2] for n, s in _SEEN.items()}
        phase = ""
        if self.phase is not None:
            until, rate = self.phase
            phase = f'[[phase]]\nuntil = {until}\nset = {{ "rates.k{self.reactions[0]}" = {rate} }}'
        text = ", ".join(f'"{name}" = {value}' for name, value in self.set.items())
        lasts = "" if self.lasts is None else f"lasts = {self.lasts}"
        return "\n".join([
            "[types]", f"A = {self.team['A']}", f"B = {self.team['B']}",
            "[resources]", f"R = {self.team['R']}",
            "[rates]", *(f"k{r} = {k}" for r, k in zip(self.reactions, self.rates, strict=True)),
            "[network]", "reactions = '''", *lines, "'''",
            "[initial]" if 7 in made else "", f"t = {self.tasks}" if 7 in made else "",
            "[observe]", *(f'{n} = "{" + ".join(s)}"' for n, s in sums.items() if s),
            "[adversary]", f'at = {self.at}' if self.at != "steady" else 'at = "steady"',
            phase,
            "[[adversary.probe]]", f"set = {{ {text} }}", lasts, f"looks = {list(self.looks)}",
        ])  # fmt: skip

    def start(self, team: dict[str, int]) -> State:
        return team["A"], team["B"], team["R"], 0, 0, 0, 0, self.tasks

    def seen(self, state: State) -> State:
        made = {i for r in self.reactions for side in _POOL[r] for i in side}
        sums = [[i for i in s if i in made or i < 2] for s in _SEEN.values()]
        return tuple(sum(state[i] for i in s) for s in sums if s)

    def after(self, state: State) -> tuple[State, State]:
        """The state after the probe, and how many of each were taken."""
        moved, taken = list(state), []
        for name, change in self.set.items():
            if name in _BEGIN:
                place = _BEGIN[name]
                moved[place] = max(moved[place] + int(change), 0)
                if change < 0:
                    taken.append(state[place] - moved[place])
        return tuple(moved), tuple(taken)

    def joint(self, team: dict[str, int]) -> dict[State, float]:
        """Every sequence of what is seen, with its probability: all paths of states are summed."""
        states = self._states(self.start(team))
        place = {state: i for i, state in enumerate(states)}
        begin = _FOREVER if self.at == "steady" else float(self.at)
        usual = dict(zip(self.reactions, self.rates, strict=True))
        probing = {int(n[7:]): r for n, r in self.set.items() if n.startswith("rates.")}

        def rates_at(time: float) -> dict[int, float]:
            early = {}
            if self.phase is not None and time < self.phase[0]:
                early = {self.reactions[0]: self.phase[1]}
            acting = probing if begin <= time < begin + (self.lasts or 0.0) else {}
            return {**usual, **early, **acting}

        times = [begin, *(begin + look for look in self.looks)]
        cuts = {0.0, *times, begin + (self.lasts or 0.0)} | (
            {self.phase[0]} if self.phase else set()
        )
        steps = []
        for since, until in itertools.pairwise([0.0, *times]):
            step = np.eye(len(states))
            grid = sorted({since, until, *(c for c in cuts if since < c < until)})
            for left, right in itertools.pairwise(grid):
                step = step @ expm(self._generator(place, rates_at(left)) * (right - left))
            steps.append(step)
        first = steps[0][place[self.start(team)]]
        found: dict[State, float] = {}
        for i, p in enumerate(first):
            if p > 0:
                then, taken = self.after(states[i])
                seen = (*self.seen(states[i]), *taken)
                for path, q in self._paths(states, place[then], steps[1:]):
                    key = (*seen, *path)
                    found[key] = found.get(key, 0.0) + float(p * q)
        return found

    def _paths(
        self, states: list[State], begin: int, steps: list[NDArray[np.float64]]
    ) -> list[tuple[State, float]]:
        if not steps:
            return [((), 1.0)]
        found: dict[State, float] = {}
        for j, p in enumerate(steps[0][begin]):
            if p > 0:
                for path, q in self._paths(states, j, steps[1:]):
                    key = (*self.seen(states[j]), *path)
                    found[key] = found.get(key, 0.0) + float(p * q)
        return list(found.items())

    def _moves(self, state: State) -> list[tuple[int, State, int]]:
        """Which reaction leads where, and in how many ways."""
        found = []
        for r in self.reactions:
            taken, given = _POOL[r]
            ways = int(np.prod([state[i] for i in taken]))
            if ways:
                moved = list(state)
                for i in taken:
                    moved[i] -= 1
                for i in given:
                    moved[i] += 1
                found.append((r, tuple(moved), ways))
        return found

    def _states(self, start: State) -> list[State]:
        """All that can be reached before the probe, or after it from any of them."""
        before = _closure([start], self._moves)
        return _closure([*before, *(self.after(state)[0] for state in before)], self._moves)

    def _generator(self, place: dict[State, int], rates: dict[int, float]) -> NDArray[np.float64]:
        q = np.zeros((len(place), len(place)))
        for state, i in place.items():
            for r, moved, ways in self._moves(state):
                q[i, place[moved]] += rates[r] * ways
                q[i, i] -= rates[r] * ways
        return q


def _closure(begin: list[State], moves: Callable[[State], list[Any]]) -> list[State]:
    found, todo = dict.fromkeys(begin), list(begin)
    while todo:
        for _, state, _ in moves(todo.pop()):
            if state not in found:
                found[state] = None
                todo.append(state)
    return list(found)


def random_case(seed: int) -> Case:
    """One of many: a third probe the steady state, of reactions that go both ways."""
    random = np.random.default_rng(seed)
    steady = seed % 3 == 0
    if steady:
        pairs = {0, 1, *random.integers(0, 4, 2).tolist()}
        reactions = tuple(sorted(r for pair in pairs for r in (2 * pair, 2 * pair + 1)))
    else:
        reactions = tuple(sorted({0, 2, *random.integers(0, len(_POOL), 6).tolist()}))
    rates = tuple(random.uniform(0.2, 2.0, len(reactions)).round(3).tolist())
    used = {i for r in reactions for side in _POOL[r] for i in side} | {0, 1}
    changes: dict[str, float] = {}
    for name, place in _BEGIN.items():
        if place in used and random.random() < 0.6:
            changes[name] = int(random.choice([-2, -1, 1]))
    lasts = None
    if random.random() < 0.5 or not changes:
        changes[f"rates.k{random.choice(reactions)}"] = round(float(random.uniform(0.1, 4.0)), 3)
        lasts = round(float(random.uniform(0.1, 2.0)), 3)
    phase = (round(float(random.uniform(0.2, 2.5)), 3), 3.0)
    looks = tuple(np.cumsum(random.uniform(0.05, 0.9, random.integers(1, 3))).round(3).tolist())
    return Case(
        reactions, rates, None if steady or random.random() < 0.5 else phase,
        {"A": int(random.integers(1, 3)), "B": 1, "R": int(random.integers(1, 3))},
        int(random.integers(0, 3)),
        "steady" if steady else round(float(random.uniform(0.0, 2.0)), 3),
        changes, lasts, looks,
    )  # fmt: skip
