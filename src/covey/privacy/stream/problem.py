"""What is asked of a stream, as one value: of which team, when somebody looks, and how well."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from covey.dynamics.hmm.hidden_markov import Schedule
from covey.errors import InputError
from covey.executors import Workers
from covey.model.scenario import Scenario
from covey.numbers import is_whole
from covey.privacy.snapshot.channel import Reporting
from covey.privacy.stream.confidence import check_confidence
from covey.privacy.stream.sampled import MOST_PATHS

ACCURACY = 0.02  # where nobody asks for another: whoever asks the same is told the same figure


@dataclass(frozen=True)
class Sampling:
    """How paths are drawn.

    Args:
        accuracy: How near the total variation of the worst neighbour is to be known.
        confidence: With which all bounds hold together.
        paths: How many paths of either team; by default as many as the accuracy needs.
        seed: Of the paths.
        cores: Threads to compute on; by default one on each core.
    """

    accuracy: float = ACCURACY
    confidence: float = 0.95
    paths: int | None = None
    seed: int = 0
    cores: int | None = None

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        if isinstance(self.accuracy, bool) or not 0 < self.accuracy < 1:
            raise InputError(
                f"the accuracy is {self.accuracy!r:.40}: a number between 0 and 1 is expected, as "
                "0.01"
            )
        for name, least, most in (("paths", 2, MOST_PATHS), ("seed", 0, 2**63), ("cores", 1, 4096)):
            value = getattr(self, name)
            if value is not None and not (is_whole(value) and least <= value <= most):
                raise InputError(
                    f"{name} is {value!r:.40}: a whole number from {least} to {most:,} is expected"
                )

    def seeds(self, neighbour: int, look: int) -> tuple[int, int]:
        """For paths of the team and of a neighbour.

        Args:
            neighbour: Its number.
            look: Which of several looks at it this is.
        """
        state = np.random.SeedSequence([self.seed, neighbour, look]).generate_state(2, np.uint64)
        return int(state[0]), int(state[1])


@dataclass(frozen=True)
class StreamProblem:
    """A stream of snapshots whose figures are asked for.

    Args:
        scenario: The team, its network, and what is seen of it, or published.
        looks: When somebody looks.
        sampling: How paths are drawn, where they have to be.
        epsilons: For which δ is said as well.
        seen: What is reported of what is there, anew at every snapshot; by default all.
        workers: Who draws paths; by default threads of this process.
    """

    scenario: Scenario
    looks: Schedule
    sampling: Sampling = field(default_factory=Sampling)
    epsilons: tuple[float, ...] = ()
    seen: Reporting | None = None
    workers: Workers | None = None
