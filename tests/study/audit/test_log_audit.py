"""Two logs told apart: never better than exactly possible, at the stated rate; what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import beta, binom

import covey
from covey import CountLog, CountRun, InputError
from tests.study.audit.chains import Chain, bayes_success, between, random_chain

CONFIDENCE = 0.8


def too_high(cases: int, first: int, kind: str | None = "logistic") -> tuple[int, int]:
    """How often the bound is above the truth, and above a half, over so many random chains."""
    wrong = proved = 0
    for seed in range(first, first + cases):
        random = np.random.default_rng(seed)
        states, looks = int(random.integers(2, 4)), int(random.integers(1, 5))
        one = random_chain(random, states, looks)
        share = float(random.choice([0.0, 0.2, 0.6, 1.0]))
        other = between(one, random_chain(random, states, looks), share)
        sizes = random.integers(8, 40, 2)
        found = covey.audit_logs(
            one.log(int(sizes[0]), random), other.log(int(sizes[1]), random),
            confidence=CONFIDENCE, classifier=kind, seed=seed,
        )  # fmt: skip
        wrong += found.bayes_success > bayes_success(one, other) + 1e-12
        proved += found.bayes_success > 0.5
    return wrong, proved


def test_bounds_stay_below_the_exact_answer_as_often_as_they_say() -> None:
    wrong, proved = too_high(200, 0)
    # Most chains differ, where a bound is wrong less often than where they are alike.
    assert wrong <= binom.ppf(0.999, 200, 1 - CONFIDENCE)
    assert proved > 60


@pytest.mark.study
def test_coverage_of_every_classifier() -> None:
    for kind in ("logistic", "transitions", "boosting", None):
        wrong, proved = too_high(500, 10_000, kind)
        assert wrong <= binom.ppf(0.9999, 500, 1 - CONFIDENCE), kind
        assert proved > 100


def coins(chance: float, runs: int, random: np.random.Generator) -> CountLog:
    return Chain(np.array([1 - chance, chance]), np.eye(2), 1).log(runs, random)


def alike(cases: int) -> int:
    random = np.random.default_rng(5)
    found = [
        covey.audit_logs(coins(0.5, 40, random), coins(0.5, 40, random), confidence=CONFIDENCE,
                         classifier="transitions", seed=seed)
        for seed in range(cases)
    ]  # fmt: skip
    return sum(one.bayes_success > 0.5 for one in found)


def test_logs_that_are_alike_are_told_apart_no_more_often_than_stated() -> None:
    # It is nearly attained, so that a bound that claims more would be found out.
    assert 0.05 * 300 <= alike(300) <= binom.ppf(0.999, 300, 1 - CONFIDENCE)


def test_sides_that_are_guessed_differently_well_share_one_limit() -> None:
    """The worst case over both sides of the pooled limit, by summing over all outcomes."""
    for m, alpha in ((3, 0.25), (4, 0.05), (10, 0.2), (25, 0.05)):
        lower = [float(beta.ppf(alpha, s, 2 * m - s + 1)) if s else 0.0 for s in range(2 * m + 1)]
        for p in np.linspace(0, 1, 21):
            for q in np.linspace(0, 1, 21):
                truth = max((p + q) / 2, 0.5)
                right = np.convolve(binom.pmf(range(m + 1), m, p), binom.pmf(range(m + 1), m, q))
                fails = sum(w for w, low in zip(right, lower, strict=True) if low > truth + 1e-12)
                assert fails <= alpha + 1e-9


def test_what_it_says() -> None:
    random = np.random.default_rng(1)
    found = covey.audit_logs(coins(0.1, 60, random), coins(0.9, 60, random), seed=3)
    assert found.runs == (60, 60)
    assert len(found.tried) == 60
    least = float(beta.ppf(0.05, found.right, 60 - found.right + 1))
    assert found.bayes_success == pytest.approx(least, rel=1e-12)
    assert found.total_variation == pytest.approx(2 * least - 1)
    assert found.leakage == pytest.approx(math.log(least / (1 - least)))
    assert found.telling[0].what in ("mean busy", "how long busy is at most 0")
    assert str(found).startswith("With confidence 0.95 an observer of one run can say which log")
    assert "This is a lower bound" in str(found)
    nothing = covey.audit_logs(coins(0.5, 20, random), coins(0.5, 20, random))
    assert nothing.total_variation == 0
    assert str(nothing).startswith("Nothing is proved")
    table = found.to_pandas()
    assert len(table) == 60
    assert table["right"].sum() == found.right
    assert found.plot().axes


def test_a_seed_gives_the_same_answer() -> None:
    random = np.random.default_rng(2)
    logs = coins(0.3, 30, random), coins(0.6, 30, random)
    one, same, other = (covey.audit_logs(*logs, seed=seed) for seed in (1, 1, 2))
    assert one == same
    assert {run.run for run in one.tried} != {run.run for run in other.tried}


def test_how_a_log_was_written_tells_nothing() -> None:
    """Of two equal chains one is logged longer, more often and from a later time on."""
    random = np.random.default_rng(4)

    def log(looks: int, every: float, begin: float) -> CountLog:
        times = begin + every * np.arange(looks, dtype=np.float64)
        runs = []
        for number in range(40):
            jumps = np.cumsum(random.exponential(2.0, 60))
            counts = np.searchsorted(jumps, times - begin, side="right") % 2
            runs.append(CountRun(str(number), times, counts[:, None].astype(float)))
        return CountLog("log", ("busy",), tuple(runs))

    found = [
        covey.audit_logs(log(21, 1.0, 0.0), log(81, 0.5, 100.0), seed=seed, classifier="logistic")
        for seed in range(3)
    ]
    assert [one.length for one in found] == [20.0] * 3
    assert [one.every for one in found] == [1.0] * 3
    assert all(one.right / len(one.tried) < 0.7 for one in found)


def telegraph(rate: float, length: float, random: np.random.Generator) -> CountLog:
    """One long run that goes on and off."""
    jumps = np.cumsum(random.exponential(1 / rate, int(2 * rate * length)))
    times = np.arange(0, length, 0.5)
    counts = np.searchsorted(jumps, times, side="right") % 2
    run = CountRun("run", times, counts[:, None].astype(float))
    return CountLog("telegraph.csv", ("busy",), (run,))


def test_a_single_run_is_refused_or_cut_into_blocks() -> None:
    random = np.random.default_rng(3)
    logs = telegraph(1.0, 2000, random), telegraph(0.4, 2000, random)
    with pytest.raises(InputError, match="a single run: its rows are not independent"):
        covey.audit_logs(*logs)
    found = covey.audit_logs(*logs, block=20.0)
    assert found.runs == (50, 50)
    assert found.total_variation > 0.5
    assert "are independent: that is not proved" in found.notes[0]
    assert len(found.notes) == 1
    assert "one block of 20" in str(found)
    with pytest.raises(InputError, match="2 blocks of 600 .* at least 6 are needed"):
        covey.audit_logs(*logs, block=600.0)


def test_blocks_that_resemble_each_other_are_named() -> None:
    random = np.random.default_rng(6)
    slow = telegraph(0.01, 4000, random), telegraph(0.01, 4000, random)
    found = covey.audit_logs(*slow, block=5.0, classifier="logistic")
    assert any("the bound does not hold" in note for note in found.notes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 0.5}, "the confidence is 0.5: from 0.75 on is expected"),
        ({"confidence": 1.0}, "the confidence is 1.0"),
        ({"block": -1.0}, "the block is -1.0: a length of time above 0"),
        ({"classifier": "oracle"}, "the classifier is 'oracle'"),
    ],
)
def test_what_cannot_be_asked(options: dict[str, object], message: str) -> None:
    log = coins(0.5, 20, np.random.default_rng(0))
    with pytest.raises(InputError, match=message):
        covey.audit_logs(log, log, **options)  # type: ignore[arg-type]


def test_too_few_runs() -> None:
    random = np.random.default_rng(0)
    with pytest.raises(InputError, match="5 runs, where at least 6 are needed"):
        covey.audit_logs(coins(0.5, 5, random), coins(0.5, 20, random))
    assert covey.audit_logs(coins(0.0, 6, random), coins(1.0, 6, random)).bayes_success > 0.5


def test_a_run_that_broke_off_is_named(tmp_path: Path) -> None:
    rows = [f"{run},{time},{run % 2}" for run in range(30) for time in range(21)]
    rows += ["30,0,1", "30,1,1"]
    file = tmp_path / "runs.csv"
    file.write_text("run,time,busy\n" + "\n".join(rows), encoding="utf-8")
    notes = [note for seed in range(4) for note in covey.audit_logs(file, file, seed=seed).notes]
    assert any("such as run 30 (1)" in note for note in notes)


def test_boosting_without_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("covey.study.audit.classifiers.find_spec", lambda name: None)
    log = coins(0.5, 20, np.random.default_rng(0))
    with pytest.raises(InputError, match=r"boosting takes scikit-learn: install covey\[audit\]"):
        covey.audit_logs(log, log, classifier="boosting")
    assert covey.audit_logs(log, log).classifier in ("logistic", "transitions")
