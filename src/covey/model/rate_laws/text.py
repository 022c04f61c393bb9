"""How a rate law is read from text: by a small parser of its own, never by Python's.

    term       = sum [("<" | "<=" | ">" | ">=" | "==" | "!=") sum]
    sum        = product {("+" | "-") product}
    product    = negative {("*" | "/") negative}
    negative   = "-" negative | power
    power      = atom ["^" negative]
    atom       = number | word | species | ("min" | "max") "(" term {"," term} ")" | "(" term ")"

so that -x^2 is −(x²) and a / b * c is (a / b) · c. ** is ^, and × ÷ − ≤ ≥ ≠ are read as well.

In a condition the term is, with comparisons in the innermost places,

    term       = both {"or" both}
    both       = one {"and" one}
    one        = "not" one | sum [("<" | "<=" | …) sum]
"""

from __future__ import annotations

import re

from covey.errors import InputError, shown
from covey.model.rate_laws.term import (
    COMPARISONS,
    FUNCTIONS,
    MAX_DEPTH,
    Applied,
    Term,
    applied,
    number,
    print_term,
)
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
_COMPARISON = 'comparisons are expected, such as "free <= 1 and busy > 0"'


def parse_term(text: str) -> Term:
    """The term that a text writes; errors name the character at which it goes wrong."""
    return _whole(text, _Reader)


def parse_condition(text: str) -> Term:
    """The condition that a text writes, as a term that is 1 where it holds and 0 elsewhere."""
    return _compared(_whole(text, _ConditionReader))


def _whole(text: str, kind: type[_Reader]) -> Term:
    if len(text) > MAX_LENGTH:
        raise InputError(
            f"a {kind.what} of {len(text):,} characters: at most {MAX_LENGTH:,} are read"
        )
    reader = kind(text)
    term = reader.term()
    if reader.sign is not None or reader.kind:
        raise reader.wrong()
    return term


class _Reader:
    """Reads a text from left to right; `sign` is the next one, where a sign comes next."""

    what, form = "rate law", _FORM

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
            f"{found} at character {self.place + 1} of the {self.what} "
            f"[{self.text.strip()[:80]}]: {self.form}"
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


class _ConditionReader(_Reader):
    """Reads comparisons, joined by and, or, not: and is the least of them, or the largest."""

    what, form = "condition", _COMPARISON

    def term(self) -> Term:
        """Whether some of several hold."""
        parts = [self._both()]
        while self._word("or"):
            parts.append(self._both())
        return applied("max", *map(_compared, parts)) if len(parts) > 1 else parts[0]

    def _both(self) -> Term:
        parts = [self._one()]
        while self._word("and"):
            parts.append(self._one())
        return applied("min", *map(_compared, parts)) if len(parts) > 1 else parts[0]

    def _one(self) -> Term:
        turned, found = False, False
        while self._word("not"):
            turned, found = not turned, True
        term = super().term()
        if found:
            _compared(term)
        return applied("==", term, 0.0) if turned else term

    def _word(self, word: str) -> bool:
        """Whether it comes next; then it is passed."""
        there = self.kind == "word" and self.text[self.place : self.end] == word
        if there:
            self._advance()
        return there


def _compared(term: Term) -> Term:
    """The term, if it is one that holds or does not."""
    if not _holds_or_not(term):
        raise InputError(f"[{print_term(term)[:80]}] is no condition: {_COMPARISON}")
    return term


def _holds_or_not(term: Term) -> bool:
    if not isinstance(term, Applied):
        return False
    joined = term.function in FUNCTIONS and all(map(_holds_or_not, term.parts))
    return joined or term.function in COMPARISONS
