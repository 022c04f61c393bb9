"""Small random networks, as covey reads them and as `labelled_robots` does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.privacy.following.labelled_robots import Group, Place, Step

_TYPES = ("A", "B")


@dataclass(frozen=True)
class Case:
    """The text of a scenario, and the same as steps of named robots."""

    toml: str
    steps: list[Step]
    power: bool
    team: dict[str, int]
    resources: int
    sums: dict[str, list[Place]]

    def start(self, team: dict[str, int]) -> frozenset[Group]:
        """All by themselves; A0 is the first of type A."""
        names = [f"{t}{i}" for t, n in team.items() for i in range(n)]
        names += [f"R{i}" for i in range(self.resources)]
        return frozenset(("", (name,)) for name in names)


def text_of(place: Place) -> str:
    return f"{place[0]}{{{','.join(place[1])}}}"


def random_case(seed: int, attempt: int = 0) -> Case:
    """One of many; every seed has as many attempts as somebody needs."""
    random = np.random.default_rng([seed, attempt])
    power = bool(random.random() < 0.25)
    steps: list[Step] = []
    lines: list[str] = []
    control = ""
    single = [(("", (t,)),) for t in (*_TYPES, "R")]
    for number, side in enumerate(single[:2]):
        _add(steps, lines, side, (("w", side[0][1]),), random, f"move{number}", named=True)
        _add(steps, lines, (("w", side[0][1]),), side, random, "", named=False)
    _add(steps, lines, (*single[0], *single[2]), (("h", ("A", "R")),), random, "hold", named=True)
    _add(steps, lines, (("h", ("A", "R")),), (*single[0], *single[2]), random, "", named=False)
    for _ in range(int(random.integers(1, 4))):
        members = [str(m) for m in random.choice([*_TYPES, "A", "R"], random.integers(1, 4))]
        alone = [("w" if m != "R" and random.random() < 0.4 else "", (m,)) for m in members]
        left, right = tuple(alone), _split(members, random)
        if sorted(left) == sorted(right):
            continue
        _add(steps, lines, left, right, random, "", named=False, law=random.random() < 0.3)
        back = left if random.random() < 0.5 else _split(members, random)
        if sorted(back) != sorted(right):
            _add(steps, lines, right, back, random, "", named=False, law=random.random() < 0.3)
    if random.random() < 0.2:
        _add(steps, lines, (("w", ("A",)),), (), random, "", named=False)
    if random.random() < 0.3:
        control = '[control]\nmove0 = "0.5 if {A} >= 2"\n'
        old = steps[0]
        steps[0] = Step(old.takes, old.gives, old.constant, _throttled(old.constant))
    places = sorted({p for step in steps for p in (*step.takes, *step.gives)})
    robots = [p for p in places if set(p[1]) & set(_TYPES)]
    cut = random.permutation(len(robots))
    sums = {"one": [robots[i] for i in cut[::3]], "two": [robots[i] for i in cut[1::3]]}
    team = {"A": int(random.integers(1, 4)), "B": int(random.integers(0, 3))}
    resources = int(random.integers(1, 2 if team["A"] > 2 else 3))
    rates = "\n".join(f"k{i} = {step.constant!r}" for i, step in enumerate(steps))
    observe = "\n".join(f'{n} = "{" + ".join(map(text_of, s))}"' for n, s in sums.items())
    toml = f"""
[types]
A = {team["A"]}
B = {team["B"]}
[resources]
R = {resources}
[rates]
{rates}
[network]
kinetics = "{"power" if power else "falling"}"
reactions = '''
{chr(10).join(lines)}
'''
[observe]
{observe}
{control}
[adversary]
at = 0.8
follow = true
"""
    return Case(toml, steps, power, team, resources, sums)


def _throttled(constant: float) -> Callable[[Counter[Place]], float]:
    return lambda counts: constant * counts["", ("A",)] * (0.5 if counts["", ("A",)] >= 2 else 1.0)


def _split(members: list[str], random: np.random.Generator) -> tuple[Place, ...]:
    """Members in random company, doing something."""
    parts: list[list[str]] = []
    for member in members:
        if parts and random.random() < 0.5:
            parts[int(random.integers(len(parts)))].append(member)
        else:
            parts.append([member])
    words = ("", "w", "v")
    return tuple((words[int(random.integers(3))], tuple(sorted(part))) for part in parts)


def _add(
    steps: list[Step],
    lines: list[str],
    left: tuple[Place, ...],
    right: tuple[Place, ...],
    random: np.random.Generator,
    name: str,
    *,
    named: bool,
    law: bool = False,
) -> None:
    constant = round(float(random.uniform(0.2, 1.5)), 3)
    sides = " -> ".join(" + ".join(map(text_of, side)) or "0" for side in (left, right))
    rate = f"k{len(steps)}" if named or random.random() < 0.5 else repr(constant)
    needs = Counter(left)
    if law:
        factors = [f"min({text_of(p)}, 2) * ({text_of(p)} >= {n})" for p, n in needs.items()]
        rate = f"[k{len(steps)} * {' * '.join(factors)}]"

        def whole(counts: Counter[Place]) -> float:
            return constant * float(
                np.prod([min(counts[p], 2) * (counts[p] >= n) for p, n in needs.items()])
            )

        steps.append(Step(left, right, constant, whole))
    else:
        steps.append(Step(left, right, constant))
    lines.append(f"{f'{name}: ' if name else ''}{sides} @ {rate}")
