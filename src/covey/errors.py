"""Every error that covey raises on purpose, and the exit code that each one means.

A message says what was found, what was expected and what to do. `file`, `line` and `key` (the
dotted name of a scenario's value) say where; whoever knows them fills them in, on the way up.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Self

_LONGEST = 1500  # characters of a message: the input may be a megabyte


class CoveyError(Exception):
    """Something the user can mend. Any other exception out of covey is a bug of covey's.

    Args:
        message: What was found, what was expected and what to do.
        file: The file that is wrong, where there is one.
        line: The line in it.
        key: The dotted name of the scenario's value, such as `types.A`.
        case: The case of a family of reactions, such as `for i = carrier`.
    """

    exit_code = 2

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        key: str | None = None,
        case: str | None = None,
    ) -> None:
        message = message if len(message) <= _LONGEST else f"{message[: _LONGEST - 3]}..."
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.key = key
        self.case = case

    def at(
        self,
        file: str | None = None,
        line: int | None = None,
        key: str | None = None,
        case: str | None = None,
    ) -> CoveyError:
        """The same error, with the place it came from where none was known yet.

        Args:
            file: The file that is wrong.
            line: The line in it.
            key: The dotted name of the scenario's value.
            case: The case of a family of reactions.
        """
        self.file = self.file or file
        self.line = self.line or line
        self.key = self.key or key
        self.case = self.case or case
        return self

    def saying(self, message: str) -> Self:
        """Another error of the same kind and about the same place, in other words.

        Args:
            message: What it says.
        """
        # Not by `copy`: once distributed is loaded, copies of an error share what they hold.
        other = type(self)(message)
        other.__dict__ |= self.__dict__ | {"message": other.message}
        return other

    def __str__(self) -> str:
        place = self.file or ""
        if self.line is not None:
            place = f"{self.file}:{self.line}" if self.file else f"line {self.line}"
        where = ", ".join(filter(None, (place, self.case)))
        return f"{where}: {self.message}" if where else self.message


class InputError(CoveyError):
    """The scenario, or a value given for it, is wrong."""


class UnsupportedError(CoveyError):
    """The question is well put, but the method asked for cannot answer it. Says why."""


class NoStationaryDistributionError(CoveyError):
    """The team never settles: there is no steady state to speak of."""


class TooLargeError(CoveyError):
    """The problem does not fit in the memory or time allowed. Said before either is taken.

    Args:
        message: What was found, what was expected and what to do, wherever it is read.
        states: How many states there would be, where they were counted.
        larger: Which of the `Limits` can help when they are larger, `max_states` or `tolerance`.
            Whoever shows the error says how they are set there, if they can be.
    """

    exit_code = 3

    def __init__(
        self, message: str, *, states: int | None = None, larger: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.states = states
        self.larger = larger

    def __str__(self) -> str:
        by = f". Or allow more by a larger {' or '.join(self.larger)}" if self.larger else ""
        return f"{super().__str__()}{by}"


class CoveyWarning(UserWarning):
    """The answer stands, but something about the question is worth a second look."""


class DirectBreachWarning(CoveyWarning):
    """The query counts the robots of one type by themselves: their type is not hidden at all."""


def shown(value: object) -> str:
    """A value as a message shows it: short, whatever it is."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # numbers of thousands of digits, lists in lists in lists
        return "a value too long to show"
    return text if len(text) <= 40 else f"{text[:37]}..."


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """` Did you mean "take"?`, or nothing where no known word is near."""
    near = get_close_matches(word[:200], [name for name in known if len(name) <= 200], n=1)
    return f' Did you mean "{near[0]}"?' if near else ""
