"""What the verdict rests on: the team, the two laws, every type, the time, the profile."""

from __future__ import annotations

import math

import numpy as np

from covey.errors import CoveyError
from covey.model.scenario import Scenario
from covey.report.html_parts import Html, escape
from covey.report.page.charts import epsilon_delta, over_time
from covey.report.page.numbers import leakage, percent, quantity
from covey.report.page.themed import STAND_IN, themed_picture
from covey.report.topology import draw_network
from covey.report.two_laws import TwoLaws, of_leakage
from covey.study.assessment import Assessment
from covey.words import counts

_MOST_OBSERVATIONS = 14
_MOST_SUMS = 24


def team(found: Assessment) -> Html:
    """Who is there, how they meet, and what can be seen of it."""
    scenario = found.scenario
    rows = "".join(
        f'<tr><td class="name">{escape(name)}</td><td class="number">{count:,}</td>'
        f'<td class="name">{escape(scenario.initial[name])}</td>'
        f"<td>{_kept(scenario, name)}</td></tr>"
        for name, count in scenario.team.members.items()
    )
    return Html(
        '<div class="scroll"><table><thead><tr><th>who</th><th class="number">how many</th>'
        f"<th>starts as</th><th>type</th></tr></thead><tbody>{rows}</tbody></table></div>"
        f"{_drawing(scenario)}<h3>What can be seen</h3>{_seen(scenario)}"
    )


def _kept(scenario: Scenario, name: str) -> str:
    if name in scenario.team.resources:
        return "a resource, not private"
    return "private" if name in scenario.protected else "known to all"


def _drawing(scenario: Scenario) -> Html:
    network = scenario.network
    try:
        figure = draw_network(network, resources=scenario.team.resources, theme=STAND_IN)
    except CoveyError as error:
        return Html(f'<p class="small">There is no picture: {escape(error.message)}</p>')
    says = f"The network: {len(network.species)} species and {len(network.reactions)} reactions"
    return Html(f'<div class="scroll">{themed_picture(figure, "network", says)}</div>')


def _seen(scenario: Scenario) -> str:
    if scenario.query.is_identity:
        return "<p>Everything: the number of robots in every place.</p>"
    texts = list(scenario.query.texts().items())
    rows = "".join(
        f'<tr><th class="name">{escape(name)}</th><td class="name">{escape(text)}</td></tr>'
        for name, text in texts[:_MOST_SUMS]
    )
    more = f"<p>And {len(texts) - _MOST_SUMS} more.</p>" if len(texts) > _MOST_SUMS else ""
    return f'<div class="scroll"><table><tbody>{rows}</tbody></table></div>{more}'


def laws(found: Assessment) -> Html:
    """The law under the team beside that under the worst neighbour."""
    both = of_leakage(found.laws, found.leakage)
    listed = both.shown(_MOST_OBSERVATIONS)
    scale = float(both.probabilities[:, listed].max()) or 1.0
    place = [pair.neighbour for pair in found.leakage.pairs].index(both.neighbour)
    rows = "".join(_law_row(both, i, scale, place) for i in listed)
    rest = f" {both.note(len(listed))}" if len(listed) < len(both) else ""
    marked = "" if both.marked is None else " The marked one gives most away."
    return Html(
        f"<p>How probable every observation is, for this team and for a team with "
        f"{escape(both.neighbour)}, the team that it differs from most.{marked}{rest}</p>"
        '<p class="key"><span><i class="team"></i>this team</span>'
        f'<span><i class="other"></i>with {escape(both.neighbour)}</span></p>'
        '<div class="scroll"><table><thead><tr><th>observation</th>'
        f'<th class="bars">probability</th></tr></thead><tbody>{rows}</tbody></table></div>'
    )


def _law_row(both: TwoLaws, observation: int, scale: float, place: int) -> str:
    seen_counts = both.counts(observation)
    ours, theirs = both.probabilities[:, observation].tolist()
    bars = "".join(
        f'<div class="bar">{_bar(side, p / scale)}'
        f"{percent(p, f'laws.{law}.probability(**{seen_counts})')}</div>"
        for side, law, p in (
            ("team", "team", ours),
            ("other", f"neighbours[{place}][1]", theirs),
        )
    )
    mark = ' class="marked"' if observation == both.marked else ""
    seen = escape(counts(seen_counts))
    return f'<tr{mark}><td class="name">{seen}</td><td class="bars">{bars}</td></tr>'


def _bar(side: str, share: float) -> str:
    return f'<i class="{side}" style="width:{68 * share:.2f}%"></i>' if share > 0 else ""


def exposure(found: Assessment) -> Html:
    """Every type, and every team in which one robot has another type."""
    head = (
        "All types are equally exposed."
        if alike(found)
        else f"Robots of type <strong>{escape(found.exposed[0].type)}</strong> are exposed most."
    )
    rows = "".join(
        f'<tr><td class="name">{escape(pair.neighbour)}</td>'
        f'<td class="number">{leakage(pair.value, f"leakage.pairs[{i}].value")}</td>'
        f'<td class="number">{_right(other.total_variation, i)}</td>'
        f'<td class="name">{escape(counts(pair.observation))}</td></tr>'
        for i, (pair, other) in enumerate(
            zip(found.leakage.pairs, found.profile.pairs, strict=True)
        )
    )
    return Html(
        f"<p>{head} A robot of a type is compared with the same robot having any other type.</p>"
        '<div class="scroll"><table><thead><tr><th>instead of this team</th>'
        '<th class="number">leakage</th><th class="number">best guess</th>'
        f"<th>given away most by</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )


def alike(found: Assessment) -> bool:
    """Whether no type is exposed more than another."""
    first, *rest = found.exposed
    return bool(rest) and all(
        (e.leakage == first.leakage or math.isclose(e.leakage, first.leakage, rel_tol=1e-9))
        and math.isclose(e.total_variation, first.total_variation, rel_tol=1e-9)
        for e in rest
    )


def _right(total_variation: float, pair: int) -> Html:
    """How often the best guess between two teams is right."""
    return percent((1 + total_variation) / 2, f"(1 + profile.pairs[{pair}].total_variation) / 2")


def timing(found: Assessment) -> Html:
    """Leakage over time."""
    if found.trace is None:
        return Html(f"<p>{escape(_sentence(found.missing['trace']))}</p>")
    values = found.trace.values
    if np.isinf(values).any() and not np.isfinite(values[np.isinf(values).argmax() :]).any():
        place = int(np.isinf(values).argmax())
        first = quantity(
            found.trace.times[place], f"{found.trace.times[place]:.3g}", f"trace.times[{place}]"
        )
        return Html(
            f"<p>The leakage is infinite at every one of the times looked at from "
            f"{first} on: waiting does not help.</p>"
        )
    return Html(f"<p>{escape(found.trace)}</p>{over_time(found.trace)}")


def profile(found: Assessment) -> Html:
    """δ(ε), as a chart and as a small table."""
    prof = found.profile
    rows = "".join(
        f'<tr><td class="number">{epsilon:g}</td><td class="number">{math.exp(epsilon):.3g}</td>'
        '<td class="number">'
        f"{percent(prof.delta(epsilon), f'profile.delta({epsilon:g})')}</td></tr>"
        for epsilon in (0.0, 0.1, 0.2, 0.5, 1.0, 2.0)
    )
    return Html(
        "<p>The leakage speaks of the worst observation, however rare. The pair (ε, δ) weighs "
        "observations by how often they come: whatever somebody watches for, it is at most "
        "e<sup>ε</sup> times as probable for one team as for another, plus δ. At ε = 0, δ is the "
        "total variation, and the best guess between two teams is right (1 + δ)/2 of the time.</p>"
        f"<p>{escape(prof)}</p>{epsilon_delta(prof)}"
        '<div class="scroll"><table class="narrow"><thead><tr><th class="number">ε</th>'
        '<th class="number">factor e<sup>ε</sup></th><th class="number">δ</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _sentence(message: str) -> str:
    return message[:1].upper() + message[1:] + "."
