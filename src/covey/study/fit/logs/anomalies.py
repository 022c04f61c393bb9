"""What is odd about a log of robots, and how it is said: how often, and in which line first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from covey.errors import shown
from covey.words import rounded

_SPELT_OUT = 5
_WORDS = 100  # strange states that are kept


@dataclass
class Odd:
    """One kind of it."""

    times: int = 0
    line: int = 0
    what: str = ""
    most: float = 0.0

    def note(self, line: int, what: str, size: float = 0.0) -> None:
        """Once more.

        Args:
            line: Where.
            what: What it is.
            size: How bad it is.
        """
        if not self.times:
            self.line, self.what = line, what
        self.times += 1
        self.most = max(self.most, size)

    def __str__(self) -> str:
        often = f"{self.times:,} time{'s' * (self.times != 1)}"
        return f"{often}, first in line {self.line:,}: {self.what}"


@dataclass
class Anomalies:
    """All kinds of it.

    Attributes:
        back: Rows that are earlier than the row before.
        twice: Robots in two places.
        unexplained: Changes that no reactions make.
        others: Robots of no type of the team.
        silent: Robots that are not heard of for too long.
        strange: States that the network does not know.
        lost: For how long it was not known where everybody was.
        late: For how long so at the beginning.
    """

    back: Odd = field(default_factory=Odd)
    twice: Odd = field(default_factory=Odd)
    unexplained: Odd = field(default_factory=Odd)
    others: Odd = field(default_factory=Odd)
    silent: Odd = field(default_factory=Odd)
    strange: dict[str, Odd] = field(default_factory=dict)
    lost: float = 0.0
    late: float = 0.0

    def state(self, line: int, word: str) -> None:
        """A state that the network does not know.

        Args:
            line: Where.
            word: What the log calls it.
        """
        if word in self.strange or len(self.strange) < _WORDS:
            self.strange.setdefault(word, Odd()).note(line, word)

    def states(self, hint: Callable[[str], str]) -> str:
        """The states that the network does not know, those that come most often first.

        Args:
            hint: What a word may have been meant for.
        """
        words = sorted(self.strange, key=lambda word: -self.strange[word].times)
        parts = (
            f"{shown(word)} in {self.strange[word].times:,} rows, first in line "
            f"{self.strange[word].line:,}{hint(word)}"
            for word in words[:_SPELT_OUT]
        )
        return "; ".join(parts)

    def notes(self, duration: float, hint: Callable[[str], str], *, polled: bool) -> list[str]:
        """All of it in sentences.

        Args:
            duration: For how long it was known where everybody was.
            hint: What a word for a state may have been meant for.
            polled: Whether changes are no events, and need no reaction each.
        """
        notes = []
        if self.back.times:
            notes.append(
                f"The clock runs back {self.back} (at most "
                f"{rounded(self.back.most, '.6g', 'up')}); such rows count "
                "at the time of the row before."
            )
        if self.twice.times:
            notes.append(
                f"A robot is in two places {self.twice}. The later row counts after the other."
            )
        if self.unexplained.times and not polled:
            notes.append(
                f"No reaction explains what robots did {self.unexplained}. Such changes are left "
                "out, so that rates may be too low. If the robots of one event report it one after "
                "the other, say how far apart (--together)."
            )
        if self.strange:
            notes.append(
                f"States that the network does not know: {self.states(hint)}. While a robot is in "
                "one, nothing is counted; [log] states says what they mean."
            )
        if self.silent.times:
            notes.append(
                f"A robot is not heard of for too long {self.silent}. From such a row to its next "
                "one it is not watched; --lost-after says how long is too long."
            )
        if self.late:
            notes.append(
                f"Nothing is counted in the first {self.late:.6g} of the time: until then it was "
                "not known where everybody was."
            )
        if self.lost:
            share = self.lost / (self.lost + duration)
            notes.append(
                f"For {self.lost:.6g} of the time ({100 * share:.2g}%) it was not known where "
                "everybody was."
            )
        if self.others.times:
            notes.append(
                f"{self.others.times:,} robots are of no type of the team, and left out (the "
                f"first: {self.others.what}, line {self.others.line:,})."
            )
        return notes
