"""What all tests share: where the examples are, and that no test draws lots.

Property tests try the same cases every time, so that a test that passed passes in every clone. New
cases are drawn by `make studies` (`--hypothesis-profile=new`).
"""

from pathlib import Path

import pytest
from hypothesis import settings

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.toml"))

settings.register_profile("same", derandomize=True)
settings.register_profile("new", derandomize=False)
settings.load_profile("same")


@pytest.fixture(params=EXAMPLES, ids=lambda path: path.stem)
def example(request: pytest.FixtureRequest) -> Path:
    """Every example in turn."""
    path: Path = request.param
    return path
