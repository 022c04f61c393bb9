import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from covey import Network, load
from tests.cli.command import covey
from tests.conftest import CONSTANT, EXAMPLES

SHARED = next(path for path in EXAMPLES if path.stem == "shared-resource")
TASK = next(path for path in EXAMPLES if path.stem == "task-network")


def test_json_of_the_motivating_example() -> None:
    answer = covey("check", SHARED, "--json").json
    wanted = {
        "species": 5, "reactions": 4, "complexes": 4, "linkage_classes": 2, "rank": 2,
        "deficiency": 0, "weakly_reversible": True, "complex_balanced": True,
        "collaboration_dag": True, "states": 5,
    }  # fmt: skip
    assert {key: answer[key] for key in wanted} == wanted
    assert answer["conservation_laws"] == [
        "robots of type A: {A} + {A,R}",
        "robots of type B: {B} + {B,R}",
        "resource R: {R} + {A,R} + {B,R}",
    ]


def test_people_read_what_it_means() -> None:
    answer = covey("check", TASK)
    assert answer.code == 0
    assert "nothing leads back from e{1} + e{2} + e{3} to e{1} + w{2,3}" in " ".join(
        answer.out.split()
    )
    assert "No closed form: the steady state is computed from the Markov chain" in answer.out
    assert "robots of type 1: e{1} + w{1} + w{1,2} + w{1,3}" in answer.out
    assert "\x1b" not in answer.out  # a pipe gets plain text


@pytest.mark.slow
def test_every_example(example: Path) -> None:
    assert covey("check", example).code == 0


@pytest.mark.parametrize("example", CONSTANT, ids=lambda path: path.stem)
def test_every_example_expanded(example: Path) -> None:
    """What families became is the text of the same network."""
    network = load(example).network
    printed = covey("check", example, "--expanded", "-q").out
    assert "$" not in printed
    assert Network(printed) == network
    answer = covey("check", example, "--expanded", "--json", "-q").json
    reactions = [line for line in printed.splitlines() if not line.startswith("#")]
    assert answer["expanded"] == reactions
    assert answer["reactions"] == len(network.reactions) == len(answer["reaction_names"])


def test_what_the_paper_writes_out() -> None:
    """The motivating example: its five states, K, and where the mean field rests."""
    found = covey("check", SHARED, "--expanded", "--json").json
    assert found["type_states"] == {"A": ["{A}", "{A,R}"], "B": ["{B}", "{B,R}"]}
    states, matrix = (np.array(found["generator"][name]) for name in ("states", "K"))
    names = found["species_names"]
    network = load(SHARED).network
    for i, state in enumerate(states):  # by the reactions, one by one
        column = np.zeros(len(states))
        for reaction, change in zip(network.reactions, network.changes, strict=True):
            ways = math.prod(state[names.index(str(s))] ** n for s, n in reaction.reactants)
            rate = ways * network.rate_constants[network.reactions.index(reaction)]
            if rate:
                column[np.flatnonzero((states == state + change).all(axis=1))[0]] += rate
                column[i] -= rate
        np.testing.assert_allclose(matrix[:, i], column)
    rest = np.array([found["equilibrium"][name] for name in names])
    np.testing.assert_allclose(network.M @ network.A @ network.psi(rest), 0, atol=1e-12)
    text = covey("check", SHARED, "--expanded", "-q").out
    assert "# states of type A: {A}, {A,R}" in text
    assert text.count("# K: ") == 5
    large = covey("check", TASK, "--expanded", "--json").json
    assert large["generator"] is None
    assert sum(large["equilibrium"].values()) > 0  # by the equations: it is not complex-balanced


def test_infinitely_many_states_are_null() -> None:
    ride = next(path for path in EXAMPLES if path.stem == "ride-sharing")
    answer = covey("check", ride, "--json").json
    assert answer["states"] is None
    assert answer["finite"] is False
    assert answer["why"]["states"] == "{sedan} can grow without end"


def test_set_changes_the_answer() -> None:
    assert covey("check", SHARED, "--set", "types.B=2", "--json").json["states"] == 6
    ten = [f"--set=types.{i}=10" for i in (1, 2, 3)]
    assert covey("check", TASK, "--json", *ten).json["states"] == 67_677


def test_fleet(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet.csv"
    fleet.write_text("robot,type\nr1,A\nr2,B\nr3,B\nr4,B\n")
    assert "team: 1 A, 3 B, 2 R" in covey("check", SHARED, "--fleet", fleet).out
    fleet.write_text("robot,type\nr1,A\nr2,C\n")
    answer = covey("check", SHARED, "--fleet", fleet)
    assert (answer.code, answer.out) == (2, "")
    assert f'{fleet}:3: "C" is not a type of this network, which has A, B.' in answer.err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["--set", "types.A=-1"],
            "covey: --set types.A=-1: types.A is -1: it must not be negative",
        ),
        (["--set", "types.A"], "covey: --set types.A: NAME=VALUE is expected, such as types.A=5"),
        (["--set", "rates.tak=1"], 'there is no rate tak to set. Did you mean "take"?'),
        (["--set", "adversary.at=never"], "adversary.at is 'never'"),
        (["--sett", "x"], "No such option"),
    ],
)
def test_bad_arguments(args: list[str], message: str) -> None:
    answer = covey("check", SHARED, *args)
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.err
    assert "Traceback" not in answer.err


def test_standard_input() -> None:
    assert covey("check", "-", "--json", stdin=SHARED.read_text()).json["species"] == 5


def test_warnings_go_to_standard_error_unless_quiet() -> None:
    seen = ["--set", "observe.free={A}"]
    loud, quiet = covey("check", SHARED, *seen, "--json"), covey("check", SHARED, *seen, "-q")
    assert "covey: warning: free counts lone robots of type A by themselves" in loud.err
    assert len(loud.json["warnings"]) == 1
    assert (quiet.code, quiet.err) == (0, "")


def test_a_reader_that_stops_early_is_no_error() -> None:
    done = subprocess.run(
        f"{sys.executable} -m covey check {TASK} | head -1",
        shell=True, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.startswith("Tasks that need")
    assert done.stderr == ""


def test_several_changes_are_made_at_once() -> None:
    swap = ["--set", "observe.free={A,R} + {B,R}", "--set", "observe.busy={A} + {B}"]
    assert covey("check", SHARED, *swap).code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("covey check FILE > /dev/full", 2, "covey: the answer cannot be written: No space left"),
        ("covey check FILE --json > /dev/full", 2, "covey: the answer cannot be written"),
        ("covey check - <&-", 2, "covey: -: "),
        ("PYTHONIOENCODING=ascii covey check FILE", 0, ""),
        ("covey check FILE --set title=$(printf '%05000d' 0 | tr 0 [)", 0, ""),
    ],
)
def test_odd_surroundings(command: str, code: int, message: str) -> None:
    line = command.replace("FILE", str(TASK)).replace(
        "covey check", f"{sys.executable} -m covey check"
    )
    done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_balanced_point_is_given() -> None:
    answer = covey("check", SHARED, "--json").json
    assert answer["balanced_point"]["{A,R}"] == pytest.approx(3.0)
    assert covey("check", TASK, "--json").json["balanced_point"] is None


def test_means_show_a_rate_that_was_not_meant(tmp_path: Path) -> None:
    """Each of 290 robots charges for 30 in 480: 17 of them, or more where the rate is per dock."""
    text = """
[types]
carrier = 145
picker = 145
[resources]
dock = 60
[network]
reactions = '''
{carrier} + {dock} <-> c{carrier,dock} @ RATE, [c{carrier,dock} / 30]
{picker} + {dock} <-> c{picker,dock} @ RATE, [c{picker,dock} / 30]
'''
[observe]
charging = "c{carrier,dock} + c{picker,dock}"
"""
    meant, wrong = tmp_path / "meant.toml", tmp_path / "wrong.toml"
    first, second = (f"[{{{one}}} / 480 * ({{dock}} > 0)]" for one in ("carrier", "picker"))
    meant.write_text(text.replace("RATE", first, 1).replace("RATE", second))
    wrong.write_text(text.replace("RATE", "0.0020833"))
    answer = covey("check", meant, "--json").json["means"]
    assert answer["exact"] is True
    assert answer["at"] == "steady"
    assert answer["counts"] == pytest.approx({"charging": 290 * 30 / 510}, rel=1e-9)
    assert "→ On average at steady state: charging 17.06." in covey("check", meant).out
    assert covey("check", wrong, "--json").json["means"]["counts"]["charging"] > 30


def test_means_never_make_a_check_fail(tmp_path: Path) -> None:
    endless = tmp_path / "endless.toml"
    endless.write_text(
        '[types]\nA = 1\nB = 1\n[network]\nreactions = "{A} <-> w{A} @ 1, 1\\n{B} <-> w{B} @ 1, 2\\n'
        'box -> 2 box @ 1"\n[initial]\nbox = 1\n'
    )
    answer = covey("check", endless, "--json", "-q")
    assert answer.code == 0
    assert answer.json["means"]["counts"] is None
    assert "grows without bound" in answer.json["means"]["why"]
    assert "was not computed: the mean field cannot be" in covey("check", endless, "-q").out
