"""The text of an SBML file from a stranger, checked before libsbml sees it.

libsbml is written in C++ and trusts what it reads: elements nested some ten thousand deep end the
whole process, and `<cn type="integer">1.5</cn>` is read as 1. So the text is read once by Python's
own XML parser, which names the line of what is wrong: not XML, not UTF-8, document types (SBML has
none, and entities can grow without end), too much of anything, and numbers that are none.
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.parsers import expat

from covey.errors import InputError
from covey.files.bounded_file import read_text

MAX_BYTES = 8_000_000
_MAX_DEPTH = 100
_MAX_TAG = 20_000  # characters in the attributes of an element
_MAX_OPERANDS = 10_000

_DECLARATION = re.compile(r"<\?xml\s[^>]*\?>")
_CORE = re.compile(r"http://www\.sbml\.org/sbml/level\d+(/version\d+)?(/core)?")
_REAL = r"[+-]?(?:\d+\.?\d*|\.\d+)"
_NUMBERS = {
    "real": re.compile(_REAL + r"(?:[eE][+-]?\d+)?", re.ASCII),
    "integer": re.compile(r"[+-]?\d+", re.ASCII),
    "e-notation": re.compile(_REAL + r"\s*,\s*[+-]?\d+", re.ASCII),
    "rational": re.compile(r"[+-]?\d+\s*,\s*[+-]?\d+", re.ASCII),
}


def read_sbml_text(path: Path) -> str:
    """The text of an SBML file, safe to hand to libsbml. Errors name the file and the line."""
    # Not the user's word but another file's: no pipe and no device, which could be waited for.
    text = read_text(path, "an SBML file", MAX_BYTES, only_files=True)
    try:
        check_xml(text)
    except InputError as error:
        raise error.at(file=str(path)) from None
    return _declared(text)


def _declared(text: str) -> str:
    """The text with the declaration that libsbml wants to see, and every line where it was."""
    found = _DECLARATION.match(text)
    rest = text[found.end() :] if found else text
    lines = found[0].count("\n") if found else 0
    return '<?xml version="1.0" encoding="UTF-8"?>' + "\n" * lines + rest


def check_xml(text: str) -> None:
    """Raises `InputError`, with the line, where libsbml should not see this text."""
    scan = _Scan()
    try:
        scan.parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        what = expat.errors.messages[error.code]
        raise InputError(f"not an XML file: {what}", line=error.lineno) from None
    except InputError as error:
        raise error.at(line=scan.parser.CurrentLineNumber) from None


class _Scan:
    """One pass over the elements of a text, from the first to the last."""

    def __init__(self) -> None:
        self.parser = expat.ParserCreate("UTF-8")
        self.parser.buffer_text = True
        self.parser.XmlDeclHandler = self._declaration
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self._namespaces: set[str] = set()  # of SBML itself, which libsbml wants to be one
        self._children = [0]  # of every element that is open
        self._number: list[str] | None = None  # the text of the <cn> that is open, and its type
        self._type = ""

    def _declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding is not None and encoding.lower() not in ("utf-8", "utf8", "us-ascii", "ascii"):
            raise InputError(f"the encoding is {encoding[:40]}: SBML is written in UTF-8")

    def _doctype(self, name: str, system: str | None, public: str | None, inner: bool) -> None:
        raise InputError("a document type is declared, which SBML does not have: leave it out")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if len(self._children) == 1 and name != "sbml":
            raise InputError(f"the first element is <{name[:40]}>: an SBML file has <sbml>")
        self._children[-1] += 1
        self._children.append(0)
        if len(self._children) > _MAX_DEPTH:
            raise InputError(f"more than {_MAX_DEPTH} elements are nested in each other")
        if sum(len(key) + len(value) for key, value in attributes.items()) > _MAX_TAG:
            raise InputError(f"<{name[:40]}> has more than {_MAX_TAG:,} characters of attributes")
        self._namespaces |= {
            value
            for key, value in attributes.items()
            if key[:5] == "xmlns" and _CORE.fullmatch(value)
        }
        if len(self._namespaces) > 1:
            raise InputError("it has the namespaces of two versions of SBML: one is expected")
        if name == "sep" and self._number is not None:
            self._number.append(",")
        elif name == "cn":
            self._number, self._type = [], attributes.get("type", "real")
            if attributes.get("base", "10") != "10":
                raise InputError("a number is not written in base 10")

    def _end(self, tag: str) -> None:
        operands = self._children.pop()
        name = tag.rpartition(":")[2]
        if name == "apply" and operands > _MAX_OPERANDS:
            raise InputError(f"a formula has more than {_MAX_OPERANDS:,} operands")
        if name == "cn" and self._number is not None:
            text = "".join(self._number).strip()
            form = _NUMBERS.get(self._type)
            if form is None or not form.fullmatch(text):
                raise InputError(
                    f'"{text[:40]}" in a formula is no number of type {self._type[:40]}'
                )
            self._number = None

    def _characters(self, text: str) -> None:
        if self._number is not None:
            self._number.append(text)
