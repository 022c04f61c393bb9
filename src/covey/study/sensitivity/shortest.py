"""The shortest list of single changes that meets a target, found by trying.

Every single change has been tried (`sensitivity`). Where none meets the target, lists of two are
tried, then of three and of four: the best lists so far, each with one change more, those first that
promise most if every change did to a list what it does alone. As many of each length are tried as
there are single changes, and at least 60; none takes the last robot or resource of a kind. So a
list of one or two is known to be the shortest; of a longer one, and of none, it is said how many
shorter ones were tried.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress
from covey.errors import InputError, did_you_mean, shown
from covey.model.frozen import FrozenMap
from covey.model.scenario import Scenario
from covey.numbers import to_float
from covey.showing import Showing
from covey.study.sensitivity.changes import Change, Ranges, changes_of, ranges_of
from covey.study.sensitivity.found import Found, found_by
from covey.study.sensitivity.sensitivity import ALONE, Effect, Sensitivity

MEASURES = ("guess", "total_variation", "leakage")

_LONGEST = 4  # changes
_BEST = 6  # lists of a length that longer ones are made of
_FEWEST = 60  # lists of a length that are tried, if there are so many
_FACTOR = 2.0
_LEAST = 1e-12  # a target of 0 is no number to divide by


@dataclass(frozen=True)
class Shortest(Showing):
    """The shortest list of changes that meets a target; or the nearest to it of all that was tried.

    Attributes:
        target: The most that measures may be.
        effects: The changes in turn, each with what is given away after it and those before it;
            empty where nothing has to change.
        after: What is given away after all of them.
        met: Whether that meets the target.
        tried: How many lists of one change were tried, of two, and so on.
    """

    target: FrozenMap[str, float]
    effects: tuple[Effect, ...]
    after: Found
    met: bool
    tried: tuple[int, ...]

    def __str__(self) -> str:
        wanted = " and ".join(f"{name} ≤ {cap:g}" for name, cap in self.target.items())
        words = "; ".join(effect.change.words for effect in self.effects)
        if self.met:
            return f"{wanted} takes {words}." if words else f"{wanted} holds as it is."
        lengths = ", ".join(
            f"{count:,} of {length}" for length, count in enumerate(self.tried, start=1)
        )
        nearest = f" The nearest: {words}." if words else ""
        return f"No list of changes that was tried meets {wanted} (tried: {lengths}).{nearest}"


def read_target(target: Mapping[str, float] | Iterable[str]) -> FrozenMap[str, float]:
    """The most that measures may be, from numbers or from texts such as "guess=0.51"."""
    found: dict[str, float] = {}
    for name, value in target.items() if isinstance(target, Mapping) else map(_pair, target):
        if name not in MEASURES:
            hint = did_you_mean(name, MEASURES) or f" Known: {', '.join(MEASURES)}."
            raise InputError(f"{shown(name)} cannot be a target of changes.{hint}")
        cap = to_float(value)
        if not 0 <= cap < math.inf:
            raise InputError(f"{name}={shown(value)}: a number that is not negative is expected")
        if name == "guess" and cap < 0.5:
            raise InputError(
                f"guess={cap:g}: a coin is right half of the time, 0.5 or more is expected"
            )
        found[name] = cap
    return FrozenMap(found)


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise InputError(f"{shown(text)}: a measure and a number are expected, as guess=0.51")
    return name.strip(), value


@dataclass(frozen=True)
class _List:
    """Changes in turn, and what is given away after them."""

    effects: tuple[Effect, ...]
    after: Found
    scenario: Scenario

    @property
    def key(self) -> tuple[tuple[str, str, int], ...]:
        """Which changes it has: the same ones in another order lead to the same scenario."""
        return tuple(sorted(map(_knob, (effect.change for effect in self.effects))))


def shortest(
    solver: Solver,
    moves: Sensitivity,
    target: FrozenMap[str, float],
    workers: int | None = None,
    progress: Progress | None = None,
) -> Shortest:
    """The shortest list of changes that meets a target, of those that are tried.

    Args:
        solver: Of the scenario's network.
        moves: What every single change does.
        target: The most that measures may be.
        workers: How many processes; by default one on each core where the work is worth it.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    alone = {
        _knob(effect.change): _excess(effect.after, target)
        for effect in moves.effects
        if not effect.after.why
    }
    now, ranges = _excess(moves.before, target), ranges_of(moves.scenario)
    begin = _List((), moves.before, moves.scenario)
    best, lists, tried = begin, [begin], list[int]()
    while not _meets(best.after, target) and len(tried) < _LONGEST:
        if not tried:
            single = [
                e for e in moves.effects if e.change.allowed and not _takes_the_last(e.change)
            ]
            lists = [_List((e,), e.after, e.change.scenario) for e in single]
        else:
            most = max(len(moves.effects), _FEWEST)
            promising = _longer(lists, alone, now, target, ranges)[:most]
            lists = _computed(solver, promising, workers, len(tried) + 1, progress)
        tried.append(len(lists))
        lists = sorted(lists, key=lambda one: _excess(one.after, target))[:_BEST]
        if not lists or _excess(lists[0].after, target) >= _excess(best.after, target):
            break  # one change more does not bring it nearer
        best = lists[0]
    met = _meets(best.after, target)
    return Shortest(target, best.effects, best.after, met, tuple(tried))


def _shares(found: Found, target: Mapping[str, float]) -> list[tuple[float, float]]:
    """Of every target, the most that is given away, and the most that may be."""
    apart = found.total_variation if math.isnan(found.most_variation) else found.most_variation
    values = {"guess": apart, "total_variation": apart, "leakage": found.interval[1]}
    # guess = (1 + TV) / 2
    return [(values[name], 2 * cap - 1 if name == "guess" else cap) for name, cap in target.items()]


def _meets(found: Found, target: Mapping[str, float]) -> bool:
    return not found.why and all(value <= most for value, most in _shares(found, target))


def _excess(found: Found, target: Mapping[str, float]) -> float:
    """The largest of what is given away over what may be, by which lists are compared."""
    if found.why:
        return math.inf
    return max(value / max(most, _LEAST) for value, most in _shares(found, target))


def _knob(change: Change) -> tuple[str, str, int]:
    return change.kind, change.knob, change.direction


def _takes_the_last(change: Change) -> bool:
    """Whoever is not there gives nothing away, and does nothing: that is no advice."""
    return change.kind == "count" and change.scenario.numbers[change.knob] == 0


def _longer(
    lists: list[_List],
    alone: Mapping[tuple[str, str, int], float],
    now: float,
    target: Mapping[str, float],
    ranges: Ranges,
) -> list[_List]:
    """Every list with one change more, not yet computed, those that promise most first."""
    found: dict[object, tuple[float, _List]] = {}
    for one in lists:
        turned = {(kind, knob): direction for kind, knob, direction in one.key}
        here = _excess(one.after, target)
        for change in changes_of(one.scenario, _FACTOR, ranges):
            kind, knob, direction = _knob(change)
            gain = alone.get((kind, knob, direction))
            if gain is None or turned.get((kind, knob), direction) != direction:
                continue  # nobody has tried it alone, or it takes back what was done
            if _takes_the_last(change) or not change.allowed:
                continue
            promise = here * gain / now if max(here, gain, now) < math.inf else min(here, gain)
            longer = _List((*one.effects, Effect(change, one.after)), one.after, change.scenario)
            found.setdefault(longer.key, (promise, longer))
    return [one for _, one in sorted(found.values(), key=lambda pair: pair[0])]


def _computed(
    solver: Solver,
    lists: list[_List],
    workers: int | None,
    length: int,
    progress: Progress | None,
) -> list[_List]:
    """The same lists, with what is given away after them."""
    states = max((solver.reach(one.scenario.start).at_least for one in lists), default=0)
    if workers is None and states * len(lists) < ALONE:
        workers = 1
    found = []
    work = found_by(solver, [one.scenario for one in lists], workers)
    for done, (place, after) in enumerate(work, start=1):
        one = lists[place]
        last = replace(one.effects[-1], after=after)
        found.append(replace(one, effects=(*one.effects[:-1], last), after=after))
        if progress is not None:
            progress(done, len(lists), f"lists of {length} changes")
    return found
