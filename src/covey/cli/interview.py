"""What `covey new` asks on a terminal, and the scenario file that the answers make.

Four things are asked: who is there, what they share, what they do, and what can be seen of it. An
activity with members A, B begins when those meet, each by itself, and ends after a while:

    {A} + {B} <-> pick{A,B}    @ how often such a pair meets, 1 / how long it lasts

A question is asked again until its answer can be used. Enter takes the answer in brackets; at the
first question, a small team to try.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import click

from covey.cli.streams import say
from covey.model.io.clock import UNITS
from covey.words import lasting

_NAME = re.compile(r"[A-Za-z]\w*")
_ANY = "any"  # of the types: an activity of each
_FREE = "free"  # what is seen of robots that do nothing
_OFTEN, _LONG = 0.2, 5.0  # what is proposed: times a unit, and units

_OPENING = """A few questions about your team. Enter takes what stands in brackets, and at the first
question a small team to try. Ctrl-C leaves.
"""
_ACTIVITIES = """
What do the robots do? Give an activity a line: a name, and who takes part in it, such as
  pick: carrier + picker       a carrier and a picker do it together
  charge: any + dock           a robot of any type and a dock
"""


@dataclass(frozen=True)
class Activity:
    """Something that robots do together, or one by itself.

    Attributes:
        name: What it is called.
        members: Types and shared things that take part in it.
        often: How many times per unit of time each such group begins it, while its members are
            free.
        long: How long it lasts on average.
    """

    name: str
    members: tuple[str, ...]
    often: float
    long: float

    @property
    def species(self) -> str:
        """Those who are at it: `pick{carrier,picker}`."""
        return f"{self.name}{{{','.join(self.members)}}}"


@dataclass(frozen=True)
class Answers:
    """What was answered.

    Attributes:
        types: How many robots there are of each type.
        shared: How many there are of each thing that they share.
        unit: The unit of time.
        activities: What they do.
        seen: Of which activities it is seen how many robots are at them; `free` is none.
    """

    types: dict[str, int]
    shared: dict[str, int]
    unit: str
    activities: tuple[Activity, ...]
    seen: tuple[str, ...]

    def rates(self, one: Activity) -> tuple[str, str]:
        """The names of the two rates of an activity; its members tell it from others so called."""
        alone = sum(other.name == one.name for other in self.activities) == 1
        stem = one.name if alone else "_".join((one.name, *one.members))
        return f"{stem}_begins", f"{stem}_ends"


def interview() -> Answers | None:
    """Asks on the terminal; None where somebody would rather have a small team to try."""
    say(_OPENING, lines=True)
    types = _ask("What types of robots are there, and how many of each, as scout 4, carrier 3?", "",
                 lambda text: _types(text) if text else {})  # fmt: skip
    if not types:
        return None
    shared = _ask(
        "What do they share, such as docks, and how many? (- for nothing)", "-",
        lambda text: {} if text == "-" else _counted(text, taken=types),
    )  # fmt: skip
    unit = _ask(f"In what do you count time: {', '.join(UNITS)}?", "minute", _one_of(UNITS))
    say(_ACTIVITIES, lines=True)
    activities = _activities(types, shared, unit)
    kinds = [_FREE, *dict.fromkeys(one.name for one in activities)]
    seen = _ask(
        "Of which of these can somebody see how many there are, without telling types apart?",
        ", ".join(kinds), lambda text: tuple(map(_one_of(kinds), _parts(text, ","))),
    )  # fmt: skip
    return Answers(types, shared, unit, tuple(activities), seen)


def _activities(types: dict[str, int], shared: dict[str, int], unit: str) -> list[Activity]:
    """What they do, an activity after the other, until there is no more."""
    found: list[Activity] = []

    def read(text: str) -> tuple[str, list[tuple[str, ...]]] | None:
        return _activity(text, types, shared, found)

    named = _ask("Activity?", f"work: {' + '.join(list(types)[:2])}", read)
    while named:
        name, groups = named
        found += [_timed(name, members, unit) for members in groups]
        named = _ask("Another activity? (- for no more)", "-", read)
    return found


def scenario_text(answers: Answers, title: str) -> str:
    """The scenario file, with a comment on every part.

    Args:
        answers: What was answered.
        title: Of the scenario.
    """
    first = answers.activities[0]
    shared = (
        f"\n[resources]             # shared things: how many of each\n{_lines(answers.shared)}\n"
    )
    return _FILE.format(
        title=json.dumps(title, ensure_ascii=False),
        unit=answers.unit,
        types=_lines(answers.types),
        shared=shared if answers.shared else "",
        rates="\n".join(_rates(answers)),
        species=first.species,
        free=" + ".join(f"{{{name}}}" for name in first.members),
        who=" and a ".join(first.members),
        reactions="\n".join(_reaction(one, answers) for one in answers.activities),
        seen="\n".join(_seen(answers)),
    )


_FILE = """\
# Made by `covey new`. Change what you like; `covey explain` reads this file back in sentences.
title = {title}

[time]
unit = "{unit}"

[types]                 # robots whose type must stay private: how many of each
{types}
{shared}
[rates]                 # how often per {unit}
{rates}

[network]               # what can happen: a line for every way in which robots meet and part
                        #   {free} <-> {species}
                        #   On the left, who is free: a {who}. On the right, those at it.
                        #   -> is the beginning, at the first rate after @ for each such group;
                        #   <- is the end, at the second: 1 / how long it lasts.
reactions = \"\"\"
{reactions}
\"\"\"

[observe]               # what can be seen: sums of how many there are
{seen}

[adversary]
at = "steady"           # somebody looks in the long run; or at a time, such as 10
"""


def _lines(counts: dict[str, int]) -> str:
    return "\n".join(f"{name} = {count}" for name, count in counts.items())


def _rates(answers: Answers) -> list[str]:
    said = []
    for one in answers.activities:
        begins, ends = answers.rates(one)
        group = " and ".join(f"one free {name}" for name in one.members)
        said.append((f"{begins} = {one.often:.6g}", group))
        said.append(
            (f"{ends} = {1 / one.long:.6g}", f"{lasting(one.long, answers.unit)} on average")
        )
    width = max(len(text) for text, _ in said)
    return [f"{text:{width}}   # {what}" for text, what in said]


def _reaction(one: Activity, answers: Answers) -> str:
    free = " + ".join(f"{{{name}}}" for name in one.members)
    return f"{free} <-> {one.species}   @ {', '.join(answers.rates(one))}"


def _seen(answers: Answers) -> list[str]:
    sums = {_FREE: [f"{{{name}}}" for name in answers.types]}
    for one in answers.activities:
        sums.setdefault(one.name, []).append(one.species)
    return [f'{name} = "{" + ".join(sums[name])}"' for name in answers.seen]


def _ask(question: str, default: str, read: Callable[[str], Any]) -> Any:
    """The answer, as `read` makes of it; what it refuses is asked again."""
    return click.prompt(
        question, default=default, show_default=bool(default), prompt_suffix=" ",
        value_proc=lambda text: read(text.strip()),
    )  # fmt: skip


def _parts(text: str, separator: str) -> list[str]:
    return [part.strip() for part in text.split(separator)]


def _name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise click.BadParameter(f"{text!r} is no name: letters, digits and _ are expected.")
    return text


def _counted(text: str, taken: Iterable[str] = ()) -> dict[str, int]:
    """`scout 4, carrier 3`."""
    found: dict[str, int] = {}
    for part in _parts(text, ","):
        name, _, count = part.partition(" ")
        if not count.strip().isdecimal():
            raise click.BadParameter(f"{part!r} is not a name and a number, such as scout 4.")
        if _name(name) in found or name in taken or name == _ANY:
            raise click.BadParameter(f"the name {name} is taken: give each its own.")
        found[name] = int(count)
    return found


def _types(text: str) -> dict[str, int]:
    found = _counted(text)
    if len(found) < 2:
        raise click.BadParameter("two types or more are expected: the question is which is which.")
    return found


def _one_of(names: Iterable[str]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in names:
            raise click.BadParameter(f"{text!r} is none of {', '.join(names)}.")
        return text

    return read


def _activity(
    text: str, types: dict[str, int], shared: dict[str, int], known: list[Activity]
) -> tuple[str, list[tuple[str, ...]]] | None:
    """`charge: any + dock` as a name and every group that can do it; None where it is `-`."""
    if text == "-" and known:
        return None
    name, colon, members = (part.strip() for part in text.partition(":"))
    if not colon or _name(name) == _FREE:
        raise click.BadParameter("a name, a colon, and who takes part: pick: carrier + picker")
    who = _parts(members, "+")
    both = [*types, *shared]
    for one in who:
        _one_of([*both, _ANY])(one)
    if not any(one in types or one == _ANY for one in who):
        raise click.BadParameter("a robot takes part in whatever is done: name a type, or any.")
    ways = itertools.product(*(list(types) if one == _ANY else [one] for one in who))
    groups = list(dict.fromkeys(tuple(sorted(way, key=both.index)) for way in ways))
    if again := [
        group for group in groups if (name, group) in {(k.name, k.members) for k in known}
    ]:
        raise click.BadParameter(f"{name} is there already for {' + '.join(again[0])}.")
    return name, groups


def _timed(name: str, members: tuple[str, ...], unit: str) -> Activity:
    group = " and ".join(members)
    asked = f"  {name}: how often per {unit} does one free {group} begin it"
    often = _ask(f"{asked}{' together' * (len(members) > 1)}?", f"{_OFTEN:g}", _positive)
    asked = f"  {name}: how many {unit}s does it last on average?"
    long = _ask(asked, f"{_LONG:g}", _positive)
    return Activity(name, members, often, long)


def _positive(text: str) -> float:
    from covey.numbers import to_float

    value = to_float(text)
    if not 1e-9 < value < 1e9:
        raise click.BadParameter(f"{text!r} is not a number above 0.")
    return value
