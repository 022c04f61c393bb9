"""What the maps of the second case study say to the paper's claims."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from covey.paper.authors import TASK_RATES, TASK_TEAMS
from covey.paper.claims import TOLERANCE, Claim, above, judge, mostly
from covey.paper.readings import NU, RATES_NU, SMOOTHINGS, smoothed_by
from covey.paper.workspace import Table

_PART = "tasks"
_SECTION = "Sec. General Mechanisms, Evaluation"
_OPEN = "the paper says neither ν nor τ of the maps: the authors' τ = 10 and ν = 1e-5 are taken"
_OPEN_RATES = _OPEN.replace("1e-5", "1e-3")
_ROUNDING = 1e-9  # two readings that should be the same differ by no more
_OFTEN = f"at least {1 - TOLERANCE:.0%}"
_MISSING = {
    "encounter": "the lists of the text leave out κ7, κ11, κ17: a type has one encounter rate here",
    "abandon": "the lists of the text are complete for these rates",
}


def claims(tables: Mapping[str, Table], robots: int) -> tuple[Claim, ...]:
    """One for each statement of the section; `robots` of each type are in the maps over rates."""
    teams = tables["populations"]
    return (
        _marginals(tables["marginals"]),
        _diagonal(teams),
        _minimum(teams),
        _more_robots(teams, tables["balanced"]),
        _rates(tables, "encounter", robots, "b"),
        _rates(tables, "abandon", robots, "c"),
        _impact(tables, robots),
    )


def _marginals(table: Table) -> Claim:
    means = {}
    for name in dict.fromkeys(table["name"].tolist()):
        one = table.where(name=name)
        means[name] = float(one["count"] @ one["probability"])
    seen = ", ".join(
        f"{means[n]:.3f} {n.replace('_', ' ')}" for n in ("exploring", "waiting", "in_twos")
    )
    robots = round(means["e{1}"] + means["w{1}"] + means["w{1,2}"] + means["w{1,3}"])
    return judge(
        _PART, "Sec. General Mechanisms, Fig. distributions",
        "the marginals of all nine counts and of what is seen, at τ = 10, for the caption's rates",
        [],
        f"on average {seen}; all twelve marginals are in the figure and its data",
        "the figure prints no numbers to compare",
        f"the populations are not said: {robots} of each type are taken. The caption leaves out "
        "κ7, κ11, "
        "κ17: a type has one encounter rate here",
    )  # fmt: skip


def _diagonal(teams: Table) -> Claim:
    """Of all teams with as many robots, the one with N2 = N3."""
    holds = {column: _least_on_diagonal(teams, column) for column in ("leakage", NU, "tv")}
    (on, of), (on_nu, of_nu), (on_tv, of_tv) = holds.values()
    return judge(
        _PART, f"{_SECTION}, Fig. maps (a)",
        "reduced leakage along the diagonal of the two varied populations",
        [
            (
                "among teams with as many robots the least leakage, smoothed by 1e-5, is at "
                f"N2 = N3 for {_OFTEN} of the numbers of robots",
                mostly(on_nu, of_nu),
            ),
            ("so is the least exact leakage, where it is finite", mostly(on, of)),
        ],
        f"the least is at N2 = N3 for {on_nu} of {of_nu} numbers of robots; by exact leakage for "
        f"{on} of {of} (those for which it is finite there), by total variation for {on_tv} of "
        f"{of_tv}",
        "types 2 and 3 are exchangeable. Along a row of the map the least is not on the diagonal: "
        "below 10 the leakage hardly changes between N3 = N2 and N3 = 10",
        f"{_OPEN}. The text calls the varied types 1 and 2, the caption 2 and 3: the caption is "
        "followed",
    )  # fmt: skip


def _least_on_diagonal(teams: Table, column: str) -> tuple[int, int]:
    total = teams["n2"] + teams["n3"]
    on = of = 0
    for robots in np.unique(total[teams["n2"] == teams["n3"]]):
        group = total == robots
        values = teams[column][group]
        middle = values[teams["n2"][group] == teams["n3"][group]][0]
        if group.sum() > 1 and np.isfinite(middle):
            of += 1
            on += bool(middle <= values.min() * (1 + _ROUNDING))
    return on, of


def _minimum(teams: Table) -> Claim:
    columns = ("leakage", *map(smoothed_by, SMOOTHINGS), "tv")
    places = {}
    for column in columns:
        least = int(teams[column].argmin())
        places[column] = int(teams["n2"][least]), int(teams["n3"][least]), teams[column][least]
    n2, n3, value = places[NU]
    same = sum(place[:2] == (10, 10) for place in places.values())
    infinite = int(np.isinf(teams["leakage"]).sum())
    moves = ", ".join(f"{places[smoothed_by(nu)][2]:.4g} at ν = {nu:g}" for nu in SMOOTHINGS)
    most = int(teams["n2"].max())
    exact = places["leakage"]
    return judge(
        _PART, f"{_SECTION}, Fig. maps (a)",
        "the minimum leakage is at N1 = N2 = N3 = 10",
        [
            ("the least leakage, smoothed by 1e-5, is at (10,10,10)", (n2, n3) == (10, 10)),
            ("so is the least exact leakage", exact[:2] == (10, 10)),
        ],
        f"at (10,{n2},{n3}): {value:.6g}, with N2 and N3 from 1 to {most}; exact {exact[2]:.6g} at "
        f"(10,{exact[0]},{exact[1]}), and infinite in {infinite} of {len(teams)} cells",
        "three exchangeable types are hardest to tell apart where there are as many of each",
        f"{_OPEN}. The least is {moves}; {same} of {len(places)} readings (exact, smoothed, total "
        "variation) have it at (10,10,10)",
        authors=f"{TASK_TEAMS[10, 10, 10]:.6g} at (10,10,10), the least of theirs",
    )  # fmt: skip


def _more_robots(teams: Table, balanced: Table) -> Claim:
    line = teams["n2"] == teams["n3"]
    counts, leaks = teams["n2"][line], teams[NU][line]
    last, least = leaks[-1], leaks[counts == 10][0] if (counts == 10).any() else leaks.min()
    alike, exact = balanced[NU], balanced["leakage"]
    steps = len(alike) - 1
    falls = {c: int((np.diff(balanced[c]) < 0).sum()) for c in (NU, "leakage", "tv")}
    return judge(
        _PART, f"{_SECTION}, Fig. maps (a)",
        "increasing the total number of robots increases privacy, as the upper right corner shows",
        [
            (
                "with as many of every type the leakage, smoothed by 1e-5, falls in "
                f"{_OFTEN} of the steps",
                mostly(falls[NU], steps),
            ),
            ("the upper right corner leaks less than (10,10,10)", bool(last < least)),
        ],
        f"with as many of every type it goes from {alike[0]:.4g} at {balanced['n1'][0]:.0f} to "
        f"{alike[-1]:.4g} at {balanced['n1'][-1]:.0f} of each, falling in {falls[NU]} of {steps} "
        f"steps; along N2 = N3 with N1 = 10 it is {least:.4g} at 10 and {last:.4g} at "
        f"{counts[-1]:.0f}",
        "true by and large where all types grow together; with type 1 held at 10, more of the "
        "others unbalance the team and the leakage rises again",
        f"{_OPEN}. With as many of every type the exact leakage goes from {exact[0]:.3f} to "
        f"{exact[-1]:.3f} and falls in {falls['leakage']} of {steps} steps, total variation in "
        f"{falls['tv']}",
        authors=", ".join(
            f"{value:.6g} at ({','.join(map(str, team))})" for team, value in TASK_TEAMS.items()
        ),
    )  # fmt: skip


def _rates(tables: Mapping[str, Table], varied: str, robots: int, panel: str) -> Claim:
    table = tables[varied]
    least = int(table[RATES_NU].argmin())
    at = table["type2"][least], table["type3"][least]
    above = {column: _above_both(table, column) for column in (RATES_NU, "leakage")}
    higher, cells = above[RATES_NU]
    also = [int(table[column].argmin()) == least for column in ("leakage", NU, "tv")]
    team = "" if robots == 10 else " (the paper has 10, and so have the full grids)"
    theirs = ", ".join(
        f"{value:.4g} at rates ({', '.join(f'{rate:g}' for rate in rates)})"
        for rates, value in TASK_RATES[varied].items()
    )
    corner = table.where(type2=0.2, type3=2.0)[RATES_NU]
    same = f"; covey at the last: {corner[0]:.4g}" if robots == 10 and len(corner) else ""
    return judge(
        _PART, f"{_SECTION}, Fig. maps ({panel})",
        f"off-diagonal {varied} rates leak more, and the minimum is where all rates are the same",
        [
            ("the least leakage, smoothed by 1e-3, is where all rates are 1", at == (1.0, 1.0)),
            (
                f"{_OFTEN} of the off-diagonal cells leak more than both of their equal-rate cells",
                mostly(higher, cells),
            ),
        ],
        f"least {table[RATES_NU][least]:.4g} at rates ({at[0]:g}, {at[1]:g}), type 1 having 1; "
        f"{higher} of {cells} off-diagonal cells leak more than both of their equal-rate cells",
        "equal rates make the types alike; the diagonal itself leaks away from 1, because type 1 "
        "keeps its rate, and near the corner it leaks more than cells beside it",
        f"{_OPEN_RATES}; {robots} robots of each type{team}. {_MISSING[varied].capitalize()}. The "
        f"minimum is {'the same' if all(also) else 'elsewhere'} exactly, smoothed by 1e-5 and by "
        f"total variation; of exact leakage {above['leakage'][0]} of {cells} cells are above both",
        authors=f"{theirs}, with 10 of each type{same}",
    )  # fmt: skip


def _above_both(table: Table, column: str) -> tuple[int, int]:
    """How many off-diagonal cells read more than both equal-rate ones; of how many in one half."""
    _, _, grid = table.grid("type2", "type3", column)
    equal = np.diag(grid)
    i, j = np.triu_indices(len(grid), 1)
    return int((grid[i, j] > np.maximum(equal[i], equal[j])).sum()), len(i)


def _impact(tables: Mapping[str, Table], robots: int) -> Claim:
    names = ("populations", "encounter", "abandon")
    width = {
        column: {name: float(np.ptp(tables[name][column])) for name in names}
        for column in (NU, "tv")
    }
    larger = [
        above(over, max(rates))
        for over, *rates in (list(width[column].values()) for column in (NU, "tv"))
    ]
    told = "; ".join(
        f"{name} {tables[name][NU].min():.3g} to {tables[name][NU].max():.3g}" for name in names
    )
    infinite = [int(np.isinf(tables[name]["leakage"]).sum()) for name in names]
    tv = ", ".join(f"{name} {width['tv'][name]:.3g}" for name in names)
    return judge(
        _PART, f"{_SECTION}, end",
        "varying the populations has a much larger impact on privacy than varying the behaviour",
        [
            (
                "the leakage, smoothed by 1e-5 in all maps, has a range over populations that is "
                "wider than those over rates by more than the tolerance",
                larger[0],
            ),
            ("so has the total variation", larger[1]),
        ],
        f"leakage smoothed by 1e-5 ranges over: {told}. Exact leakage is infinite in {infinite[0]} "
        f"cells of the map over populations and in {infinite[1] + infinite[2]} of those over rates",
        "for the ranges considered: a type that is nearly absent is easily noticed. How much is "
        "much larger is not said",
        f"one ν for all maps, so that they compare; by total variation the ranges are as wide as "
        f"{tv}. The maps over rates have {robots} robots of each type",
    )  # fmt: skip
