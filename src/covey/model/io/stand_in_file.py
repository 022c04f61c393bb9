"""Stand-in files: the reference and how it is coupled, as JSON that may be handed out.

    {"covey_mechanism": 2, "kind": "stand-in", "scenario": {…with the reference for its team…},
     "coupling": "optimal", "loss": "l1", "epsilon": 0, "delta": 0, "digest": "…"}

Nothing in it depends on the real team: whoever reads it knows the reference, as everybody may. The
digest is that of all the rest: a file that was cut off or changed by hand is refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covey.errors import InputError, shown
from covey.files.atomic_file import write_whole
from covey.files.bounded_file import read_text
from covey.files.json_reader import read_json
from covey.model.network import Network
from covey.model.observation.stand_in_release import StandInRelease
from covey.model.scenario import Scenario
from covey.numbers import finite_number

Loss = str | Mapping[Any, Any]  # as `protect` takes it
VERSION = 2
KIND = "stand-in"
_MAX_BYTES = 50_000_000
# What publishing needs of a scenario. The rest stays with its owner: [log] says which robot is of
# which type, and [secret] and [performance] what the owner cares for.
_PUBLIC = (
    "types", "resources", "rates", "sets", "network", "species", "initial", "observe", "control",
    "adversary", "time",
)  # fmt: skip
_HINT = "`covey protect FILE --stand-in carrier=6,picker=4 -o stand-in.json` writes one"


@dataclass(frozen=True, eq=False)
class Reference:
    """What is public of a stand-in: all that publishing needs but the real team.

    Attributes:
        scenario: The network, what is seen of it, and the reference team.
        coupling: "optimal", where the pairs of states fit, or "greedy" in any case.
        loss: What an error costs.
        truth: The probability of publishing the truth throughout, by a coin tossed once.
    """

    scenario: Scenario
    coupling: str
    loss: Loss
    truth: float

    @property
    def digest(self) -> str:
        """By which its file is known again."""
        return str(_document(self)["digest"])

    def check_reactions(self, own: Network, file: str) -> None:
        """Refuses the network of a real team whose reactions are others; its rates may differ.

        Args:
            own: That network.
            file: Where it stands, for messages.
        """
        theirs = self.scenario.network
        arrows = [[reaction.arrow for reaction in network.reactions] for network in (own, theirs)]
        if own.species != theirs.species or arrows[0] != arrows[1]:
            raise InputError(
                "its reactions are not those of the stand-in: only rates may differ", file=file
            )

    def release(self, file: str = "") -> StandInRelease:
        """What is watched of it, whatever the real team is.

        Args:
            file: The name of its file.
        """
        scenario = self.scenario
        return StandInRelease(
            scenario.network, scenario.team, scenario.query, tuple(scenario.start.tolist()),
            self.truth, self.digest, file,
        )  # fmt: skip


def save_stand_in(public: Reference, path: str | Path) -> None:
    """Writes a stand-in to a file, which appears when it is complete."""
    write_whole(path, stand_in_text(public))


def stand_in_text(public: Reference) -> str:
    """What its file holds."""
    return json.dumps(_document(public), ensure_ascii=False, allow_nan=False) + "\n"


def open_stand_in(path: str | Path, *, only_files: bool = False) -> Reference:
    """The stand-in in a file; `InputError` says what is wrong with it.

    Args:
        path: A JSON file that `covey protect --stand-in` or `StandIn.save` wrote.
        only_files: Whether to refuse pipes and devices: for names that are not the user's own.
    """
    text = read_text(path, "a stand-in file", _MAX_BYTES, hint=_HINT, only_files=only_files)
    try:
        return _read(text)
    except InputError as error:
        raise error.at(file=str(path)) from None


def is_stand_in(path: str | Path) -> bool:
    """Whether a file says that it is one; what is wrong with it is said when it is opened."""
    try:
        if not Path(path).is_file():  # a device has no end, and a pipe is read only once
            return False
        with Path(path).open("rb") as stream:
            return f'"kind": "{KIND}"'.encode() in stream.read(200)
    except (OSError, ValueError):
        return False


def _document(public: Reference) -> dict[str, Any]:
    tables = public.scenario.to_document()
    scenario = {name: tables[name] for name in _PUBLIC if name in tables}
    loss = public.loss if isinstance(public.loss, str) else dict(public.loss)
    document = {
        "covey_mechanism": VERSION,
        "kind": KIND,
        "scenario": scenario,
        "coupling": public.coupling,
        "loss": loss,
        "epsilon": 0.0,
        "delta": public.truth,
    }
    text = json.dumps(document, sort_keys=True, ensure_ascii=False)
    return document | {"digest": hashlib.sha256(text.encode()).hexdigest()}


def _read(text: str) -> Reference:
    document = read_json(text)
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise InputError(f"this is no stand-in file; {_HINT}")
    if document.get("covey_mechanism") != VERSION:
        raise InputError(
            f"covey_mechanism is {shown(document.get('covey_mechanism'))}: {VERSION} is expected; "
            "make the stand-in anew"
        )
    for key in ("scenario", "coupling", "loss", "delta", "digest"):
        if key not in document:
            raise InputError(f"{key} is missing: the file was cut off or altered; make it anew")
    for key, kinds in (("scenario", dict), ("coupling", str), ("loss", str | dict)):
        if not isinstance(document[key], kinds):
            raise InputError(f"{key} is {shown(document[key])}: the file was altered; make it anew")
    truth = finite_number(document["delta"], "delta", "a probability", least=0, most=1)
    scenario = Scenario.from_document(document["scenario"])
    found = Reference(scenario, document["coupling"], document["loss"], truth)
    if found.digest != document["digest"]:
        raise InputError(
            "this is not the stand-in that was made (its digest differs): the file was altered, "
            "and nothing can be promised of it; make it anew"
        )
    return found
