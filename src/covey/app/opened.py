"""The file that the app was opened on: the only one that it ever writes.

Whoever saves says which version they had before, by a digest of its bytes. Where the file is
another by now, it was changed meanwhile, by an editor or in another tab, and stays as it is.
"""

from __future__ import annotations

import hashlib
import threading
from codecs import BOM_UTF8
from dataclasses import dataclass, field
from pathlib import Path

from covey.errors import CoveyError, InputError
from covey.files.atomic_file import write_whole
from covey.files.bounded_file import read_bytes
from covey.model.io.scenario_file import MAX_BYTES, dumps, parse_toml, scenario_of, text_of


class ChangedError(CoveyError):
    """The file is not the one any more that the page has shown."""


@dataclass(frozen=True)
class Opened:
    """A scenario, and the file that it goes back to.

    Attributes:
        path: The file; None where the app was started on an example.
        text: What there is to start from, where that is not what the file holds.
        beside: The file of the mechanism that its [release] names.
    """

    path: Path | None
    text: str = ""
    beside: Path | None = None
    _writing: threading.Lock = field(default_factory=threading.Lock, compare=False)

    @property
    def writable(self) -> bool:
        """Whether there is a file to save to."""
        return self.path is not None and not self.text

    def read(self) -> tuple[str, str | None]:
        """The text as it is now, and its stamp; no stamp where nothing can be saved."""
        if self.path is None or self.text:
            return self.text, None
        raw = _bytes(self.path)
        return _text(raw, self.path), _stamp(raw)

    @property
    def place(self) -> str:
        """A word for where the file is, under which a browser can keep drafts; says no path."""
        return "" if self.path is None else _stamp(bytes(self.path.resolve()))[:16]

    def save(self, text: str, stamp: object) -> str:
        """Writes the file, whole or not at all; the stamp of what is there now."""
        if self.path is None or not self.writable:
            raise InputError("there is no file to save to: download it instead")
        with self._writing:
            before = _bytes(self.path)
            if stamp != _stamp(before):
                raise ChangedError(
                    f"{self.path.name} was changed meanwhile, by another program or in another "
                    "tab: download this version, or open the file again",
                )
            if b"\r\n" in before:
                text = text.replace("\n", "\r\n")
            if before.startswith(BOM_UTF8):  # some editors on Windows go by it
                text = "\ufeff" + text
            write_whole(self.path, text)
            return _stamp(text.encode("utf-8"))


def opened(path: str, example: str) -> Opened:
    """What to start from: the file, checked to be a scenario, or an example where none is named.

    The page may not name files, but for the mechanism that the file names as it is opened. So
    reactions of an SBML file are written out, which cannot be saved to where they came from.
    """
    if not path:
        return Opened(None, example)
    if path == "-":
        raise InputError("standard input cannot be edited: give the name of a scenario file")
    written = text_of(path)  # once: it may be another file a moment later
    scenario = scenario_of(written, path, Path(path).parent)
    document = parse_toml(written, path)
    text = dumps(scenario) if "sbml" in document["network"] else ""
    beside = None
    if scenario.release.instead is not None:
        beside = Path(path).resolve().parent / document["release"]["mechanism"]
    return Opened(Path(path), text, beside)


def _bytes(path: Path) -> bytes:
    return read_bytes(path, "a scenario file", MAX_BYTES)


def _text(raw: bytes, path: Path | str) -> str:
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise InputError("this is no text in UTF-8 any more", file=str(path)) from None


def _stamp(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()
