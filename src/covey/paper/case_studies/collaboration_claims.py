"""What the maps of the first case study say to the paper's claims."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from covey.paper.authors import COLLABORATION_RATES, COLLABORATION_TEAMS, SAME_SUM
from covey.paper.claims import OFTEN, Claim, Criterion, above, agrees, judge, mostly
from covey.paper.readings import EPSILON, NU, SMOOTHINGS, along_same_sums, smoothed_by
from covey.paper.workspace import Table

_PART = "collaboration"
_SECTION = "Sec. Complex-Balanced Systems, Evaluation"
_OPEN = "The paper does not say ν: 1e-5, as in the authors' data"


def claims(tables: Mapping[str, Table], rates: tuple[float, float]) -> tuple[Claim, ...]:
    """One for each statement of the section."""
    return (
        _smoothing(tables["diagonal"]),
        _trends(tables["diagonal"]),
        _valley(tables["n1_n2"]),
        _minimum(tables["n1_n2"], tables["diagonal"]),
        _more_robots(tables["diagonal"]),
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
    large, *_, small = SMOOTHINGS
    return judge(
        _PART, "Sec. Differentially Private Robot Networks, end",
        "an arbitrary, negligibly small ν smooths the leakage",
        f"it keeps the map's shape and sets its numbers: {found[large]:.2g} at ν = {large:g}, "
        f"{found[small]:.3g} at {small:g}",
        Criterion(
            [("the leakage at (220,220,200) agrees between all ν",
              agrees(max(found.values()), min(found.values())))],
            [("on the tens of (n,n,200) the least leakage has one place for all ν",
              len(places) == 1)],
            "confirmed with a correction",
        ),
        f"At (220,220,200): {values}; exact it is infinite for {infinite} of {len(diagonal)} teams "
        f"(n,n,200). The least is at n = {', '.join(map(str, sorted(places)))}. Where some "
        "observation is possible for one team only the leakage is ln((p + ν)/ν): a smaller ν "
        "raises all cells nearly alike. Total variation, which needs no ν, is drawn beside it. The "
        f"authors have {COLLABORATION_TEAMS[220, 220, 200]!r} there, covey, at their ν, "
        f"{found[1e-5]!r}.",
    )  # fmt: skip


def _trends(diagonal: Table) -> Claim:
    exact, smoothed = diagonal["leakage"], diagonal[NU]
    infinite = int(np.isinf(exact).sum())
    least, most = float(smoothed.min()), float(smoothed.max())
    return judge(
        _PART, "Sec. Differentially Private Robot Networks, end",
        "the ratio may be infinite; ν tells large mismatches from small, and shows trends",
        f"infinite for {infinite} of {len(diagonal)} teams; smoothed, {least:.3g} to {most:.3g}",
        Criterion([
            ("some team (n,n,200) has an infinite exact leakage", infinite > 0),
            ("smoothed by 1e-5 it is infinite for none", bool(np.isfinite(smoothed).all())),
            ("the largest of those is above the least", above(most, least)),
        ]),
        f"What is shown where the exact leakage is infinite is the probability of the worst "
        f"outcome, on a scale that ν sets. {_OPEN}.",
    )  # fmt: skip


def _valley(table: Table) -> Claim:
    found, tv = (along_same_sums(table.grid("n1", "n2", column)[2]) for column in (NU, "tv"))
    return judge(
        _PART, f"{_SECTION}, Fig. populations (a)",
        "a clear valley of least leakage where N1 = N2",
        f"among teams of the same total: {found}",
        Criterion([
            (f"among teams of the same total the most balanced leaks least, for {OFTEN} of the "
             "totals", mostly(found.least, found.sums)),
            (f"{OFTEN} of the steps away from it leak more", mostly(found.rises, found.steps)),
        ]),
        f"By total variation: {tv}. The authors' data: {SAME_SUM['collaboration']}. Teams are the "
        f"authors' own, the tens from 150 to 300, N3 = 200. {_OPEN}. Types 1 and 2 are "
        "exchangeable.",
    )  # fmt: skip


def _least(table: Table, up: str, right: str, column: str = NU) -> tuple[int, int, float]:
    """Where the least of a column is, and what it is."""
    place = int(table[column].argmin())
    return int(table[up][place]), int(table[right][place]), float(table[column][place])


def _minimum(table: Table, diagonal: Table) -> Claim:
    n1, n2, value = _least(table, "n1", "n2")
    by = ", ".join(
        f"{_least(diagonal, 'n1', 'n1', smoothed_by(nu))[0]} at ν = {nu:g}" for nu in SMOOTHINGS
    )
    tv, delta = (_least(diagonal, "n1", "n1", column)[0] for column in ("tv", "delta"))
    return judge(
        _PART, f"{_SECTION}, Fig. populations (a)",
        "the overall minimum is at N1 = N2 = 220, N3 = 200",
        f"at N1 = {n1}, N2 = {n2}, on the authors' tens: {value:.4g}",
        Criterion([("on the tens the least leakage is at N1 = N2 = 220", (n1, n2) == (220, 220))]),
        f"Over all integers on the diagonal it is at {by}: the leakage jumps where another "
        f"observation becomes the worst one. Without any ν it is at {tv} by total variation, at "
        f"{delta} by δ at ε = {EPSILON:g}. The authors have "
        f"{COLLABORATION_TEAMS[220, 220, 200]:.6g} there, the least of theirs. {_OPEN}.",
    )  # fmt: skip


def _more_robots(diagonal: Table) -> Claim:
    counts, leaks, tv = diagonal["n1"], diagonal[NU], diagonal["tv"]
    least = int(leaks.argmin())
    falls = int((np.diff(leaks) < 0).sum())
    theirs = ", ".join(
        f"{value:.6g} at ({','.join(map(str, team))})"
        for team, value in COLLABORATION_TEAMS.items()
    )
    return judge(
        _PART, f"{_SECTION}, Fig. populations (a)",
        "increasing the total number of robots increases privacy",
        f"only up to the balance: ({counts[least]:.0f},{counts[least]:.0f},200) leaks "
        f"{leaks[least]:.3g}, ({counts[-1]:.0f},{counts[-1]:.0f},200) {leaks[-1]:.3g}",
        Criterion([(f"along N1 = N2 the leakage falls in {OFTEN} of the steps",
                    mostly(falls, len(leaks) - 1))]),
        f"Along N1 = N2 it goes from {leaks[0]:.6g} at {counts[0]:.0f} by {leaks[least]:.6g} at "
        f"{counts[least]:.0f} to {leaks[-1]:.6g} at {counts[-1]:.0f}, falling in {falls} of "
        f"{len(leaks) - 1} steps; total variation: {tv[0]:.3g}, {tv.min():.3g} (at "
        f"{counts[tv.argmin()]:.0f}), {tv[-1]:.3g}. With N3 fixed, more robots of types 1 and 2 "
        "take the team away from the balance of all three: there the valley gets wider, and less "
        f"deep. So for every ν. The authors' data: {theirs}.",
    )  # fmt: skip


def _second_map(table: Table) -> Claim:
    n2, n3, here = _least(table, "n2", "n3")
    tv = _least(table, "n2", "n3", "tv")
    counts, thirds, grid = table.grid("n2", "n3", NU)
    at = float(grid[counts == 220, thirds == 200][0])
    away = float(grid[np.abs(counts - 220) == 20, thirds == 200].min())
    near = int((np.abs(counts[grid.argmin(axis=0)] - 220) <= 10).sum())
    return judge(
        _PART, f"{_SECTION}, Fig. populations (b)",
        "privacy drops sharply as N2 leaves N1 = 220; minimum at N2 = 220, N3 = 200",
        f"minimum at ({n2}, {n3}): {here:.3g}; {away:.3g} or more with N2 20 off",
        Criterion([
            ("the least leakage is at N2 = 220, N3 = 200", (n2, n3) == (220, 200)),
            ("with N3 = 200 the leakage with N2 20 off is above that at 220", above(away, at)),
        ]),
        f"The best N2 is within 10 of 220 for {near} of {len(thirds)} values of N3. By total "
        f"variation the minimum is at N2 = {tv[0]}, N3 = {tv[1]}. {_OPEN}.",
    )  # fmt: skip


def _third_type(table: Table) -> Claim:
    line = table.where(n2=220.0)
    thirds, leaks = line["n3"], line[NU]
    least = int(leaks.argmin())
    rises = int((np.diff(leaks) > 0).sum())
    return judge(
        _PART, f"{_SECTION}, Fig. populations (b)",
        "increasing N3 decreases privacy",
        f"only beyond the balance: {leaks[0]:.3g} at N3 = {thirds[0]:.0f}, {leaks[least]:.3g} at "
        f"{thirds[least]:.0f}, {leaks[-1]:.3g} at {thirds[-1]:.0f}",
        Criterion([(f"with N1 = N2 = 220 the leakage rises in {OFTEN} of the steps",
                    mostly(rises, len(leaks) - 1))]),
        f"It rises in {rises} of {len(leaks) - 1} steps of ten. Below the minimum more robots of "
        "type 3 bring the three types into balance, and increase privacy. By total variation the "
        f"least is at N3 = {thirds[line['tv'].argmin()]:.0f}. {_OPEN}.",
    )  # fmt: skip


def _rates(table: Table, names: tuple[str, str], span: tuple[float, float], *, up: bool) -> Claim:
    hits, cases = {}, 0
    for column in (NU, "tv"):
        grid = table.grid(*names, column)[2] * (1 if up else -1)
        both = np.concatenate([np.diff(grid, axis=0).ravel(), np.diff(grid, axis=1).ravel()])
        hits[column], cases = int((both > 0).sum()), len(both)
    shown = " and ".join(name.replace("k", "κ") for name in names)
    moves = "rises" if up else "falls"
    varied = int(names[0][1]) - 1
    theirs = ", ".join(
        f"{value:.6g} at {shown} = {rates[varied]:g}"
        for rates, value in COLLABORATION_RATES.items()
        if rates[varied] != 1.0
    )
    return judge(
        _PART, f"{_SECTION}, Fig. rates ({'a' if up else 'b'})",
        "increasing the collaboration rates κ1, κ3 decreases privacy" if up
        else "the reverse for the rates κ2, κ4 at which collaborations end",
        f"the leakage {moves} in {hits[NU]} of {cases} steps",
        Criterion([(f"the leakage {moves} in {OFTEN} of the steps", mostly(hits[NU], cases))]),
        f"It goes from {table[NU].min():.6g} to {table[NU].max():.6g}; total variation {moves} in "
        f"{hits['tv']} steps. Each size of group is formed in one way only, so more groups tell "
        f"more. The authors' data: {theirs}. {_OPEN}; nor the range of rates: "
        f"{span[0]:g} to {span[1]:g}, as there.",
    )  # fmt: skip
