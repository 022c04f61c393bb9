"""What fitted rates leave open: a range that holds the truth, and files that are read strictly."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from covey import (
    Fit,
    RateRange,
    Scenario,
    assess,
    dumps,
    event_log,
    fit,
    leakage,
    loads,
    open_fit,
    rate_range,
    save_fit,
)
from covey.errors import InputError
from covey.report.page.document import html_of
from covey.study.rate_range import _points
from tests.privacy.small_teams import shared_resource


def fitted(until: float = 100) -> tuple[Scenario, Fit]:
    scenario = shared_resource()
    log = event_log(scenario.network, scenario.start, until, seed=2)
    return scenario, fit(scenario, log)


def test_the_range_holds_what_is_true_and_what_was_fitted() -> None:
    scenario, found = fitted()
    seen = rate_range(scenario, found, delta=1e-3)
    for one in (scenario, found.scenario):
        leak = leakage(one)
        epsilon = leak.profile.epsilon_interval(1e-3)[1]
        assert seen.leakage[0] <= leak.value <= seen.leakage[1]
        assert seen.bayes_success[0] <= leak.profile.bayes_success <= seen.bayes_success[1]
        assert seen.epsilon[0] <= epsilon <= seen.epsilon[1]
    assert seen.draws == 1 + 2**4 + 40
    assert "the range of a sample, not a bound" in str(seen)
    assert rate_range(scenario, found, delta=1e-3) == seen  # the same seed
    assert "least" in seen._repr_html_()


def test_a_longer_log_leaves_less_open() -> None:
    short, long = (rate_range(*fitted(until), draws=10) for until in (50, 5000))
    for one in ("leakage", "bayes_success", "epsilon"):
        assert np.diff(getattr(long, one)) < 0.5 * np.diff(getattr(short, one))


@pytest.mark.parametrize("rates", [2, 9])
def test_no_rate_that_is_tried_is_outside_its_interval(rates: int) -> None:
    best = [1.0 + p for p in range(rates)]
    box = [(0.5 * rate, 3 * rate) for rate in best]
    points = np.array(_points(best, box, 25, seed=3))
    assert points[0].tolist() == best
    assert len(points) == 1 + (2**2 if rates == 2 else 2 * rates) + 25
    low, high = np.array(box).T
    assert (points >= low * (1 - 1e-12)).all()
    assert (points <= high * (1 + 1e-12)).all()
    # Each rate is tried once in each of 25 parts of its interval, and at both ends.
    share = np.log(points / low) / np.log(high / low)
    assert np.sort((25 * share[-25:]).astype(int), axis=0).T.tolist() == [list(range(25))] * rates
    assert share.min(axis=0) == pytest.approx(0)
    assert share.max(axis=0) == pytest.approx(1)


def test_what_the_log_says_nothing_about_is_kept_and_said() -> None:
    scenario = shared_resource(2, 0).with_({"types.B": 0})
    log = event_log(scenario.network, scenario.start, 20, seed=1)
    whole = shared_resource()
    seen = rate_range(whole, fit(scenario, log), draws=3)
    assert len(seen.kept) == 2
    assert f"The log says nothing about {', '.join(seen.kept)}: kept as the file" in str(seen)


def test_a_fit_is_saved_and_read_back(tmp_path: Path) -> None:
    scenario, found = fitted(10)
    save_fit(found, tmp_path / "fit.json")
    same = open_fit(tmp_path / "fit.json", scenario)
    assert same.confidence == found.confidence
    for name, rate in same.rates.items():
        assert (rate.value, rate.interval) == (found.rates[name].value, found.rates[name].interval)
    assert rate_range(scenario, same, draws=4) == rate_range(scenario, found, draws=4)


Damage = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda d: d.pop("covey_fit"), "this is no fit: covey_fit is not in it"),
        (lambda d: d.update(covey_fit=2), "covey_fit is 2: this version of covey reads 1"),
        (lambda d: d.pop("confidence"), "confidence is None: a number is expected"),
        (lambda d: d.update(confidence=95), "confidence is 95: between 0 and 1 is expected"),
        (lambda d: d.update(rates=[]), "rates is []: an object with every rate is expected"),
        (lambda d: d["rates"].pop("{A} + {R} -> {A,R}"), "the rate {A} + {R} -> {A,R} of the"),
        (lambda d: d["rates"].update(x={}), "the rate 'x' is none of the scenario's"),
        (lambda d: first(d).update(lower=-1), "is -1: a number that is not negative is expected"),
        (lambda d: first(d).update(upper="high"), "is 'high': a number that is not negative"),
        (lambda d: first(d).update(upper=True), "is True: a number that is not negative"),
        (lambda d: first(d).update(lower=99), "an interval with the value in it is expected"),
        (lambda d: first(d).pop("value"), "value of the rate {A} + {R} -> {A,R} is None"),
        (lambda d: first(d).update(given=0), "was 0: a finite, positive rate is expected"),
        (lambda d: d["rates"].update({"{A} + {R} -> {A,R}": 3}), "is 3: an object is expected"),
    ],
)
def test_damaged_and_foreign_files_are_refused(
    damage: Damage, message: str, tmp_path: Path
) -> None:
    scenario, found = fitted(10)
    file = tmp_path / "fit.json"
    save_fit(found, file)
    document = copy.deepcopy(json.loads(file.read_text()))
    damage(document)
    file.write_text(json.dumps(document))
    with pytest.raises(InputError) as caught:
        open_fit(file, scenario)
    assert message in caught.value.message
    assert caught.value.file == str(file)


def first(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = document["rates"]["{A} + {R} -> {A,R}"]
    return found


@pytest.mark.parametrize("text", ["", "[", "[]", "3", '{"covey_mechanism": 1}', "[" * 100_000])
def test_other_files_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "fit.json").write_text(text)
    with pytest.raises(InputError, match="not JSON|this is no fit"):
        open_fit(tmp_path / "fit.json", shared_resource())


def test_the_report_says_it() -> None:
    scenario, found = fitted()
    whole = assess(scenario, changes=False, fitted=found)
    assert isinstance(whole.rate_range, RateRange)
    assert whole.scenario == found.scenario
    page = html_of(whole)
    assert "the range of a sample, not a bound" in page
    assert f'value="{whole.rate_range.leakage[1]!r}" data-is="rate_range.leakage[1]"' in page
    assert not math.isnan(whole.rate_range.leakage[1])


def test_refusals() -> None:
    scenario, found = fitted(10)
    with pytest.raises(InputError, match="draws is -1: a whole number"):
        rate_range(scenario, found, draws=-1)


def test_families_and_names_of_reactions_are_kept() -> None:
    text = "turn: {$i} <-> w{$i} @ a, b  for i in types"
    scenario = loads(
        f'[types]\nA = 2\nB = 1\n[rates]\na = 1\nb = 2\n[network]\nreactions = """{text}"""\n'
        '[observe]\nw = "w{A} + w{B}"\n'
    )
    found = fit(scenario, event_log(scenario.network, scenario.start, 50, seed=1))
    assert text in dumps(found.scenario)
    numbers = loads(dumps(scenario).replace("@ a, b", "@ 1, 2").replace("a = 1.0\nb = 2.0", ""))
    fitted_numbers = fit(numbers, event_log(numbers.network, numbers.start, 50, seed=1)).scenario
    assert [r.name for r in fitted_numbers.network.reactions] == ["turn", "turn'"] * 2
