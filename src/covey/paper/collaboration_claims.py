"""What the maps of the first case study say to the paper's claims."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from covey.paper.claims import Claim, verdict_of
from covey.paper.desk import Table
from covey.paper.readings import EPSILON, NU, SMOOTHINGS

_PART = "collaboration"
_SECTION = "Sec. Complex-Balanced Systems, Evaluation"
_OPEN = "ν is not said: 1e-5 is taken"


def claims(tables: Mapping[str, Table], rates: tuple[float, float]) -> tuple[Claim, ...]:
    """One for each statement of the section."""
    return (
        _smoothing(tables["diagonal"]),
        _valley(tables["n1_n2"]),
        _minimum(tables["n1_n2"], tables["diagonal"]),
        _more_robots(tables["diagonal"]),
        _second_map(tables["n2_n3"]),
        _third_type(tables["n2_n3"]),
        _rates(tables["initiate"], ("k1", "k3"), rates, up=True),
        _rates(tables["terminate"], ("k2", "k4"), rates, up=False),
    )


def _smoothing(diagonal: Table) -> Claim:
    here = diagonal.where(n1=220.0)
    values = ", ".join(f"{here[f'leakage_nu_{nu:g}'][0]:.6g} at ν = {nu:g}" for nu in SMOOTHINGS)
    infinite = int(np.isinf(diagonal["leakage"]).sum())
    return Claim(
        _PART, "Sec. Differentially Private Robot Networks, end",
        "an arbitrary, negligibly small ν smooths the leakage",
        f"exact leakage is infinite for {infinite} of {len(diagonal)} teams (n,n,200); at "
        "(220,220,200) "
        f"the smoothed one is {values}",
        verdict_of(infinite == 0),
        "where some observation is possible for one team only, the leakage is ln((p + ν)/ν): ν "
        "alone "
        "decides how large it is. The shape of the maps is kept, their numbers are not",
        f"{_OPEN} for the maps; exact readings are shown beside them: total variation, and δ at ε "
        "= "
        f"{EPSILON:g}",
    )  # fmt: skip


def _valley(table: Table) -> Claim:
    found = {}
    for column in (NU, "tv"):
        counts, others, grid = table.grid("n1", "n2", column)
        off = np.abs(others[grid.argmin(axis=1)] - counts)
        found[column] = int((off == 0).sum()), int(off.max())
    rows = len(counts)
    on, far = found[NU]
    return Claim(
        _PART, f"{_SECTION}, Fig. populations (a)",
        "a clear valley of least leakage where N1 = N2",
        f"the least of a row is at N2 = N1 in {on} of {rows} rows and at most {far} robots off in "
        f"the others; by total variation in {found['tv'][0]} of {rows}",
        verdict_of(on > rows / 2),
        "types 1 and 2 are exchangeable; where the valley is wide and flat its lowest point is not "
        "quite on the diagonal",
        f"{_OPEN}; grid of {rows} × {rows} teams, N3 = 200",
    )  # fmt: skip


def _minimum(table: Table, diagonal: Table) -> Claim:
    tens = table["n1"] % 10 + table["n2"] % 10 == 0
    least = np.flatnonzero(tens)[table[NU][tens].argmin()]
    at = int(table["n1"][least]), int(table["n2"][least])
    by = ", ".join(
        f"{int(diagonal['n1'][diagonal[f'leakage_nu_{nu:g}'].argmin()])} at ν = {nu:g}"
        for nu in SMOOTHINGS
    )
    exact = [int(diagonal["n1"][diagonal[column].argmin()]) for column in ("tv", "delta")]
    return Claim(
        _PART, f"{_SECTION}, Fig. populations (a)",
        "the overall minimum is at N1 = N2 = 220, N3 = 200",
        f"on the grid of tens at N1 = {at[0]}, N2 = {at[1]} (leakage {table[NU][least]:.5g}); over "
        "all "
        f"integers on the diagonal at {by}",
        verdict_of(at == (220, 220)),
        "the leakage jumps where another observation becomes the worst one, so that the place of "
        "the "
        "minimum moves by a few robots with ν",
        f"{_OPEN}. Without any ν the minimum over the diagonal is elsewhere: {exact[0]} by total "
        f"variation, {exact[1]} by δ at ε = {EPSILON:g}",
    )  # fmt: skip


def _more_robots(diagonal: Table) -> Claim:
    counts, leaks = diagonal["n1"], diagonal[NU]
    least = int(leaks.argmin())
    ends = leaks[0], leaks[least], leaks[-1]
    tv = diagonal["tv"]
    return Claim(
        _PART, f"{_SECTION}, Fig. populations (a)",
        "increasing the total number of robots increases privacy",
        f"along N1 = N2 the leakage falls from {ends[0]:.3g} at {counts[0]:.0f} to {ends[1]:.3g} "
        "at "
        f"{counts[least]:.0f}, and rises to {ends[2]:.3g} at {counts[-1]:.0f}; total variation: "
        f"{tv[0]:.3g}, {tv.min():.3g} (at {counts[tv.argmin()]:.0f}), {tv[-1]:.3g}",
        verdict_of(ends[0] > ends[1], ends[2] <= ends[1]),
        "true up to the minimum, the other way round beyond it: with N3 fixed, more robots of "
        "types 1 and "
        "2 take the team away from the balance of all three",
        f"{_OPEN}; it rises beyond the minimum for every ν and for total variation alike",
    )  # fmt: skip


def _second_map(table: Table) -> Claim:
    counts, thirds, grid = table.grid("n2", "n3", NU)
    tens = table["n2"] % 10 + table["n3"] % 10 == 0
    least = np.flatnonzero(tens)[table[NU][tens].argmin()]
    at = int(table["n2"][least]), int(table["n3"][least])
    rows = counts[grid.argmin(axis=0)]
    near = int((np.abs(rows - 220) <= 10).sum())
    row = int(np.flatnonzero(counts == 220)[0])
    column = int(np.flatnonzero(thirds == 200)[0])
    away = grid[np.abs(counts - 220) == 20, column]
    tv = int(table["tv"].argmin())
    return Claim(
        _PART, f"{_SECTION}, Fig. populations (b)",
        "privacy drops sharply as N2 deviates from N1 = 220; the minimum is at N2 = 220, N3 = 200",
        f"on the grid of tens the minimum is at N2 = {at[0]}, N3 = {at[1]}; there the leakage "
        "grows from "
        f"{grid[row, column]:.3g} to {away.min():.3g} or more when N2 is 20 off; the best N2 is "
        "within 10 "
        f"of 220 for {near} of {len(thirds)} values of N3",
        verdict_of(at == (220, 200), float(away.min()) > 1.5 * grid[row, column]),
        "as many of type 2 as of type 1, because the two are exchangeable",
        f"{_OPEN}; by total variation the minimum is at N2 = {table['n2'][tv]:.0f}, N3 = "
        f"{table['n3'][tv]:.0f}",
    )  # fmt: skip


def _third_type(table: Table) -> Claim:
    line = table.where(n2=220.0)
    thirds, leaks = line["n3"], line[NU]
    least = int(leaks.argmin())
    after = bool((np.diff(leaks[least:]) > -1e-9).mean() > 0.95)
    before = bool(leaks[0] < leaks[least])
    return Claim(
        _PART, f"{_SECTION}, Fig. populations (b)",
        "increasing N3 decreases privacy",
        f"with N1 = N2 = 220 the leakage is {leaks[0]:.3g} at N3 = {thirds[0]:.0f}, least "
        f"({leaks[least]:.3g}) at {thirds[least]:.0f}, and {leaks[-1]:.3g} at {thirds[-1]:.0f}",
        verdict_of(after, before),
        "true above the minimum only; below it, more robots of type 3 increase privacy, as the "
        "three types "
        "come into balance",
        f"{_OPEN}; by total variation the least is at N3 = {thirds[line['tv'].argmin()]:.0f}",
    )  # fmt: skip


def _rates(table: Table, names: tuple[str, str], span: tuple[float, float], *, up: bool) -> Claim:
    steps = []
    for column in (NU, "tv"):
        _, _, grid = table.grid(*names, column)
        both = np.concatenate([np.diff(grid, axis=0).ravel(), np.diff(grid, axis=1).ravel()])
        steps.append(float(((both > 0) == up).mean()))
    shown = " and ".join(name.replace("k", "κ") for name in names)
    says = (
        "increasing the collaboration rates κ1, κ3 decreases privacy"
        if up
        else "the reverse for the rates κ2, κ4 at which collaborations end"
    )
    least, most = table[NU].min(), table[NU].max()
    return Claim(
        _PART, f"{_SECTION}, Fig. rates ({'a' if up else 'b'})",
        says,
        f"leakage {'rises' if up else 'falls'} in {steps[0]:.0%} of all steps of {shown}, from "
        f"{(least if up else most):.3g} to {(most if up else least):.3g}; total variation in "
        f"{steps[1]:.0%}",
        verdict_of(steps[0] > 0.95, steps[1] > 0.95),
        "as the paper says: each size of group is formed in one way only, so more groups tell more",
        f"{_OPEN}. The range of the rates is not said: {span[0]:g} to {span[1]:g} is taken, as in "
        "the "
        "second case study",
    )  # fmt: skip
