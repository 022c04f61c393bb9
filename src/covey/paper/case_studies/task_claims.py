"""What the maps of the second case study say to the paper's claims."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from covey.paper.authors import ABOVE_BOTH, MARGINAL_MEANS, SAME_SUM, TASK_RATES, TASK_TEAMS
from covey.paper.claims import OFTEN, Claim, Criterion, above, agrees, judge, mostly
from covey.paper.readings import NU, RATES_NU, SMOOTHINGS, along_same_sums, smoothed_by
from covey.paper.workspace import Table
from covey.words import rounded

_PART = "tasks"
_SECTION = "Sec. General Mechanisms, Evaluation"
_OPEN = "The paper does not say τ and ν of its maps: 10 and 1e-5, as in the authors' data"
_OPEN_RATES = _OPEN.replace("1e-5", "1e-3")
_ENCOUNTER = {1, 7, 9, 19, 3, 11, 13, 20, 5, 15, 17, 21}  # the κ at which robots encounter tasks
_CAPTION = {1, 9, 19, 3, 13, 20, 5, 15, 21}  # those that the caption gives a value
_LISTS = {
    "encounter": "The text's lists leave out κ11 and κ17: a type has one encounter rate here.",
    "abandon": "The text's lists are complete for these rates.",
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
    for name in MARGINAL_MEANS:
        one = table.where(name=name)
        means[name] = float(one["count"] @ one["probability"])
    near = sum(agrees(means[name], theirs) for name, theirs in MARGINAL_MEANS.items())
    off = max(abs(means[name] - theirs) for name, theirs in MARGINAL_MEANS.items())
    return judge(
        _PART, "Sec. General Mechanisms, Fig. distributions",
        "the marginals of all nine counts and of what is seen, for the caption's rates",
        f"{near} of {len(means)} means agree with the authors' figure, with κ7, κ11, κ17 added to "
        "its lists",
        Criterion(
            [("the caption gives all rates to encounter tasks", _CAPTION == _ENCOUNTER)],
            [("with κ7, κ11, κ17 like the others of their types, all twelve means agree with those "
              "of the authors' stored figure", near == len(means))],
            "confirmed with a correction",
        ),
        f"The means differ by at most {rounded(off, '.2g', 'up')}; the stored bars themselves "
        "agree within 0.0003, all twelve marginals, with 10 robots of each type, which the paper "
        "does not say. A type has one encounter rate: {κ1, κ7, κ9, κ19}, {κ3, κ11, κ13, κ20}, "
        "{κ5, κ15, κ17, κ21}.",
    )  # fmt: skip


def _diagonal(teams: Table) -> Claim:
    """Of all teams with as many robots, the one with N2 = N3."""
    found, tv = (along_same_sums(teams.grid("n2", "n3", column)[2]) for column in (NU, "tv"))
    return judge(
        _PART, f"{_SECTION}, Fig. maps (a)",
        "reduced leakage along the diagonal of the two varied populations",
        f"among teams of the same total: {found}",
        Criterion([(f"among teams of the same total the most balanced leaks least, for {OFTEN} of "
                    "the totals", mostly(found.least, found.sums))]),
        f"By total variation: {tv}. The authors' data, up to 20 robots: {SAME_SUM['tasks']}. Types "
        "2 and 3 are exchangeable. The text calls the varied types 1 and 2, with N3 = 10, the "
        f"caption 2 and 3: the caption is followed. {_OPEN}.",
    )  # fmt: skip


def _minimum(teams: Table) -> Claim:
    columns = ("leakage", *map(smoothed_by, SMOOTHINGS), "tv")
    places = {column: int(teams[column].argmin()) for column in columns if column in teams.columns}
    at = {c: (int(teams["n2"][i]), int(teams["n3"][i])) for c, i in places.items()}
    value = teams[NU][places[NU]]
    same = sum(place == (10, 10) for place in at.values())
    infinite = int(np.isinf(teams["leakage"]).sum())
    return judge(
        _PART, f"{_SECTION}, Fig. maps (a)",
        "the minimum leakage is at N1 = N2 = N3 = 10",
        f"at (10,{at[NU][0]},{at[NU][1]}): {value:.4g}",
        Criterion([("the least leakage, smoothed by 1e-5, is at (10,10,10)", at[NU] == (10, 10))]),
        f"N2 and N3 from 1 to {teams['n2'].max():.0f}. {same} of {len(at)} readings (exact, "
        "smoothed, total variation) have the least there; exact it is "
        f"{teams['leakage'][places['leakage']]:.6g}, and infinite in {infinite} of {len(teams)} "
        f"cells. The authors have {TASK_TEAMS[10, 10, 10]:.6g} there, the least of theirs. "
        f"{_OPEN}.",
    )  # fmt: skip


def _more_robots(teams: Table, balanced: Table) -> Claim:
    line = teams["n2"] == teams["n3"]
    counts, leaks = teams["n2"][line], teams[NU][line]
    last, least = leaks[-1], leaks[counts == 10][0] if (counts == 10).any() else leaks.min()
    steps = len(balanced) - 1
    falls = {c: int((np.diff(balanced[c]) < 0).sum()) for c in (NU, "leakage", "tv")}
    theirs = ", ".join(
        f"{value:.4g} at ({','.join(map(str, team))})" for team, value in TASK_TEAMS.items()
    )
    return judge(
        _PART, f"{_SECTION}, Fig. maps (a)",
        "increasing the total number of robots increases privacy, as the upper right corner shows",
        f"the corner, (10,{counts[-1]:.0f},{counts[-1]:.0f}), leaks {last:.3g}, (10,10,10) "
        f"{least:.3g}",
        Criterion([("the upper right corner leaks less than (10,10,10)", bool(last < least))]),
        f"The authors' data: {theirs}. True where all types grow together: from (1,1,1) to "
        f"{balanced['n1'][-1]:.0f} of each the leakage falls in {falls[NU]} of {steps} steps, "
        f"exact in {falls['leakage']}, total variation in {falls['tv']}. With type 1 held at 10, "
        f"more of the others unbalance the team. {_OPEN}.",
    )  # fmt: skip


def _rates(tables: Mapping[str, Table], varied: str, robots: int, panel: str) -> Claim:
    table = tables[varied]
    least = int(table[RATES_NU].argmin())
    at = float(table["type2"][least]), float(table["type3"][least])
    grid = table.grid("type2", "type3", RATES_NU)[2]
    found = along_same_sums(grid)
    i, j = np.triu_indices(len(grid), 1)
    higher = int((grid[i, j] > np.maximum(np.diag(grid)[i], np.diag(grid)[j])).sum())
    theirs = ", ".join(
        f"{value:.4g} at rates ({', '.join(f'{rate:g}' for rate in rates)})"
        for rates, value in TASK_RATES[varied].items()
    )
    corner = table.where(type2=0.2, type3=2.0)[RATES_NU]
    same = f"; covey at the last: {corner[0]:.4g}" if robots == 10 and len(corner) else ""
    return judge(
        _PART, f"{_SECTION}, Fig. maps ({panel})",
        f"off-diagonal {varied} rates leak more; the minimum is where all rates are the same",
        f"least at rates ({at[0]:g}, {at[1]:g}); among cells of the same sum: {found}",
        Criterion([
            ("the least leakage, smoothed by 1e-3, is where all rates are 1", at == (1.0, 1.0)),
            (f"among rates of the same sum the most equal leak least, for {OFTEN} of the sums",
             mostly(found.least, found.sums)),
            (f"{OFTEN} of the steps away from them leak more", mostly(found.rises, found.steps)),
        ]),
        f"The authors' data: {SAME_SUM[varied]}. A stricter reading fails in both: above *both* "
        f"equal-rate cells are {higher} of {len(i)} off-diagonal cells here, {ABOVE_BOTH[varied]} "
        "of 45 in the authors' data, because type 1 keeps its rate, and where both others leave it "
        f"together the diagonal leaks more than cells beside it. The authors have {theirs}, with "
        f"10 of each type{same}. {_OPEN_RATES}; {robots} robots of each type. {_LISTS[varied]}",
    )  # fmt: skip


def _impact(tables: Mapping[str, Table], robots: int) -> Claim:
    names = ("populations", "encounter", "abandon")
    width = {c: [float(np.ptp(tables[name][c])) for name in names] for c in (NU, "tv")}
    told = "; ".join(
        f"{name} {tables[name][NU].min():.3g} to {tables[name][NU].max():.3g}" for name in names
    )
    infinite = [int(np.isinf(tables[name]["leakage"]).sum()) for name in names]
    return judge(
        _PART, f"{_SECTION}, end",
        "varying the populations has a much larger impact than varying the behaviour",
        f"ranges of leakage: {width[NU][0]:.2g} over populations, {width[NU][1]:.2g} and "
        f"{width[NU][2]:.2g} over rates",
        Criterion([(f"{what} has a wider range over populations than over rates",
                    above(width[c][0], max(width[c][1:])))
                   for c, what in ((NU, "the leakage, smoothed by 1e-5 in all maps,"),
                                   ("tv", "the total variation"))]),
        f"Leakage smoothed by 1e-5, one ν so that maps compare: {told}. By total variation the "
        f"ranges are {', '.join(f'{one:.3g}' for one in width['tv'])}. Exact leakage is infinite "
        f"in {infinite[0]} cells over populations, {infinite[1] + infinite[2]} over rates. A type "
        "that is nearly absent is easily noticed. How much is much larger is not said. The maps "
        f"over rates have {robots} robots of each type.",
    )  # fmt: skip
