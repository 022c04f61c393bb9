"""Making a stand-in: a public reference team, published in place of the real one.

What is published has the distribution of the reference, whatever the real team is: ε = 0 and δ = 0,
for any number of snapshots at any times, for any number of robots, whatever an observer knows of
the types. That needs nothing to be computed (`pairs` has the proof); what is computed is the price.
It supposes three things: the reference was not chosen by looking at the team; the team moves at the
model's rates; and the observer sees nothing but what is published.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import ClassVar

from covey.dynamics.limits import Limits
from covey.dynamics.solver import Solver
from covey.dynamics.validation import Progress, check_time
from covey.errors import InputError, TooLargeError, did_you_mean, shown
from covey.model.io.stand_in_file import Reference, save_stand_in
from covey.model.scenario import Scenario
from covey.model.team import Team
from covey.privacy.hypotheses import check_types_only, neighbours_only
from covey.remedy.mechanism.losses import Loss
from covey.remedy.mechanism.rate_box import RateBox
from covey.remedy.stand_in.best import BEST, best_reference, public_teams
from covey.remedy.stand_in.misfit import misfit, misfit_within
from covey.remedy.stand_in.pairs import MOST_PAIRS
from covey.remedy.stand_in.price import Price
from covey.remedy.stand_in.pricing import Pricing, Way
from covey.remedy.stand_in.publishing.coupled_publisher import CoupledPublisher
from covey.words import percent, rounded

COUPLINGS = ("optimal", "difference", "greedy")


@dataclass(frozen=True, eq=False)
class StandIn:
    """A reference team to publish, and what that costs.

    Attributes:
        scenario: The real team.
        reference: The same scenario with the reference for its team.
        loss: What an error costs, as for `protect`.
        coupling: Which moves both make together: "optimal", or where the pairs of states do not fit
            by a potential of their "difference", or "greedy" where there is none.
        truth: The probability of a coin that is tossed once: then the truth is published
            throughout. Total variation is at most that, and so is δ.
        price: What is lost of the real team, and how often it is published as it is.
        least: No release with the reference's distribution costs less for the real team.
        others: The same price for every team that is one robot away, by what has changed; of the
            best reference, for every team of the public set. Where the pairs of states do not fit,
            roughly: simulated briefly, of the greedy coupling.
        misfit: Where rates are off by so much, how often an observer of the whole stream tells this
            team from the reference, at most; empty where no stream is known, or the pairs of states
            do not fit.
        fitted: The same where every rate is in its own interval, as a fit gives them; None where
            none were given.
        asked: The coupling that its file names. Whether the pairs of states fit depends on the real
            team, so that this is what was asked for, and not what was found.
    """

    #: Where its formulas are, and what proves them.
    proof: ClassVar[str] = "docs/theory/stand-in.md#the-stand-in"

    scenario: Scenario
    reference: Scenario
    loss: Loss
    coupling: str
    truth: float
    price: Price
    least: float
    others: tuple[tuple[str, Team, Price], ...]
    misfit: tuple[tuple[float, float], ...]
    fitted: float | None = None
    asked: str = "optimal"

    @property
    def epsilon(self) -> float:
        """0: nothing that is published is likelier for one team than for another."""
        return 0.0

    @property
    def delta(self) -> float:
        """But for the coin that shows the truth."""
        return self.truth

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    @property
    def sentences(self) -> list[str]:
        """What is published, what it costs, and what it supposes."""
        price = self.price
        how = "" if price.confidence is None else f" (simulated, {price.confidence:.0%} confidence)"
        worst = max(self.others, key=lambda other: other[2].loss, default=None)
        coin = (
            f" With probability {self.truth:g}, tossed once, the truth is published throughout."
            if self.truth
            else ""
        )
        said = [
            f"Published is a stand-in, {self.reference.team}, that moves along with the team. What "
            "it shows has the distribution of that reference, whatever the team is: after any "
            "number of snapshots an observer is right 50% of the time, as by guessing "
            f"(ε = 0, δ = {self.truth:g}).{coin}",
            f"It is off by {rounded(price.loss, '.3g', 'up')} on average for this team{how}, and "
            f"shows the truth {percent(price.unchanged, 'down')} of the time; no release with that "
            f"distribution costs less than {rounded(self.least, '.3g', 'down')}."
            + (f" With {worst[0]} it costs {worst[2].loss:.3g}." if worst else ""),
            "That holds if the reference was not chosen by looking at the team, if the team moves "
            "at the model's rates, if every event is told once and in time, and if an observer "
            "sees nothing but what is published.",
        ]
        if self.misfit:
            parts = [f"{within:.0%}: {percent(right, 'up')}" for within, right in self.misfit]
            said.append(
                "Where every rate is off by at most so much, an observer of the whole stream tells "
                f"this team from the reference at most so often: {', '.join(parts)}."
            )
        if self.fitted is not None:
            said.append(
                "Where every rate is in the interval of its fit, that is at most "
                f"{percent(self.fitted, 'up')}."
            )
        return said

    def publisher(self, start: Mapping[str, int] | None = None) -> CoupledPublisher:
        """What publishes it, event by event.

        Args:
            start: How many of the real team there are of each species, by name; by default its
                start.
        """
        if start is None:
            network = self.scenario.network
            counts = zip(network.species, self.scenario.start.tolist(), strict=True)
            start = {str(species): count for species, count in counts}
        return CoupledPublisher(self.public, start, network=self.scenario.network)

    @property
    def public(self) -> Reference:
        """All of it that may be known: its file holds nothing else."""
        return Reference(self.reference, self.asked, self.loss, self.truth)

    def save(self, path: str | Path) -> None:
        """Writes it to a file, for `covey publish`; the file says nothing of the real team.

        Args:
            path: A JSON file.
        """
        save_stand_in(self.public, path)


def stand_in(
    scenario: Scenario,
    reference: Mapping[str, object] | str,
    *,
    loss: Loss = "l1",
    coupling: str | None = None,
    truth: float = 0.0,
    until: float | None = None,
    within: Mapping[str, tuple[float, float]] | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> StandIn:
    """A public reference team to publish in place of the real one, and what that costs.

    Args:
        scenario: The real team, its network, and what is seen of it.
        reference: The robots of the reference by type, `{"carrier": 6, "picker": 4}`; or any other
            value of the scenario by its dotted name. It must not be chosen by looking at the team.
            "best" is the team of the scenario's public set ([secret.teams]) that costs least at
            worst over the set, "best-mean" the one that does in the mean.
        loss: What an error costs: "l1", "squared", "change", a weight for each count, or a table.
        coupling: "optimal", the best by policy iteration on pairs of states; or, for any number of
            robots, "difference", by a potential of how far both are apart, or "greedy"; by default
            the best where the pairs fit, else by the difference.
        truth: The probability with which, by a coin tossed once, the truth is published.
        until: How long what is published is watched, for what misfitting rates may tell; by default
            as long as the scenario's [release] says.
        within: The least and the most of each rate, as a fit's intervals: what may be learnt where
            every rate is in its own.
        limits: How to compute the distributions.
        progress: Called as progress(done, total, text) while the work goes on.
    """
    if isinstance(truth, bool) or not isinstance(truth, Real) or not 0 <= truth < 1:
        raise InputError(f"truth is {shown(truth)}: a probability below 1 is expected", key="truth")
    if coupling is not None and coupling not in COUPLINGS:
        hint = did_you_mean(coupling, COUPLINGS) or f" Known: {', '.join(COUPLINGS)}."
        raise InputError(f"the coupling is {shown(coupling)}, which is not known.{hint}")
    scenario.query.check_linear("a stand-in")
    plain = scenario.unpublished()
    check_types_only(plain, "a stand-in")
    solver = Solver(plain.network, limits)
    way = Way(solver, loss, coupling, progress)
    if isinstance(reference, str) and reference in BEST:
        teams = public_teams(plain)
        chosen = best_reference(plain, teams, way, reference)
        compared = [(str(team), team) for team in teams]
    else:
        chosen = referring(plain, reference)
        compared = [(str(one), one.team) for one in neighbours_only(plain, "a stand-in")]
    span = scenario.release.until if until is None else check_time(until, "until")
    box = None if within is None else RateBox.of(plain, within)
    if box is not None and span is None:
        raise InputError(
            "what rates in their intervals tell depends on how long one watches: give until "
            "(--for S), or [release] until",
            key="until",
        )
    maker = Pricing(way, chosen)
    own = maker.price(plain)
    others = [
        (name, team, maker.price(plain.with_(team=team, warn=False), rough=True).price)
        for name, team in compared
    ]
    off: tuple[tuple[float, float], ...] = ()
    fitted = None
    if own.listed is not None and span is not None:
        off = misfit(own.listed, span)
        if box is not None:
            fitted = misfit_within(own.listed, span, plain.network, box)
    elif box is not None:
        raise TooLargeError(
            "what rates in their intervals tell is bounded over all pairs of states of the team "
            f"and the reference, and these are more than {MOST_PAIRS:,}: leave the fit out"
        )
    return StandIn(
        scenario, maker.reference, loss, own.coupling, float(truth),
        _with_coin(own.price, float(truth)), maker.least(plain), tuple(others), off,
        fitted, coupling or "optimal",
    )  # fmt: skip


def referring(scenario: Scenario, reference: Mapping[str, object] | str) -> Scenario:
    """The scenario with a reference for its team: counts by type, or values by dotted names."""
    if isinstance(reference, str):
        raise InputError(
            f"the stand-in is {shown(reference)}: robots by type are expected, as "
            'carrier=6,picker=4, or "best"',
            key="stand_in",
        )
    named = {name: value for name, value in reference.items() if "." not in name}
    for name in named:
        if name not in scenario.team.types:
            hint = did_you_mean(name, scenario.team.types)
            known = f" Known: {', '.join(list(scenario.team.types)[:8])}."
            raise InputError(
                f"the stand-in has {shown(name)}, which is no type.{hint or known}", key="stand_in"
            )
    changes = {f"types.{name}": value for name, value in named.items()}
    changes |= {name: value for name, value in reference.items() if "." in name}
    return scenario.with_(changes, warn=False)


def _with_coin(price: Price, truth: float) -> Price:
    low, high = price.interval
    share = 1 - truth
    return Price(
        share * price.loss,
        (share * low, share * high),
        truth + share * price.unchanged,
        price.confidence,
    )
