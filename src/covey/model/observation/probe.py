"""Probe: what an observer does to the team in order to see how it answers.

    [[adversary.probe]]
    name = "a dock fewer"
    set = { "resources.dock" = -1 }    # counts that are added, or taken
    looks = [1, 5]                     # how long after the probe somebody looks

    [[adversary.probe]]
    set = { "rates.meet" = 0.02 }      # rates, for a while
    lasts = 10
    looks = [5, 10]

The probe comes at the time `at`, or once the team has settled; by default when the adversary looks.
`looks` and `lasts` are counted from the probe on. The observer looks just before it, and then at
every time of `looks`.

- **Counts** are changed at once, of units that are free: those that are where they begin
  (`[initial]`), such as `{dock}`. What is added joins them. What is not free cannot be taken: as
  many are taken as there are, and whoever takes them knows how many that were.
- **Rates** are what they are set to from the probe on until `lasts` later, whatever the timetable
  says of them, and then again what they would have been.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from covey.errors import InputError, TooLargeError, UnsupportedError, did_you_mean, shown
from covey.model.frozen import FrozenMap
from covey.model.species import Species
from covey.model.timetable import Phase, Timetable, read_rate
from covey.numbers import as_float, is_whole
from covey.words import many

if TYPE_CHECKING:
    from covey.model.network import Network
    from covey.model.team import Team

_KEYS = ("name", "at", "set", "lasts", "looks")
_COUNTED = ("types", "resources", "initial")
_MOST_COUNT = 1_000_000
MOST_PROBES = 100
_EXAMPLE = '{ "resources.dock" = -1 }'


@dataclass(frozen=True, init=False)
class Probe:
    """What an observer does, and when it looks at the answer.

    Probe({"resources.dock": -1}, looks=[1, 5])

    Args:
        set: Counts that are added or taken, and rates that hold for a while, by dotted names.
        looks: How long after the probe the observer looks, in increasing order.
        at: When the probe is: a time, or "steady"; by default when the adversary looks.
        lasts: How long the rates hold, counted from the probe on; only where it sets rates.
        name: What it is called; by default what it sets.
    """

    counts: FrozenMap[str, int]
    rates: FrozenMap[str, float]
    looks: tuple[float, ...]
    at: float | Literal["steady"] | None
    lasts: float | None
    name: str

    def __init__(
        self,
        set: Mapping[str, object],  # as the key of the scenario file
        looks: Iterable[object],
        at: object = None,
        lasts: object = None,
        name: object = "",
    ) -> None:
        counts, rates = _read_set(set)
        if not isinstance(name, str):
            raise InputError(f"its name is {shown(name)}: a text is expected", key="name")
        parts: dict[str, object] = {
            "counts": counts,
            "rates": rates,
            "looks": _read_looks(looks),
            "at": at if at is None or at == "steady" else _time(at, "at", 'a time or "steady"'),
            "lasts": _read_lasts(lasts, rates),
            "name": name,
        }
        for part, value in parts.items():
            object.__setattr__(self, part, value)

    @property
    def taken(self) -> tuple[str, ...]:
        """The names of what is taken: how many that are is seen."""
        return tuple(name for name, change in self.counts.items() if change < 0)

    def places(
        self, network: Network, initial: Mapping[str, Species | int]
    ) -> tuple[tuple[int, int], ...]:
        """The species whose counts change, by their places in a state, and by how much.

        Args:
            network: The reactions.
            initial: Where robots and resources begin.
        """
        return tuple(
            (_place(name, network, initial), change) for name, change in self.counts.items()
        )

    def timetable(self, usual: Timetable, begin: float) -> Timetable:
        """The rates from the probe on, which is time 0 of this timetable.

        Args:
            usual: The timetable without the probe.
            begin: When the probe is.
        """
        if not self.rates and not usual:
            return usual
        over = begin + (self.lasts or 0.0)
        now, phases, usually = 0.0, [], FrozenMap[str, float]()
        for rates, since, until in (
            (self.rates, begin, over),
            (usually, over, begin + self.looks[-1]),
        ):
            for place, duration in usual.segments(since, until) if until > since else ():
                own = usual.phases[place].rates if place < len(usual.phases) else usually
                now += duration
                phases.append(Phase(now, FrozenMap({**own, **rates})))
        return Timetable(tuple(phases))

    def table(self) -> dict[str, Any]:
        """It as a scenario file has it."""
        rates = {f"rates.{name}": rate for name, rate in self.rates.items()}
        said: dict[str, Any] = {
            "name": self.name or None,
            "at": self.at,
            "set": {**self.counts, **rates},
        }
        said |= {"lasts": self.lasts, "looks": list(self.looks)}
        return {key: value for key, value in said.items() if value is not None}

    def __str__(self) -> str:
        counts = [f"{many(abs(n), name.partition('.')[2])} {'more' if n > 0 else 'fewer'}"
                  for name, n in self.counts.items()]  # fmt: skip
        rates = [f"{name} at {rate:g}" for name, rate in self.rates.items()]
        if rates:
            rates[-1] += f" for {self.lasts:g}"
        return self.name or ", ".join(counts + rates)


def read_probes(tables: object) -> tuple[Probe, ...]:
    """The probes that a scenario file writes; errors carry the dotted name as `key`.

    Args:
        tables: The tables [[adversary.probe]], or probes.
    """
    if not isinstance(tables, Iterable) or isinstance(tables, str | Mapping):
        raise InputError(
            f"adversary.probe is {shown(tables)}: tables [[adversary.probe]] are expected",
            key="adversary.probe",
        )
    listed = list(tables)
    if len(listed) > MOST_PROBES:
        raise TooLargeError(f"there are {len(listed):,} probes, and at most {MOST_PROBES} fit")
    return tuple(_read_probe(number, one) for number, one in enumerate(listed))


def check_probes(
    probes: Iterable[Probe], network: Network, team: Team, initial: Mapping[str, Species | int]
) -> None:
    """Refuses what a network does not have; errors carry the dotted name as `key`.

    Args:
        probes: All of them.
        network: The reactions, and their rates.
        team: Its types and resources.
        initial: Where robots and resources begin, and how many plain species there are.
    """
    for number, probe in enumerate(probes):
        key = f"adversary.probe.{number}.set"
        for name in probe.rates:
            if name not in network.rates:
                hint = did_you_mean(name, network.rates)
                hint = hint or f" Known: {', '.join(network.rates) or 'none'}."
                raise InputError(
                    f"a probe sets rates.{name[:40]}, which is not in [rates].{hint}", key=key
                )
        for name in probe.counts:
            table, _, own = name.partition(".")
            known = {"types": team.types, "resources": team.resources}.get(table, initial)
            if own not in known:
                hint = did_you_mean(own, known) or f" Known: {', '.join(known) or 'none'}."
                raise InputError(
                    f"a probe changes {name[:60]}, which is not in [{table}].{hint}", key=key
                )
        try:
            probe.places(network, initial)
        except InputError as error:
            raise InputError(error.message, key=key) from None


def _read_probe(number: int, table: object) -> Probe:
    key = f"adversary.probe.{number}"
    if isinstance(table, Probe):
        return table
    if not isinstance(table, Mapping):
        raise InputError(f"probe {number + 1} is {shown(table)}: a table is expected", key=key)
    for name in table:
        if name not in _KEYS:
            hint = did_you_mean(str(name), _KEYS) or f" Known: {', '.join(_KEYS)}."
            raise InputError(
                f"[[adversary.probe]] has no {str(name)[:40]}.{hint}", key=f"{key}.{name}"
            )
    for name, expected in (("set", _EXAMPLE), ("looks", "[1, 5]")):
        if name not in table:
            raise InputError(f"probe {number + 1} has no {name}: as {name} = {expected}", key=key)
    try:
        return Probe(**table)
    except InputError as error:
        raise InputError(error.message, key=f"{key}.{error.key}") from None


def _read_set(changes: object) -> tuple[FrozenMap[str, int], FrozenMap[str, float]]:
    if not isinstance(changes, Mapping) or not changes:
        raise InputError(
            f"set is {shown(changes)}: counts or rates are expected, as {_EXAMPLE}", key="set"
        )
    counts: dict[str, int] = {}
    rates: dict[str, float] = {}
    for name, value in changes.items():
        table, _, own = str(name).partition(".")
        if table == "rates" and own:
            rate, number = read_rate(name, value, "probe")
            rates[rate] = number
        elif table not in _COUNTED or not own:
            raise InputError(
                f"a probe sets {shown(name)}: counts are expected, as resources.dock, or rates, as "
                "rates.meet",
                key="set",
            )
        elif not is_whole(value) or not 0 < abs(value) <= _MOST_COUNT:
            raise InputError(
                f"{name} is {shown(value)} in a probe: how many are added, or with a minus taken, "
                f"is expected, as -1 (at most {_MOST_COUNT:,})",
                key="set",
            )
        else:
            counts[name] = int(value)
    return FrozenMap(counts), FrozenMap(rates)


def _read_looks(looks: object) -> tuple[float, ...]:
    if not isinstance(looks, Iterable) or isinstance(looks, str | Mapping):
        raise InputError(f"looks is {shown(looks)}: times are expected, as [1, 5]", key="looks")
    found = tuple(_time(one, "looks", "a time") for one in looks)
    if not found or any(after <= before for before, after in itertools.pairwise(found)):
        raise InputError(
            f"looks is {shown(list(found))}: at least one time is expected, and each later than "
            "the one before",
            key="looks",
        )
    return found


def _read_lasts(lasts: object, rates: Mapping[str, float]) -> float | None:
    if lasts is None and rates:
        raise InputError(
            "the probe sets rates, and not for how long: as lasts = 10, counted from the probe on",
            key="lasts",
        )
    if lasts is None:
        return None
    if not rates:
        raise InputError(
            "lasts is how long rates hold, and the probe sets none: counts stay changed",
            key="lasts",
        )
    found = _time(lasts, "lasts", "a time")
    if found == 0:
        raise InputError("lasts is 0: a time above 0 is expected", key="lasts")
    return found


def _time(value: object, name: str, expected: str) -> float:
    number = as_float(value, name, expected, name)
    if not 0 <= number < math.inf:
        raise InputError(f"{name} is {number:g}: it must be finite and not negative", key=name)
    return number


def _place(name: str, network: Network, initial: Mapping[str, Species | int]) -> int:
    """Where in a state the free units are."""
    table, _, own = name.partition(".")
    begins = initial.get(own)
    if begins is None or (table == "initial") != isinstance(begins, int):
        raise InputError(
            f"a probe changes {name[:60]}, which is not in the scenario: a type or resource, or a "
            f"plain species as initial.task, is expected.{did_you_mean(own, initial)}",
            key="set",
        )
    species = Species(own) if isinstance(begins, int) else begins
    if species in network.stages:
        raise UnsupportedError(
            f"a probe changes {name}, which begins at {species}, whose time is an erlang one: let "
            "it begin at a species without stages"
        )
    return network.index[species]
