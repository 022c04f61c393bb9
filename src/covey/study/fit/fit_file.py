"""A fit as a file: rates with their intervals, for questions about what they leave open.

    {"covey_fit": 1, "rates": {"meet": {"value": 0.2, "lower": 0.18, "upper": 0.23, …}}, …}

It is what `covey fit --json` prints, and is read back strictly: a file of something else, or one in
which something is missing, no number, or does not fit together, is refused with what is wrong.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covey.errors import InputError, did_you_mean, shown
from covey.files.atomic_file import write_whole
from covey.files.bounded_file import read_text
from covey.files.json_reader import read_json
from covey.model.frozen import FrozenMap
from covey.model.scenario import Scenario
from covey.numbers import finite_number
from covey.study.fit.erlang_likelihood import StageFit
from covey.study.fit.fit import Fit
from covey.study.fit.task import Estimate, Task

_MARK = "covey_fit"
_VERSION = 1
_MAX_BYTES = 50_000_000


@dataclass(frozen=True)
class FittedRates:
    """What a fit's file says.

    Attributes:
        rates: Every rate constant by its name in [rates], or by its reaction.
        confidence: Of every interval.
        file: Where it was read from.
    """

    rates: FrozenMap[str, Estimate]
    confidence: float
    file: str = ""


def as_json(found: Fit) -> dict[str, Any]:
    """The keys that programs rely on.

    Args:
        found: What was fitted.
    """
    return {
        _MARK: _VERSION,
        "rates": {
            name: {
                "value": rate.value if rate.identified else None,
                "lower": rate.interval[0],
                "upper": rate.interval[1],
                "given": rate.given,
                "events": rate.events,
                "exposure": rate.exposure,
            }
            for name, rate in found.rates.items()
        },
        **({"stages": [_stages(one) for one in found.stages]} if found.stages else {}),
        "confidence": found.confidence,
        "sampled": found.sampled,
        "runs": found.runs,
        "observations": found.observations,
        "duration": found.duration,
        "notes": list(found.notes),
    }


def _stages(one: StageFit) -> dict[str, Any]:
    return {
        "reaction": one.reaction,
        "species": one.species,
        "stages": one.stages,
        "weights": list(one.weights),
        "lower": one.interval[0],
        "upper": one.interval[1],
        "fits": one.fits,
        "shape": one.shape,
        "times": one.times,
    }


def save_fit(found: Fit, path: str | Path) -> None:
    """Writes what was fitted to a file that `open_fit` reads.

    Args:
        found: What was fitted.
        path: Where to; the file appears when it is complete.
    """
    write_whole(path, json.dumps(_finite(as_json(found)), indent=1, ensure_ascii=False) + "\n")


def open_fit(path: str | Path, scenario: Scenario) -> FittedRates:
    """The rates in a fit's file, checked to be those of a scenario.

    Args:
        path: A file that `save_fit` or `covey fit --json` wrote.
        scenario: Its network has the rates.
    """
    file = str(path)
    text = read_text(path, "a fit", _MAX_BYTES, hint="`covey fit FILE --log LOG --save fit.json`")
    try:
        return _read(read_json(text), scenario, file)
    except InputError as error:
        raise error.at(file=file) from None


def _read(document: object, scenario: Scenario, file: str) -> FittedRates:
    if not isinstance(document, dict) or _MARK not in document:
        raise InputError(f"this is no fit: {_MARK} is not in it; covey fit --save writes one")
    if document[_MARK] != _VERSION:
        raise InputError(
            f"{_MARK} is {shown(document[_MARK])}: this version of covey reads {_VERSION}"
        )
    confidence = document.get("confidence")
    confidence = finite_number(confidence, "confidence")
    if not 0 < confidence < 1:
        raise InputError(f"confidence is {confidence:g}: between 0 and 1 is expected")
    rates = document.get("rates")
    if not isinstance(rates, dict):
        raise InputError(f"rates is {shown(rates)}: an object with every rate is expected")
    names = Task(scenario.network, 0, confidence, None).names
    for name in rates:
        if name not in names:
            raise InputError(
                f"the rate {shown(name)} is none of the scenario's: the fit is of another network."
                + did_you_mean(name, names)
            )
    for name in names:
        if name not in rates:
            raise InputError(f"the rate {name} of the scenario is missing in the fit")
    return FittedRates(
        FrozenMap({name: _estimate(name, rates[name]) for name in names}), confidence, file
    )


def _estimate(name: str, found: object) -> Estimate:
    if not isinstance(found, Mapping):
        raise InputError(f"the rate {name} is {shown(found)}: an object is expected")
    value = math.nan if found.get("value", 0) is None else _number(found, name, "value")
    low, high = _number(found, name, "lower"), _number(found, name, "upper")
    given = _number(found, name, "given")
    if not low <= high or not (math.isnan(value) or low <= value <= high):
        raise InputError(
            f"the rate {name} is {value:g} between {low:g} and {high:g}: an interval with the "
            "value in it is expected"
        )
    if not 0 < given < math.inf:
        raise InputError(f"the rate {name} was {given:g}: a finite, positive rate is expected")
    return Estimate(value, (low, high), given)


def _number(found: Mapping[str, Any], name: str, key: str) -> float:
    value = found.get(key)
    if value == "inf":
        return math.inf
    expected = "a number that is not negative"
    return finite_number(value, f"{key} of the rate {name}", expected, least=0)


def _finite(value: Any) -> Any:
    """With the word "inf" in the place of what JSON has no number for."""
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return "inf" if value == math.inf else value
