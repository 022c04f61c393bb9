"""What an input is: a spoilt file and the command that reads it, options, or a question of the app."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random

from covey.files.journal import _with_checksum
from tests.fuzz.corpus import SMALL, SWEEP, resigned
from tests.fuzz.hostile import spoilt_text, spoilt_tree, spoilt_xml
from tests.fuzz.inputs import Input
from tests.fuzz.options import option
from tests.fuzz.questions import app


def made(number: int, seed: int, corpus: Path) -> Input:
    """Input `number` of a seed: always the same."""
    random = Random(f"{seed} {number}")
    kind = list(KINDS)[number % len(KINDS)]
    return KINDS[kind](random, corpus)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


_CHEAP = ("check", "check", "check", "draw", "export", "leakage", "profile", "simulate", "infer", "performance", "distribution", "index")  # fmt: skip
_MORE: dict[str, tuple[str, ...]] = {
    "draw": ("-o", "picture.svg"),
    "export": ("--to", "sbml", "-o", "out.xml"),
    "simulate": ("--until", "0.01", "--samples", "1", "--points", "2"),
    "infer": ("free=2,busy=1",),
}
_STATES = ("leakage", "profile", "infer", "performance", "distribution")


def _verb(verb: str, file: str) -> tuple[str, ...]:
    more = ("--max-states", "2000") if verb in _STATES else ()
    return (verb, file, *_MORE.get(verb, ()), *more)


def scenario(random: Random, corpus: Path) -> Input:
    """A scenario file, as text."""
    name = random.choice(SMALL)
    files = {"spoilt.toml": _bytes(spoilt_text((corpus / f"{name}.toml").read_text(), random))}
    if (model := corpus / f"{name}.xml").exists():
        files[model.name] = model.read_bytes()
    return Input("scenario", _verb(random.choice(_CHEAP), "spoilt.toml"), files)


def sbml(random: Random, corpus: Path) -> Input:
    """An SBML model behind a scenario file."""
    name = random.choice(("shared", "charging-bays"))
    text = (corpus / f"{name}.xml").read_text()
    front = (corpus / f"{name}.toml").read_text().replace(f"{name}.xml", "spoilt.xml")
    spoilt = spoilt_text(text, random) if random.random() < 0.2 else spoilt_xml(text, random)
    return Input(
        "sbml",
        _verb(random.choice(("check", "check", "leakage")), "front.toml"),
        {"spoilt.xml": _bytes(spoilt), "front.toml": _bytes(front)},
    )


def mechanism(random: Random, corpus: Path) -> Input:
    """A table or stand-in, named by a scenario or published through."""
    name = random.choice(("one.json", "set.json", "stream.json", "stand-in.json"))
    text = (corpus / name).read_text()
    spoilt = (
        spoilt_text(text, random)
        if random.random() < 0.3
        else resigned(spoilt_tree(json.loads(text), random))
    )
    if random.random() < 0.4:
        front = (
            corpus / "shared-resource.toml"
        ).read_text() + '\n[release]\nmechanism = "spoilt.json"\n'
        return Input(
            "mechanism",
            ("leakage", "front.toml"),
            {"spoilt.json": _bytes(spoilt), "front.toml": _bytes(front)},
        )
    return Input("mechanism", *_published(name, random, corpus, {"spoilt.json": _bytes(spoilt)}))


def _published(
    name: str, random: Random, corpus: Path, files: dict[str, bytes]
) -> tuple[tuple[str, ...], dict[str, bytes], str]:
    own: tuple[str, ...] = ()
    lines = "counts.csv"
    if name == "set.json":
        own = ("--team", "A=2,B=1", "--each-is-a-mission")
    elif name == "one.json":
        own = ("--each-is-a-mission",)
    elif name == "stream.json":
        own = ("--state", "last.json")
    else:
        own, lines = ("--every", "1"), "events.csv"
    return (
        ("publish", "spoilt.json" if "spoilt.json" in files else name, *own),
        files,
        (corpus / lines).read_text(),
    )


def journal(random: Random, corpus: Path) -> Input:
    """What is left of a sweep, and its finished file."""
    if random.random() < 0.5:
        text = (corpus / "sweep.csv").read_text()
        return Input(
            "journal",
            ("plot", "spoilt.csv", "-o", "picture.svg"),
            {"spoilt.csv": _bytes(spoilt_text(text, random))},
        )
    head, *cells = (json.loads(line)[1] for line in (corpus / "journal").read_text().splitlines())
    if random.random() < 0.2:
        head = spoilt_tree(head, random)
    cells[random.randrange(len(cells))] = spoilt_tree(random.choice(cells), random)
    lines = b"".join(_with_checksum(json.dumps(one).encode()) for one in (head, *cells))
    return Input("journal", tuple(SWEEP.split()), {"s.csv.journal": lines})


def fit(random: Random, corpus: Path) -> Input:
    """A log, or what was fitted to one."""
    if random.random() < 0.1:
        spoilt = json.dumps(spoilt_tree(json.loads((corpus / "fit.json").read_text()), random))
        return Input(
            "fit",
            ("leakage", "shared-resource.toml", "--fit", "spoilt.json"),
            {"spoilt.json": _bytes(spoilt)},
        )
    name, front = random.choice(
        (
            ("events.csv", "shared-resource.toml"),
            ("counts.csv", "shared-resource.toml"),
            ("robots.csv", "robots.toml"),
        )
    )
    text = "\n".join((corpus / name).read_text().split("\n")[:12])
    return Input(
        "fit",
        ("fit", front, "--log", "spoilt.csv"),
        {"spoilt.csv": _bytes(spoilt_text(text, random))},
    )


def feed(random: Random, corpus: Path) -> Input:
    """GBFS or VDA 5050."""
    name, front = random.choice((("gbfs", "bikes.toml"), ("vda5050", "robots.toml")))
    lines = (corpus / f"{name}.jsonl").read_text().strip().split("\n")
    place = random.randrange(len(lines))
    lines[place] = (
        json.dumps(spoilt_tree(json.loads(lines[place]), random))
        if random.random() < 0.6
        else spoilt_text(lines[place], random)
    )
    skip = ("--skip-bad",) if random.random() < 0.3 else ()
    return Input(
        "feed",
        ("fit", front, "--from", name, "spoilt.jsonl", *skip),
        {"spoilt.jsonl": _bytes("\n".join(lines))},
    )


def series(random: Random, corpus: Path) -> Input:
    """What a watcher of the feed writes down."""
    text = spoilt_text((corpus / "counts.csv").read_text(), random)
    state = ("--state",) if random.random() < 0.3 else ()
    return Input(
        "series",
        ("infer", "shared-resource.toml", "--series", "spoilt.csv", *state),
        {"spoilt.csv": _bytes(text)},
    )


def publish(random: Random, corpus: Path) -> Input:
    """Lines to publish, and what was published last."""
    name = random.choice(("one.json", "set.json", "stream.json", "stream.json", "stand-in.json"))
    arguments, files, lines = _published(name, random, corpus, {})
    if name == "stream.json" and random.random() < 0.4:
        digest = json.loads((corpus / name).read_text())["made_for"]["digest"]
        last = {
            "covey_published": 1,
            "mechanism": digest,
            "first": 0.0,
            "time": 2.0,
            "published": [2, 1],
        }
        files = {"last.json": json.dumps(spoilt_tree(last, random)).encode()}
    return Input("publish", arguments, files, spoilt_text(lines, random))


KINDS: dict[str, Callable[[Random, Path], Input]] = {
    one.__name__: one
    for one in (scenario, sbml, mechanism, journal, fit, feed, series, publish, option, app)
}
