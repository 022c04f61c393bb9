"""JSON from outside: what is read, what is refused, and that nothing reads it in another way."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import covey
from covey.errors import InputError
from covey.files.json_reader import object_in, read_json

SOURCE = Path(covey.__file__).parent
OWN = {  # text that covey itself wrote a moment ago, in a process or a file of its own
    "app/answering.py", "app/server.py", "files/journal.py", "files/json_reader.py", "paper/workspace.py",
    "remedy/design/search.py", "serve/frames.py", "study/sweep/file.py", "study/sweep/result.py",
}  # fmt: skip


@pytest.mark.parametrize(
    "value", [None, True, 3, -0.5, "é", "😀", [1, [2]], {"a": {"b": [1e300, "\n"]}}, 10**400]
)
def test_what_is_json_is_read(value: object) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
        assert read_json(text) == read_json(text.encode()) == value
    assert read_json(b"\xef\xbb\xbf[1]") == [1]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "cut off"),
        ('{"a": ', "cut off"),
        ("{a: 1}", "not JSON: "),
        ("[NaN]", "NaN is no number"),
        ("-Infinity", "-Infinity is no number"),
        ('{"epsilon": 1, "epsilon": 2}', "'epsilon' twice"),
        ('{"a": ["\\ud800"]}', "half of a character"),
        ('{"\\uDC00": 1}', "half of a character"),
        ('"\ud800"', "half of a character"),
        (b'"\xed\xa0\x80"', "half of a character"),
        (b"\xff", "no UTF-8"),
        ("[" * 100_000, "nested too deeply"),
        ("9" * 5000, "thousands of digits"),
    ],
)
def test_what_is_none_is_refused_in_words(text: str | bytes, why: str) -> None:
    with pytest.raises(InputError, match=re.escape(why)):
        read_json(text)
    assert object_in(text) is None


def test_only_an_object_is_one() -> None:
    assert object_in("[1]") is None
    assert object_in('{"a": 1}') == {"a": 1}


def test_everything_from_outside_is_read_here() -> None:
    readers = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if re.search(r"\bjson\.loads?\b|JSONDecoder", path.read_text(encoding="utf-8"))
    }
    assert readers == OWN
