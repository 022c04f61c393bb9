"""Scenarios whose reactions stand in an SBML file: `[network] sbml = "model.xml"`.

The document of such a scenario becomes an ordinary one, with the reactions, rates and plain
species' counts of the model written out. What the scenario says itself goes before the model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from covey.errors import InputError, shown
from covey.model.io.document import check_tables
from covey.model.io.sbml.reader import from_sbml
from covey.model.reaction import print_reactions


def with_sbml(document: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The document with the SBML file that it names written out.

    A relative path starts at `folder`, where the scenario file is.
    """
    check_tables(document)
    network = document["network"]
    path = network["sbml"]
    if not isinstance(path, str) or not path:
        raise InputError(
            f"network.sbml is {shown(path)}: the name of an SBML file is expected",
            key="network.sbml",
        )
    if "reactions" in network:
        raise InputError(
            "network has both sbml and reactions: leave one of them out", key="network.sbml"
        )
    initial = document.get("initial", {})
    model = from_sbml(
        folder / path,
        species=document.get("species", {}),
        rates=document.get("rates", {}),
        kinetics=network.get("kinetics"),
        known=initial,
        seen=_seen(document.get("observe", {})),
    )
    read = {
        "title": document.get("title", model.title),
        "rates": dict(model.network.rates),
        "network": {
            "kinetics": model.network.kinetics,
            "reactions": "\n".join(print_reactions(model.network.reactions)),
        },
        "initial": {**model.initial, **initial},
    }
    return {name: table for name, table in document.items() if name != "species"} | read


def _seen(observe: Mapping[str, object]) -> list[str]:
    """The words among the species that are observed; what is wrong is said when they are read."""
    texts = [re.split("[<>=!]", text)[0] for text in observe.values() if isinstance(text, str)]
    parts = (part.strip().lstrip("0123456789 ") for text in texts for part in text.split("+"))
    return list(dict.fromkeys(parts))
