"""Who is exposed: for each type the most that is given away about one of its robots."""

from __future__ import annotations

import math
from dataclasses import dataclass

from covey.privacy.hypotheses import about
from covey.privacy.snapshot.leakage import Leakage


@dataclass(frozen=True)
class Exposed:
    """The most that is given away about one robot of a type.

    Attributes:
        type: The type.
        leakage: The leakage about it.
        total_variation: Tells types apart whose leakage is infinite.
    """

    type: str
    leakage: float
    total_variation: float


def exposed_types(leakage: Leakage) -> list[Exposed]:
    """The protected types, the most exposed first."""
    apart: dict[str, float] = {}
    for pair in leakage.profile.pairs:
        for name in about(pair.neighbour, leakage.relation):
            apart[name] = max(apart.get(name, 0.0), pair.total_variation)
    found = [Exposed(name, leak, apart[name]) for name, leak in leakage.exposed.items()]
    return sorted(found, key=lambda e: (e.leakage, e.total_variation), reverse=True)


def all_alike(exposed: list[Exposed]) -> bool:
    """Whether no type is exposed more than another, of several."""
    first, *rest = exposed
    return bool(rest) and all(
        (e.leakage == first.leakage or math.isclose(e.leakage, first.leakage, rel_tol=1e-9))
        and math.isclose(e.total_variation, first.total_variation, rel_tol=1e-9)
        for e in rest
    )
