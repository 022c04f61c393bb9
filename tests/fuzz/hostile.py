"""Values that programs choke on, and how a text or a tree of JSON is spoilt with them."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any
from xml.sax.saxutils import escape

LONG = 10**400
NUMBERS: tuple[Any, ...] = (
    0, -1, 1, 2, 3, 0.5, -0.0, 1e-320, 1e-300, 1e300, 1.797e308, -1e308, float("inf"),
    float("-inf"), float("nan"), LONG, -LONG, 2**31, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64,
    10**9, 10**9 + 1, 1e5, 1e6, 1e15, 100_000, 710, 0.1 + 0.2,
)  # fmt: skip
WORDS: tuple[str, ...] = (
    "", " ", "0", "1", "-1", "nan", "inf", "steady", "A", "{A}", "{}", "∅", "A->B", "1e999", "9" * 5000,
    "\x00", "\x1b[31m", "\u202e", "=1+1", "../../etc/passwd", "/dev/zero", "-", "é" * 300, "{{{{", "}}",
    "%s%n", "<script>", "true", "null", "'", '"', "\\", ".", "..", "a.b.c", "for i in types", "@", "->",
    "1:2", "1:1e400", "2:1", "1:2:3", "A=1", "A=1,B=2", "A=1:3,B=1:3", "\ud800",
)  # fmt: skip
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORD = re.compile(r"[A-Za-z_]\w*")
_XML_VALUE = re.compile(r'(?<=[a-zA-Z]=")[^"]*(?=")|(?<=>)[^<>]*\S[^<>]*(?=<)')
_XML_TAG = re.compile(r"<\w[^<>]*/>")


def value(random: Random) -> Any:
    """Anything that JSON or TOML can say."""
    kind = random.randrange(10)
    if kind < 5:
        return random.choice(NUMBERS)
    if kind < 8:
        return random.choice(WORDS)
    return random.choice(
        (None, True, False, [], {}, [[]], [1, 2], {"A": 1}, [None], {"": {}}, [1] * 50, nested(200))
    )


def nested(depth: int) -> Any:
    """A list in a list in a list."""
    found: Any = []
    for _ in range(depth):
        found = [found]
    return found


def number_text(random: Random) -> str:
    """A number as somebody types it."""
    found = random.choice(NUMBERS)
    return str(found) if found != LONG else "9" * 400


def spoilt_tree(tree: Any, random: Random) -> Any:
    """A copy of a tree with one to three of its nodes changed, added or left out."""
    copy = json.loads(json.dumps(tree))
    for _ in range(random.randint(1, 3)):
        copy = _changed(copy, random)
    return copy


def _changed(node: Any, random: Random) -> Any:
    if isinstance(node, dict) and node and random.random() < 0.9:
        name = random.choice(list(node))
        what = random.randrange(12)
        if what == 0:
            del node[name]
        elif what == 1:
            node[random.choice(WORDS)] = node[name]
        elif what == 2:
            node[name] = value(random)
        else:
            node[name] = _changed(node[name], random)
        return node
    if isinstance(node, list) and node and random.random() < 0.9:
        place = random.randrange(len(node))
        what = random.randrange(12)
        if what == 0:
            del node[place]
        elif what == 1:
            node.append(node[place])
        else:
            node[place] = _changed(node[place], random)
        return node
    return value(random)


def spoilt_text(text: str, random: Random) -> str:
    """A text with one to four of its numbers, words, lines or characters changed."""
    for _ in range(random.randint(1, 4)):
        text = random.choice(_SPOILING)(text, random)
    return text


def _other_number(text: str, random: Random) -> str:
    found = list(_NUMBER.finditer(text))
    if not found:
        return text
    place = random.choice(found)
    return text[: place.start()] + number_text(random) + text[place.end() :]


def _other_word(text: str, random: Random) -> str:
    found = list(_WORD.finditer(text))
    if not found:
        return text
    place = random.choice(found)
    other = random.choice([*WORDS, random.choice(found)[0], random.choice(found)[0]])
    return text[: place.start()] + other + text[place.end() :]


def _lines(text: str, random: Random) -> str:
    lines = text.split("\n")
    place, other = random.randrange(len(lines)), random.randrange(len(lines))
    what = random.randrange(4)
    if what == 0:
        del lines[place]
    elif what == 1:
        lines.insert(other, lines[place])
    elif what == 2:
        lines[place], lines[other] = lines[other], lines[place]
    else:
        lines = lines[:place]
    return "\n".join(lines)


def _characters(text: str, random: Random) -> str:
    if not text:
        return text
    start = random.randrange(len(text))
    end = min(len(text), start + random.choice((1, 1, 1, 5, 40)))
    new = random.choice(
        ("", "", chr(random.randrange(1, 0x250)), random.choice(WORDS), text[start:end] * 2)
    )
    return text[:start] + new + text[end:]


_SPOILING = (_other_number, _other_number, _other_number, _other_word, _lines, _characters)


def spoilt_xml(text: str, random: Random) -> str:
    """An XML text with one to three of its values changed, or tags doubled or left out."""
    for _ in range(random.randint(1, 3)):
        pattern = random.choice((_XML_VALUE, _XML_VALUE, _XML_VALUE, _XML_TAG))
        place = random.choice(list(pattern.finditer(text)))
        if pattern is _XML_TAG:
            new = random.choice(("", 2 * place[0]))
        else:
            other = random.choice(list(pattern.finditer(text)))[0]
            new = random.choice((number_text(random), other, escape(random.choice(WORDS))))
        text = text[: place.start()] + new + text[place.end() :]
    return text
