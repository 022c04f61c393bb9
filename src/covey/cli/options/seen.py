"""`--seen`: an observer who misses some robots."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from covey.cli.verbs.infer import read_pairs


def seen_option(function: Callable[..., None]) -> Callable[..., None]:
    """Adds `--seen`; the function gets a number, numbers by name, or nothing."""

    @click.option(
        "--seen",
        metavar="P or NAME=P,…",
        help="An observer who sees each robot with probability P, or those of a count: busy=0.5.",
    )
    @wraps(function)
    def verb(*args: Any, seen: str | None, **rest: Any) -> None:
        function(*args, seen=None if seen is None else _read(seen), **rest)

    return verb


def _read(text: str) -> float | dict[str, float]:
    from covey.numbers import number_of

    share = number_of(text)
    return read_pairs(text, "--seen", whole=False) if share is None else share
