"""The picture of two distributions: what it shows, what it says, and that it can be read."""

from __future__ import annotations

import dataclasses
import io
import math

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from covey import (
    DirectBreachWarning,
    Distribution,
    InputError,
    Network,
    Query,
    Scenario,
    Team,
    TeamDistributions,
    team_distributions,
)
from covey.report.distribution_pair import distribution_pair
from covey.report.figure_file import write_figure
from covey.report.figures.pairs.pair_plot import MAX_ROWS, draw_pair
from covey.report.style import DARK, LIGHT
from covey.words import chance
from tests.privacy.small_teams import arriving, finishing, flipping, shared_resource
from tests.report.pictures import check_legible, texts

LONG = "a_name_that_is_much_longer_than_any_row_of_a_picture_can_ever_be"


def distributions_of(scenario: Scenario) -> TeamDistributions:
    (distributions,) = team_distributions(scenario)
    return distributions


def renamed(*names: str, title: str = "") -> TeamDistributions:
    sums = dict(zip(names, ("{A} + {B}", "{A,R} + {B,R}"), strict=True))
    old = shared_resource()
    return distributions_of(Scenario(old.network, old.team, Query(sums), title=title))


def made(outcomes: np.ndarray, names: tuple[str, ...], seed: int = 1) -> TeamDistributions:
    """Random distributions on given observations."""
    distributions = distributions_of(shared_resource())
    generator = np.random.default_rng(seed)

    def distribution() -> Distribution:
        weights = generator.dirichlet(np.ones(len(outcomes)))
        return Distribution(names, outcomes, np.log(weights), 1e-12)

    others = tuple((neighbour, distribution()) for neighbour, _ in distributions.neighbours)
    return dataclasses.replace(distributions, team=distribution(), neighbours=others)


def panel(figure: Figure) -> Axes:
    (axes,) = figure.axes
    return axes


def bars(axes: Axes) -> list[Rectangle]:
    return [patch for patch in axes.patches if isinstance(patch, Rectangle)]


def said(figure: Figure) -> str:
    return " ".join(texts(figure)).replace("\n", " ")


def test_bars_are_the_probabilities() -> None:
    axes, band = panel(draw_pair(distributions_of(shared_resource()))), to_rgba(LIGHT.neutral_fill)
    lengths = [bar.get_width() for bar in bars(axes) if bar.get_facecolor() != band]
    team, neighbour = lengths[::2], lengths[1::2]
    assert team == pytest.approx([30 / 45, 14 / 45, 1 / 45])
    assert neighbour == pytest.approx([14 / 25, 10 / 25, 1 / 25])
    labels = axes.get_yticklabels()
    assert [text.get_text() for text in labels] == [
        "free 1, busy 2",
        "free 2, busy 1",
        "free 3, busy 0",
    ]
    assert [text.get_fontweight() for text in labels] == ["normal", "normal", "bold"]


def test_the_marked_observation_says_what_it_gives_away() -> None:
    words = said(draw_pair(distributions_of(shared_resource())))
    assert "gives most away: 1.8 times as likely with one A turned B as for this team" in words
    assert "(0.04 against 0.0222)" in words


def test_another_neighbour() -> None:
    distributions = distributions_of(shared_resource())
    other = distributions.neighbours[1][0]
    assert "a team with one B turned A" in said(draw_pair(distributions, other))
    stranger = shared_resource(5, 5).team.neighbours()[0]
    with pytest.raises(InputError, match="is no neighbour here: expected one of one A turned B"):
        draw_pair(distributions, stranger)


def test_infinite_leakage_names_what_is_impossible() -> None:
    old = shared_resource()
    with pytest.warns(DirectBreachWarning):
        everything = Scenario(old.network, old.team)
    words = said(draw_pair(distributions_of(everything)))
    assert (
        "gives a type away: possible for this team (probability 0.4), impossible with one A"
        in words
    )


def test_equal_types_mark_nothing() -> None:
    distributions = distributions_of(flipping(2, 1, 1.0, 1.0))
    assert distribution_pair(distributions).marked is None
    assert "No observation tells this team from one with one" in said(draw_pair(distributions))


def test_smoothing_and_lost_mass_are_said() -> None:
    smooth = shared_resource().with_({"adversary.smoothing": 1e-3})
    assert "smoothed by 0.001" in said(draw_pair(distributions_of(smooth)))
    lost = distributions_of(arriving().with_({"adversary.at": 1.0}))
    assert lost.team.truncated_mass > 0
    assert "at least" in distribution_pair(lost).verdict


def test_of_many_observations_the_most_probable_and_the_marked_are_shown() -> None:
    outcomes = np.array([(i, j, 90 - i) for i in range(60) for j in range(50)])
    distributions = made(outcomes, ("one", "two", "three"))
    both = distribution_pair(distributions)
    chosen = both.shown(MAX_ROWS)
    assert len(chosen) == len(set(chosen)) == MAX_ROWS
    assert both.marked in chosen
    others = np.setdiff1d(np.arange(len(both)), chosen)
    likely = [i for i in chosen if i != both.marked]
    assert both.probabilities[:, others].max() <= both.probabilities[:, likely].max(axis=0).min()
    figure = draw_pair(distributions)
    assert "2,984 of 3,000 observations are less probable, and not shown." in said(figure)
    check_legible(figure)


def test_one_free_count_is_an_axis() -> None:
    distributions = distributions_of(flipping(12, 13).with_({"adversary.at": 0.2}))
    axes = panel(draw_pair(distributions))
    assert axes.get_xlabel() == "number of on, from which all other counts follow"
    both = distribution_pair(distributions)
    heights = [bar.get_height() for bar in bars(axes)]
    shown = len(heights) // 2
    top = both.probabilities.max(axis=1)
    assert max(heights[:shown]) == pytest.approx(top[0])
    assert max(heights[shown:]) == pytest.approx(top[1])
    low, high = axes.get_xlim()
    marked = both.counts(both.marked or 0)["on"]
    assert low <= marked <= high
    (arrow,) = [line for line in axes.lines if line.get_marker() == "v"]
    assert np.asarray(arrow.get_xdata()).tolist() == [marked]


def test_a_marked_observation_that_is_far_away_is_told() -> None:
    distributions = distributions_of(flipping(150, 150, 1.0, 1.5).with_({"adversary.at": 1.0}))
    figure = draw_pair(distributions)
    assert "beyond this picture, gives most away" in said(figure)
    assert "are less probable, and not shown." in said(figure)
    check_legible(figure)


@pytest.mark.slow
@pytest.mark.parametrize(
    "distributions",
    [
        distributions_of(shared_resource()),
        distributions_of(shared_resource(5, 4)),
        distributions_of(finishing().with_({"adversary.at": 1.0})),
        distributions_of(flipping(4, 3).with_({"adversary.at": 0.5})),
        distributions_of(flipping(40, 30).with_({"adversary.at": 0.5})),
        renamed(f"{LONG}_free", f"{LONG}_busy"),
        renamed("自由 $\\frac{1", "<b>ζ</b> \\alpha_$"),
        made(np.array([[7]]), ("only",)),
        made(np.arange(16)[:, None] % np.arange(2, 26), tuple(f"count_{i}" for i in range(24))),
    ],
    ids=["shared", "more", "finishing", "seven", "seventy", "long", "odd", "one", "wide"],
)
def test_everything_can_be_read(distributions: TeamDistributions) -> None:
    for title in ("", "A long title $x_{ " * 12):
        figure = draw_pair(distributions, title=title, theme=DARK)
        assert figure.get_figwidth() == 5.0
        check_legible(figure)


def test_a_type_with_an_endless_name() -> None:
    name = "x" * 150
    network = Network(f"on{{{name}}} <-> off{{{name}}} @ 1, 2\non{{B}} <-> off{{B}} @ 1, 1")
    query = Query(on=f"on{{{name}}} + on{{B}}")
    initial = {name: f"on{{{name}}}", "B": "on{B}"}
    check_legible(
        draw_pair(
            distributions_of(Scenario(network, Team({name: 2, "B": 2}), query, initial=initial))
        )
    )


def test_the_same_distributions_give_the_same_bytes() -> None:
    distributions = distributions_of(shared_resource())
    files = []
    for _ in range(2):
        stream = io.BytesIO()
        write_figure(draw_pair(distributions), stream, ".png")
        files.append(stream.getvalue())
    assert files[0] == files[1]


def test_chances_too_small_for_a_number() -> None:
    assert chance(math.log(1 / 45)) == "0.0222"
    assert chance(-math.inf) == "0"
    assert chance(-404 * math.log(10) + math.log(1.82)) == "1.82e-404"
