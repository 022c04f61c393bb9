"""What all tests share: where the examples are, and that no test draws lots.

Property tests try the same cases every time, so that a test that passed passes in every clone, on a
busy machine as on a free one: how long a case takes decides nothing. New cases are drawn by
`make studies` (`--hypothesis-profile=new`).
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.toml"))
# Those without a timetable, which other formats and the text of a network have no place for.
CONSTANT = [path for path in EXAMPLES if "[[phase]]" not in path.read_text(encoding="utf-8")]

settings.register_profile(
    "same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("new", settings.get_profile("same"), derandomize=False)
settings.load_profile("same")

# What takes longest begins first, so that no worker is left alone with it at the end.
LONGEST = ("docs/test_pages.py", "paper/", "browser/", "cli/test_s", "cli/")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest first, then files with a slow test, then the others; files stay whole."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    here = Path(__file__).parent

    def rank(item: pytest.Item) -> int:
        name = item.path.relative_to(here).as_posix()
        places = (i for i, start in enumerate(LONGEST) if name.startswith(start))
        return next(places, len(LONGEST) + (item.path not in slow))

    items.sort(key=rank)


@pytest.fixture(params=EXAMPLES, ids=lambda path: path.stem)
def example(request: pytest.FixtureRequest) -> Path:
    """Every example in turn."""
    path: Path = request.param
    return path


@pytest.fixture(autouse=True, scope="session")
def own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What covey keeps for its user is kept elsewhere while it is tested."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield
