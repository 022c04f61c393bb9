"""What the maps of the first case study say to the paper's claims."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from covey.paper.authors import COLLABORATION_RATES, COLLABORATION_TEAMS
from covey.paper.claims import TOLERANCE, Claim, above, agrees, judge, mostly
from covey.paper.readings import EPSILON, NU, SMOOTHINGS, smoothed_by
from covey.paper.workspace import Table

_PART = "collaboration"
_SECTION = "Sec. Complex-Balanced Systems, Evaluation"
_OPEN = "the paper does not say ν: the authors' 1e-5 is taken"
_OFTEN = f"at least {1 - TOLERANCE:.0%}"


def claims(tables: Mapping[str, Table], rates: tuple[float, float]) -> tuple[Claim, ...]:
    """One for each statement of the section."""
    return (
        _smoothing(tables["diagonal"]),
        _trends(tables["diagonal"]),
        _valley(tables["n1_n2"]),
        _minimum(tables["n1_n2"], tables["diagonal"]),
        _more_robots(tables["diagonal"], tables["n1_n2"]),
        _second_map(tables["n2_n3"]),
        _third_type(tables["n2_n3"]),
        _rates(tables["initiate"], ("k1", "k3"), rates, up=True),
        _rates(tables["terminate"], ("k2", "k4"), rates, up=False),
    )


def _smoothing(diagonal: Table) -> Claim:
    tens = diagonal["n1"] % 10 == 0
    here = diagonal.where(n1=220.0)
    found = {nu: float(here[smoothed_by(nu)][0]) for nu in SMOOTHINGS}
    places = {int(diagonal["n1"][tens][diagonal[smoothed_by(nu)][tens].argmin()]) for nu in found}
    values = ", ".join(f"{value:.6g} at ν = {nu:g}" for nu, value in found.items())
    infinite = int(np.isinf(diagonal["leakage"]).sum())
    return judge(
        _PART, "Sec. Differentially Private Robot Networks, end",
        "an arbitrary, negligibly small ν smooths the leakage",
        [
            ("on the tens of (n,n,200) the least leakage has one place for all ν", len(places) < 2),
            (
                "the leakage at (220,220,200) agrees between all ν",
                agrees(max(found.values()), min(found.values())),
            ),
        ],
        f"the least is at n = {', '.join(map(str, sorted(places)))}; at (220,220,200) the leakage "
        f"is {values}; exact it is infinite for {infinite} of {len(diagonal)} teams (n,n,200)",
        "where some observation is possible for one team only, the leakage is ln((p + ν)/ν): ν "
        "alone decides how large it is. A smaller ν raises all cells nearly alike, so that the "
        "shape of the maps is kept, and their numbers are not",
        f"{_OPEN} for the maps; exact readings are shown beside them: total variation, and δ at ε "
        f"= {EPSILON:g}",
        authors=f"{COLLABORATION_TEAMS[220, 220, 200]!r} at (220,220,200); covey, at their ν: "
        f"{found[1e-5]!r}",
    )  # fmt: skip


def _trends(diagonal: Table) -> Claim:
    exact, smoothed = diagonal["leakage"], diagonal[NU]
    infinite = int(np.isinf(exact).sum())
    least, most = float(smoothed.min()), float(smoothed.max())
    return judge(
        _PART, "Sec. Differentially Private Robot Networks, end",
        "the ratio may be infinite; ν tells large mismatches from small ones, and shows trends",
        [
            ("some team (n,n,200) has an infinite exact leakage", infinite > 0),
            ("smoothed by 1e-5 it is infinite for none", bool(np.isfinite(smoothed).all())),
            ("the largest of those is above the least by more than the tolerance",
             above(most, least)),
        ],
        f"exact leakage is infinite for {infinite} of {len(diagonal)} teams, smoothed it goes from "
        f"{least:.4g} to {most:.4g}",
        "as the paper says. What is shown where the exact leakage is infinite is the probability "
        "of the worst outcome, on a scale that ν sets; the total variation needs no ν",
        _OPEN,
    )  # fmt: skip


def _valley(table: Table) -> Claim:
    rows, others, grid = table.grid("n1", "n2", NU)
    least = others[grid.argmin(axis=1)]
    on_it = np.diag(grid)
    deep = int(sum(agrees(a, b) for a, b in zip(on_it, grid.min(axis=1), strict=True)))
    there, far = int((least == rows).sum()), int(np.abs(least - rows).max())
    counts, others, grid = table.grid("n1", "n2", "tv")
    there_tv = int((others[grid.argmin(axis=1)] == counts).sum())
    return judge(
        _PART, f"{_SECTION}, Fig. populations (a)",
        "a clear valley of least leakage where N1 = N2",
        [
            (f"in {_OFTEN} of the rows the least leakage is at N2 = N1", mostly(there, len(rows))),
            (
                f"in {_OFTEN} of the rows the leakage at N2 = N1 agrees with the least",
                mostly(deep, len(rows)),
            ),
        ],
        f"the least of a row is at N2 = N1 in {there} of {len(rows)} rows and at most {far} robots "
        f"off in the others; the leakage at N2 = N1 agrees with it in {deep}; by total variation "
        f"the least is at N2 = N1 in {there_tv} of {len(rows)}",
        "types 1 and 2 are exchangeable; where the valley is wide and flat its lowest point is not "
        "quite on the diagonal",
        f"{_OPEN}; grid of {len(rows)} × {len(rows)} teams, N3 = 200",
        authors="a map of tens, from 100 to 300: `covey paper --against` compares its cells",
    )  # fmt: skip


def _minimum(table: Table, diagonal: Table) -> Claim:
    tens = table["n1"] % 10 + table["n2"] % 10 == 0
    least = np.flatnonzero(tens)[table[NU][tens].argmin()]
    at = int(table["n1"][least]), int(table["n2"][least])
    by = ", ".join(
        f"{int(diagonal['n1'][diagonal[smoothed_by(nu)].argmin()])} at ν = {nu:g}"
        for nu in SMOOTHINGS
    )
    exact = [int(diagonal["n1"][diagonal[column].argmin()]) for column in ("tv", "delta")]
    return judge(
        _PART, f"{_SECTION}, Fig. populations (a)",
        "the overall minimum is at N1 = N2 = 220, N3 = 200",
        [("on the grid of tens the least leakage is at N1 = N2 = 220", at == (220, 220))],
        f"on the grid of tens at N1 = {at[0]}, N2 = {at[1]} (leakage {table[NU][least]:.6g}); over "
        f"all integers on the diagonal at {by}",
        "the leakage jumps where another observation becomes the worst one, so that the place of "
        "the minimum moves by a few robots with ν",
        f"{_OPEN}. Without any ν the minimum over the diagonal is elsewhere: {exact[0]} by total "
        f"variation, {exact[1]} by δ at ε = {EPSILON:g}",
        authors=f"{COLLABORATION_TEAMS[220, 220, 200]:.6g} at (220,220,200), the least of theirs, "
        "on tens",
    )  # fmt: skip


def _width(table: Table) -> tuple[int, int]:
    """How many teams of the first and the last row agree with the least of their row."""
    _, _, grid = table.grid("n1", "n2", NU)
    first, last = (sum(agrees(value, row.min()) for value in row) for row in (grid[0], grid[-1]))
    return first, last


def _more_robots(diagonal: Table, table: Table) -> Claim:
    counts, leaks = diagonal["n1"], diagonal[NU]
    least = int(leaks.argmin())
    falls = int((np.diff(leaks) < 0).sum())
    tv = diagonal["tv"]
    narrow, wide = _width(table)
    theirs = ", ".join(
        f"{value:.6g} at ({','.join(map(str, team))})"
        for team, value in COLLABORATION_TEAMS.items()
    )
    return judge(
        _PART, f"{_SECTION}, Fig. populations (a)",
        "increasing the total number of robots increases privacy, as the valley expands in the "
        "upper right corner",
        [
            (
                "along N1 = N2 the largest team leaks less than the smallest",
                bool(leaks[-1] < leaks[0]),
            ),
            (f"the leakage falls in {_OFTEN} of the steps", mostly(falls, len(leaks) - 1)),
            ("more teams agree with the least of their row at the largest N1 than at the smallest",
             wide > narrow),
        ],
        f"along N1 = N2 the leakage goes from {leaks[0]:.6g} at {counts[0]:.0f} by "
        f"{leaks[least]:.6g} at {counts[least]:.0f} to {leaks[-1]:.6g} at {counts[-1]:.0f}; it "
        f"falls in {falls} of {len(leaks) - 1} steps; total variation: {tv[0]:.3g}, "
        f"{tv.min():.3g} (at {counts[tv.argmin()]:.0f}), {tv[-1]:.3g}. Teams that "
        f"agree with the least of their row of the map: {narrow} in the first, {wide} in the last",
        "true up to the minimum, the other way round beyond it: with N3 fixed, more robots of "
        "types 1 and 2 take the team away from the balance of all three. There the valley gets "
        "wider, and less deep",
        f"{_OPEN}; it rises beyond the minimum for every ν and for total variation alike",
        authors=theirs,
    )  # fmt: skip


def _second_map(table: Table) -> Claim:
    counts, thirds, grid = table.grid("n2", "n3", NU)
    tens = table["n2"] % 10 + table["n3"] % 10 == 0
    least = np.flatnonzero(tens)[table[NU][tens].argmin()]
    at = int(table["n2"][least]), int(table["n3"][least])
    rows = counts[grid.argmin(axis=0)]
    near = int((np.abs(rows - 220) <= 10).sum())
    here = float(grid[counts == 220, thirds == 200][0])
    away = float(grid[np.abs(counts - 220) == 20, thirds == 200].min())
    tv = int(table["tv"].argmin())
    return judge(
        _PART, f"{_SECTION}, Fig. populations (b)",
        "privacy drops sharply as N2 deviates from N1 = 220; the minimum is at N2 = 220, N3 = 200",
        [
            ("on the grid of tens the least leakage is at N2 = 220, N3 = 200", at == (220, 200)),
            (
                "with N3 = 200 the leakage with N2 20 off is above that at 220 by more than the "
                "tolerance",
                above(away, here),
            ),
        ],
        f"on the grid of tens the minimum is at N2 = {at[0]}, N3 = {at[1]}; at N3 = 200 the "
        f"leakage grows from {here:.3g} to {away:.3g} or more when N2 is 20 off; the best N2 "
        f"is within 10 of 220 for {near} of {len(thirds)} values of N3",
        "as many of type 2 as of type 1, because the two are exchangeable",
        f"{_OPEN}; by total variation the minimum is at N2 = {table['n2'][tv]:.0f}, N3 = "
        f"{table['n3'][tv]:.0f}",
    )  # fmt: skip


def _third_type(table: Table) -> Claim:
    line = table.where(n2=220.0)
    thirds, leaks = line["n3"], line[NU]
    least = int(leaks.argmin())
    rises = int((np.diff(leaks) > 0).sum())
    return judge(
        _PART, f"{_SECTION}, Fig. populations (b)",
        "increasing N3 decreases privacy",
        [
            (
                "with N1 = N2 = 220 the leakage is higher at the largest N3 than at the smallest",
                bool(leaks[-1] > leaks[0]),
            ),
            (f"it rises in {_OFTEN} of the steps", mostly(rises, len(leaks) - 1)),
        ],
        f"with N1 = N2 = 220 the leakage is {leaks[0]:.3g} at N3 = {thirds[0]:.0f}, least "
        f"({leaks[least]:.3g}) at {thirds[least]:.0f}, and {leaks[-1]:.3g} at {thirds[-1]:.0f}; it "
        f"rises in {rises} of {len(leaks) - 1} steps",
        "true above the minimum only; below it, more robots of type 3 increase privacy, as the "
        "three types come into balance",
        f"{_OPEN}; by total variation the least is at N3 = {thirds[line['tv'].argmin()]:.0f}",
    )  # fmt: skip


def _rates(table: Table, names: tuple[str, str], span: tuple[float, float], *, up: bool) -> Claim:
    hits, cases = {}, 0
    for column in (NU, "tv"):
        _, _, grid = table.grid(*names, column)
        both = np.concatenate([np.diff(grid, axis=0).ravel(), np.diff(grid, axis=1).ravel()])
        hits[column], cases = int(((both > 0) if up else (both < 0)).sum()), len(both)
    shown = " and ".join(name.replace("k", "κ") for name in names)
    says = (
        "increasing the collaboration rates κ1, κ3 decreases privacy"
        if up
        else "the reverse for the rates κ2, κ4 at which collaborations end"
    )
    moves = "rises" if up else "falls"
    least, most = table[NU].min(), table[NU].max()
    varied = [int(name[1]) - 1 for name in names]
    theirs = ", ".join(
        f"{value:.6g} at {shown} = {rates[varied[0]]:g}"
        for rates, value in COLLABORATION_RATES.items()
        if rates[varied[0]] != 1.0
    )
    return judge(
        _PART, f"{_SECTION}, Fig. rates ({'a' if up else 'b'})",
        says,
        [
            (f"the leakage {moves} in {_OFTEN} of the steps", mostly(hits[NU], cases)),
            ("so does the total variation", mostly(hits["tv"], cases)),
        ],
        f"leakage {moves} in {hits[NU]} of {cases} steps of {shown}, from "
        f"{(least if up else most):.6g} to {(most if up else least):.6g}; total variation in "
        f"{hits['tv']}",
        "as the paper says: each size of group is formed in one way only, so more groups tell more",
        f"{_OPEN}. The paper does not say the range of the rates: {span[0]:g} to {span[1]:g} is "
        "taken, as in the authors' data",
        authors=theirs,
    )  # fmt: skip
