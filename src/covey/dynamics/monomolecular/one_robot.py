"""One robot by itself: where it is at a time or in the end, and how many have arrived.

Where every reaction takes at most one robot and leaves at most one, robots do not know of each
other, and a small Markov chain says it all: its states are the species, and `gone`. With P_s(j, t)
the probability that a robot which starts at s is at j after t,

    those that arrive at s at the rate λ_s      are Poisson at j, independently for each j, with
                                                mean m_j(t) = Σ_s λ_s ∫ P_s(j, u) du, 0 ≤ u ≤ t.

At a time. Both come from uniformisation (`transient`), which bounds relative errors. For m a state
more is the source: it leads to each s at the rate c λ_s with c so small that it is not used up,
c Λ t ≤ 2⁻⁶⁰. Then p_j(t) = c m_j(t) up to a relative 2⁻⁶⁰, and no number is subtracted.

In the end. A robot is in a closed class: there its distribution is stationary. Which one, and how
long it is at a transient species before, comes from a chain in which whoever ends begins anew:
robots leave the source at the rates λ_s, and enter it where they leave the transient species T. Its
stationary distribution π has, by renewal,

    π_j / π_source = m_j(∞)  for j in T,      probability of ending in C = Σ m_j k_jC / Σ λ_s,

and, the chain being irreducible, a proved error (`stationary`). Where robots arrive that stay,
their number grows without end: m = ∞.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from covey.dynamics.ctmc.generator import Generator, Transitions
from covey.dynamics.ctmc.uniformization import SCALE, transient
from covey.dynamics.stationary.limit import stationary
from covey.errors import UnsupportedError
from covey.model.network import Network
from covey.model.observation.adversary import Moment
from covey.model.structure.structure import strong_components
from covey.numbers import LEAST, UNIT, Floats

_TOLERANCE = 1e-13  # of ln P of one robot: a team of n has n times that
_SPARING = -60  # c Λ t is at most 2 to this power


@dataclass(frozen=True, eq=False)
class Whereabouts:
    """What one robot, or those that arrive, are at each species.

    `values` are probabilities times SCALE, the last of them that the robot is gone; of arrivals
    they are means, not scaled. `log_error` bounds the error of each logarithm, `lost` counts what
    is there but below all accuracy, and 0 here.
    """

    values: Floats  # (species + 1,)
    log_error: float
    lost: int


class OneRobot:
    """The chain of one robot of a network; raises `UnsupportedError` where robots need each other.

    Args:
        network: A network whose reactions have at most one robot on either side.
    """

    def __init__(self, network: Network) -> None:
        network.check_mass_action("that robots move independently of each other")
        self.network = network
        self.gone = len(network.species)
        self.moves: dict[int, dict[int, float]] = {i: {} for i in range(self.gone + 1)}
        self.arrivals: dict[int, float] = {}
        for reaction, rate in zip(network.reactions, network.rate_constants.tolist(), strict=True):
            for side in (reaction.reactants, reaction.products):
                if side.terms and side.single is None:
                    raise UnsupportedError(
                        f"{reaction.arrow} has more than one robot on a side: they do not move "
                        "independently of each other"
                    )
            source, target = reaction.reactants.single, reaction.products.single
            end = self.gone if target is None else network.index[target]
            if source is None:
                self.arrivals[end] = self.arrivals.get(end, 0.0) + rate
            elif network.index[source] != end:
                leading = self.moves[network.index[source]]
                leading[end] = leading.get(end, 0.0) + rate
        self.arrivals.pop(self.gone, None)
        self._known: dict[tuple[int, Moment], Whereabouts] = {}

    def at(self, species: int, moment: Moment) -> Whereabouts:
        """Where a robot is that starts at a species."""
        key = (species, moment)
        if key not in self._known:
            self._known[key] = self._at(species, moment)
        return self._known[key]

    def arrived(self, moment: Moment) -> Whereabouts:
        """How many of those that arrive are at each species, on average; infinite if ever more."""
        key = (-1, moment)
        if key not in self._known:
            self._known[key] = self._arrived(moment)
        return self._known[key]

    @cached_property
    def _classes(self) -> tuple[list[list[int]], list[int], list[bool]]:
        """Species that lead to each other, the class of each, and whether nothing leaves it."""
        edges = [(i, j) for i, leading in self.moves.items() for j in leading]
        classes = strong_components(self.gone + 1, edges)
        class_of = [0] * (self.gone + 1)
        for number, members in enumerate(classes):
            for i in members:
                class_of[i] = number
        closed = [True] * len(classes)
        for i, j in edges:
            closed[class_of[i]] &= class_of[i] == class_of[j]
        return classes, class_of, closed

    def reached(self, sources: Iterable[int]) -> list[int]:
        """The species that lead on from some, themselves included, and `gone`, in order."""
        found = dict.fromkeys(sources)
        work = list(found)
        for i in work:
            fresh = [j for j in self.moves[i] if j not in found]
            found.update(dict.fromkeys(fresh))
            work += fresh
        return sorted(found)

    def _at(self, species: int, moment: Moment) -> Whereabouts:
        if moment == "steady":
            return self._in_the_end(species)
        (found,) = self.after({species: 1.0}, [moment])
        return found

    def after(self, sources: Mapping[int, float], ages: Sequence[float]) -> list[Whereabouts]:
        """Where a robot is at each age that came in at one of the sources, in these proportions."""
        places, chain, start = self.chain_from(sources)
        result = transient(chain, start, ages, tolerance=_TOLERANCE)
        values = np.zeros((len(ages), self.gone + 1))
        values[:, places] = result.scaled
        # Of a share of the sources, which is 1 where there is one.
        errors = result.log_error + UNIT * (len(sources) + 1) * (len(sources) > 1)
        each = zip(values, errors.tolist(), result.lost.tolist(), strict=True)
        return [Whereabouts(row, error, lost) for row, error, lost in each]

    def chain_from(self, sources: Mapping[int, float]) -> tuple[list[int], Generator, Floats]:
        """The species that lead on from some, and `gone`; the chain on them, and its start."""
        places = self.reached(sources)
        rates = {(i, j): rate for i in places for j, rate in self.moves[i].items()}
        total = sum(sources.values())
        start = np.array([sources.get(i, 0.0) / total for i in places])
        return places, _generator(places, rates), start

    def stays(self, species: int) -> bool:
        """Whether a robot that is at a species is there again and again, or gone, in the end."""
        _, class_of, closed = self._classes
        return closed[class_of[species]]

    def _arrived(self, moment: Moment) -> Whereabouts:
        if not self.arrivals or moment == 0:
            return Whereabouts(np.zeros(self.gone + 1), 0.0, 0)
        if moment == "steady":
            return self._ever_arriving()
        total = sum(self.arrivals.values())
        power = _SPARING - math.frexp(total * moment)[1]
        places = [i for i in self.reached(self.arrivals) if i != self.gone]
        source = -1
        rates = {(i, j): rate for i in places for j, rate in self.moves[i].items()}
        rates |= {(source, j): math.ldexp(rate, power) for j, rate in self.arrivals.items()}
        chain = _generator([source, *places], rates)
        start = np.array([1.0] + [0.0] * len(places))
        result = transient(chain, start, [moment], tolerance=_TOLERANCE)
        values = np.zeros(self.gone + 1)
        values[places] = np.ldexp(result.scaled[0][1:] / SCALE, -power)
        gone_under = (values[places] <= LEAST) & (result.scaled[0][1:] > 0)
        values[np.array(places)[gone_under]] = 0.0
        error = float(result.log_error[0]) + 2.0 ** (_SPARING + 1) + 4 * UNIT
        return Whereabouts(values, error, int(result.lost[0] + gone_under.sum()))

    def _in_the_end(self, species: int) -> Whereabouts:
        classes, class_of, closed = self._classes
        log_ends = {class_of[species]: 0.0}
        error = 0.0
        if not closed[class_of[species]]:
            stays, error = self._log_stays({species: 1.0})
            log_ends = {}
            for i in np.flatnonzero(np.isfinite(stays)):
                for j, rate in self.moves[int(i)].items():
                    if closed[class_of[j]]:
                        weight, end = float(stays[i]) + math.log(rate), class_of[j]
                        log_ends[end] = np.logaddexp(log_ends.get(end, -math.inf), weight)
            largest = float(np.abs(stays[np.isfinite(stays)]).max(initial=1.0))
            error += UNIT * (sum(map(len, self.moves.values())) + 2 + 4 * largest)
        logs = np.full(self.gone + 1, -np.inf)
        within = 0.0
        for number, weight in log_ends.items():
            members = classes[number]
            rates = {(i, j): rate for i in members for j, rate in self.moves[i].items()}
            start = np.zeros(len(members))
            start[0] = 1.0
            result = stationary(_generator(members, rates), start)
            logs[members] = weight + result.log_probabilities
            within = max(within, result.log_error)
        found = _doubles(logs, error + within + 2 * UNIT)
        return replace(found, values=found.values * SCALE)

    def _ever_arriving(self) -> Whereabouts:
        _, class_of, closed = self._classes
        stays = _doubles(*self._log_stays(self.arrivals))
        for i in self.reached(self.arrivals):
            if closed[class_of[i]] and i != self.gone:
                stays.values[i] = math.inf
        return stays

    def _log_stays(self, sources: Mapping[int, float]) -> tuple[Floats, float]:
        """`ln m` of the transient species, robots coming at these rates for ever, and its error."""
        _, class_of, closed = self._classes
        logs = np.full(self.gone + 1, -np.inf)
        places = [i for i in self.reached(sources) if not closed[class_of[i]]]
        source = -1
        rates: dict[tuple[int, int], float] = {}
        for j, rate in sources.items():
            if j in places:  # who arrives in a closed class is never anywhere else
                rates[source, j] = rate
        for i in places:
            for j, rate in self.moves[i].items():
                end = source if closed[class_of[j]] else j
                rates[i, end] = rates.get((i, end), 0.0) + rate
        if not places:
            return logs, 0.0
        start = np.array([1.0] + [0.0] * len(places))
        result = stationary(_generator([source, *places], rates), start)
        logs[places] = result.log_probabilities[1:] - result.log_probabilities[0]
        largest = float(np.abs(logs[places]).max())
        return logs, 2 * result.log_error + UNIT * (len(rates) + 2 + largest)


def _doubles(logs: Floats, error: float) -> Whereabouts:
    """Numbers with these logarithms; what is below all accuracy is lost."""
    with np.errstate(under="ignore", over="ignore"):
        values = np.exp(logs)
    under = np.isfinite(logs) & (values <= LEAST)
    values[under] = 0.0
    rounding = UNIT * (2 * float(np.abs(logs[np.isfinite(logs)]).max(initial=0.0)) + 2)
    return Whereabouts(values, error + rounding, int(under.sum()))


def _generator(places: list[int], rates: Mapping[tuple[int, int], float]) -> Generator:
    """The generator on some places; a rate that leads elsewhere still counts as an exit."""
    place = {state: k for k, state in enumerate(places)}
    exits = np.zeros(len(places))
    for (i, _), rate in rates.items():
        exits[place[i]] += rate
    inside = sorted((place[i], place[j], rate) for (i, j), rate in rates.items() if j in place)
    sources, targets, moves = np.array(inside).reshape(-1, 3).T
    part = Transitions(sources.astype(np.uint32), targets.astype(np.uint32), moves)
    return Generator.from_transitions([part], exits)
