"""`covey check` on large networks, beside sympy's rank of the same Γ over the rationals.

The last kinds are hostile on purpose: random wiring fills the equations in, and it is there that
elimination over the rationals blows up.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial

from sympy import QQ
from sympy.polys.matrices import DomainMatrix

from benchmarks.timing import best_of, markdown, within
from covey import Network, Structure, reach

AGAINST = "sympy's rank over the rationals"
SPECIES = 2000
LIMIT = 20  # seconds that the peer is given


def forest() -> str:
    """Types that pair up into groups of at most forty, each compound built in one way."""
    pool = [[str(i)] for i in range(SPECIES // 2)]
    lines = []
    while len(pool) > 1:
        random.shuffle(pool)
        left, right = pool.pop(), pool.pop()
        whole = left + right
        names = (",".join(group) for group in (left, right, whole))
        lines.append("{{{}}} + {{{}}} <-> {{{}}} @ 1, 1".format(*names))
        if len(whole) < 40:
            pool.append(whole)
    return "\n".join(lines)


def ladders() -> str:
    """Twenty types that climb a hundred activities each."""
    return "\n".join(
        f"a{step}{{T{kind}}} <-> a{step + 1}{{T{kind}}} @ 1, 1"
        for kind in range(20)
        for step in range(SPECIES // 20 - 1)
    )


def random_lines(form: str, lines: int) -> Callable[[], str]:
    def make() -> str:
        def name(_: object = None) -> str:
            return f"s{random.randrange(SPECIES)}"

        return "\n".join(form.format(*(name() for _ in range(4))) for _ in range(lines))

    return make


KINDS = {
    "collaboration forest": forest,
    "ladders of activities": ladders,
    "random a + b <-> c": random_lines("{} + {} <-> {} @ 1, 2", SPECIES),
    "random a + b <-> c + d": random_lines("{} + {} <-> {} + {} @ 1, 2", SPECIES),
    "random a + b -> c + d": random_lines("{} + {} -> {} + {} @ 1", 2 * SPECIES),
}


def run() -> str:
    rows = []
    for kind, make in KINDS.items():
        random.seed(7)
        text = make()
        network = Network(text)
        seconds = best_of(1, partial(_check, text))
        ours = best_of(1, partial(_rank, network))
        peer = best_of(1, partial(within, LIMIT, partial(_sympy_rank, network)))
        rows.append(
            [
                kind,
                len(network.species),
                len(network.reactions),
                f"{seconds:.1f} s",
                f"{ours:.2f} s",
                f"{peer:.2f} s" if peer < LIMIT else f"more than {LIMIT} s",
                f"**{peer / ours:.1f} ×**",
            ]
        )
    header = [
        "network",
        "species",
        "reactions",
        "whole check",
        "rank and distributions",
        "sympy, rank",
        "at least",
    ]
    return markdown(header, rows)


def _check(text: str) -> None:
    network = Network(text)
    structure = Structure(network)
    _ = (structure.deficiency, structure.complex_balanced, structure.collaboration_dag)
    reach(structure, [1] * len(network.species))


def _rank(network: Network) -> int:
    return Structure(network).rank


def _sympy_rank(network: Network) -> int:
    rows = [[QQ(int(x)) for x in row] for row in network.changes]
    matrix = DomainMatrix(rows, (len(rows), len(network.species)), QQ).to_sparse()
    return int(matrix.rank())
