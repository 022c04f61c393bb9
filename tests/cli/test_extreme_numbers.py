"""Numbers beyond all use: an answer or a sentence, never a traceback."""

from __future__ import annotations

import pytest

from tests.cli.command import covey
from tests.conftest import EXAMPLES

SHARED = str(next(path for path in EXAMPLES if path.stem == "shared-resource"))
RIDES = str(next(path for path in EXAMPLES if path.stem == "ride-sharing"))


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("leakage", SHARED, "--at", "1e308"), 3, "take a shorter time"),
        (("trace", SHARED, "--until", "1e308"), 3, "take a shorter time"),
        (("trace", SHARED, "--until", "2", "--points", "1000000000"), 2, "2 to 100,000"),
        (("simulate", SHARED, "--until", "1", "--points", "10000000000"), 2, "1 to 100,000"),
        (("profile", SHARED, "--epsilon", "710"), 0, "e^ε"),
        (("infer", SHARED, "free=2,busy=1", "--prior", "team=1e308,A->B=1e308"), 0, "team"),
        (("infer", SHARED, "free=2,busy=1", "--prior", "A=1e-308,B=1e308"), 2, "too far apart"),
        (("check", RIDES, "--set", "rates.sedan_starts=1e300"), 0, "reactions"),
    ],
)  # fmt: skip
def test_numbers_beyond_use(arguments: tuple[str, ...], code: int, said: str) -> None:
    answer = covey(*arguments)
    assert answer.code == code, answer.err
    assert said in answer.out + answer.err
    assert "Traceback" not in answer.err
