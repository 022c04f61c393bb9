"""The one reader of JSON that others wrote: files, lines of feeds, what a browser sends.

Stricter than Python's own, as RFC 8259 asks [1]: UTF-8 only, no NaN and no Infinity, no name twice
in an object (one program would take the first, another the last), no half of a character (an
escaped surrogate by itself, which no file and no digest can hold). A number beyond a double is
infinite here, and refused where numbers are: see `numbers.finite_number`.

[1] T. Bray (ed.), The JavaScript Object Notation (JSON) Data Interchange Format, RFC 8259, 2017.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any, NoReturn

from covey.errors import InputError, shown

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")  # of a pair or not


def read_json(text: str | bytes) -> Any:
    """The value that a text is; `InputError` says why it is none.

    Args:
        text: All of it; bytes are UTF-8.
    """
    try:
        text = text.decode("utf-8-sig") if isinstance(text, bytes) else text
        found = _DECODER.decode(text)
        if _SURROGATE.search(text):
            json.dumps(found, ensure_ascii=False).encode()
        elif not text.isascii():
            text.encode()
    except RecursionError:
        raise InputError("not JSON that covey reads: it is nested too deeply") from None
    except UnicodeError:
        raise InputError(
            "not JSON: it has half of a character, or bytes that are no UTF-8"
        ) from None
    except json.JSONDecodeError as error:
        ends = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
        cut = " (was it cut off?)" if ends else ""
        raise InputError(f"not JSON{cut}: {error!s:.100}") from None
    except ValueError:
        raise InputError("not JSON that covey reads: a number of thousands of digits") from None
    return found


def object_in(text: str | bytes) -> dict[str, Any] | None:
    """The object that a text is; None where it is none, or no JSON at all.

    Args:
        text: As `read_json` takes it.
    """
    try:
        found = read_json(text)
    except InputError:
        return None
    return found if isinstance(found, dict) else None


def _no_number(name: str) -> NoReturn:
    raise InputError(f"not JSON: {name} is no number there")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise InputError(f"not JSON that covey reads: {shown(twice)} twice in one object")
    return found


_DECODER = json.JSONDecoder(parse_constant=_no_number, object_pairs_hook=_object)
