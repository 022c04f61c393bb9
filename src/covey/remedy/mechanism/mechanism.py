"""Mechanism: what to publish instead of what is there, what that promises, and what it costs.

The promise is for one snapshot, for the public set of teams, the rates and the moments that the
mechanism was made for, and for whoever knows the mechanism: nothing that is published is more than
e^ε times as likely for one of two neighbouring teams as for the other (with a δ: no event is, plus
δ). It is not hoped for: it is the leakage of what is published, computed as any other leakage is,
and bounded from above.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from covey.model.io.mechanism_file import save_mechanism
from covey.model.observation.release_table import ReleaseTable
from covey.model.secret import TeamSet
from covey.model.team import Team
from covey.numbers import Floats, Ints
from covey.privacy.snapshot.bayes_success import binary_success
from covey.privacy.snapshot.leakage import Leakage
from covey.privacy.snapshot.output_distributions import TeamDistributions
from covey.privacy.snapshot.profile import Profile
from covey.remedy.mechanism.rate_box import RateBox
from covey.showing import Drawing
from covey.words import number, odds, rounded, shown

_NEAR = 1e-3  # of the loss: a gap to the best that nobody minds


@dataclass(frozen=True, eq=False)
class Compared:
    """A way to publish less: what it gives away, and what it costs.

    Attributes:
        kind: "truth", "coarser", "rounding", "coding", "noise", "thinning", "program" or
            "stand-in".
        name: What is done.
        leakage: What one snapshot then gives away, at most.
        epsilon: ε at δ of it: an event is at most e^ε times as likely, plus δ.
        delta: δ.
        total_variation: How far apart what is published of two teams is at most.
        loss: What it costs; not a number where what is published has no such loss.
    """

    kind: str
    name: str
    leakage: float
    epsilon: float
    delta: float
    total_variation: float
    loss: float

    @property
    def guess(self) -> float:
        """How often the best guess is right, of whoever has to tell two teams apart."""
        return binary_success(self.total_variation)


@dataclass(frozen=True, eq=False)
class Mechanism(Drawing):
    """The table that costs least among those that keep to a target.

    Attributes:
        release: The table, as it is kept in a file and as a scenario's [release] takes it.
        before: What one snapshot gives away as things are, for every team and moment.
        leakages: And through the table.
        profiles: The same in full: (ε, δ), total variation, best guess.
        loss: What the table costs: the expected loss of what is published.
        least: No table for one snapshot that keeps to the target for these teams and moments
            costs less than this, whatever counts it publishes (or of those that `publish` listed,
            or that can be there: `possible`). Other ways than a table in front of one snapshot may
            cost less.
        unchanged: The probability that the truth is published.
        distributions: Of every team and moment, what is there.
        listed: Whether what may be published was listed.
        possible: Whether `least` is over tables that publish only what can be there, as there are
            too many other counts to look at.
        losses: What it costs each team and moment.
        truths: And the probability that the truth is published of each.
        worst: Whether `loss` and `unchanged` are those of the worst of them; else they are means.
        teams: The public set of teams that it is for; None where it is for one team, which it
            names.
        within: The box of rates for all of which it is promised; None where it is promised for the
            scenario's own.
    """

    #: Where its formulas are, and what proves them.
    proof: ClassVar[str] = "docs/theory/table.md#tables"

    release: ReleaseTable
    before: tuple[Leakage, ...]
    leakages: tuple[Leakage, ...]
    profiles: tuple[Profile, ...]
    loss: float
    least: float
    unchanged: float
    distributions: tuple[TeamDistributions, ...]
    listed: bool = False
    possible: bool = False
    losses: tuple[float, ...] = ()
    truths: tuple[float, ...] = ()
    worst: bool = False
    teams: TeamSet | None = None
    within: RateBox | None = None

    @property
    def counts(self) -> tuple[str, ...]:
        """What outcomes count."""
        return self.release.counts

    @property
    def seen(self) -> Ints:
        """What may be there: (seen, counts)."""
        return self.release.seen

    @property
    def published(self) -> Ints:
        """What may be published: (published, counts)."""
        return self.release.published

    @property
    def table(self) -> Floats:
        """The probability of each published outcome, a row for each seen one."""
        return self.release.table

    @property
    def epsilon(self) -> float:
        """The leakage that was asked for."""
        return self.release.epsilon

    @property
    def delta(self) -> float:
        """The probability with which it may be exceeded."""
        return self.release.delta

    @property
    def leakage(self) -> Leakage:
        """What one snapshot of what is published gives away, of the worst team and moment."""
        return max(self.leakages, key=lambda leak: leak.interval[1])

    @property
    def profile(self) -> Profile:
        """All that such a snapshot tells, of the worst team and moment."""
        return max(self.profiles, key=lambda profile: profile.delta(self.epsilon))

    @property
    def gap(self) -> float:
        """How much of the loss may be in vain, by `least`."""
        return 1 - self.least / self.loss if self.loss > 0 else 0.0

    def as_point(self, delta: float) -> Compared:
        """This mechanism beside other ways, with ε at a δ; what it costs is the mean over teams.

        Args:
            delta: Above 0.
        """
        constant = ", a constant" if self.release.constant is not None else ""
        return Compared(
            "program",
            f"the mechanism for ε = {self.epsilon:.4g}{constant}",
            self.leakage.interval[1],
            max(profile.epsilon_interval(delta)[1] for profile in self.profiles),
            delta,
            max(profile.total_variation for profile in self.profiles),
            sum(self.losses) / len(self.losses),
        )

    def save(self, path: str | Path) -> Mechanism:
        """Writes the mechanism to a file, and gives back the mechanism that knows its name.

        Args:
            path: A JSON file, for `covey publish` and for a scenario's [release].
        """
        save_mechanism(self.release, path)
        return replace(self, release=replace(self.release, file=Path(path).name))

    @property
    def compared(self) -> list[TeamDistributions]:
        """Of every team and moment that has a neighbour, what is there."""
        return [one for one in self.distributions if one.neighbours]

    @property
    def by_team(self) -> list[tuple[Team, float, float]]:
        """Each team with what the tables cost it and how often its truth is published, at worst.

        Over the moments that they are for.
        """
        found: dict[Team, tuple[float, float]] = {}
        for one, loss, truth in zip(self.distributions, self.losses, self.truths, strict=True):
            before = found.get(one.scenario.team, (loss, truth))
            found[one.scenario.team] = max(before[0], loss), min(before[1], truth)
        return [(team, *figures) for team, figures in found.items()]

    @property
    def caution(self) -> str:
        """What to know before the file is handed out; empty where it may be."""
        if self.teams is not None:
            return ""
        public = self.distributions[0].relation.is_type
        return (
            "It was made for this team alone and names it: keep the file as secret as the team is"
            + (" (--teams makes one that may be public)." if public else ".")
        )

    def __str__(self) -> str:
        if (always := self.release.constant) is not None:
            best = "Nothing that keeps to this costs less than a constant"
            found = best if self.gap < _NEAR else "Only a constant was found to keep to this"
            return (
                f"{found}: {shown(always)} is published whatever is there. That gives nothing "
                "away, and tells its reader nothing: it is off by "
                f"{self.loss:.3g} on average. {self._rates}".rstrip()
            )
        before = max(leak.value for leak in self.before)
        upper = self.release.leakage
        one, relation = len(self.leakages) == 1, self.distributions[0].relation
        whom = "" if one or self.teams else " of every team and moment it was made for"
        shifts = (
            f"one snapshot shifts the odds on {relation.odds}{whom} by at most a factor "
            f"{odds(upper, 'up')} (leakage {number(upper, 'up')} at most, {number(before)} before)"
        )
        if self.delta:
            shifts = (
                f"no event is more than {odds(self.epsilon, 'up')} times as likely for one team "
                f"as for another that {relation.apart}{whom}, plus {self.delta:g} (ε = "
                f"{number(self.epsilon, 'up')}; the leakage was {number(before)})"
            )
        return (
            f"Published through {self._which}, {shifts}. The truth is published "
            f"{self._unchanged} of the time, and the expected loss is "
            f"{self.loss:.3g}{self._of_whom}. {self._bound}. {self._rates}{self.caution}".rstrip()
        )

    @property
    def _rates(self) -> str:
        """For which rates it is promised, where that is a box."""
        return "" if self.within is None else f"That is proved for all rates of {self.within}. "

    @property
    def _which(self) -> str:
        """Through which tables, of which teams."""
        if self.teams is None:
            return "this table"
        if self.release.teams:
            return f"these tables, one for each of the {self.teams.size} teams of {self.teams}"
        return f"this table, the same for all {self.teams.size} teams of {self.teams}"

    @property
    def _unchanged(self) -> str:
        if self.worst:
            return f"at least {rounded(self.unchanged, '.1%', 'down')}"
        return f"{self.unchanged:.1%}"

    @property
    def _of_whom(self) -> str:
        if self.teams is None:
            return ""
        return " for the worst of them" if self.worst else " on average over them"

    @property
    def _bound(self) -> str:
        """Over what `least` is a bound."""
        team = "this team" if len(self.leakages) == 1 else "these teams and moments"
        what = ", of those that publish only what is listed," if self.listed else ""
        if self.possible:
            what = ", of those that publish only what can be there,"
        return (
            f"No table for one snapshot of {team} that keeps to this{what} costs less than "
            f"{rounded(self.least, '.3g', 'down')}"
        )
