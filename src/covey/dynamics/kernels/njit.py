"""numba's decorator, as type checkers see it: what it decorates keeps its types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    _F = TypeVar("_F", bound=Callable[..., Any])

    def njit(**options: bool | str) -> Callable[[_F], _F]: ...
else:
    from numba import njit

__all__ = ["njit"]
