"""Models in Antimony, the language that people write SBML in, as SBML.

    S1 + S3 -> S4; find*S1*S3

The package antimony translates them, submodels written out; it is C++ and reads any file that an
`import` names, so that a text with that word is refused. What comes out is checked as any SBML is.
Its lines are not those that somebody wrote: errors in it name the file only.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from covey.errors import InputError
from covey.files.bounded_file import read_text
from covey.model.io.identifiers import one_line
from covey.model.io.sbml.text import check_xml

MAX_BYTES = 1_000_000
ENDING = ".ant"
_WRONG = re.compile(r"Error in model string, line (\d+):\s*(.+)", re.DOTALL)


def is_antimony(path: Path) -> bool:
    """Whether a file is in Antimony, by its name."""
    return path.suffix.lower() == ENDING


def read_antimony(path: Path) -> str:
    """The SBML of a file's last model, or of the one with a star. Errors name the file."""
    text = read_text(path, "an Antimony file", MAX_BYTES, only_files=True)
    try:
        found = re.search(r"\bimport\b", text)
        if found is not None:
            raise InputError(
                "the word import is in it, which reads other files: put their models into this one",
                line=text.count("\n", 0, found.start()) + 1,
            )
        sbml = _translated(import_antimony(), text)
        check_xml(sbml)
    except InputError as error:
        raise error.at(file=str(path)) if error.key is None else error from None
    return sbml


def import_antimony() -> Any:
    """The module, or how to install it."""
    try:
        import antimony  # noqa: PLC0415  (optional)
    except ImportError:
        raise InputError(
            f"files that end in {ENDING} are read by antimony, which is not installed: "
            'pip install "covey[antimony]"',
            key="network.sbml",
        ) from None
    return antimony


def _translated(antimony: Any, text: str) -> str:
    antimony.clearPreviousLoads()
    try:
        if antimony.loadAntimonyString(text) < 0:
            said = str(antimony.getLastError())
            wrong = _WRONG.match(said)
            line, what = (int(wrong[1]), wrong[2]) if wrong else (None, said)
            raise InputError(f"not valid Antimony: {one_line(what[:300])}", line=line)
        return str(antimony.getSBMLString(antimony.getMainModuleName()))
    finally:
        antimony.clearPreviousLoads()
