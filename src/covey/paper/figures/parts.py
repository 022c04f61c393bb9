"""The figures of the paper, from the data of its parts: one look for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from covey.model.scenario import Scenario
from covey.paper.case_studies.collaboration import RATE_COUNT
from covey.paper.case_studies.groups import PAPER as GROUPS_SAID
from covey.paper.case_studies.tasks import POPULATIONS, ROBOTS
from covey.paper.case_studies.trees import PAPER as TREES_SAID
from covey.paper.figures.chains import draw_chains
from covey.paper.figures.charts import draw_group_sizes, draw_pair, draw_task_marginals, draw_trees
from covey.paper.figures.maps import Map, draw_maps
from covey.paper.figures.search import draw_settings
from covey.paper.readings import NU, RATES_NU
from covey.paper.scenarios import collaboration_dag, shared_resource, task_network, three_types
from covey.paper.workspace import Part, Table
from covey.report.topology import draw_network

Tables = Mapping[str, Table]
Pair = tuple[str, str]
Draw = Callable[[Tables], Figure]

_EXACT, _SMOOTHED, _TV = "exact leakage", "leakage ℒ, ν = 1e-5", "total variation"
_RATES_SMOOTHED = "leakage ℒ, ν = 1e-3"


class Drawing(NamedTuple):
    """How a figure is drawn, and how the paper has it; None where it has no such figure."""

    draw: Draw
    printed: Draw | None


def figures_of(part: Part, *, as_printed: bool = False) -> dict[str, Figure]:
    """Every figure of one part, by the name of its file; or the paper's own panels and no more."""
    chosen = {
        name: drawing.printed if as_printed else drawing.draw
        for name, drawing in FIGURES[part.name].items()
    }
    return {name: draw(part.tables) for name, draw in chosen.items() if draw is not None}


def _maps(panels: Callable[[Tables], list[list[Map]]]) -> Drawing:
    """All readings, and the first alone."""
    return Drawing(
        lambda tables: draw_maps(panels(tables)),
        lambda tables: draw_maps([one[:1] for one in panels(tables)], marks=False),
    )


def _populations(tables: Tables) -> list[list[Map]]:
    return [
        _read(tables[name], keys, _names(keys), fixed, ((NU, _SMOOTHED), ("tv", _TV)))
        for name, keys, fixed in (("n1_n2", ("n1", "n2"), "N⁽³⁾ = 200"),
                                  ("n2_n3", ("n2", "n3"), "N⁽¹⁾ = 220"))
    ]  # fmt: skip


def _rates(tables: Tables) -> list[list[Map]]:
    rates = _taken(len(np.unique(tables["initiate"]["k1"])), RATE_COUNT[True], "rates")
    return [
        _read(tables[name], keys, _names(keys), f"{fixed}; {rates}", ((NU, _SMOOTHED), ("tv", _TV)))
        for name, keys, fixed in (("initiate", ("k1", "k3"), "κ₂ = κ₄ = 1"),
                                  ("terminate", ("k2", "k4"), "κ₁ = κ₃ = 1"))
    ]  # fmt: skip


def _tasks(tables: Tables) -> list[list[Map]]:
    robots, most = (int(tables[n][c].max()) for n, c in (("encounter", "robots"),
                                                        ("populations", "n2")))  # fmt: skip
    teams, types, more = ("n2", "n3"), ("type2", "type3"), (("leakage", _EXACT), ("tv", _TV))
    each = _taken(robots, ROBOTS, "robots of each type")
    title = f"N⁽¹⁾ = 10; {_taken(most, POPULATIONS, 'robots at most')}"
    encounter, abandon = ("κ₃, κ₁₃, κ₂₀", "κ₅, κ₁₅, κ₂₁"), ("κ₄, κ₁₂, κ₁₄", "κ₆, κ₁₆, κ₁₈")
    smoothed = (RATES_NU, _RATES_SMOOTHED)  # each with the authors' ν
    return [
        _read(tables["populations"], teams, _names(teams), title, ((NU, _SMOOTHED), *more)),
        _read(tables["encounter"], types, encounter, each, (smoothed, *more)),
        _read(tables["abandon"], types, abandon, each, (smoothed, *more)),
    ]


def _read(
    table: Table, keys: Pair, axes: Pair, title: str, readings: Iterable[Pair]
) -> list[Map]:  # fmt: skip
    return [Map(table, keys, column, axes, label, title) for column, label in readings]


def _names(keys: Pair) -> Pair:
    return _AXES[keys[0]], _AXES[keys[1]]


def _taken(taken: int, paper: int, what: str) -> str:
    """How large a grid is, and what the paper has where that is another."""
    return f"{taken} {what}" if taken == paper else f"coarser: {taken} {what}, not {paper}"


def _same(draw: Draw) -> Drawing:
    return Drawing(draw, draw)


def _topology(scenario: Scenario) -> Drawing:
    """The paper's picture of a network; it needs no data."""
    resources = tuple(scenario.team.resources)
    return _same(lambda _: draw_network(scenario.network, resources=resources))


_AXES = {f"n{i}": f"N⁽{sign}⁾" for i, sign in enumerate("¹²³", 1)}
_AXES |= {f"k{i}": f"κ{sign}" for i, sign in enumerate("₁₂₃₄", 1)}
FIGURES: dict[str, dict[str, Drawing]] = {
    "theory": {
        "theory-dag": _same(lambda _: draw_network(collaboration_dag())),
    },
    "motivating": {
        "motivating-topology": _topology(shared_resource()),
        "motivating-chains": _same(lambda tables: draw_chains(tables["chains"])),
        "motivating-laws": _same(lambda tables: draw_pair(tables["distributions"])),
    },
    "collaboration": {
        "collaboration-topology": _topology(three_types()),
        "collaboration-populations": _maps(_populations),
        "collaboration-rates": _maps(_rates),
    },
    "trees": {
        "tree-depth": Drawing(
            lambda tables: draw_trees({n: tables[f"depth{n}"] for n in (1, 2, 3)}),
            lambda tables: draw_trees({2: tables["depth2"]}),
        ),
        "tree-settings": Drawing(
            lambda tables: draw_settings({"depth of tree": tables["settings"]}, TREES_SAID), None
        ),
    },
    "groups": {
        "group-sizes": Drawing(
            lambda tables: draw_group_sizes(tables["sizes2"]),
            lambda tables: draw_group_sizes(tables["sizes2"], curve=False),
        ),
        "group-settings": Drawing(
            lambda tables: draw_settings(
                {
                    "by size: 1, 2, 4, 8": tables["settings"].where(measure="group_size"),
                    "by class of size: 1, 2, 3, 4": tables["settings"].where(measure="size_class"),
                },
                GROUPS_SAID,
            ),
            None,
        ),
    },
    "tasks": {
        "task-topology": _topology(task_network()),
        "task-marginals": _same(lambda tables: draw_task_marginals(tables["marginals"])),
        "task-maps": _maps(_tasks),
    },
    "rules": {},
}
