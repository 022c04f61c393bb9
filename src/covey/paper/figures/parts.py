"""The figures of the paper, from the data of its parts: one look for all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from matplotlib.figure import Figure

from covey.paper.desk import Part, Table
from covey.paper.figures.chains import draw_chains
from covey.paper.figures.charts import draw_group_sizes, draw_laws, draw_task_marginals, draw_trees
from covey.paper.figures.maps import Map, draw_maps
from covey.paper.readings import NU, RATES_NU

Tables = Mapping[str, Table]

_EXACT, _SMOOTHED, _TV = "exact leakage", "leakage, ν = 1e-5", "total variation"


def figures_of(part: Part) -> dict[str, Figure]:
    """Every figure of one part, by the name of its file."""
    return {name: draw(part.tables) for name, draw in _FIGURES[part.name].items()}


def _populations(tables: Tables) -> Figure:
    first, second = tables["n1_n2"], tables["n2_n3"]
    return draw_maps(
        [
            Map(first, ("n1", "n2"), NU, ("N1", "N2"), _SMOOTHED, "N3 = 200"),
            Map(first, ("n1", "n2"), "tv", ("N1", "N2"), _TV, "N3 = 200, exact"),
            Map(second, ("n2", "n3"), NU, ("N2", "N3"), _SMOOTHED, "N1 = 220"),
            Map(second, ("n2", "n3"), "tv", ("N2", "N3"), _TV, "N1 = 220, exact"),
        ],
        columns=2,
    )


def _rates(tables: Tables) -> Figure:
    maps = []
    for name, up, right, fixed in (
        ("initiate", "k1", "k3", "κ2 = κ4 = 1"),
        ("terminate", "k2", "k4", "κ1 = κ3 = 1"),
    ):
        axes = (f"κ{up[1]}", f"κ{right[1]}")
        maps.append(Map(tables[name], (up, right), NU, axes, _SMOOTHED, fixed))
        maps.append(Map(tables[name], (up, right), "tv", axes, _TV, f"{fixed}, exact"))
    return draw_maps(maps, columns=2)


def _task_maps(tables: Tables) -> Figure:
    maps = []
    robots = int(tables["encounter"]["robots"][0])
    teams, rates = ("robots of type 2", "robots of type 3"), ("rate of type 2", "rate of type 3")
    over_teams, over_rates = (NU, _SMOOTHED), (RATES_NU, "leakage, ν = 1e-3")  # as the authors
    for name, keys, axes, title, smoothed in (
        ("populations", ("n2", "n3"), teams, "teams (10, N2, N3)", over_teams),
        ("encounter", ("type2", "type3"), rates, f"encounter rates, {robots} each", over_rates),
        ("abandon", ("type2", "type3"), rates, f"abandon rates, {robots} each", over_rates),
    ):
        for column, label in (("leakage", _EXACT), smoothed, ("tv", _TV)):
            maps.append(Map(tables[name], keys, column, axes, label, title))
    return draw_maps(maps, columns=3)


_FIGURES: dict[str, dict[str, Callable[[Tables], Figure]]] = {
    "theory": {},
    "motivating": {
        "motivating-chains": lambda tables: draw_chains(tables["chains"]),
        "motivating-laws": lambda tables: draw_laws(tables["laws"]),
    },
    "collaboration": {
        "collaboration-populations": _populations,
        "collaboration-rates": _rates,
    },
    "trees": {"tree-depth": lambda tables: draw_trees({n: tables[f"depth{n}"] for n in (1, 2)})},
    "groups": {"group-sizes": lambda tables: draw_group_sizes(tables["sizes"])},
    "tasks": {
        "task-marginals": lambda tables: draw_task_marginals(tables["marginals"]),
        "task-maps": _task_maps,
    },
}
