"""How a rate law is read from text: by a small parser of its own, never by Python's.

    term       = sum [("<" | "<=" | ">" | ">=" | "==" | "!=") sum]
    sum        = product {("+" | "-") product}
    product    = negative {("*" | "/") negative}
    negative   = "-" negative | power
    power      = atom ["^" negative]
    atom       = number | word | species | ("min" | "max") "(" term {"," term} ")" | "(" term ")"

so that -x^2 is −(x²) and a / b * c is (a / b) · c. ** is ^, and × ÷ − ≤ ≥ ≠ are read as well.
"""

from __future__ import annotations

import re

from covey.errors import InputError, shown
from covey.model.rate_laws.term import COMPARISONS, FUNCTIONS, MAX_DEPTH, Term, applied, number
from covey.model.species import Species

MAX_LENGTH = 10_000  # characters

_TOKEN = re.compile(
    r"(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<species>(?:[^\W\d]\w*)?\{[^{}]*\})"
    r"|(?P<word>[^\W\d]\w*)"
    r"|(?P<sign>\*\*|<=|>=|==|!=|[-+*/^<>(),×÷−≤≥≠])"
)
_SAME = {"**": "^", "×": "*", "÷": "/", "−": "-", "≤": "<=", "≥": ">=", "≠": "!="}
_FORM = (
    "numbers, rates, species and observed sums are expected, with + - * / ^, min, max, "
    "comparisons and ( )"
)


def parse_term(text: str) -> Term:
    """The term that a text writes; errors name the character at which it goes wrong."""
    if len(text) > MAX_LENGTH:
        raise InputError(f"a rate law of {len(text):,} characters: at most {MAX_LENGTH:,} are read")
    reader = _Reader(text)
    term = reader.term()
    if reader.sign is not None or reader.kind:
        raise reader.wrong()
    return term


class _Reader:
    """Reads a text from left to right; `sign` is the next one, where a sign comes next."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0  # where the next token begins
        self.depth = 0
        self.end = 0
        self._advance()

    def _advance(self) -> str:
        """Goes on to the next token, and gives the one that was there."""
        before = self.text[self.place : self.end]
        self.place = self.end + len(self.text[self.end :]) - len(self.text[self.end :].lstrip())
        found = _TOKEN.match(self.text, self.place)
        if found is None and self.place < len(self.text):
            self.end = self.place + 1
            raise self.wrong()
        self.end = found.end() if found else self.place
        self.kind = found.lastgroup or "" if found else ""
        token = found[0] if found else ""
        self.sign = _SAME.get(token, token) if self.kind == "sign" else None
        return before

    def wrong(self) -> InputError:
        """The error for what comes next."""
        found = shown(self.text[self.place : self.end]) if self.end > self.place else "the end"
        return InputError(
            f"{found} at character {self.place + 1} of the rate law [{self.text.strip()[:80]}]: "
            f"{_FORM}"
        )

    def term(self) -> Term:
        """A sum, or a comparison of two."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise InputError(f"a rate law is nested more than {MAX_DEPTH} deep")
        term = self._sum()
        if self.sign in COMPARISONS:
            sign = self.sign
            self._advance()
            term = applied(sign, term, self._sum())
        self.depth -= 1
        return term

    def _sum(self) -> Term:
        parts = [self._product()]
        while self.sign in ("+", "-"):
            negative = self._taken() == "-"
            part = self._product()
            parts.append(applied("-", part) if negative else part)
        return applied("+", *parts) if len(parts) > 1 else parts[0]

    def _product(self) -> Term:
        term = self._negative()
        while self.sign in ("*", "/"):
            term = applied(str(self._taken()), term, self._negative())
        return term

    def _negative(self) -> Term:
        signs = 0
        while self.sign == "-":
            self._advance()
            signs += 1
        term = self._atom()
        if self.sign == "^":
            self._advance()
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise InputError(f"a rate law is nested more than {MAX_DEPTH} deep")
            term = applied("^", term, self._negative())
            self.depth -= 1
        return applied("-", term) if signs % 2 else term

    def _atom(self) -> Term:
        if self.kind == "number":
            return number(float(self._advance()))
        if self.kind == "species":
            return Species.parse(self._advance())
        if self.kind == "word":
            word = self._advance()
            return self._function(word) if word in FUNCTIONS and self.sign == "(" else word
        if self.sign == "(":
            self._advance()
            term = self.term()
            self._expect(")")
            return term
        raise self.wrong()

    def _function(self, name: str) -> Term:
        self._advance()
        parts = [self.term()]
        while self.sign == ",":
            self._advance()
            parts.append(self.term())
        self._expect(")")
        if len(parts) == 1:
            raise InputError(f"{name} of a single value: at least two are expected")
        return applied(name, *parts)

    def _taken(self) -> str | None:
        sign = self.sign
        self._advance()
        return sign

    def _expect(self, sign: str) -> None:
        if self.sign != sign:
            raise self.wrong()
        self._advance()
