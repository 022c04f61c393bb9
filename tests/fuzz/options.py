"""Any option of any verb, with any value: a command that is answered, and up to three options more."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import click

from tests.cli.command import verbs
from tests.fuzz.hostile import WORDS, number_text, value
from tests.fuzz.inputs import Input

_NOT_TRIED = {"--cluster", "--workers", "--help", "--live", "--state"}
_FILE = ("whole.toml",)
# A command of each verb that is answered, but for serve, which would go on for ever.
COMMANDS: dict[str, tuple[str, ...]] = {
    "explain": _FILE,
    "check": _FILE,
    "draw": (*_FILE, "-o", "picture.svg"),
    "leakage": _FILE,
    "stream": (*_FILE, "--every", "1", "--for", "2"),
    "certainty": (*_FILE, "--every", "1", "--for", "3", "--paths", "50"),
    "probe": _FILE,
    "estimate": (*_FILE, "--of", "types.A=1:3", "--every", "1", "--for", "2", "--paths", "50"),
    "protect": (*_FILE, "-e", "0.5", "--only-this-team"),
    "publish": ("one.json", "--each-is-a-mission"),
    "performance": _FILE,
    "design": (*_FILE, "--vary", "rates.take=0.1:2", "--starts", "1"),
    "profile": _FILE,
    "infer": (*_FILE, "free=2,busy=1"),
    "trace": (*_FILE, "--until", "1", "--points", "3"),
    "groups": (*_FILE, "--robots", "2"),
    "account": (*_FILE, "--missions", "3"),
    "audit": (*_FILE, "--samples", "200"),
    "sensitivity": _FILE,
    "compare": (*_FILE, "shared-resource.toml"),
    "sweep": (*_FILE, "--vary", "types.A=1:2", "-o", "s.csv", "--workers", "1"),
    "plot": ("sweep.csv", "-o", "picture.svg"),
    "distribution": _FILE,
    "first": (*_FILE, "busy >= 1"),
    "simulate": (*_FILE, "--until", "1", "--samples", "2", "--points", "2"),
    "fit": ("shared-resource.toml", "--log", "counts.csv"),
    "export": (*_FILE, "--to", "sbml", "-o", "out.xml"),
    "index": _FILE,
}


def command(name: str, corpus: Path) -> Input:
    """The command of a verb, unspoilt."""
    return Input("option", (name, *COMMANDS[name]), {}, (corpus / "counts.csv").read_text())


def option(random: Random, corpus: Path) -> Input:
    """A verb's command, with options that nobody would give."""
    name = random.choice([*COMMANDS, "serve"])
    parameters = verbs()[name].params
    known = [p for p in parameters if isinstance(p, click.Option) and p.opts[0] not in _NOT_TRIED]
    whole = list(COMMANDS.get(name, ()))
    if whole and random.random() < 0.1:
        whole[random.randrange(len(whole))] = _any_argument(random)
    arguments = [name, *whole]
    for one in random.sample(known, min(len(known), random.choice((1, 1, 1, 2, 3)))):
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


def _any_argument(random: Random) -> str:
    files = ("one.json", "stand-in.json", "counts.csv", "no.toml")
    counts = f"free={number_text(random)},busy=1"
    return random.choice((random.choice(files), counts, number_text(random), random.choice(WORDS)))


_FILES = (
    "out.csv", "out.json", "out.svg", "out.nc", "events.csv", "counts.csv", "fit.json",
    "no/where.csv", "",
)  # fmt: skip
_SET = (
    "types.A", "types.B", "resources.R", "rates.take", "rates.give", "adversary.at",
    "adversary.smoothing", "release.every", "release.until", "secret.teams", "initial.A",
    "observe.free", "performance.busy",
)  # fmt: skip


def _value(parameter: click.Option, random: Random) -> str:
    if isinstance(parameter.type, click.Choice) and random.random() < 0.9:
        return str(random.choice(list(parameter.type.choices)))
    if isinstance(parameter.type, click.Path):
        return random.choice(_FILES)
    if parameter.opts[0] == "--set":
        name = random.choice((*_SET, random.choice(WORDS)))
        return f"{name}={random.choice((number_text(random), json.dumps(value(random))))}"
    number = number_text(random)
    return random.choice((
        number, number, random.choice(WORDS), f"A={number}", f"A=1:{number}",
        f"types.A={number}:{number_text(random)}", f"rates.take={number}",
    ))  # fmt: skip
