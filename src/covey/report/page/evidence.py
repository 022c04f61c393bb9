"""What the verdict rests on: the team, the two distributions, every type, the time, the profile."""

from __future__ import annotations

import math

import numpy as np
from markupsafe import Markup

from covey.errors import CoveyError
from covey.model.scenario import Scenario
from covey.privacy.snapshot.bayes_success import binary_success
from covey.privacy.snapshot.exposed import all_alike
from covey.report.distribution_pair import DistributionPair, of_leakage
from covey.report.page.charts import epsilon_delta, over_time
from covey.report.page.numbers import leakage, percent, quantity
from covey.report.page.rendering import render
from covey.report.page.themed import STAND_IN, themed_picture
from covey.report.topology import draw_network
from covey.study.assessment import Assessment
from covey.study.explanation import explain
from covey.words import THIS_TEAM, counts

_MOST_OBSERVATIONS = 14
_MOST_SUMS = 24


def team(found: Assessment) -> Markup:
    """Who is there, how they meet, and what can be seen of it."""
    scenario = found.scenario
    picture, no_picture = _drawing(scenario)
    sums = [] if scenario.query.is_identity else list(scenario.query.texts().items())
    return render(
        "team.html",
        members=[
            (name, f"{count:,}", scenario.initial[name], _kept(scenario, name))
            for name, count in scenario.team.members.items()
        ],
        about=found.distributions.about,
        picture=picture,
        no_picture=no_picture,
        sums=sums[:_MOST_SUMS],
        more=max(len(sums) - _MOST_SUMS, 0),
    )


def _kept(scenario: Scenario, name: str) -> str:
    if name in scenario.team.resources:
        return "a resource, not private"
    return "private" if name in scenario.protected else "known to all"


def _drawing(scenario: Scenario) -> tuple[str, str]:
    """The network's picture, or why there is none."""
    network = scenario.network
    try:
        figure = draw_network(network, resources=scenario.team.resources, theme=STAND_IN)
    except CoveyError as error:
        return "", error.message
    says = f"The network: {len(network.species)} species and {len(network.reactions)} reactions"
    return themed_picture(figure, "network", says), ""


def explained(found: Assessment) -> Markup:
    """The scenario read back in sentences: its author sees here whether it says what was meant."""
    return render("explained.html", parts=explain(found.scenario).parts)


def distributions(found: Assessment) -> Markup:
    """The distribution under the team beside that under the worst neighbour."""
    both = of_leakage(found.distributions, found.leakage)
    listed = both.shown(_MOST_OBSERVATIONS)
    scale = float(both.probabilities[:, listed].max()) or 1.0
    every = found.distributions.every
    listed_pairs = [(part.scenario.team, one) for part in every for one, _ in part.neighbours]
    place = listed_pairs.index((both.pair.team, both.neighbour))
    return render(
        "distributions.html",
        team=both.team,
        neighbour=both.neighbour,
        marked=both.marked is not None,
        note=both.note(len(listed)) if len(listed) < len(both) else "",
        rows=[_pair_row(both, i, scale, place) for i in listed],
    )


def _pair_row(
    both: DistributionPair, observation: int, scale: float, place: int
) -> dict[str, object]:
    """What is seen, and the bar and the number of both probabilities."""
    seen = both.counts(observation)
    ours, theirs = both.probabilities[:, observation].tolist()
    sides = (("team", f"pairs[{place}][1]", ours), ("other", f"pairs[{place}][2]", theirs))
    return {
        "seen": counts(seen),
        "marked": observation == both.marked,
        "bars": [
            (
                side,
                f"{68 * p / scale:.2f}" if p > 0 else "",
                percent(p, f"distributions.{distribution}.probability(**{seen})"),
            )
            for side, distribution, p in sides
        ],
    }


def exposure(found: Assessment) -> Markup:
    """Every type, and every hypothesis that is compared."""
    relation = found.leakage.relation
    pairs = zip(found.leakage.pairs, found.profile.pairs, strict=True)
    return render(
        "exposure.html",
        types=relation.is_type,
        relation=relation,
        instead_of=THIS_TEAM if relation.teams is None else "the team",
        most=None if all_alike(found.exposed) else found.exposed[0].type,
        rows=[
            (
                pair.neighbour if relation.teams is None else f"{pair.team}: {pair.neighbour}",
                leakage(pair.value, f"leakage.pairs[{i}].value"),
                _right(other.total_variation, i),
                counts(pair.observation),
            )
            for i, (pair, other) in enumerate(pairs)
        ],
    )


def _right(total_variation: float, pair: int) -> Markup:
    """How often the best guess between two teams is right."""
    return percent(
        binary_success(total_variation), f"(1 + profile.pairs[{pair}].total_variation) / 2"
    )


def timing(found: Assessment) -> Markup:
    """Leakage over time."""
    if found.trace is None:
        return Markup("<p>{}</p>").format(_sentence(found.missing["trace"]))
    values = found.trace.values
    if np.isinf(values).any() and not np.isfinite(values[np.isinf(values).argmax() :]).any():
        place = int(np.isinf(values).argmax())
        time = found.trace.times[place]
        return Markup(
            "<p>The leakage is infinite at every one of the times looked at from {} {} on: "
            "waiting does not help.</p>"
        ).format(found.trace.unit or "time", quantity(time, f"{time:g}", f"trace.times[{place}]"))
    return Markup("<p>{}</p>{}").format(found.trace, over_time(found.trace))


def profile(found: Assessment) -> Markup:
    """δ(ε), as a chart and as a small table."""
    prof = found.profile
    return render(
        "profile.html",
        sentence=prof,
        chart=epsilon_delta(prof),
        rows=[
            (
                f"{epsilon:g}",
                f"{math.exp(epsilon):.3g}",
                percent(
                    prof.delta_interval(epsilon)[1],
                    f"profile.delta_interval({epsilon:g})[1]",
                    "up",
                ),
            )
            for epsilon in (0.0, 0.1, 0.2, 0.5, 1.0, 2.0)
        ],
    )


def _sentence(message: str) -> str:
    return message[:1].upper() + message[1:] + "."
