"""What a wheel carries besides code, and what it says that it needs."""

import tomllib
from importlib.resources import files

from tests.oldest import PROJECT, constraints


def test_type_checkers_of_others_are_told_that_covey_is_typed() -> None:
    assert files("covey").joinpath("py.typed").is_file()  # PEP 561; hatchling packs the folder


def test_every_dependency_has_a_lowest_version() -> None:
    text = PROJECT.read_text(encoding="utf-8")
    lowest = dict(line.split("==") for line in constraints(text))
    needed = tomllib.loads(text)["project"]["dependencies"]
    assert {f"{name}>={version}" for name, version in lowest.items()} >= set(needed)
