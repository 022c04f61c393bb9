"""What the maps of the second case study say to the paper's claims."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from covey.paper.claims import Claim, verdict_of
from covey.paper.desk import Table
from covey.paper.readings import NU, SMOOTHINGS

_PART = "tasks"
_SECTION = "Sec. General Mechanisms, Evaluation"
_OPEN = "ν and τ of the maps are not said: exact leakage at τ = 10 is taken"
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
    return Claim(
        _PART, "Sec. General Mechanisms, Fig. distributions",
        "the marginals of all nine counts and of what is seen, at τ = 10, for the caption's rates",
        f"on average {seen}; all twelve marginals are in the figure and its data",
        "reproduced",
        "the figure prints no numbers to compare digit by digit",
        f"the populations are not said: {robots} of each type are taken. The caption leaves out "
        "κ7, κ11, "
        "κ17: a type has one encounter rate here",
    )  # fmt: skip


def _diagonal(teams: Table) -> Claim:
    """Of all teams with as many robots, the one with N2 = N3."""
    holds = {column: _least_on_diagonal(teams, column) for column in ("leakage", NU, "tv")}
    (on, of), (on_nu, of_nu), (on_tv, of_tv) = holds.values()
    return Claim(
        _PART, f"{_SECTION}, Fig. maps (a)",
        "reduced leakage along the diagonal of the two varied populations",
        f"among teams with the same number of robots the least leakage is at N2 = N3 for {on} of "
        f"{of} "
        f"numbers (those with a finite leakage); smoothed for {on_nu} of {of_nu}, by total "
        "variation for "
        f"{on_tv} of {of_tv}",
        verdict_of(on > 0.9 * of, on_nu > 0.9 * of_nu),
        "types 2 and 3 are exchangeable. Along a row of the map the least is not on the diagonal: "
        "below 10 "
        "the leakage hardly changes between N3 = N2 and N3 = 10",
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
            on += bool(middle <= values.min() * (1 + 1e-9))
    return on, of


def _minimum(teams: Table) -> Claim:
    columns = ("leakage", *(f"leakage_nu_{nu:g}" for nu in SMOOTHINGS), "tv")
    places = {}
    for column in columns:
        least = int(teams[column].argmin())
        places[column] = int(teams["n2"][least]), int(teams["n3"][least]), teams[column][least]
    n2, n3, value = places["leakage"]
    same = sum(place[:2] == (10, 10) for place in places.values())
    infinite = int(np.isinf(teams["leakage"]).sum())
    moves = ", ".join(f"{places[f'leakage_nu_{nu:g}'][2]:.4g} at ν = {nu:g}" for nu in SMOOTHINGS)
    most = int(teams["n2"].max())
    return Claim(
        _PART, f"{_SECTION}, Fig. maps (a)",
        "the minimum leakage is at N1 = N2 = N3 = 10",
        f"at (10,{n2},{n3}): {value:.4f} exact, with N2 and N3 from 1 to {most}; exact leakage is "
        "infinite in "
        f"{infinite} of {len(teams)} cells",
        verdict_of((n2, n3) == (10, 10)),
        "three exchangeable types are hardest to tell apart where there are as many of each",
        f"{_OPEN}. The least is {moves}; {same} of {len(places)} readings (exact, smoothed, total "
        "variation) "
        "have it at (10,10,10)",
    )  # fmt: skip


def _more_robots(teams: Table, balanced: Table) -> Claim:
    line = teams["n2"] == teams["n3"]
    counts, leaks = teams["n2"][line], teams["leakage"][line]
    last, least = leaks[-1], leaks[counts == 10][0] if (counts == 10).any() else leaks.min()
    alike = balanced["leakage"]
    bumps = int((np.diff(alike) > 0).sum())
    return Claim(
        _PART, f"{_SECTION}, Fig. maps (a)",
        "increasing the total number of robots increases privacy, as the upper right corner shows",
        f"along N2 = N3 with N1 = 10 the leakage is {least:.4f} at 10 and {last:.4f} at "
        f"{counts[-1]:.0f}; with as many of every type it goes from {alike[0]:.3f} at "
        f"{balanced['n1'][0]:.0f} to {alike[-1]:.3f} at {balanced['n1'][-1]:.0f} of each, rising "
        f"in {bumps} of {len(alike) - 1} steps",
        verdict_of(alike[-1] < alike[0], last <= least),
        "true by and large where all types grow together; with type 1 held at 10, more of the "
        "others unbalance the team and the leakage rises again",
        f"{_OPEN}; smoothed by 1e-5 it is {teams[NU][line][-1]:.4f} at {counts[-1]:.0f}; total "
        f"variation falls in {int((np.diff(balanced['tv']) < 0).sum())} of {len(alike) - 1} steps "
        "where all types grow together",
    )  # fmt: skip


def _rates(tables: Mapping[str, Table], varied: str, robots: int, panel: str) -> Claim:
    table = tables[varied]
    same = table["type2"] == table["type3"]
    least = int(table["leakage"].argmin())
    at = table["type2"][least], table["type3"][least]
    higher = of = 0
    rates, _, grid = table.grid("type2", "type3", "leakage")
    for i in range(len(rates)):
        for j in range(i + 1, len(rates)):
            of += 1
            higher += bool(grid[i, j] > min(grid[i, i], grid[j, j]))
    mean_on, mean_off = table["leakage"][same].mean(), table["leakage"][~same].mean()
    also = [int(table[column].argmin()) == least for column in (NU, "tv")]
    team = "" if robots == 10 else " (the paper has 10, and so have the full grids)"
    return Claim(
        _PART, f"{_SECTION}, Fig. maps ({panel})",
        f"off-diagonal {varied} rates leak more, and the minimum is where all rates are the same",
        f"least {table['leakage'][least]:.4f} at rates ({at[0]:g}, {at[1]:g}), type 1 having 1; on "
        "average "
        f"{mean_on:.3f} on the diagonal and {mean_off:.3f} off it; {higher} of {of} off-diagonal "
        "cells leak more "
        "than one of the two equal-rate cells of theirs",
        verdict_of(at == (1.0, 1.0), mean_off > mean_on),
        "equal rates make the types alike; the diagonal itself leaks away from 1, because type 1 "
        "keeps its rate",
        f"{_OPEN}; {robots} robots of each type{team}. {_MISSING[varied].capitalize()}. The "
        "minimum is "
        f"{'the same' if all(also) else 'elsewhere'} smoothed by 1e-5 and by total variation",
    )  # fmt: skip


def _impact(tables: Mapping[str, Table], robots: int) -> Claim:
    spans = {}
    for name in ("populations", "encounter", "abandon"):
        table = tables[name]
        spans[name] = {c: (float(table[c].min()), float(table[c].max())) for c in (NU, "tv")}
    told = "; ".join(
        f"{name} {low:.3g} to {high:.3g}"
        for name, (low, high) in ((name, spans[name][NU]) for name in spans)
    )
    width = {c: {name: spans[name][c][1] - spans[name][c][0] for name in spans} for c in (NU, "tv")}
    larger = [
        width[c]["populations"] > max(width[c]["encounter"], width[c]["abandon"])
        for c in (NU, "tv")
    ]
    infinite = [int(np.isinf(tables[name]["leakage"]).sum()) for name in spans]
    tv = ", ".join(f"{name} {width['tv'][name]:.3g}" for name in spans)
    return Claim(
        _PART, f"{_SECTION}, end",
        "varying the populations has a much larger impact on privacy than varying the behaviour",
        f"leakage smoothed by 1e-5 ranges over: {told}. Exact leakage is infinite in {infinite[0]} "
        f"cells of the map over populations and in {infinite[1] + infinite[2]} of those over rates",
        verdict_of(*larger),
        "for the ranges considered: a type that is nearly absent is easily noticed",
        f"ν is not said; by total variation the ranges are as wide as {tv}. The maps over rates "
        f"have {robots} "
        "robots of each type",
    )  # fmt: skip
