"""How often a team is looked at and how paths are drawn, for every verb about many snapshots."""

from __future__ import annotations

from collections.abc import Callable

import click

from covey.errors import InputError

confidence_option = click.option(
    "--confidence",
    type=float,
    default=0.95,
    show_default=True,
    help="With which all bounds hold together.",
)
paths_seed_option = click.option(
    "--seed", type=int, default=0, show_default=True, help="Of the paths."
)


def snapshot_options(function: Callable[..., None]) -> Callable[..., None]:
    """Adds --every, --for and --snapshots; `read_counts` reads the last of them."""
    for option in (
        click.option(
            "--snapshots",
            metavar="N,…",
            help="After how many to say what is known; default: 1, 2, 5, 10 and more up to all.",
        ),
        click.option(
            "--for", "span", type=float, metavar="S", help="How long they go on: S/D snapshots."
        ),
        click.option(
            "--every", type=float, metavar="D", help="The time from one snapshot to the next."
        ),
    ):
        function = option(function)
    return function


def read_counts(text: str | None) -> list[int] | None:
    """`1,10,100` as numbers."""
    if text is None:
        return None
    from covey.numbers import whole_of

    found = [number for part in text.split(",") if (number := whole_of(part)) is not None]
    if len(found) <= text.count(","):
        raise InputError(
            f"--snapshots {text[:80]}: whole numbers with commas are expected, as 1,10,100"
        )
    return found
