"""Robots that move by a reaction network, one by one, and say so: what live feeds are tried on.

It imports nothing of covey. A species is a list of groups, a group the robots that are together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple


class Said(NamedTuple):
    """From a time on a robot is in a state."""

    time: float
    robot: str
    type: str
    state: str


Line = tuple[str, float]


def say(
    lines: Sequence[Line], robots: Mapping[str, int], things: Mapping[str, int], random: Random,
    until: float,
) -> Iterator[Said]:  # fmt: skip
    """Where everybody is at 0, then every change up to a time, with a row for each robot of it.

    Args:
        lines: Reactions and rates, as ("{A} + {B} -> {A,B}", 2.0).
        robots: How many there are of each type, each alone at first.
        things: How many there are of what does not speak, such as docks.
        random: Draws what happens.
        until: When it ends.
    """
    groups: dict[str, list[list[tuple[str, str]]]] = {}
    for type_, count in robots.items():
        for number in range(count):
            groups.setdefault(f"{{{type_}}}", []).append([(f"{type_}-{number}", type_)])
            yield Said(0.0, f"{type_}-{number}", type_, f"{{{type_}}}")
    for name, count in things.items():
        groups[f"{{{name}}}"] = [[] for _ in range(count)]
    sides = [tuple(half.split(" + ") for half in text.split(" -> ")) for text, _ in lines]
    now = 0.0
    while True:
        speeds = [
            rate * _ways(taken, groups) for (_, rate), (taken, _) in zip(lines, sides, strict=True)
        ]
        if sum(speeds) == 0.0:
            return
        now += random.expovariate(sum(speeds))
        if now >= until:
            return
        taken, made = random.choices(sides, speeds)[0]
        free: list[tuple[str, str, str]] = []
        for species in taken:
            group = groups[species].pop(random.randrange(len(groups[species])))
            free += [(*robot, species) for robot in group]
        random.shuffle(free)
        for species in made:
            new = []
            for member in species[species.index("{") + 1 : -1].split(","):
                one = next((robot for robot in free if robot[1] == member), None)
                if one is not None:  # else it is a thing
                    free.remove(one)
                    new.append(one[:2])
                    if one[2] != species:
                        yield Said(now, one[0], member, species)
            groups.setdefault(species, []).append(new)


def _ways(taken: Sequence[str], groups: Mapping[str, Sequence[object]]) -> int:
    found, used = 1, dict.fromkeys(taken, 0)
    for species in taken:
        found *= max(len(groups.get(species, ())) - used[species], 0)
        used[species] += 1
    return found
