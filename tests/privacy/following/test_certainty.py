"""How long until an observer is sure: densities by matrix exponentials, and what paths say."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import expm

import covey
from covey.dynamics.hmm.continuous_watch import log_densities
from covey.dynamics.hmm.drawn_changes import Changes, draw_changes
from covey.dynamics.hmm.visible_chain import VisibleChain, visible_chain
from covey.dynamics.solver import Solver
from covey.errors import InputError, TooLargeError, UnsupportedError
from covey.model.following import followed

WAREHOUSE = Path(__file__).parents[3] / "examples" / "warehouse.toml"
PAIR = """
[types]
A = 2
B = 1
[resources]
R = 1
[network]
reactions = '''
{A} + {R} <-> h{A,R} @ 0.8, 1.5
{B} + {R} <-> h{B,R} @ 2.0, 0.6
{A} <-> w{A} @ 0.4, 0.3
'''
[observe]
free = "{A} + {B}"
busy = "h{A,R} + h{B,R}"
[adversary]
at = 0.5
follow = true
"""


@pytest.fixture(scope="module")
def scenario() -> covey.Scenario:
    return covey.loads(PAIR)


def _chain(scenario: covey.Scenario) -> VisibleChain:
    one = followed(scenario)[0].scenario
    return visible_chain(Solver(one.network), one.start, one.query, 0.5)


def _density(chain: VisibleChain, changes: Changes, path: int, time: float) -> float:
    """Ln of the density of all changes of a path until a time, by matrix exponentials."""
    rates = chain.moves.toarray()
    same = chain.shows[:, None] == chain.shows[None, :]
    hidden = np.where(same, rates, 0.0) - np.diag(chain.exits)
    shown = int(changes.first[path])
    state, last = np.where(chain.shows == shown, chain.begins, 0.0), 0.0
    for at, other in zip(changes.times[path], changes.shown[path], strict=True):
        if at > time:
            break
        state = np.where(
            chain.shows == other, (rates * ~same) @ expm(hidden * (at - last)) @ state, 0.0
        )
        last = float(at)
    return math.log((expm(hidden * (time - last)) @ state).sum())


def test_densities_are_those_of_matrix_exponentials(scenario: covey.Scenario) -> None:
    chain = _chain(scenario)
    changes = draw_changes(chain, 6.0, 40, 1)  # enough paths for whole steps as matrices
    times = np.array([0.0, 2.0, 4.0, 6.0])
    found = log_densities(chain, changes, times)
    for path in range(6):
        for i, time in enumerate(times.tolist()):
            assert found[path, i] == pytest.approx(_density(chain, changes, path, time), abs=1e-9)
    assert (changes.times < 6).any()


def test_a_long_silence_is_summed_in_pieces(scenario: covey.Scenario) -> None:
    chain = _chain(scenario)
    silent = Changes(
        chain.outcomes, np.zeros(1, dtype=np.intp), np.full((1, 1), np.inf),
        np.zeros((1, 1), dtype=np.intp),
    )  # fmt: skip
    (found,) = log_densities(chain, silent, np.array([900.0]))
    assert found[0] == pytest.approx(_density(chain, silent, 0, 900.0), rel=1e-9)


def test_what_another_chain_cannot_show_has_no_density(scenario: covey.Scenario) -> None:
    chain = _chain(scenario)
    shown = Changes(
        np.array([[7, 7]]), np.zeros(1, dtype=np.intp), np.full((1, 1), np.inf),
        np.zeros((1, 1), dtype=np.intp),
    )  # fmt: skip
    assert log_densities(chain, shown, np.array([0.0, 1.0])).tolist() == [[-math.inf] * 2]


def test_drawn_paths_are_those_of_the_chain(scenario: covey.Scenario) -> None:
    """At a time the share of paths that show something is its probability."""
    one = followed(scenario)[0].scenario
    chain = _chain(scenario)
    changes = draw_changes(chain, 2.0, 4000, 5)
    (truth,) = Solver(one.network).distributions(one.start, [2.5], one.query)
    last = (changes.times < 2.0).sum(axis=1)
    rows = np.arange(4000)
    shown = np.where(last > 0, changes.shown[rows, np.maximum(last - 1, 0)], changes.first)
    for outcome, chance in zip(truth.outcomes, truth.probabilities, strict=True):
        (place,) = np.flatnonzero((chain.outcomes == outcome).all(axis=1))
        assert (shown == place).mean() == pytest.approx(chance, abs=4 * math.sqrt(0.25 / 4000))


def test_looks_agree_with_the_stream(scenario: covey.Scenario) -> None:
    found = covey.certainty(scenario, 0.5, 10, paths=400, snapshots=[5, 20])
    stream = covey.stream(scenario, 0.5, 10, snapshots=[5, 20], accuracy=0.05)
    for one in found.of:
        (pair,) = [p for p in stream.pairs if p.neighbour.about == one.names[0]]
        for mine, row in zip(one.bayes_success, pair.rows, strict=True):
            assert mine.lower <= row.bayes_success.upper
            assert mine.upper >= row.bayes_success.lower
    assert [one.among for one in found.of] == ["1 A, 1 B, 1 R", "2 A, 0 B, 1 R"]


def test_whoever_sees_every_change_learns_no_less(scenario: covey.Scenario) -> None:
    looks, every = (
        covey.certainty(scenario, 1, 20, paths=400, continuous=how) for how in (False, True)
    )
    for one, other in zip(looks.of, every.of, strict=True):
        assert other.bayes_success[-1].upper > one.bayes_success[-1].lower
        assert other.success[-1] > one.success[-1] - 0.03
        assert other.sure[-1].value >= one.sure[-1].value - 0.03


def test_whoever_is_sure_is_right_as_often(scenario: covey.Scenario) -> None:
    found = covey.certainty(scenario, 1, 40, level=0.8, paths=800, continuous=True)
    for one in found.of:
        assert one.right > 0.78
        assert one.median.lower <= one.median.value <= one.median.upper
        shares = [share.value for share in one.sure]
        assert shares == sorted(shares)
        assert one.paths.shape == (2, 3, 2, 40)
        assert found.success_from(one, 0.5) == 0


def test_it_is_about_any_hypothesis(scenario: covey.Scenario) -> None:
    counted = scenario.with_({"adversary.follow": False})
    (one,) = covey.certainty(counted, 1, 5, paths=100).of
    assert one.names == ("team", "A->B", "B->A")
    assert not one.among


def test_a_picture_and_a_table(scenario: covey.Scenario) -> None:
    found = covey.certainty(scenario, 1, 5, paths=50)
    assert len(found.plot().axes) == 2
    assert list(found.to_pandas().columns)[:3] == ["question", "snapshots", "time"]
    assert "90% sure" in found._repr_html_()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"level": 0.5}, "above 0.5 and below 1"),
        ({"paths": 1}, "at least 2"),
        ({"paths": 10**8}, "paths can be drawn"),
        ({"confidence": 1.0}, "between 0 and 1"),
    ],
)
def test_what_is_refused(scenario: covey.Scenario, asked: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        covey.certainty(scenario, 1, 5, **asked)  # type: ignore[arg-type]


def test_what_is_too_large_is_refused_before(scenario: covey.Scenario) -> None:
    large = scenario.with_({"types.A": 60, "types.B": 60, "resources.R": 60})
    with pytest.raises(TooLargeError, match="at most 4,000"):
        covey.certainty(large, 1, 5, continuous=True)
    with pytest.raises(TooLargeError, match="events"):
        covey.certainty(scenario, 1e8, 1e9, continuous=True)


def test_what_is_published_instead_is_not_asked_of(tmp_path: Path) -> None:
    mechanism = covey.protect(covey.load(WAREHOUSE), 0.5, teams="this")
    published = covey.load(WAREHOUSE).with_({"release.mechanism": mechanism.release}, warn=False)
    with pytest.raises(UnsupportedError, match="published instead"):
        covey.certainty(published, 1, 5)


def test_every_change_is_weighed_by_its_density(scenario: covey.Scenario) -> None:
    """Odds after some changes, by matrix exponentials for either type."""
    watch = covey.ChangeWatch(scenario)
    seen = [(0.5, 1, 0), (1.25, 0, 1), (2.0, 0, 0), (2.0, 1, 0), (4.0, 1, 0)]
    for time, free, busy in seen:
        found = watch.see(time, {"free": free, "busy": busy})
        assert found.possible == ((time, free) != (2.0, 0))  # nobody is busy and then waits
    one, *_ = followed(scenario)
    starts = [one.scenario.start, one.scenario.start_of(one.hypotheses[0].team)]
    logs = []
    for start in starts:
        chain = visible_chain(Solver(one.scenario.network), start, one.scenario.query, 0.5)
        rows = [chain.outcomes.tolist().index([f, b]) for f, b in ((1, 0), (0, 1), (1, 0))]
        changes = Changes(
            chain.outcomes, np.array(rows[:1]), np.array([[0.75, 1.5, np.inf]]),
            np.array([[rows[1], rows[2], 0]]),
        )  # fmt: skip
        logs.append(_density(chain, changes, 0, 3.5))
    odds = found.robots["A"]["A"] / found.robots["A"]["B"]
    assert math.log(odds) == pytest.approx(logs[0] - logs[1], abs=1e-8)
    assert found.snapshots == 4


def test_a_change_says_everything_and_comes_in_order(scenario: covey.Scenario) -> None:
    watch = covey.ChangeWatch(scenario, {"A": 1, "B": 1})
    with pytest.raises(InputError, match="busy is missing"):
        watch.see(1.0, {"free": 1})
    assert not watch.see(1.0, {"free": 1, "busy": 1}).possible  # one robot is in one place
    watch.see(1.0, {"free": 1, "busy": 0})
    with pytest.raises(InputError, match="comes after 1"):
        watch.see(0.5, {"free": 0, "busy": 1})
    with pytest.raises(InputError, match="pass without a change"):
        watch.see(1e12, {"free": 0, "busy": 1})
