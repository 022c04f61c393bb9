"""A few numbers of the authors' own, quoted as facts to hold covey's against.

They are from the data behind the paper's figures, which its authors published in the repositories
https://github.com/proroka/privacy and https://github.com/amandaprorok/crn. From the same data are
the settings that the paper does not say: ν = 1e-5 over populations in both case studies and over
rates in the first, ν = 1e-3 over rates in the second, which is at τ = 10. `covey paper --against`
compares all of it.
"""

from __future__ import annotations

from collections.abc import Mapping

# Case study 1, all rates 1, by team; ν = 1e-5.
COLLABORATION_TEAMS: Mapping[tuple[int, int, int], float] = {
    (150, 150, 200): 8.287130529013321,
    (220, 220, 200): 1.90263073112690,
    (300, 300, 200): 7.692721885927823,
}
# The same, (220,220,200), by κ1, κ2, κ3, κ4.
COLLABORATION_RATES: Mapping[tuple[float, float, float, float], float] = {
    (0.1, 1.0, 0.1, 1.0): 0.509070480554584,
    (1.9, 1.0, 1.9, 1.0): 5.236183745240931,
    (1.0, 0.1, 1.0, 0.1): 9.798058699330415,
    (1.0, 1.9, 1.0, 1.9): 1.2594358967731427,
}
# Case study 2, all rates 1, by team; ν = 1e-5. Their projection left out up to 1% of the mass.
TASK_TEAMS: Mapping[tuple[int, int, int], float] = {
    (10, 10, 10): 0.08084656720570571,
    (10, 20, 20): 0.5069351542299518,
}
# The same, (10,10,10), by which rates of types 1, 2, 3 vary; ν = 1e-3.
TASK_RATES: Mapping[str, Mapping[tuple[float, float, float], float]] = {
    "encounter": {(1.0, 1.0, 1.0): 0.047060574551366585, (1.0, 0.2, 2.0): 0.6501276704286134},
    "abandon": {(1.0, 1.0, 1.0): 0.047060574551366585, (1.0, 0.2, 2.0): 0.08100225805199646},
}

# What their cells have along equal sums of both coordinates (how often the least is in the middle,
# of how many sums; how many steps away from it rise, of how many), and of the maps over rates how
# many of the 45 cells off the diagonal are above both cells of equal rates.
SAME_SUM = {
    "collaboration": "29 of 29 sums, 105 of 105 steps",
    "tasks": "36 of 37 sums, 169 of 171 steps",
    "encounter": "17 of 17 sums, 36 of 36 steps",
    "abandon": "17 of 17 sums, 36 of 36 steps",
}
ABOVE_BOTH = {"encounter": 35, "abandon": 30}
# The means of the twelve marginals in their stored figure of distributions, from its bars.
MARGINAL_MEANS = {
    "e{1}": 8.605, "e{2}": 6.325, "e{3}": 5.317, "w{1}": 0.264, "w{2}": 0.629, "w{3}": 1.220,
    "w{1,2}": 0.357, "w{1,3}": 0.774, "w{2,3}": 2.689,
    "exploring": 20.248, "waiting": 2.113, "in_twos": 3.820,
}  # fmt: skip

# The same at rates (1, 0.2, 2) to abandon tasks, by ν: theirs, and covey's with every state.
PROJECTED: Mapping[float, tuple[float, float]] = {
    1e-3: (0.08100225805199646, 0.0810744),
    1e-5: (0.40286549230281565, 0.150414),
    1e-8: (6.208802559655709, 0.286878),
}
UNPROJECTED = 0.375654  # covey's without any ν
