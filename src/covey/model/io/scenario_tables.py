"""A scenario as the tables of its file, and what becomes of its parts when values in them change.

`Scenario.to_document` and `Scenario.with_` are made of these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from covey.model.io.document import (
    BUILT_IN_SETS,
    TABLES,
    changes_cases,
    check_settable,
    read_network,
    sets_of,
)
from covey.model.io.log_table import LogTable
from covey.model.network import Network
from covey.model.observation.adversary import Adversary
from covey.model.observation.query import Query
from covey.model.observation.release import Release
from covey.model.performance import Measure
from covey.model.rate_laws.control_table import with_part
from covey.model.secret import Secret
from covey.model.species import Species
from covey.model.team import Team
from covey.model.timetable import Timetable
from covey.model.varied import Span, table_of


class Parts(Protocol):
    """What a scenario is made of, as `Scenario` has it: a table of the file for each."""

    @property
    def network(self) -> Network: ...  # noqa: D102
    @property
    def team(self) -> Team: ...  # noqa: D102
    @property
    def query(self) -> Query: ...  # noqa: D102
    @property
    def adversary(self) -> Adversary: ...  # noqa: D102
    @property
    def initial(self) -> Mapping[str, Species | int]: ...  # noqa: D102
    @property
    def release(self) -> Release: ...  # noqa: D102
    @property
    def performance(self) -> Mapping[str, Measure]: ...  # noqa: D102
    @property
    def vary(self) -> Mapping[str, Span]: ...  # noqa: D102
    @property
    def unit(self) -> str | None: ...  # noqa: D102
    @property
    def secret(self) -> Secret: ...  # noqa: D102
    @property
    def log(self) -> LogTable: ...  # noqa: D102
    @property
    def title(self) -> str: ...  # noqa: D102


def document_of(scenario: Parts) -> dict[str, Any]:
    """All tables of the file that means the same, in the order of a file."""
    document: dict[str, Any] = {"title": scenario.title} if scenario.title else {}
    tables: dict[str, Any] = {name: _table(scenario, name) for name in TABLES}
    tables["network"]["reactions"] = "\n".join(_written_network(scenario).lines)
    if scenario.network.timetable:
        tables["phase"] = scenario.network.timetable.table()
    return document | {name: table for name, table in tables.items() if table}


def changed_tables(scenario: Parts, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The tables in which something changes, with the changes made.

    Args:
        scenario: As it is now.
        changes: Values by their dotted names.
    """
    tables: dict[str, Any] = {}
    for name, value in changes.items():
        table, _, key = name.partition(".")
        if name == "title":
            tables["title"] = value if isinstance(value, str) else str(value)
            continue
        check_settable(name, scenario.network.rates)
        if table == "control":
            rules = tables.setdefault(table, dict(scenario.network.control))
            own, dot, _ = key.partition(".")
            rules[own] = with_part(rules.get(own), key, value) if dot else value
            continue
        tables.setdefault(table, _table(scenario, table))[key] = value
    return tables


def changed_network(scenario: Parts, tables: Mapping[str, Any], network: Network) -> Network:
    """The network under changed tables; only what they change is made anew.

    Args:
        scenario: As it is now.
        tables: Those in which something changes.
        network: The network that they change.
    """
    anew = "species" in tables or tables.get("network", {}).keys() & {"reactions", "sbml"}
    if anew or changes_cases(tables, network):
        kept = ("network", "rates", "control", "sets", "observe", *BUILT_IN_SETS)
        document: dict[str, Any] = {name: _table(scenario, name) for name in (*kept, "time")}
        document |= {"phase": network.timetable.table()} | dict(tables)
        if not anew:
            document["network"] |= {"reactions": "\n".join(network.lines)}
        return read_network(document)
    if "network" in tables:
        network = network.with_kinetics(tables["network"]["kinetics"])
    if "control" in tables:
        network = network.with_control(tables["control"], scenario.query.texts())
    if "period" in tables.get("time", {}):
        phases = network.timetable.table()
        network = network.with_timetable(Timetable.read(phases, tables["time"]["period"]))
    return network.with_rates(tables["rates"]) if "rates" in tables else network


def changed_team(team: Team, tables: Mapping[str, Any]) -> Team:
    """The team under changed tables."""
    if not tables.keys() & {"types", "resources"}:
        return team
    return Team(tables.get("types", team.types), tables.get("resources", team.resources))


def changed_query(
    query: Query, tables: Mapping[str, Any], sets: Mapping[str, tuple[str, ...]]
) -> Query:
    """What is seen under changed tables.

    Args:
        query: What is seen now.
        tables: Those in which something changes.
        sets: The words that families of sums are about then.
    """
    if "observe" in tables:
        return Query.of_table(tables["observe"], sets)
    return query.over(sets) if tables.keys() & {"sets", *BUILT_IN_SETS} else query


def _written_network(scenario: Parts) -> Network:
    """The network, without its families where they are not about this team's own types."""
    network, team = scenario.network, scenario.team
    own = {"types": team.types, "resources": team.resources}
    return network.expanded() if changes_cases(own, network) else network


def _table(scenario: Parts, name: str) -> dict[str, Any]:
    """One table, as it is now; of the network all but the reactions."""
    write = _WRITTEN.get(name)
    return {} if write is None else dict(write(scenario))


def _sets(scenario: Parts) -> dict[str, list[str]]:
    sets = _written_network(scenario).sets.items()
    return {of: list(words) for of, words in sets if of not in BUILT_IN_SETS}


def _initial(scenario: Parts) -> dict[str, int | str]:
    places = scenario.initial.items()
    return {who: at if isinstance(at, int) else str(at) for who, at in places}


def _time(scenario: Parts) -> dict[str, object]:
    said = {"unit": scenario.unit, "period": scenario.network.timetable.period}
    return {key: value for key, value in said.items() if value is not None}


_WRITTEN: dict[str, Callable[[Parts], Mapping[str, Any]]] = {
    "types": lambda s: s.team.types,
    "resources": lambda s: s.team.resources,
    "rates": lambda s: s.network.rates,
    "sets": _sets,
    "network": lambda s: {"kinetics": s.network.kinetics},
    "initial": _initial,
    "observe": lambda s: s.query.table(sets_of(_written_network(s), s.team)),
    "control": lambda s: {of: rule.table() for of, rule in _written_network(s).control.items()},
    "performance": lambda s: {of: measure.text for of, measure in s.performance.items()},
    "design": lambda s: {"vary": table_of(s.vary)} if s.vary else {},
    "adversary": lambda s: s.adversary.table(),
    "time": _time,
    "release": lambda s: s.release.table(),
    "secret": lambda s: s.secret.table(),
    "log": lambda s: s.log.table(),
}
