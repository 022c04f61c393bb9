"""A stream that keeps to its target, by paths that nobody chose it by; and how values age."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import covey
from covey.dynamics.ctmc.propagator import propagator
from covey.dynamics.hmm.joint_distribution import Filter
from covey.dynamics.solver import Solver
from covey.errors import InputError, TooLargeError, UnsupportedError
from covey.model.scenario import Scenario
from covey.privacy.snapshot.published import released
from covey.remedy.mechanism.problem import Task
from covey.remedy.mechanism.protect import protected
from covey.remedy.mechanism.protect_stream import protect_stream
from covey.remedy.mechanism.staleness import Staleness
from covey.remedy.publisher import Publisher
from tests.privacy.small_teams import turned

EXAMPLES = Path(__file__).parents[3] / "examples"


def flipping() -> Scenario:
    """Two robots, of types that flip between two sights at different rates."""
    network = covey.Network("a{1} <-> b{1} @ 1, 1\na{2} <-> b{2} @ 4, 3")
    query = covey.Query(a="a{1} + a{2}", b="b{1} + b{2}")
    team = covey.Team({"1": 1, "2": 1})
    return Scenario(network, team, query, initial={"1": "a{1}", "2": "a{2}"})


def test_a_value_ages_as_the_chain_forgets() -> None:
    # One robot that flips at rate 1 both ways: it is elsewhere after s with (1 − e^(−2s)) / 2, and
    # then both counts are off by one. On average until Δ: 1 − (1 − e^(−2Δ)) / (2Δ).
    network = covey.Network("a{1} <-> b{1} @ 1, 1\na{2} <-> b{2} @ 1, 1")
    query = covey.Query(a="a{1} + a{2}", b="b{1} + b{2}")
    one = Scenario(network, covey.Team({"1": 1, "2": 0}), query, initial={"1": "a{1}", "2": "a{2}"})
    stale = Staleness(Solver(network), one, [0.1, 1.0, 4.0])
    for every in (0.1, 1.0, 4.0):
        aged = stale.aged("l1", every, np.array([[0, 1], [1, 0]]))
        expected = 1 - (1 - np.exp(-2 * every)) / (2 * every)
        assert aged[0, 1][0, 1] == pytest.approx(expected, rel=5e-3)
        assert aged[0, 1][1, 0] == pytest.approx(2 - expected, rel=5e-3)


def test_a_stream_keeps_to_its_target() -> None:
    whole = flipping()
    found = protect_stream(whole, 1, 16, guess=0.56, accuracy=0.05)
    assert found.stream.bayes_success[-1].upper <= 0.56
    assert found.mechanism.leakage.interval[1] <= found.mechanism.epsilon
    assert found.mechanism.release.made_for["every"] == found.every
    assert found.until / found.every == found.stream.snapshots[-1]
    again = covey.stream(
        whole, found.every, found.until, accuracy=0.05, seed=99,
        seen=partial(released, table=found.mechanism.release),
    )  # fmt: skip
    assert again.bayes_success[-1].lower <= 0.56
    # The truth so often would tell more than is allowed, or nothing had to be done.
    assert covey.stream(whole, 1, 16, accuracy=0.05).bayes_success[-1].lower > 0.56
    # A value ages within a period here, so that nothing costs less than always the same one.
    assert found.mechanism.release.constant == {"a": 1, "b": 1}
    assert "costs less than a constant: {a: 1, b: 1}" in str(found)


def test_what_is_wrong_is_said() -> None:
    whole = flipping()
    with pytest.raises(InputError, match=r"above 0\.5"):
        protect_stream(whole, 1, 16, guess=0.5)
    with pytest.raises(InputError, match="is not said"):
        protect_stream(whole, 1, guess=0.6)
    with pytest.raises(InputError, match="above 0 and up to 16"):
        protect_stream(whole, 17, 16, guess=0.6)
    with pytest.raises(UnsupportedError, match="settled"):
        protect_stream(whole.with_({"adversary.at": 1.0}), 1, 16, guess=0.6)


def test_what_a_reader_of_held_values_loses_is_what_one_loses_who_reads_them() -> None:
    """The distribution of state and last value together, against paths that are drawn and held."""
    whole, every, count = flipping(), 0.4, 30
    (distributions,) = covey.team_distributions(whole)
    table = replace(protected(Task((distributions,), 0.3)).release, hold=3)
    stale = Staleness(Solver(whole.network), whole, [every])
    expected = stale.cost("l1", every, table, count)
    random, losses, fine = np.random.default_rng(5), [], 20
    for _ in range(400):
        # Robot 1 flips at rate 1 either way, robot 2 at 4 and 3: seen on a fine grid of times.
        one, two, shown = random.random() < 0.5, random.random() < 3 / 7, None
        publisher = Publisher(table, each_is_a_mission=True)  # no stream that it was judged for
        for snapshot in range(count * fine):
            a = int(one) + int(two)
            if snapshot % fine == 0:
                shown = publisher.draw((a, 2 - a))
            assert shown is not None
            step = every / fine
            middle = []
            for at_a, back, there in ((one, 1.0, 1.0), (two, 4.0, 3.0)):
                rest, total = there / (back + there), back + there
                p = rest + (float(at_a) - rest) * np.exp(-total * step)
                middle.append(random.random() < p)
            losses.append(abs(a - shown[0]) + abs(2 - a - shown[1]))
            one, two = middle
    assert np.mean(losses) == pytest.approx(expected, abs=0.03)
    fresh = replace(table, hold=0)
    aged = protected(Task((distributions,), 0.3, loss=stale.aged("l1", every, table.seen)))
    assert stale.cost("l1", every, aged.release, count) == pytest.approx(aged.loss, rel=1e-6)
    assert stale.cost("l1", every, fresh, count) != pytest.approx(expected, rel=1e-3)


def test_every_memory_is_judged() -> None:
    found = protect_stream(flipping(), 1, 16, guess=0.56, accuracy=0.1)
    assert {one.hold for one in found.tried} == {0, 3, 5}
    kept = [one for one in found.tried if one.guess <= 0.56]
    assert found.loss <= min(one.loss for one in kept) * (1 + 1e-9)


def means(
    whole: Scenario, team: covey.Team, count: int, apart: float
) -> dict[tuple[int, ...], float]:
    """The distribution of the mean of snapshots, rounded: sums are carried along with the state."""
    chain = Filter(Solver(whole.network), whole.start_of(team), whole.query, None)
    step = propagator(chain.generator, apart)
    assert step is not None
    distribution, seen = (
        chain.first_distribution(stationary=True).distribution,
        chain.observations[chain.look],
    )
    sums: dict[tuple[int, ...], np.ndarray] = {(0,) * seen.shape[1]: distribution}
    for snapshot in range(count):
        after: dict[tuple[int, ...], np.ndarray] = {}
        for so_far, chances in sums.items():
            moved = chances @ step.matrix if snapshot else chances
            for state, p in enumerate(moved.tolist()):
                total = tuple(map(int, np.add(so_far, seen[state])))
                after.setdefault(total, np.zeros(len(distribution)))[state] += p
        sums = after
    found: dict[tuple[int, ...], float] = {}
    for total, chances in sums.items():
        mean = tuple(int(n) for n in np.rint(np.array(total) / count))
        found[mean] = found.get(mean, 0.0) + float(chances.sum())
    return found


def test_a_mean_tells_more_than_the_value_that_it_would_replace() -> None:
    """Why means are no candidates: the chance in which a type hides is averaged out."""
    whole = covey.load(EXAMPLES / "warehouse.toml")
    (distributions,) = covey.team_distributions(whole)
    (other,) = (n for n, _ in distributions.neighbours if n.about == "picker")

    def apart(count: int) -> float:
        ours, theirs = (means(whole, team, count, 3.0) for team in (whole.team, turned(other).team))
        return sum(abs(ours.get(z, 0) - theirs.get(z, 0)) for z in {*ours, *theirs}) / 2

    one, three = apart(1), apart(3)
    assert one == pytest.approx(0.0963, abs=1e-4)  # of a snapshot, as covey leakage says
    assert three > 1.4 * one


def test_a_fleet_is_told_what_answers_instead() -> None:
    """The stand-in that a refusal names is made, as it is written there."""
    fleet = covey.load(EXAMPLES / "three-types.toml").with_({f"types.{i}": 62 for i in (1, 2, 3)})
    with pytest.raises(TooLargeError, match="protect --stand-in") as refused:
        protect_stream(fleet, 1, 10, guess=0.6)
    (named,) = re.findall(r"--stand-in (\S+),", refused.value.message)
    assert named == "1=60,2=60,3=60"  # about as many, and not the team itself
    reference = {name: int(n) for name, n in (one.split("=") for one in named.split(","))}
    assert covey.stand_in(fleet, reference).reference.team.types == reference
