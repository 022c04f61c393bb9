"""What a stand-in promises, what it costs, and what it refuses."""

from pathlib import Path

import pytest

import covey
from covey import InputError, Scenario
from covey.model.io.stand_in_file import Reference
from covey.remedy.stand_in import pairs
from covey.remedy.stand_in.stand_in import referring

WAREHOUSE = covey.load(Path(__file__).parents[3] / "examples" / "warehouse.toml")
REFERENCE = {"carrier": 6, "picker": 4}
TEAMS = {(7, 3): (0.738, 0.662), (5, 5): (0.384, 0.182)}  # optimal, and no less than


def _team(carriers: int, pickers: int) -> Scenario:
    return WAREHOUSE.with_({"types.carrier": carriers, "types.picker": pickers})


@pytest.mark.parametrize("team", TEAMS)
def test_the_price_at_the_warehouse(team: tuple[int, int]) -> None:
    found = covey.stand_in(_team(*team), REFERENCE, until=480)
    best, least = TEAMS[team]
    assert (found.coupling, found.epsilon, found.delta) == ("optimal", 0.0, 0.0)
    assert found.price.loss == pytest.approx(best, abs=6e-4)
    assert found.least == pytest.approx(least, abs=6e-4)
    assert found.price.interval[0] <= found.price.loss <= found.price.interval[1]
    same = [price for _, team, price in found.others if dict(team.types) == REFERENCE]
    assert [price.loss for price in same] == [pytest.approx(0.0, abs=1e-12)]
    assert all(0.5 < right <= 1 for _, right in found.misfit)
    assert found.misfit[0][1] < found.misfit[-1][1]


def test_greedy_costs_a_little_more() -> None:
    found = covey.stand_in(_team(7, 3), REFERENCE, coupling="greedy", until=480)
    assert found.price.loss == pytest.approx(0.748, abs=1e-3)
    assert found.price.unchanged == pytest.approx(0.745, abs=1e-3)
    # To second order in the rates it is 53.1, 59.4, 65.7 and 81.4 % for 1, 3, 5 and 10 %.
    rights = [right for _, right in found.misfit]
    assert rights == pytest.approx([0.535, 0.607, 0.682, 0.881], abs=2e-3)


def test_a_coin_for_the_truth() -> None:
    plain = covey.stand_in(_team(5, 5), REFERENCE)
    with_coin = covey.stand_in(_team(5, 5), REFERENCE, truth=0.2)
    assert with_coin.delta == 0.2
    assert with_coin.price.loss == pytest.approx(0.8 * plain.price.loss)


@pytest.mark.slow
def test_a_fleet_of_180() -> None:
    """Simulated, as the pairs of states are too many: near what no release can cost less than."""
    fleet = WAREHOUSE.with_(
        {"types.carrier": 121, "types.picker": 59, "resources.dock": 40}
        | {"rates.meet": 0.2 * 6 / 120, "rates.carrier_low": 0.05 * 3 / 40}
        | {"rates.picker_low": 0.03 * 3 / 40}
    )
    found = covey.stand_in(fleet, {"carrier": 120, "picker": 60})
    assert found.coupling == "difference"
    assert found.price.confidence == 0.95
    low, high = found.price.interval
    assert low < found.price.loss < high < 1.5
    assert found.price.loss > 0.5


def _reference(scenario: Scenario, at: float, coupling: str = "optimal") -> Reference:
    looked = scenario.with_({"adversary.at": at})
    return Reference(referring(looked, REFERENCE), coupling, "l1", 0.0)


def test_what_cannot_be_used_is_said_and_the_stand_in_goes_on() -> None:
    real = _team(7, 3)
    start = dict(zip(map(str, real.network.species), real.start.tolist(), strict=True))
    publisher = covey.CoupledPublisher(_reference(WAREHOUSE, 2.0), start)
    publisher.event(0.5, 1)  # nobody picks yet: a pick cannot end
    assert "cannot happen" in publisher.notes[0]
    assert not publisher.known
    assert sum(publisher.published(1.0).values()) == 10 - publisher.published(1.0)["picking"]
    publisher.state(2.0, start)
    assert publisher.known
    publisher.event(1.0, 0)
    assert "lies before" in publisher.notes[-1]
    with pytest.raises(InputError, match="lies before"):
        publisher.published(1.5)
    for time in (float("inf"), float("nan")):
        with pytest.raises(InputError, match="a finite number is expected"):
            publisher.event(time, 0)
    assert not any("carrier" in note or "7" in note for note in publisher.notes)


def test_the_file_says_nothing_of_the_team(tmp_path: Path) -> None:
    file = tmp_path / "stand-in.json"
    texts = set()
    named = {"carrier": ["agv-7"], "picker": ["agv-2"]}  # which robot is of which type
    for team in TEAMS:
        real = _team(*team).with_({"log.types": named, "performance.busy": "mean(picking)"})
        covey.stand_in(real, REFERENCE).save(file)
        texts.add(file.read_text())
    assert len(texts) == 1
    public = covey.open_stand_in(file)
    assert dict(public.scenario.team.types) == REFERENCE
    assert not texts.pop().count("agv")
    file.write_text(file.read_text().replace('"meet": 0.2', '"meet": 0.3'))
    with pytest.raises(InputError, match="its digest differs"):
        covey.open_stand_in(file)
    file.write_text(file.read_text().replace('"l1"', '"\\ud800"'))
    with pytest.raises(InputError, match="half of a character"):
        covey.open_stand_in(file)


@pytest.mark.parametrize(
    ("reference", "message"),
    [({"carier": 6}, "no type. Did you mean .carrier"), ({"carrier": -1}, "must not be negative")],
)
def test_wrong_references(reference: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        covey.stand_in(WAREHOUSE, reference)


def test_the_file_does_not_say_whether_the_pairs_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That depends on the real team; what does not fit is coupled on the way."""
    texts = []
    for most in (pairs.MOST_PAIRS, 10):
        monkeypatch.setattr(pairs, "MOST_PAIRS", most)
        found = covey.stand_in(_team(7, 3), REFERENCE)
        found.save(tmp_path / "stand-in.json")
        texts.append((tmp_path / "stand-in.json").read_text())
        assert sum(found.publisher().published(1.0).values()) <= 10
    assert found.coupling == "difference"
    assert texts[0] == texts[1]
