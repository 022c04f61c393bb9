"""The tables of a scenario's document: which there are, what they may hold, what can be set."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from covey.errors import InputError, did_you_mean, shown
from covey.model.families.sum_family import plain_sums
from covey.model.families.word_sets import check_sets
from covey.model.io.network_text import is_setting
from covey.model.network import Network
from covey.model.team import Team, check_members
from covey.model.timetable import Timetable

BUILT_IN_SETS = ("types", "resources")

# Which keys a table may hold; None where the names are the user's own.
TABLES: dict[str, tuple[str, ...] | None] = {
    "types": None,
    "resources": None,
    "rates": None,
    "sets": None,
    "network": ("kinetics", "reactions", "sbml"),
    "species": None,
    "initial": None,
    "observe": None,
    "control": None,
    "performance": None,
    "design": ("vary",),
    "adversary": ("at", "smoothing", "protect", "follow", "probe"),
    "time": ("unit", "period"),
    "release": ("every", "until", "mechanism"),
    "secret": ("protect", "against", "teams"),
    "log": (
        "types",
        "states",
        "charging",
        "driving",
        "order",
        "idle",
        "stations",
        "available",
    ),
}


def read_network(document: Mapping[str, Any]) -> Network:
    """The network of a document's tables."""
    if "network" not in document:
        raise InputError("there is no [network]: a scenario needs its reactions")
    network = document["network"]
    for name in BUILT_IN_SETS:
        check_members(name, document.get(name, {}))
    if "sbml" in network:
        raise InputError(
            "network.sbml is for scenario files: here the reactions are expected",
            key="network.sbml",
        )
    if "species" in document:
        raise InputError(
            "[species] is about the species of an SBML model, and there is no network.sbml",
            key="species",
        )
    if not isinstance(network.get("reactions"), str):
        raise InputError('[network] needs reactions = """..."""', key="network")
    for number, line in enumerate(network["reactions"].split("\n"), start=1):
        if is_setting(line):
            raise InputError(
                f"{line.strip()[:60]} is no reaction: rates go under [rates], sets under [sets], "
                "kinetics above",
                line=number,
                key="network.reactions",
            )
    return Network(
        network["reactions"],
        rates=document.get("rates", {}),
        kinetics=network.get("kinetics", "falling"),
        sets=_sets(document),
        sums=_sums(document),
        control=document.get("control", {}),
        timetable=read_timetable(document),
    )


def read_timetable(document: Mapping[str, Any]) -> Timetable:
    """The timetable of a document's tables."""
    return Timetable.read(document.get("phase", []), document.get("time", {}).get("period"))


def _sums(document: Mapping[str, Any]) -> dict[str, str]:
    """The observed sums, which rate laws may name; what is wrong is said when they are read."""
    observe = document.get("observe", {})
    named = "[" in document["network"]["reactions"] or document.get("control")
    if not named or not isinstance(observe, Mapping):
        return {}
    plain, _ = plain_sums(observe, check_sets(_sets(document)))
    return {name: sum_ for name, sum_ in plain.items() if isinstance(sum_, str)}


def _sets(document: Mapping[str, Any]) -> dict[str, Any]:
    """The sets that families may be about: types, resources, and those under [sets]."""
    given = document.get("sets", {})
    for name in BUILT_IN_SETS:
        if name in given:
            raise InputError(
                f"sets.{name} is what [{name}] has, and cannot be given: choose another name",
                key=f"sets.{name}",
            )
    # A name that is no word is refused as the type that it is, rather than as a word of a set.
    built_in = {
        name: [word for word in document.get(name, {}) if re.fullmatch(r"\w+", word)]
        for name in BUILT_IN_SETS
    }
    return built_in | dict(given)


def sets_of(network: Network, team: Team) -> dict[str, tuple[str, ...]]:
    """The sets that families and sums may be about."""
    return {**network.sets, "types": tuple(team.types), "resources": tuple(team.resources)}


def changes_cases(tables: Mapping[str, Any], network: Network) -> bool:
    """Whether families stand for other reactions once these tables have changed."""
    if "sets" in tables:
        return True
    names = {name: tuple(tables[name]) for name in BUILT_IN_SETS if name in tables}
    used = network.sets_used if names else {}
    return any(used.get(name, words) != words for name, words in names.items())


def check_tables(document: Mapping[str, Any]) -> None:
    """Raises `InputError` where a document has a table or key that no scenario has."""
    for name, value in document.items():
        if name == "title":
            if not isinstance(value, str):
                raise InputError(f"title is {shown(value)}: a text is expected", key="title")
            continue
        if name == "phase":
            continue  # tables [[phase]], which `Timetable` reads
        if name not in TABLES:
            hint = (
                did_you_mean(name, [*TABLES, "title", "phase"]) or f" Known: {', '.join(TABLES)}."
            )
            raise InputError(f"[{name[:40]}] is not known in a scenario.{hint}", key=name)
        if not isinstance(value, Mapping):
            raise InputError(f"{name} is {shown(value)}: a table [{name}] is expected", key=name)
        for key in value:
            known = TABLES[name]
            if known is not None and key not in known:
                hint = did_you_mean(key, known) or f" Known: {', '.join(known)}."
                raise InputError(f"[{name}] has no {key[:40]}.{hint}", key=f"{name}.{key}")


def check_settable(name: str, rates: Mapping[str, float]) -> None:
    """Refuses names by which nothing can be changed."""
    table, dot, key = name.partition(".")
    if not dot or not key or table not in TABLES:
        hint = "" if table in TABLES else did_you_mean(table, TABLES)
        raise InputError(
            f"{name[:60]} cannot be set: write a table and a key, such as types.A or "
            f"adversary.at.{hint}",
            key=name,
        )
    if table == "rates" and key not in rates:
        hint = did_you_mean(key, rates) or f" Known: {', '.join(rates) or 'none'}."
        raise InputError(f"there is no rate {key} to set.{hint}", key=name)
