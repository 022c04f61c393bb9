"""What is printed reads back, and whatever is read gives a Scenario or a CoveyError."""

import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covey import CoveyError, CoveyWarning, Network, Scenario, Species, Team, dumps, load, loads
from tests.conftest import EXAMPLES
from tests.property.strategies import family_texts, networks, scenarios, typed_species

pytestmark = pytest.mark.slow  # hundreds of random cases

TEXTS = [path.read_text() for path in EXAMPLES]


@given(typed_species())
def test_species_read_back(species: Species) -> None:
    assert Species.parse(str(species)) == species


@given(networks())
def test_networks_read_back(network: Network) -> None:
    assert Network(str(network)) == network


@given(family_texts())
@settings(deadline=None)
def test_families_read_back_as_they_were_written(given: tuple[str, dict[str, list[str]]]) -> None:
    text, sets = given
    network = Network(text, sets=sets)
    again = Network(str(network))
    assert again == network
    assert again.lines == network.lines
    assert again.sets_used == network.sets_used
    plain = network.expanded()
    assert plain == network
    assert not any("$" in line for line in plain.lines)
    assert Network(str(plain)) == network


@given(family_texts())
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_scenarios_keep_their_families(given: tuple[str, dict[str, list[str]]]) -> None:
    text, sets = given
    network = Network(text, sets=sets)
    members = [name for name in sets["types"] if name in network.members]
    lone = {s.members[0]: str(s) for s in network.species if len(s.members) == 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoveyWarning)
        scenario = Scenario(network, Team(dict.fromkeys(members, 1)), initial=lone)
        again = loads(dumps(scenario))
    assert again == scenario
    assert again.network.lines == network.lines


@given(scenarios())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_scenarios_read_back(scenario: Scenario) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoveyWarning)
        assert loads(dumps(scenario)) == scenario


def _read(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoveyWarning)
        try:
            scenario = loads(text)
        except CoveyError as error:
            assert str(error)
        else:
            assert loads(dumps(scenario)) == scenario


@given(st.text())
def test_any_text(text: str) -> None:
    _read(text)


@given(st.binary(max_size=200))
def test_any_bytes(tmp_path_factory: object, content: bytes) -> None:
    path = Path(str(tmp_path_factory.getbasetemp())) / "any.toml"  # type: ignore[attr-defined]
    path.write_bytes(content)
    try:
        load(path)
    except CoveyError as error:
        assert str(path) in str(error)


@given(st.text(alphabet="{}AB12w,+-<>@0. \n#=k$:'[]i\"", max_size=60))
@settings(max_examples=400)
def test_any_reactions(text: str) -> None:
    _read(f'[types]\nA = 1\nB = 1\n[network]\nreactions = """\n{text}\n"""\n')


@given(st.sampled_from(TEXTS), st.data())
@settings(max_examples=300, deadline=None)  # one of them loads libsbml
def test_damaged_examples(text: str, data: st.DataObject) -> None:
    """A piece cut out, doubled or replaced anywhere in a good file."""
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 30)))
    patch = data.draw(st.one_of(st.just(""), st.text(max_size=6), st.just(text[start:stop] * 2)))
    _read(text[:start] + patch + text[stop:])


values = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just([]),
    st.lists(st.sampled_from(["1", "2"]), max_size=3), st.just({"a": 1}),
)  # fmt: skip


@given(
    st.sampled_from(["types.1", "rates.k1", "adversary.at", "adversary.smoothing", "initial.1",
                     "adversary.protect", "network.kinetics", "network.reactions", "observe.waiting",
                     "title", "resources.1", "types.9", "x.y", "", "types."]),
    values,
)  # fmt: skip
def test_any_value_for_any_name(name: str, value: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoveyWarning)
        scenario = load(next(path for path in EXAMPLES if path.stem == "task-network"))
        try:
            scenario.with_({name: value})
        except CoveyError as error:
            assert str(error)
