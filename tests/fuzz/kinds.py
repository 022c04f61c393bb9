"""What an input is: a spoilt file and the command that reads it, options, or a question of the app."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import click

from covey.cli.command import VERBS
from tests.cli.command import verbs
from tests.fuzz.corpus import SMALL, resigned
from tests.fuzz.hostile import WORDS, number_text, spoilt_text, spoilt_tree, value


@dataclass(frozen=True)
class Input:
    """A command with its files and standard input; or, for the app, a question."""

    kind: str
    arguments: tuple[str, ...] = ()
    files: dict[str, bytes] = field(default_factory=dict)
    stdin: str = ""
    question: dict[str, Any] | None = None


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
    text = (corpus / f"{random.choice(SMALL)}.toml").read_text()
    return Input(
        "scenario",
        _verb(random.choice(_CHEAP), "spoilt.toml"),
        {"spoilt.toml": _bytes(spoilt_text(text, random))},
    )


def sbml(random: Random, corpus: Path) -> Input:
    """An SBML model behind a scenario file."""
    text = (corpus / random.choice(("shared.xml", "charging-bays.xml"))).read_text()
    front = (corpus / "charging-bays.toml").read_text().replace("charging-bays.xml", "spoilt.xml")
    if random.random() < 0.5:
        front = '[network]\nsbml = "spoilt.xml"\n[types]\nA = 2\nB = 1\n[observe]\nall = "*"\n'
    return Input(
        "sbml",
        _verb(random.choice(("check", "check", "leakage")), "front.toml"),
        {"spoilt.xml": _bytes(spoilt_text(text, random)), "front.toml": _bytes(front)},
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
    bodies = [
        json.dumps(
            value(random)
            if random.random() < 0.2
            else spoilt_tree(
                {
                    "cell": n,
                    "found": {"value": 0.5, "upper": "inf", "states": 4, "method": "stationary"},
                },
                random,
            )
        ).encode()
        for n in range(3)
    ]
    bodies.insert(0, json.dumps({"job": value(random), "settings": value(random)}).encode())
    lines = b"".join(b'["%08x",%b]\n' % (zlib.crc32(body), body) for body in bodies)
    return Input(
        "journal",
        ("sweep", "shared-resource.toml", "--vary", "types.A=1:2", "-o", "s.csv", "--workers", "1"),
        {"s.csv.journal": lines},
    )


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


_LEFT_OUT = {"app", "paper", "completion", "report", "new"}
_NOT_TRIED = {"--cluster", "--workers", "--help", "--live", "--state"}
_LONG = {
    "design": ("--vary", "rates.take=0.1:2", "--starts", "1"),
    "estimate": ("--of", "types.A=1:3", "--every", "1", "--for", "2"),
    "sweep": ("--vary", "types.A=1:2", "-o", "s.csv"),
    "protect": ("-e", "0.5", "--only-this-team"),
    "trace": ("--until", "1", "--points", "3"),
    "stream": ("--every", "1", "--for", "2"),
    "audit": ("--samples", "200"),
}


def option(random: Random, corpus: Path) -> Input:
    """Any option of any verb, with any value."""
    name = random.choice([one for one in VERBS if one not in _LEFT_OUT])
    parameters = verbs()[name].params
    known = [p for p in parameters if isinstance(p, click.Option) and p.opts[0] not in _NOT_TRIED]
    arguments = [name]
    for parameter in parameters:
        if isinstance(parameter, click.Argument) and (parameter.required or random.random() < 0.5):
            arguments.append(_argument(parameter.name or "", random))
    arguments += [*_MORE.get(name, ())[-2:], *_LONG.get(name, ())] if random.random() < 0.8 else []
    for one in random.sample(known, min(len(known), random.randint(1, 3))):
        arguments.append(one.opts[0])
        if not one.is_flag:
            arguments += [_value(one, random) for _ in range(one.nargs)]
    if any(one.opts[0] == "--max-states" for one in known):
        arguments += ["--max-states", "2000"]
    return Input(
        "option",
        tuple(a.replace("\0", "").encode("utf-8", "replace").decode() for a in arguments),
        {},
        (corpus / "counts.csv").read_text(),
    )


def _argument(name: str, random: Random) -> str:
    if name in ("file", "files", "mechanism"):
        return random.choice(
            ("shared-resource.toml",) * 8 + ("one.json", "stand-in.json", "counts.csv", "no.toml")
        )
    return random.choice(
        (
            "free=2,busy=1",
            "free=1,busy=2",
            f"free={number_text(random)},busy=1",
            random.choice(WORDS),
        )
    )


def _value(parameter: click.Option, random: Random) -> str:
    if isinstance(parameter.type, click.Choice) and random.random() < 0.9:
        return str(random.choice(list(parameter.type.choices)))
    if isinstance(parameter.type, click.Path):
        return random.choice(
            (
                "out.csv",
                "out.json",
                "out.svg",
                "out.nc",
                "events.csv",
                "counts.csv",
                "fit.json",
                "no/where.csv",
                "",
            )
        )
    if parameter.opts[0] == "--set":
        names = (
            "types.A",
            "types.B",
            "resources.R",
            "rates.take",
            "rates.give",
            "adversary.at",
            "adversary.smoothing",
            "release.every",
            "release.until",
            "secret.teams",
            "initial.A",
            "observe.free",
            random.choice(WORDS),
        )
        return f"{random.choice(names)}={random.choice((number_text(random), json.dumps(value(random))))}"
    return random.choice(
        (
            number_text(random),
            number_text(random),
            random.choice(WORDS),
            f"A={number_text(random)}",
            f"A=1:{number_text(random)}",
            f"types.A={number_text(random)}:{number_text(random)}",
            f"rates.take={number_text(random)}",
        )
    )


_ASKED = (
    "answer",
    "check",
    "network",
    "commands",
    "publish",
    "time",
    "snapshots",
    "helps",
    "stand_in",
    "protect",
    "design",
    "csv",
)
_OPTIONS = {
    "set": {"types.A": 2},
    "epsilon": 0.5,
    "guess": 0.6,
    "vary": {"rates.take": [0.1, 2]},
    "keep": {},
    "front": 0,
    "reference": {"A": 2, "B": 1},
    "until": 1.0,
    "every": 1.0,
    "at": 1.0,
    "points": 3,
    "seed": 1,
    "measure": "leakage",
    "delta": 0.0,
    "times": [0, 1],
    "name": "A",
    "teams": {"A": [1, 2], "B": [1, 2]},
}


def app(random: Random, corpus: Path) -> Input:
    """A question of the page's."""
    text = (corpus / "shared-resource.toml").read_text()
    tree = {
        "question": random.choice(_ASKED),
        "text": text,
        **dict(random.sample(sorted(_OPTIONS.items()), random.randint(1, 5))),
    }
    spoilt = spoilt_tree(tree, random)
    if random.random() < 0.3 and isinstance(spoilt, dict):
        spoilt["text"] = spoilt_text(text, random)
    return Input("app", question=spoilt if isinstance(spoilt, dict) else tree)


KINDS: dict[str, Callable[[Random, Path], Input]] = {
    one.__name__: one
    for one in (scenario, sbml, mechanism, journal, fit, feed, series, publish, option, app)
}
