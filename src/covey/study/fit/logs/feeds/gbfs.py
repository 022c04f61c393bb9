"""GBFS: how many vehicles of each type are available, from snapshots of a feed.

The General Bikeshare Feed Specification [1, 2] publishes a file again and again, so a log is a
folder of them, or one file of many (a JSON list, or an object a line). Read are

    station_status          data.stations[]: vehicle_types_available[] with vehicle_type_id and
                            count (since 2.1; a type that is left out has none there), or, where no
                            types are named, num_vehicles_available (3.x), num_bikes_available (2.x)
    vehicle_status (3.x),   data.vehicles[] or data.bikes[]: those that are neither is_reserved nor
    free_bike_status (2.x)  is_disabled. Their names change after every trip (since 2.0), so they
                            are counted, not followed

at `last_updated`: seconds since 1970 in 2.x, a date in RFC 3339 in 3.x. A snapshot that has the
time of another is the same one, polled again. Vehicles that are away are not counted anywhere:
where the network conserves robots, they are those of the team that are not there.

[1] https://github.com/MobilityData/gbfs/blob/v2.3/gbfs.md
[2] https://github.com/MobilityData/gbfs/blob/v3.0/gbfs.md
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from covey.dynamics.validation import Progress
from covey.errors import CoveyError, InputError, shown
from covey.files.bounded_file import read_text
from covey.files.json_reader import read_json
from covey.files.line_file import is_object, numbered_lines, read_object
from covey.model.io.clock import Clock
from covey.model.scenario import Scenario
from covey.model.species import Species
from covey.numbers import is_whole
from covey.study.fit.logs.table import BadLines, Cells, Table, read_progress

_MAX_BYTES = 200_000_000  # of one snapshot, or a list of them
_TOTALS = ("num_vehicles_available", "num_bikes_available")


@dataclass(frozen=True)
class _Snapshot:
    """What one file of a feed says."""

    time: str
    line: int
    counts: Counter[str]  # by vehicle type, of the stations that are asked for
    total: int  # of all types
    stations: bool  # whether it counts at stations


_Reader = Callable[[_Snapshot], Cells]


def gbfs_table(
    path: str, scenario: Scenario, bad: BadLines, progress: Progress | None = None
) -> Table:
    """Snapshots as rows of counts: a column for every type's species that is seen.

    Args:
        path: A folder, or a file.
        scenario: Its [log] says which vehicle types and stations are meant.
        bad: What happens to snapshots that cannot be read.
        progress: Called as progress(done, total, text) while files are read.
    """
    notes: list[str] = []
    wanted = set(scenario.log.stations)
    found: list[_Snapshot] = []
    skipped = Counter[str]()
    for line, name, document in _documents(path, bad, progress):
        try:
            snapshot = _snapshot(document, wanted, line)
        except CoveyError as error:
            bad.take(error.at(file=name, line=line or None))
            continue
        if snapshot is None:
            skipped[Path(name).name if line == 0 else f"line {line:,}"] += 1
        else:
            found.append(snapshot)
    if not found:
        raise InputError(
            "no snapshot of station_status, vehicle_status or free_bike_status is there", file=path
        )
    if any(s.stations for s in found) and not all(s.stations for s in found):
        notes.append("Vehicles are counted at stations; files of single vehicles are left out.")
        found = [s for s in found if s.stations]
    found = _in_order(found, path, notes)
    if skipped:
        notes.append(f"Not read, being of another kind: {', '.join(list(skipped)[:5])}.")
    type_of = _types_of(found, scenario, notes)
    columns, cells = (
        _by_type(scenario, type_of) if type_of else _without_types(scenario, path, notes)
    )
    return Table(tuple(columns), ((s.line, cells(s)) for s in found), path, notes, bad)


def _by_type(scenario: Scenario, type_of: Mapping[str, str]) -> tuple[list[str], _Reader]:
    seen = [type_ for type_ in scenario.team.types if type_ in set(type_of.values())]

    def cells(snapshot: _Snapshot) -> Cells:
        of = Counter[str]()
        for vehicle, count in snapshot.counts.items():
            if vehicle in type_of:
                of[type_of[vehicle]] += count
        return [snapshot.time, *(str(of[type_]) for type_ in seen)]

    return ["time", *(str(_place(scenario, type_)) for type_ in seen)], cells


def _documents(
    path: str, bad: BadLines, progress: Progress | None
) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """Every object, with the file and (in a file of many) the line it stands in."""
    if Path(path).is_dir():
        files = sorted(file for file in Path(path).rglob("*.json") if file.is_file())
        if not files:
            raise InputError("the folder has no file *.json: snapshots are expected", file=path)
        for number, file in enumerate(files):
            if progress is not None:
                progress(number, len(files), "reading snapshots")
            try:
                yield 0, str(file), _object(file)
            except InputError as error:
                bad.take(error)
        return
    lines = numbered_lines(path, "a GBFS feed", notify=read_progress(path, progress))
    first = next(((n, t) for n, t in lines if isinstance(t, InputError) or t.strip()), None)
    if first is not None and isinstance(first[1], str) and is_object(first[1]):
        try:
            read_object(first[1])
        except InputError:
            pass  # one object over many lines
        else:
            yield from _objects(path, itertools.chain([first], lines), bad)
            return
    found = _json(Path(path))
    for number, document in enumerate(found if isinstance(found, list) else [found], start=1):
        yield (number if isinstance(found, list) else 0), path, document


def _objects(
    path: str, lines: Iterable[tuple[int, str | InputError]], bad: BadLines
) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """Of a file with an object a line."""
    for number, text in lines:
        try:
            if isinstance(text, InputError):
                raise text
            if text.strip():
                yield number, path, read_object(text)
        except InputError as error:
            bad.take(error.at(file=path, line=number))


def _json(file: Path) -> Any:
    text = read_text(file, "a GBFS feed", _MAX_BYTES)
    try:
        return read_json(text)
    except InputError as error:
        raise error.at(file=str(file)) from None


def _object(file: Path) -> Mapping[str, Any]:
    found = _json(file)
    if not isinstance(found, dict):
        raise InputError("an object with last_updated and data is expected", file=str(file))
    return found


def _snapshot(document: object, wanted: set[str], line: int) -> _Snapshot | None:
    if not isinstance(document, dict) or not isinstance(document.get("data"), dict):
        raise InputError("an object with last_updated and data is expected")
    data = document["data"]
    stations = data.get("stations")
    vehicles = data.get("vehicles", data.get("bikes"))
    if isinstance(stations, list) and any(_is_status(s) for s in stations):
        counts, total = _at_stations(stations, wanted)
    elif isinstance(vehicles, list):
        counts, total = _by_vehicle(vehicles, wanted)
    else:
        return None  # of the system, its stations, its prices
    time = document.get("last_updated")
    if isinstance(time, bool) or not isinstance(time, int | float | str):
        raise InputError(f"last_updated is {shown(time)}: a time is expected")
    return _Snapshot(str(time), line, counts, total, stations is not None)


def _is_status(station: object) -> bool:
    return isinstance(station, dict) and any(
        name in station for name in ("vehicle_types_available", *_TOTALS)
    )


def _at_stations(stations: list[Any], wanted: set[str]) -> tuple[Counter[str], int]:
    counts, total, heard = Counter[str](), 0, set()
    for station in stations:
        if not isinstance(station, dict):
            raise InputError(f"a station is {shown(station)}: an object is expected")
        name = str(station.get("station_id"))
        if wanted and name not in wanted:
            continue
        heard.add(name)
        here = Counter[str]()
        kinds = station.get("vehicle_types_available") or []
        for one in kinds if isinstance(kinds, list) else [kinds]:
            if not isinstance(one, dict):
                raise InputError(f"vehicle_types_available has {shown(one)}: an object is expected")
            here[str(one.get("vehicle_type_id"))] += _count(one.get("count"), "count")
        counts += here
        there = next((station[key] for key in _TOTALS if key in station), None)
        total += here.total() if there is None else _count(there, _TOTALS[0])
    if missing := wanted - heard:
        raise InputError(
            f"there is no station {sorted(missing)[0]} in this snapshot, which [log] stations names"
        )
    return counts, total


def _by_vehicle(vehicles: list[Any], wanted: set[str]) -> tuple[Counter[str], int]:
    free = [
        one
        for one in vehicles
        if isinstance(one, dict)
        and not one.get("is_reserved")
        and not one.get("is_disabled")
        and (not wanted or str(one.get("station_id")) in wanted)
    ]
    named = Counter(str(one["vehicle_type_id"]) for one in free if "vehicle_type_id" in one)
    return named, len(free)


def _count(value: object, what: str) -> int:
    if not is_whole(value) or value < 0:
        raise InputError(f"{what} is {shown(value)}: a whole number is expected")
    return value


def _in_order(found: list[_Snapshot], path: str, notes: list[str]) -> list[_Snapshot]:
    clock = Clock()
    ordered: dict[float, _Snapshot] = {}
    for snapshot in found:
        try:
            ordered.setdefault(clock.read(snapshot.time), snapshot)
        except CoveyError as error:
            raise error.at(file=path, line=snapshot.line or None) from None
    if again := len(found) - len(ordered):
        notes.append(f"{again:,} snapshots have the time of another, and count once.")
    return [ordered[time] for time in sorted(ordered)]


def _types_of(found: list[_Snapshot], scenario: Scenario, notes: list[str]) -> dict[str, str]:
    """Which type of the team each vehicle type is; none where no types are named."""
    patterns, types = scenario.log.types, scenario.team.types
    named = {vehicle for snapshot in found for vehicle in snapshot.counts}
    type_of: dict[str, str] = {}
    for vehicle in sorted(named):
        for type_ in types:
            if any(fnmatchcase(vehicle, pattern) for pattern in patterns.get(type_, (type_,))):
                type_of[vehicle] = type_
                break
    if named and not type_of:
        raise InputError(
            f"the feed's vehicle types are {', '.join(sorted(named)[:8])}: none is a type of the "
            f"team ({', '.join(types)}); [log] types says which is which"
        )
    if other := sorted(named - type_of.keys()):
        notes.append(f"Vehicle types that are of no type here are left out: {', '.join(other)}.")
    return type_of


def _place(scenario: Scenario, type_: str) -> Species:
    species = Species(scenario.log.available or "", (type_,))
    if species not in scenario.network.index:
        raise InputError(
            f"a {type_} that is available would be {species}, which is in no reaction: "
            "[log] available says what such a vehicle does",
            key="log.available",
        )
    return species


def _without_types(scenario: Scenario, path: str, notes: list[str]) -> tuple[list[str], _Reader]:
    """Of a feed that names no types: all vehicles that are available, as one sum."""
    there = {_place(scenario, type_) for type_ in scenario.team.types}
    for name, group in scenario.query.sums.items():
        if set(group.species) == there and not group.is_weighted and group.threshold is None:
            notes.append(f"The feed names no vehicle types: {name} is all that is seen of them.")
            return ["time", name], lambda snapshot: [snapshot.time, str(snapshot.total)]
    raise InputError(
        "the feed names no vehicle types, so that only all available vehicles are counted: "
        f"[observe] has no sum {' + '.join(sorted(map(str, there)))} for it",
        file=path,
    )
