"""A yes or a no that says why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """What was found, and the reason.

    Attributes:
        holds: Whether it does.
        why: The reaction, complex or species that decides it.
    """

    holds: bool
    why: str

    @classmethod
    def yes(cls, why: str) -> Finding:
        """It holds.

        Args:
            why: What decides it.
        """
        return cls(True, why)

    @classmethod
    def no(cls, why: str) -> Finding:
        """It does not hold.

        Args:
            why: What decides it.
        """
        return cls(False, why)

    def __bool__(self) -> bool:
        return self.holds
