"""A stand-in as a release: a public reference team is watched, whatever the real team is.

Every hypothesis about the real team gives what is published one and the same distribution, that of
the reference (docs/theory/stand-in.md has the proof). So an observer starts from the reference's
start and sees it move at the reference's rates, for this team and for every other.
"""

from __future__ import annotations

from dataclasses import dataclass

from covey.errors import InputError
from covey.model.network import Network
from covey.model.observation.query import Query
from covey.model.team import Team
from covey.words import percent


@dataclass(frozen=True, eq=False)
class StandInRelease:
    """What is watched in place of the team.

    Attributes:
        network: The reference's reactions and rates.
        team: The reference.
        query: What is published of it.
        start: Its start, a number for each species.
        truth: The probability of a coin, tossed once, with which the truth is published throughout.
        digest: One word for all that its file says.
        file: The name of the file that it is kept in.
    """

    network: Network
    team: Team
    query: Query
    start: tuple[int, ...]
    truth: float
    digest: str
    file: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StandInRelease) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def check(self, network: Network, query: Query) -> None:
        """`InputError` where it stands in for a team of another network, or shows other counts.

        Args:
            network: The real team's.
            query: What is seen here.
        """
        if not network.same_wiring(self.network):
            raise InputError(
                "the stand-in was made for other reactions: make one for this scenario (covey "
                "protect --stand-in)",
                key="release.mechanism",
            )
        if query.groups(network) != self.query.groups(self.network):
            raise InputError(
                "the stand-in publishes other counts than [observe] names: make one for this "
                "scenario (covey protect --stand-in)",
                key="release.mechanism",
            )

    @property
    def sentences(self) -> list[str]:
        """What is published, why it tells nothing, and what that supposes."""
        coin = (
            f" But with probability {self.truth:g}, tossed once, the truth is published "
            f"throughout: total variation is at most {self.truth:g}, and an observer is right at "
            f"most {percent((1 + self.truth) / 2, 'up')} of the time."
            if self.truth
            else ""
        )
        return [
            f"Published is a stand-in, {self.team}. It has the distribution of that reference "
            "whatever the team is, so that it tells nothing of the team, after any number of "
            f"snapshots.{coin}",
            "That holds if the reference was chosen without looking at the team, if the model's "
            "rates are about right, and if the observer sees nothing but the feed.",
        ]
