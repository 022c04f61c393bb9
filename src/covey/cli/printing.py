"""How answers are printed: tables for people, one JSON object for programs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console

_PLAIN_WIDTH = 100


def print_json(answer: Mapping[str, Any]) -> None:
    """One JSON object on standard output; infinite numbers as the text "inf"."""
    click.echo(json.dumps(_finite(answer), ensure_ascii=False, allow_nan=False))


def console() -> Console:
    """Where people read: colours and the window's width on a terminal, plain text in a pipe."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else _PLAIN_WIDTH
    return Console(width=width, highlight=False, markup=False, emoji=False, soft_wrap=False)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value
