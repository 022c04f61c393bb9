"""What a wheel carries besides code, what it says that it needs, and what needs what in it."""

import tomllib
from importlib.resources import files

import grimp
import numpy as np
from scipy.sparse.csgraph import connected_components

from tests.oldest import PROJECT, constraints


def test_type_checkers_of_others_are_told_that_covey_is_typed() -> None:
    assert files("covey").joinpath("py.typed").is_file()  # PEP 561; hatchling packs the folder


def test_every_dependency_has_a_lowest_version() -> None:
    text = PROJECT.read_text(encoding="utf-8")
    lowest = dict(line.split("==") for line in constraints(text))
    needed = tomllib.loads(text)["project"]["dependencies"]
    assert {f"{name}>={version}" for name, version in lowest.items()} >= set(needed)


def test_no_import_goes_round_not_even_for_types() -> None:
    graph = grimp.build_graph("covey", cache_dir=None)
    names = sorted(graph.modules)
    place = {name: i for i, name in enumerate(names)}
    links = np.zeros((len(names), len(names)), dtype=np.bool_)
    for name in names:
        links[place[name], [place[of] for of in graph.find_modules_directly_imported_by(name)]] = 1
    _, ring = connected_components(links, connection="strong")
    assert [name for i, name in enumerate(names) if (ring == ring[i]).sum() > 1] == []
