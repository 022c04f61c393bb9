"""A feed of events in, the stand-in's counts out, on a clock of its own.

    sample,time,reaction,{carrier},{dock},…     CSV, as `covey simulate --events` writes it: the
    0,0.0,,6,3,4,0,0,0                          first row has no reaction, but the whole state
    0,0.63,"{carrier} + {picker} -> …",…
    {"time": 0.63, "reaction": "meet"}          or an object a line; {"time": 0, "state": {…}} tells
                                                the whole state

A reaction is named as the network writes it, by its name, or by its number from 1 (`3` or `r3`).
Out go the times 0, D, 2 D, … from the first one on, each with what is published then. A time is
answered once something later has come in: so when a line appears depends on the input's clock, and
never on what the team did. What cannot be used is said, in words that tell nothing of the state.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from covey.errors import InputError, shown
from covey.model.network import Network
from covey.remedy.stand_in.coupled_publisher import CoupledPublisher
from covey.remedy.stand_in.stand_in_file import Reference

Say = Callable[[str], None]
State = dict[str, int]


def published_events(
    public: Reference, lines: Iterable[str], every: float, say: Say
) -> Iterator[tuple[float, dict[str, int]]]:
    """The times of a clock, each with what is published then.

    Args:
        public: The stand-in.
        lines: What the real team does, in the order of time.
        every: The time from one publication to the next.
        say: Called with what could not be used: `-:7: …`.
    """
    if not 0 < every < math.inf:
        raise InputError(f"every is {shown(every)}: a time above 0 is expected")
    publisher: CoupledPublisher | None = None
    ticks, begin = 0, 0.0
    for number, time, reaction, state in _rows(lines, public.scenario.network, say):
        if publisher is None:
            if state is None:
                raise InputError(
                    "the feed begins with an event: a first row that tells the whole state, with "
                    "no reaction, is expected. Counts that are seen are not enough, since the "
                    "stand-in moves along with every robot",
                    file="-",
                    line=number,
                )
            publisher, begin = CoupledPublisher(public, state, time), time
        while begin + ticks * every < time:
            yield begin + ticks * every, publisher.published(begin + ticks * every)
            ticks += 1
        if reaction is not None:
            publisher.event(time, reaction)
        elif state is not None:
            publisher.state(time, state)
        for note in publisher.notes:
            say(f"-:{number}: {note}")
        publisher.notes.clear()
    if publisher is not None and begin + ticks * every <= publisher.now:
        yield begin + ticks * every, publisher.published(publisher.now)


def _rows(
    lines: Iterable[str], network: Network, say: Say
) -> Iterator[tuple[int, float, int | None, State | None]]:
    """Line by line: its number, the time, and the reaction or the state that it tells."""
    names = _names(network)
    species = {str(one) for one in network.species}
    header: list[str] | None = None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if header is None and not line.lstrip().startswith("{"):
            header = [cell.strip() for cell in next(csv.reader([line]))]
            if "time" not in header or not {"reaction", *species} & set(header):
                raise InputError(
                    "the first line does not name the columns time and reaction: events are "
                    "expected, as covey simulate --events writes them. Counts that are seen are "
                    "not enough, since the stand-in moves along with every robot",
                    file="-",
                    line=number,
                )
            continue
        cells = _cells(line, header)
        try:
            time = float(cells.get("time", "nan"))
        except (TypeError, ValueError):
            time = math.nan
        if not math.isfinite(time):
            say(f"-:{number}: there is no time that can be read: the line is left out")
            continue
        named = str(cells.get("reaction") or "").strip()
        if named:
            yield number, time, names.get(named.replace(" ", ""), -1), None
        else:
            yield number, time, None, _state(cells, species)


def _cells(line: str, header: list[str] | None) -> Mapping[str, Any]:
    """What a line holds, by name; nothing where it cannot be read."""
    if header is not None:
        try:
            return dict(zip(header, next(csv.reader([line]), []), strict=False))
        except csv.Error:
            return {}
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _state(cells: Mapping[str, Any], species: set[str]) -> State | None:
    """The whole state that a line tells; None where it tells none."""
    told = cells.get("state")
    told = told if isinstance(told, dict) else {n: v for n, v in cells.items() if n in species}
    try:
        return {str(name): int(value) for name, value in told.items()} or None
    except (TypeError, ValueError):
        return None


def _names(network: Network) -> dict[str, int]:
    """The number of each reaction, by all that it may be called."""
    found: dict[str, int] = {}
    for number, reaction in enumerate(network.reactions):
        for name in (reaction.arrow, reaction.name or "", str(number + 1), f"r{number + 1}"):
            if name:
                found.setdefault(name.replace(" ", ""), number)
    return found
