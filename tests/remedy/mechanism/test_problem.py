"""How much blind publishing is mixed in: the least that does, whichever that is."""

from __future__ import annotations

import pytest

from covey.remedy.mechanism.problem import MIXED, MIXED_MORE, _first_found


@pytest.mark.parametrize("shares", [MIXED, MIXED_MORE, MIXED[:2]])
def test_the_first_share_that_does_is_found_by_halving(shares: tuple[float, ...]) -> None:
    for least in (*shares, 2.0):
        tried: list[float] = []

        def mixed(share: float, least: float = least, tried: list[float] = tried) -> str | None:
            tried.append(share)
            return f"by {share}" if share >= least else None

        found: object = _first_found(mixed, shares)  # type: ignore[arg-type]
        assert found == (f"by {least}" if least in shares else None)
        assert len(tried) == len(set(tried)) <= 6
