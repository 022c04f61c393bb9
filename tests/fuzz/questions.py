"""Questions of the app's page, spoilt."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.hostile import WORDS, spoilt_text, spoilt_tree, value
from tests.fuzz.inputs import Input

# What each question is asked with; further options are drawn.
ASKED: dict[str, dict[str, Any]] = {
    "answer": {"delta": 0.01},
    "check": {},
    "commands": {"file": "fleet.toml", "guess": 0.6},
    "network": {},
    "time": {"until": 1.0},
    "snapshots": {},
    "helps": {},
    "stand_in": {"reference": {"A": 2, "B": 1}},
    "protect": {"epsilon": 0.5},
    "publish": {"mechanism": "one.json", "counts": {"free": 2, "busy": 1}},
    "design": {"vary": {"rates.take": [0.1, 2]}},
    "csv": {},
}
_OFTEN = [name for name in ASKED if name != "csv"]  # which takes a second
_OPTIONS: dict[str, Any] = {
    "set": {"types.A": 2},
    "vary": {"rates.take": [0.1, 2]},
    "keep": {"busy": 0.9},
    "minimise": "leakage",
    "front": 0,
    "guess": 0.6,
    "until": 1.0,
    "delta": 0.0,
}


def unspoilt(name: str, corpus: Path) -> dict[str, Any]:
    """A question as the page asks it."""
    options = dict(ASKED[name])
    if "mechanism" in options:
        options["mechanism"] = _text(corpus / options["mechanism"])
    return {"question": name, "text": _text(corpus / "whole.toml"), **options}


def app(random: Random, corpus: Path) -> Input:
    """A question with its text, its options or others spoilt; now and then all of it."""
    name = random.choice(_OFTEN) if random.random() < 0.98 else "csv"
    tree = unspoilt(name, corpus)
    tree |= dict(random.sample(list(_OPTIONS.items()), random.choice((0, 0, 1, 3))))
    what = random.random()
    if what < 0.1:
        spoilt = spoilt_tree(tree, random)
        return Input("app", question=spoilt if isinstance(spoilt, dict) else tree)
    if what < 0.4:
        return Input("app", question=tree | {"text": spoilt_text(tree["text"], random)})
    options = [name for name in tree if name not in ("question", "text")]
    if not options:
        return Input("app", question=tree | {random.choice(list(_OPTIONS)): value(random)})
    name = random.choice(options)
    if name == "mechanism":
        spoilt = json.dumps(spoilt_tree(json.loads(tree[name]), random))
    elif isinstance(tree[name], dict) and random.random() < 0.8:
        spoilt = spoilt_tree(tree[name], random)
    else:
        spoilt = random.choice((value(random), random.choice(WORDS)))
    return Input("app", question=tree | {name: spoilt})


@cache
def _text(path: Path) -> str:
    return path.read_text()
