"""The lowest versions that pyproject.toml allows, as constraints for pip: `make oldest` tries them.

Only of what covey needs to run, its extras included: what its developers need besides may be new.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"
_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)>=(?P<version>[\d.]+)")


def constraints(text: str) -> Iterator[str]:
    """`name==version` for every dependency of a pyproject.toml."""
    project = tomllib.loads(text)["project"]
    listed = [project["dependencies"], *project["optional-dependencies"].values()]
    for requirement in (one for some in listed for one in some):
        parts = _REQUIREMENT.fullmatch(requirement)
        if parts is None:
            raise ValueError(f"{requirement}: name>=version is expected, and nothing else")
        yield f"{parts['name']}=={parts['version']}"


if __name__ == "__main__":
    print(*constraints(PROJECT.read_text(encoding="utf-8")), sep="\n")
