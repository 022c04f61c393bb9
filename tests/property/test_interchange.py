"""What is exported reads back, and whatever XML is read gives a model or a CoveyError."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covey import CoveyError, CoveyWarning, Network, Scenario, dumps, from_sbml, loads, to_sbml
from covey.model.structure.count_bounds import largest_counts
from tests.conftest import EXAMPLES
from tests.property.strategies import networks, scenarios

pytestmark = pytest.mark.slow  # hundreds of random cases

BAYS = next(path for path in EXAMPLES if path.stem == "charging-bays").with_suffix(".xml")
XML = BAYS.read_text()
QUOTES = '"""'


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("interchange") / "m.xml"


@given(scenarios())
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_sbml_reads_back(path: Path, scenario: Scenario) -> None:
    path.write_text(to_sbml(scenario))
    network = _without_unused_rates(scenario.network)
    assert from_sbml(path, kinetics=network.kinetics).network == network
    if network.reactants.max() > 1:  # then the distributions show which kinetics they have
        assert from_sbml(path).network == network


@given(scenarios())
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_scenarios_read_back_by_way_of_sbml(path: Path, scenario: Scenario) -> None:
    """With the SBML file in place of its reactions a scenario is the same, start and all."""
    path.write_text(to_sbml(scenario))
    head, _, rest = dumps(scenario).partition("reactions = ")
    text = f"{head}sbml = {json.dumps(str(path))}{rest.split(QUOTES)[2]}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoveyWarning)
        read = loads(text)
    assert read.network == _without_unused_rates(scenario.network)
    assert read.start.tolist() == scenario.start.tolist()
    for part in ("team", "query", "adversary", "initial", "title"):
        assert getattr(read, part) == getattr(scenario, part)


def _without_unused_rates(network: Network) -> Network:
    used = {r.rate: network.rates[r.rate] for r in network.reactions if isinstance(r.rate, str)}
    return Network(network.reactions, used, network.kinetics)


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_damaged_sbml(path: Path, data: st.DataObject) -> None:
    """A piece cut out, doubled or replaced anywhere in a good file."""
    start = data.draw(st.integers(0, len(XML)))
    stop = data.draw(st.integers(start, min(len(XML), start + 60)))
    patch = data.draw(
        st.one_of(
            st.just(""),
            st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
            st.just(XML[start:stop] * 2),
            st.sampled_from(["2", "-1", "S1", "find", "true", "false", "<minus/>", "<power/>"]),
        )
    )
    path.write_text(XML[:start] + patch + XML[stop:], encoding="utf-8")
    _is_read_or_refused(path)


def _is_read_or_refused(path: Path) -> None:
    try:
        model = from_sbml(path)
    except CoveyError as error:
        assert str(error).startswith(str(path))
    else:
        assert Network(str(model.network)) == model.network


formulas = st.recursive(
    st.sampled_from(
        ["<ci>S1</ci>", "<ci>S3</ci>", "<ci>find</ci>", "<cn>2</cn>", '<cn type="integer">3</cn>',
         "<ci>hall</ci>", "<cn>-0.5</cn>", "<cn>0</cn>"]
    ),
    lambda inner: st.builds(
        lambda operation, parts: f"<apply><{operation}/>{''.join(parts)}</apply>",
        st.sampled_from(["times", "plus", "minus", "divide", "power"]),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=12,
)  # fmt: skip
LAW = XML[XML.index("<apply>") : XML.index("</math>")]


@given(formulas)
@settings(max_examples=300, deadline=None)
def test_any_formula(path: Path, formula: str) -> None:
    path.write_text(XML.replace(LAW, formula, 1))
    _is_read_or_refused(path)


@given(networks(), st.data())
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_no_path_leaves_the_bounds(network: Network, data: st.DataObject) -> None:
    start = [data.draw(st.integers(0, 4)) for _ in network.species]
    most = list(largest_counts(network, start).values())
    state = list(start)
    for _ in range(30):
        ready = [
            change
            for needs, change in zip(network.reactants, network.changes, strict=True)
            if all(state >= needs)
        ]
        if not ready:
            break
        state = [int(n) for n in state + data.draw(st.sampled_from(ready))]
        assert all(bound is None or n <= bound for n, bound in zip(state, most, strict=True))
