"""Sums over sets: what is seen, written once.

    waiting = "w{$i}  for i in types"
    "at_$s" = "$s{$i}  for s in sites, i in types"

A name that stands in the key makes a sum for each of its words; over all others the sum is taken.
A threshold stands before `for`, and compares the whole sum: `full = "{$d} <= 0 for d in docks"`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from covey.errors import InputError
from covey.model.complex import parse_sum
from covey.model.families.family import Family, check_number
from covey.model.frozen import FrozenMap
from covey.model.observation.observed_sum import Threshold, split_threshold


@dataclass(frozen=True)
class WrittenSums:
    """The table [observe] as it was written, and the sets that it is about."""

    table: FrozenMap[str, str]
    sets: FrozenMap[str, tuple[str, ...]]

    def means_the_same_for(self, sets: Mapping[str, tuple[str, ...]]) -> bool:
        """Whether these sets give the same sums."""
        return all(sets.get(name) == words for name, words in self.sets.items())


def plain_sums(
    table: Mapping[str, object], sets: Mapping[str, tuple[str, ...]]
) -> tuple[dict[str, object], WrittenSums | None]:
    """The sums of a table one by one; and as they were written, where some are over sets."""
    plain: dict[str, object] = {}
    families: list[Family] = []
    for name, text in table.items():
        family = None
        if isinstance(text, str) and ("$" in text or " for " in text):
            family = _parsed(name, text)
        if family is None:
            found: dict[str, object] = {name: text}
        else:
            families.append(family)
            found = dict(_expanded(family, name, sets))
        for each in found:
            if each in plain:
                raise InputError(f"{each} is given twice: one is expected", key=f"observe.{name}")
        plain |= found
    if not families:
        return plain, None
    used = {binding.set_name: sets[binding.set_name] for f in families for binding in f.bindings}
    written = {name: str(text) for name, text in table.items()}
    return plain, WrittenSums(FrozenMap(written), FrozenMap(used))


def _parsed(name: str, text: str) -> Family | None:
    try:
        return Family.parse(f"{name} = {text}")
    except InputError as error:
        raise error.at(key=f"observe.{name}") from None


def _expanded(family: Family, name: str, sets: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    terms: dict[str, list[str]] = {}
    compared: Threshold | None = None
    case = None
    try:
        check_number(family.size(sets))
        for case, line in family.cases(sets):  # noqa: B007  (what an error names)
            each, _, term = line.rpartition(" = ")
            term, compared = split_threshold(term)
            list(parse_sum(term))
            terms.setdefault(each, []).append(term)
    except InputError as error:
        raise error.at(key=f"observe.{name}", case=case) from None
    end = f" {compared}" if compared else ""
    return {each: " + ".join(part.strip() for part in found) + end for each, found in terms.items()}
