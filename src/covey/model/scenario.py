"""Scenario: a network, a team, what can be seen of it, and who looks when.

A scenario is also a document: nested tables, exactly as a scenario file has them. `to_document`
and `from_document` go back and forth, so that any value can be changed by its dotted name.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from covey.errors import CoveyWarning, DirectBreachWarning, InputError
from covey.model.frozen import FrozenMap
from covey.model.hypothesis import OtherValues
from covey.model.io.clock import check_unit
from covey.model.io.document import check_tables, read_network, sets_of
from covey.model.io.log_table import LogTable
from covey.model.io.scenario_tables import (
    changed_network,
    changed_query,
    changed_tables,
    changed_team,
    document_of,
)
from covey.model.membership import check_members, check_types, read_places
from covey.model.network import Network
from covey.model.observation.adversary import Adversary, Moment
from covey.model.observation.probe import check_probes
from covey.model.observation.query import Query
from covey.model.observation.release import Release
from covey.model.performance import Measure, read_measures
from covey.model.reaction import print_reactions
from covey.model.secret import Secret, TeamSet
from covey.model.species import Species
from covey.model.team import Team
from covey.model.varied import Span, check_vary, numbers_of, read_vary
from covey.showing import Showing

_PARTS: dict[str, Callable[..., Any]] = {
    "adversary": Adversary,
    "release": Release,
    "secret": Secret,
    "log": LogTable,
}


@dataclass(frozen=True, init=False)
class Scenario(Showing):
    """All that a question about privacy needs: `Scenario(network, team, query)`.

    Args:
        network: The reactions, and how fast they are.
        team: How many robots of each type there are; by default none.
        query: What can be seen; by default everything.
        adversary: Who looks, and when; by default once the team has settled.
        initial: Where robots start: for a type or resource a species (the default for type A is
            `{A}`), for a plain species a number (the default is 0).
        release: What is published of what can be seen, and how often; by default the truth, and
            how often is not said.
        performance: What the team is for: named measures, such as `{"picks": "rate(pick')"}`.
        vary: What is the user's to choose, and within which range: `{"rates.meet": (0.1, 2)}`, as
            `design` takes it; by default it is not said.
        unit: What its times are counted in, and its rates are per: "second", "minute", "hour" or
            "day"; by default it is not said.
        secret: What must not be learnt; by default the type of any one robot.
        log: What the team's own logs and feeds call robots and states, for `fit` and live feeds.
        title: What the scenario is called in reports and pictures.

    `always` is the start of every team in what is `watched` of a stand-in; else None.
    """

    network: Network
    team: Team
    query: Query
    adversary: Adversary
    initial: FrozenMap[str, Species | int]
    release: Release
    performance: FrozenMap[str, Measure]
    vary: FrozenMap[str, Span]
    unit: str | None
    secret: Secret
    log: LogTable
    title: str
    always: tuple[int, ...] | None = field(init=False)  # `replace` leaves it out

    def __init__(
        self,
        network: Network,
        team: Team | None = None,
        query: Query | None = None,
        adversary: Adversary | None = None,
        *,
        initial: Mapping[str, str | Species | int] | None = None,
        release: Release | None = None,
        performance: Mapping[str, str] | None = None,
        vary: Mapping[str, Span] | None = None,
        unit: str | None = None,
        secret: Secret | None = None,
        log: LogTable | None = None,
        title: str = "",
    ) -> None:
        self._fill({
            "network": network,
            "team": team or Team({}),
            "query": query or Query(),
            "adversary": adversary or Adversary(),
            "initial": initial or {},
            "release": release or Release(),
            "performance": performance or {},
            "vary": read_vary(vary or {}),
            "unit": unit,
            "secret": secret or Secret(),
            "log": log or LogTable(),
            "title": title,
            "always": None,
        })  # fmt: skip
        check_vary(self.vary, self.numbers)
        self._check_secret()
        for caution in self.cautions:
            warnings.warn(caution, stacklevel=2)

    def _fill(self, parts: Mapping[str, Any]) -> None:
        """Sets and checks all parts."""
        for name, value in parts.items():
            object.__setattr__(self, name, value)
        check_unit(self.unit, "time.unit")
        check_members(self.network, self.team)
        initial = read_places(self.network, self.team, self.initial)
        object.__setattr__(self, "initial", initial)
        self.query.check(self.network)
        object.__setattr__(self, "query", self.query.with_stages(self.network))
        measures = read_measures(self.performance, self.network, self.query)
        object.__setattr__(self, "performance", measures)
        check_types("adversary.protect", self.protected, self.team)
        check_types("log.types", self.log.types, self.team)
        check_probes(self.adversary.probe, self.network, self.team, initial)
        if self.secret.teams is not None:
            self.secret.teams.check(self.team)
        if self.release.mechanism is not None:
            self.release.mechanism.check_counts(tuple(self.query.groups(self.network)))
        if self.release.stand_in is not None:
            self.release.stand_in.check(self.network, self.query)

    def _check_secret(self) -> None:
        """Refuses other values that this scenario cannot have."""
        for place, other in enumerate(self.secret.against):
            try:
                self.with_(other.values, warn=False)
            except InputError as error:
                key = f"secret.against.{place}.set.{error.key}"
                raise InputError(f"{other}: {error.message}", key=key) from None

    @cached_property
    def start(self) -> NDArray[np.int64]:
        """The state in which this team starts: (species,)."""
        start = self.start_of(self.team)
        start.setflags(write=False)
        return start

    def start_of(self, team: Team) -> NDArray[np.int64]:
        """x₀(D): the state in which another team of the same types would start.

        Args:
            team: Its types and resources are those of this scenario's team.
        """
        if self.always is not None:
            return np.array(self.always, dtype=np.int64)
        state = np.zeros(len(self.network.species), dtype=np.int64)
        for name, place in self.initial.items():
            if isinstance(place, int):
                state[self.network.index[Species(name)]] = place
            else:
                state[self.network.index[place]] += team.members[name]
        return state

    @property
    def protected(self) -> tuple[str, ...]:
        """The types that adjacency moves robots between."""
        return self.adversary.protect or tuple(self.team.types)

    @cached_property
    def cautions(self) -> list[CoveyWarning]:
        """What is allowed but worth a second look."""
        used = self.network.rate_names
        found: list[CoveyWarning] = [
            CoveyWarning(f"the rate {name} is in [rates], but no reaction uses it")
            for name in self.network.rates
            if name not in used
        ]
        found += [
            CoveyWarning(
                f"the family{f' of line {line}' if line else ''} has {arrow} {n} times, which adds "
                "up its rate: write i < j in types where the order does not matter"
            )
            for line, arrow, n in self.network.listed_twice()
        ]
        for name, type_ in self.query.breaches(self.network, self.protected):
            found.append(
                DirectBreachWarning(
                    f"{name} counts lone robots of type {type_} by themselves: whoever sees it "
                    "knows their type (a direct breach)"
                )
            )
        table, moments = self.release.mechanism, [self.adversary.at]
        if table and (other := table.unlike(self.fingerprint([self.team], moments))):
            found.append(
                CoveyWarning(
                    f"the mechanism was made for another scenario ({', '.join(other)}): what it "
                    "promises does not hold here; covey protect makes one for this one"
                )
            )
        return found

    @cached_property
    def numbers(self) -> dict[str, float]:
        """Its rates, counts and numbers of [control], by their dotted names."""
        return numbers_of(self.network, self.team, self.initial)

    def fingerprint(self, teams: Sequence[Team], moments: Sequence[Moment]) -> dict[str, Any]:
        """What a table is made for, as plain values that a file can hold.

        Args:
            teams: The teams that it is made for.
            moments: When it is looked at: times, or "steady".
        """
        unnamed = [replace(reaction, name="") for reaction in self.network.reactions]
        reactions = "\n".join([self.network.kinetics, *print_reactions(unnamed)])
        return {
            "network": hashlib.sha256(reactions.encode()).hexdigest()[:16],
            "rates": dict(self.network.rates),
            "teams": [dict(team.types) for team in teams],
            "resources": dict(self.team.resources),
            "initial": {name: str(place) for name, place in self.initial.items()},
            "observe": self.query.texts(),
            "protect": list(self.protected),
            "at": list(moments),
            **({"unit": self.unit} if self.unit else {}),
            **({"timetable": str(self.network.timetable)} if self.network.timetable else {}),
        }

    def unpublished(self, query: Query | None = None) -> Scenario:
        """This scenario with the truth published instead of what a mechanism makes of it.

        Args:
            query: What is then seen; by default the same.
        """
        query = query or self.query
        release = Release(self.release.every, self.release.until)
        return self.with_parts(
            query=query, release=release, performance=self._measures_under(query)
        )

    @property
    def watched(self) -> Scenario:
        """What an observer watches: with a stand-in, the reference, whatever the team is.

        In it every team starts where the reference starts, and moves at the reference's rates.
        """
        shown = self.release.stand_in
        if shown is None:
            return self
        release = Release(self.release.every, self.release.until)
        return self.with_parts(network=shown.network, release=release, always=shown.start)

    def with_parts(self, **changed: Any) -> Scenario:
        """This scenario with other parts, in place of those of the same names.

        Args:
            **changed: The parts, by the names of its attributes; nothing is warned of.
        """
        made = object.__new__(Scenario)
        made._fill({part.name: getattr(self, part.name) for part in fields(self)} | changed)
        return made

    def with_(
        self,
        changes: Mapping[str, Any] | None = None,
        *,
        network: Network | None = None,
        team: Team | None = None,
        query: Query | None = None,
        warn: bool = True,
        **more: Any,
    ) -> Scenario:
        """This scenario with other values: `with_({"types.A": 5})`. Only what changes is made anew.

        Args:
            changes: Values by their dotted names, as in a scenario file.
            network: Another network.
            team: Another team.
            query: Another query.
            warn: Whether to warn of what is worth a second look, and was not so before.
            **more: Values whose names have no dot: `title`.
        """
        tables = changed_tables(self, {**(changes or {}), **more})
        check_tables(tables)
        network = changed_network(self, tables, network or self.network)
        team = team or changed_team(self.team, tables)
        query = query or changed_query(self.query, tables, sets_of(network, team))
        parts = {name: tables[name] for name in {"initial", "title"} & tables.keys()}
        parts |= {name: one(**tables[name]) for name, one in _PARTS.items() if name in tables}
        if "design" in tables:
            parts["vary"] = read_vary(tables["design"].get("vary", {}))
        if "time" in tables:
            parts["unit"] = tables["time"].get("unit")
        parts["performance"] = tables.get("performance") or self._measures_under(query)
        changed = self.with_parts(network=network, team=team, query=query, **parts)
        if "design" in tables:
            check_vary(changed.vary, changed.numbers)
        if "secret" in tables:
            changed._check_secret()
        if warn:
            said = set(map(str, self.cautions))  # when this scenario was made
            for caution in changed.cautions:
                if str(caution) not in said:
                    warnings.warn(caution, stacklevel=2)
        return changed

    def keeping(
        self,
        against: Sequence[Mapping[str, Any] | OtherValues] | None = None,
        teams: TeamSet | Mapping[str, object] | str | None = None,
    ) -> Scenario:
        """This scenario with another secret; what is not given stays.

        Args:
            against: Other values that it could have, instead of all that it is compared with now.
            teams: The public set of teams for which everything said has to hold.
        """
        changes: dict[str, object] = {}
        if against is not None:
            changes |= {"secret.protect": [], "secret.against": list(against)}
        if teams is not None:
            changes["secret.teams"] = teams
        found = self.with_(changes, warn=False) if changes else self
        if teams is not None and found.secret.teams is not None:
            found.secret.teams.check_has(found.team)
        return found

    def _measures_under(self, query: Query) -> dict[str, Measure]:
        return {name: one.under(self.query, query) for name, one in self.performance.items()}

    def with_fleet(self, path: str | Path) -> Scenario:
        """This scenario with the robots that a fleet file lists (CSV: `robot,type`).

        Args:
            path: A CSV file with a header `robot,type` and a robot a line.
        """
        team = Team.from_fleet(path, self.team.types)
        return self.with_({f"types.{name}": count for name, count in team.types.items()})

    def to_document(self) -> dict[str, Any]:
        """The tables of the scenario file that means the same."""
        return document_of(self)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Scenario:
        """The scenario that the tables of a file mean. Errors carry the dotted name as `key`.

        Args:
            document: Nested tables, as `to_document` gives them and `tomllib` reads them.
        """
        check_tables(document)
        network = read_network(document)
        if "observe" in document and not document["observe"]:
            raise InputError("[observe] is empty: leave it out to see everything", key="observe")
        team = Team(document.get("types", {}), document.get("resources", {}))
        return cls(
            network,
            team,
            Query.of_table(document.get("observe", {}), sets_of(network, team)),
            Adversary(**document.get("adversary", {})),
            initial=document.get("initial", {}),
            release=Release(**document.get("release", {})),
            performance=document.get("performance", {}),
            vary=document.get("design", {}).get("vary", {}),
            unit=document.get("time", {}).get("unit"),
            secret=Secret(**document.get("secret", {})),
            log=LogTable(**document.get("log", {})),
            title=document.get("title", ""),
        )
