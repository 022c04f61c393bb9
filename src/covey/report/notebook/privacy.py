"""What a team shows and what is learnt from it, as a notebook shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from markupsafe import Markup

from covey.dynamics.distribution import Distribution
from covey.dynamics.first_passage import FirstPassage
from covey.privacy.headline import DELTA
from covey.privacy.inference.audit import Audit
from covey.privacy.inference.certainty.certainty import Certainty
from covey.privacy.inference.estimate.estimate import Estimation
from covey.privacy.inference.posterior import Inference
from covey.privacy.snapshot.bayes_success import binary_success
from covey.privacy.snapshot.composition import Account
from covey.privacy.snapshot.groups import GroupLeakage
from covey.privacy.snapshot.leakage import Leakage
from covey.privacy.snapshot.output_distributions import TeamDistributions
from covey.privacy.snapshot.paper_index import PaperIndex
from covey.privacy.snapshot.profile import Profile
from covey.privacy.stream.period import Period
from covey.privacy.stream.probing import Probing
from covey.privacy.stream.stream import Stream
from covey.report.figures.of_result import figure_of
from covey.report.html_parts import MOST_ROWS, paragraph, table
from covey.report.notebook.parts import drawn, leaked, number, together
from covey.words import certainty, counts, each, in_units, percent, rounded, when

_MOST_PANELS = 12


def _distribution(distribution: Distribution) -> Markup:
    means = [
        (name, number(distribution.mean[name], 6), number(distribution.sd[name], 6))
        for name in distribution.names
    ]
    likely = distribution.log_probabilities.argsort()[::-1]
    rows = [
        (*distribution.outcomes[i].tolist(), f"{distribution.probabilities[i]:.6g}")
        for i in likely[:MOST_ROWS]
    ]
    hidden = len(distribution) - len(rows)
    lost = (
        f", less a probability of {distribution.truncated_mass:.1e} that was left out"
        if distribution.truncated_mass
        else ""
    )
    method = f" ({distribution.method}: {distribution.why})" if distribution.method else ""
    return together(
        paragraph(f"{len(distribution):,} outcomes{lost}{method}."),
        table(["seen", "mean", "sd"], means),
        _marginals(distribution),
        table([*distribution.names, "probability"], rows, left=()),
        *([paragraph(f"… and {hidden:,} less likely ones")] if hidden else []),
    )


def _first_passage(found: FirstPassage) -> Markup:
    columns = found.table_columns
    rows = [[number(value) for value in row] for row in zip(*columns.values(), strict=True)]
    return together(
        paragraph(found),
        drawn(lambda: figure_of(found), "by when it has held"),
        table(["by time", *list(columns)[1:]], rows[:MOST_ROWS]),
    )


def _marginals(distribution: Distribution) -> Markup:
    if len(distribution.names) > _MOST_PANELS:
        return paragraph(
            f"A picture of {len(distribution.names)} counts takes a while: plot() draws it."
        )
    return drawn(lambda: figure_of(distribution), "how likely every count is")


def _distributions(distributions: TeamDistributions) -> Markup:
    rows = [
        (f"with {neighbour}", len(distribution))
        for neighbour, distribution in distributions.neighbours
    ]
    return together(
        paragraph(
            f"What is seen {when(distributions.at, distributions.own.unit)} of this team and of "
            f"{len(rows)} neighbours. "
            f"{distributions.about}"
        ),
        drawn(
            lambda: figure_of(distributions),
            "the distribution of the team beside that of a neighbour",
        ),
        table(["team", "observations"], [("as it is", len(distributions.team)), *rows]),
    )


def _leakage(leak: Leakage) -> Markup:
    heads = ["neighbour", "leakage", *leak.observation, "P(team)", "P(neighbour)"]
    rows = [
        (
            pair.neighbour,
            leaked(pair.value),
            *pair.observation.values(),
            *(f"{p:.4g}" for p in pair.probability),
        )
        for pair in leak.pairs
    ]
    sure = certainty(leak.interval)
    size = "" if leak.states is None else f" on {leak.states:,} states"
    return together(
        paragraph(leak),
        table(heads, rows),
        paragraph(f"{sure[0].upper()}{sure[1:]}."),
        paragraph(f"Method: {leak.method}{size} ({leak.why})."),
    )


def _groups(leak: GroupLeakage) -> Markup:
    pairs = sorted(leak.pairs, key=lambda pair: pair.value, reverse=True)
    rows = [
        (
            pair.alternative,
            leaked(pair.value),
            percent(binary_success(pair.total_variation[1]), "up"),
            counts(pair.observation),
        )
        for pair in pairs
    ]
    sizes = [(size, leaked(value)) for size, value in leak.by_robots.items()]
    return together(
        paragraph(leak),
        table(["robots", "leakage"], sizes, left=()),
        table(["a team with", "leakage", "best guess", "seen"], rows, left=(0, 3)),
    )


def _profile(profile: Profile) -> Markup:
    rows = [
        ("the best guess is right", percent(profile.bayes_success, "up")),
        (f"ε at δ = {DELTA:g}", number(profile.epsilon_interval(DELTA)[1], way="up")),
        ("one possibility ruled out", number(profile.distinguishing_mass, way="up")),
        ("total variation", number(profile.total_variation)),
        ("Kullback–Leibler divergence (nats)", number(profile.kl)),
        ("Rényi divergence of order 2 (nats)", number(profile.renyi(2.0))),
        ("ε at δ = 0, the leakage", leaked(profile.epsilon(0.0))),
    ]
    return together(
        paragraph(profile),
        drawn(lambda: figure_of(profile), "delta over epsilon"),
        table(["", ""], rows),
    )


def _inference(found: Inference) -> Markup:
    rows = [
        (
            "as it is" if belief.neighbour is None else f"with {belief.neighbour}",
            f"{belief.prior:.4g}",
            f"{belief.posterior:.4g}",
        )
        for belief in found.beliefs
    ]
    return together(paragraph(found), table(["team", "before", "after"], rows))


def _stream(found: Stream) -> Markup:
    rows = [
        (
            f"{row.snapshots:,}",
            f"{row.bayes_success.value:.1%}",
            f"{rounded(row.bayes_success.lower, '.1%', 'down')} – "
            f"{rounded(row.bayes_success.upper, '.1%', 'up')}",
            f"{row.distinguishing_mass.value:.3g}",
        )
        for row in found.rows
    ]
    heads = ["snapshots", "an observer is right", "between", "one ruled out"]
    return together(paragraph(found), table(heads, rows), _over_snapshots(found))


def _period(found: Period) -> Markup:
    unit = found.stream.unit
    rows = [(each(every, unit), rounded(right, ".1%", "up")) for every, right in found.tried]
    heads = ["one snapshot", "right at most"]
    return together(paragraph(found), table(heads, rows), _over_snapshots(found.stream))


def _over_snapshots(found: Stream) -> Markup:
    return drawn(lambda: figure_of(found), "how often an observer is right, snapshot by snapshot")


def _estimation(found: Estimation) -> Markup:
    rows = [
        (f"{snapshots:,}", *(f"± {one.within[i].value:.3g}" for one in found.of))
        for i, snapshots in enumerate(found.snapshots)
    ]
    rows.insert(0, ("0", *(f"± {one.before:.3g}" for one in found.of)))
    return together(
        paragraph(found),
        table(["snapshots", *(one.name for one in found.of)], rows),
        drawn(lambda: figure_of(found), "to within how much each number is known"),
    )


def _probing(found: Probing) -> Markup:
    columns = found.table_columns
    rows = [
        (probe, looks, f"{leakage:.4g}", percent(guess), percent(watching))
        for probe, looks, leakage, guess, watching in zip(
            *(columns[name] for name in ("probe", "looks", "leakage", "guess", "guess_watching")),
            strict=True,
        )
    ]
    return together(
        paragraph(found),
        table(["probe", "looks", "leakage", "right", "right without it"], rows),
    )


def _certainty(found: Certainty) -> Markup:
    columns = found.table_columns
    rows = [
        (question, f"{snapshots:,}", f"{time:g}", percent(guess), percent(sure))
        for question, snapshots, time, guess, sure in zip(
            *(columns[name] for name in ("question", "snapshots", "time", "guess", "sure")),
            strict=True,
        )
    ]
    return together(
        paragraph(found),
        table(
            [
                "question",
                "snapshots",
                in_units("time", found.unit),
                "right",
                f"{found.level:.0%} sure by then",
            ],
            rows,
        ),
        drawn(lambda: figure_of(found), "what is believed along some paths"),
    )


def _audit(found: Audit) -> Markup:
    rows = [
        (
            pair.neighbour,
            percent(binary_success(pair.total_variation), "down"),
            leaked(pair.lower, "down"),
            pair.event,
            *(f"{hits:,}" for hits in pair.hits),
        )
        for pair in found.pairs
    ]
    heads = ["neighbour", "right at least", "leaks at least", "event", "seen of the team"]
    return together(paragraph(found), table([*heads, "of the neighbour"], rows, left=(0, 3)))


def _account(found: Account) -> Markup:
    rows = [
        ("missions", f"{found.missions:,}"),
        ("the best guess is right", percent(found.bayes_success, "up")),
        (f"ε at δ = {DELTA:g}", number(found.epsilon(DELTA), way="up")),
        ("one possibility ruled out", number(found.distinguishing_mass, way="up")),
    ]
    return together(paragraph(found), table(["", "at most"], rows))


def _paper_index(found: PaperIndex) -> Markup:
    return together(
        paragraph(
            f"The paper's index is {leaked(found.value)}, against a team with {found.neighbour}. "
            "It compares equilibria and is no leakage."
        ),
        table(["at the state", ""], list(found.state.items())),
    )


PRIVACY: tuple[tuple[type, Callable[[Any], Markup]], ...] = (
    (Distribution, _distribution),
    (FirstPassage, _first_passage),
    (TeamDistributions, _distributions),
    (Leakage, _leakage),
    (GroupLeakage, _groups),
    (Profile, _profile),
    (Inference, _inference),
    (Stream, _stream),
    (Period, _period),
    (Account, _account),
    (Audit, _audit),
    (Estimation, _estimation),
    (Certainty, _certainty),
    (Probing, _probing),
    (PaperIndex, _paper_index),
)
