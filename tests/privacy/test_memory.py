"""A feed that holds its values: what its stream tells, against a sum over all that can be seen."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import covey
from covey.dynamics.ctmc.propagator import propagator
from covey.dynamics.hmm.joint_distribution import Filter
from covey.dynamics.solver import Solver
from covey.errors import InputError, UnsupportedError
from covey.model.observation.release_table import ReleaseTable
from covey.model.scenario import Scenario
from tests.privacy.small_teams import turned

SNAPSHOTS = 5


def flipping(hold: int) -> Scenario:
    """Three robots of types that flip at different rates, published through a noisy table."""
    network = covey.Network("a{1} <-> b{1} @ 1, 1\na{2} <-> b{2} @ 4, 3")
    query = covey.Query(a="a{1} + a{2}", b="b{1} + b{2}")
    seen = np.array([[n, 3 - n] for n in range(4)])
    noise = np.array([[0.8, 0.2, 0, 0], [0.1, 0.7, 0.2, 0], [0, 0.3, 0.6, 0.1], [0, 0, 0.5, 0.5]])
    table = ReleaseTable(("a", "b"), seen, seen, noise, 1.0, 0.0, math.inf, hold=hold)
    return Scenario(
        network,
        covey.Team({"1": 2, "2": 1}),
        query,
        initial={"1": "a{1}", "2": "a{2}"},
        release=covey.Release(1.0, float(SNAPSHOTS), table),
    )


def sequences(whole: Scenario, team: covey.Team) -> np.ndarray:
    """P(z_1, …, z_n) of every sequence, by matrices over states alone: (4, 4, …)."""
    chain = Filter(Solver(whole.network), whole.start_of(team), whole.query, None)
    found = propagator(chain.generator, 1.0)
    assert found is not None
    table = whole.release.mechanism
    assert table is not None
    place = [table.seen.tolist().index(row) for row in chain.observations.tolist()]
    shows = np.array(place)[chain.look]
    distribution = chain.first_distribution(stationary=True).distribution
    out = np.zeros((4,) * SNAPSHOTS)
    for path in product(range(4), repeat=SNAPSHOTS):
        now, last = distribution, None
        for z in path:
            if last is not None:
                now = now @ found.matrix
            emit = np.empty(len(distribution))
            for x, y in enumerate(shows):
                near = last is not None and 2 * abs(int(y) - last) < table.hold
                emit[x] = float(z == last) if near else table.table[y, z]
            now, last = now * emit, z
        out[path] = now.sum()
    return out


@pytest.mark.parametrize("hold", [0, 1, 3, 5])
def test_the_stream_is_that_of_all_sequences(hold: int) -> None:
    whole = flipping(hold)
    told = covey.stream(whole, paths=20_000, snapshots=[2, SNAPSHOTS], confidence=0.999)
    ours = sequences(whole, whole.team)
    assert ours.sum() == pytest.approx(1)
    for pair in told.pairs:
        theirs = sequences(whole, turned(pair.neighbour).team)
        for row in pair.rows:
            rest = tuple(range(row.snapshots, SNAPSHOTS))
            exact = np.abs(ours.sum(axis=rest) - theirs.sum(axis=rest)).sum() / 2
            assert row.total_variation.lower <= exact <= row.total_variation.upper
            assert row.total_variation.value == pytest.approx(exact, abs=0.01)


def test_a_watched_feed_weighs_a_value_that_is_held() -> None:
    whole = flipping(3)
    ours = sequences(whole, whole.team)
    watch = covey.watch(whole)
    path = (1, 1, 1, 2, 0)
    for time, z in enumerate(path):
        believed = watch.see(float(time), {"a": z, "b": 3 - z})
    others = {str(turned(b.neighbour).team.types): b for b in believed.beliefs if b.neighbour}
    total = ours[path] + sum(
        sequences(whole, turned(b.neighbour).team)[path] for b in others.values() if b.neighbour
    )
    assert believed.beliefs[0].posterior == pytest.approx(ours[path] / total, rel=1e-9)
    with pytest.raises(InputError, match="every count"):
        watch.see(9.0, {"a": 1})


def test_what_one_snapshot_shows_depends_on_what_was_before() -> None:
    whole = flipping(3)
    for ask in (covey.leakage, covey.profile, covey.audit):
        with pytest.raises(UnsupportedError, match="holds its values"):
            ask(whole)
    with pytest.raises(UnsupportedError, match="holds its values"):
        covey.stream(whole, seen=0.5)


def test_a_memory_is_kept_in_the_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    from covey.model.io.mechanism_file import open_mechanism, save_mechanism

    table = flipping(3).release.mechanism
    assert table is not None
    save_mechanism(table, tmp_path / "m.json")
    again = open_mechanism(tmp_path / "m.json")
    assert again == table
    assert again.hold == 3
    assert again != flipping(4).release.mechanism
    text = (tmp_path / "m.json").read_text().replace('"hold": 3', '"hold": -1')
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(InputError, match="hold is -1"):
        open_mechanism(tmp_path / "m.json")
