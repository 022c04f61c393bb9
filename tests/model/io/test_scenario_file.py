"""Every bad file that a person might write, and the message that says what to do."""

from pathlib import Path

import pytest

from covey import CoveyError, dumps, load, loads
from covey.model.io.scenario_file import MAX_BYTES, dump

GOOD = '''title = "Two types share a resource"

[types]
A = 2
B = 1

[resources]
R = 2

[rates]
take = 3.0

[network]
reactions = """
{A} + {R} <-> {A,R}   @ take, 1     # forward, backward
{B} + {R} <-> {R,B}   @ 1, 1
"""

[observe]
free = "{A} + {B}"
busy = "{A,R} + {B,R}"
'''


def test_good() -> None:
    scenario = loads(GOOD)
    assert scenario.title == "Two types share a resource"
    assert str(scenario.team) == "2 A, 1 B, 2 R"
    assert str(scenario.query) == "free = {A} + {B}; busy = {A,R} + {B,R}"


def test_every_example_reads_back(example: Path, tmp_path: Path) -> None:
    scenario = load(example)
    assert loads(dumps(scenario)) == scenario
    dump(scenario, tmp_path / "copy.toml")
    assert load(tmp_path / "copy.toml") == scenario


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        # a typo in a species, on either side of a reaction and in a query
        ("{R,B}", "{R,C}", "f.toml:16: {B} + {R} -> {C,R} does not conserve B: 1 on the left, 0"),
        ("{A,R} + ", "{A,Q} + ", 'f.toml:21: busy sees {A,Q}, which is in no reaction. Did you mean "{A,R}"?'),
        ("{B} + {R}", "{B + {R}", "f.toml:16: '{B' is not a species: write w{1,2}"),
        # unbalanced
        ("{R} <-> {R,B}", "{R} <-> {B}", "f.toml:16: {B} + {R} -> {B} does not conserve R: 1 on the left, 0 on the right; both must be equal unless one side is 0"),
        # rates
        ("   @ 1, 1", "", "f.toml:16: {B} + {R} <-> {B,R} has no rate: end the line with @ and a number or a name"),
        ("@ take, 1 ", "@ tak, 1 ", 'f.toml:15: {A} + {R} -> {A,R} has the rate tak, which is not in [rates]. Did you mean "take"?'),
        ("take = 3.0", "take = 0", "f.toml:11: rates.take is 0: a rate must be positive and finite; leave the reaction out if it never happens"),
        ("take = 3.0", "take = -3", "f.toml:11: rates.take is -3: a rate must be positive and finite"),
        ("take = 3.0", "take = nan", "f.toml:11: rates.take is nan: a rate must be positive and finite"),
        ("take = 3.0", 'take = "3"', "f.toml:11: rates.take is '3': a positive number is expected"),
        ("@ 1, 1", "@ 1, 0", "f.toml:16: a rate of {B} + {R} <-> {B,R} is 0: a rate must be positive and finite"),
        # counts
        ("A = 2", "A = -2", "f.toml:4: types.A is -2: it must not be negative"),
        ("A = 2", "A = 2.5", "f.toml:4: types.A is 2.5: a whole number is expected"),
        ("A = 2", "A = 99999999999", "f.toml:4: types.A is 99999999999: it must be at most 1,000,000,000"),
        ("R = 2", "R = 1979-05-27", "f.toml:8: resources.R is datetime.date(1979, 5, 27): a whole number is expected"),
        # names
        ("B = 1", "B = 1\nC = 1", "f.toml:6: types.C is in no reaction: what it does is not known."),
        ("B = 1", "C = 1", "f.toml:16: {B} + {R} -> {B,R} has B, which is neither in [types] nor in [resources]."),
        ("R = 2", "Q = 2", "f.toml:15: {A} + {R} -> {A,R} has R, which is neither in [types] nor in [resources]."),
        ("[observe]", '[initial]\nA = "{Q}"\n[observe]', 'f.toml:20: initial.A is {Q}, which is no species for one A alone: expected "{A}"'),
        # keys and tables
        ("A = 2", "A = 2\nA = 3", "f.toml:5: not a TOML file: this key is given twice; leave one of them out"),
        ("[rates]", "[types]", "f.toml:10: not a TOML file: this table is given twice; put its keys under one heading"),
        ("[observe]", "[observ]", 'f.toml:19: [observ] is not known in a scenario. Did you mean "observe"?'),
        ("reactions =", "reaction =", 'f.toml:14: [network] has no reaction. Did you mean "reactions"?'),
        ("[network]", '[network]\nkinetics = "mass"', "f.toml:14: kinetics is 'mass': \"falling\" or \"power\" is expected"),
        ("[types]\n", "[types]\n[types.more]\n", "f.toml:4: types.more is {'A': 2, 'B': 1}: a whole number is expected"),
        ('title = "Two types share a resource"', "title = 3", "f.toml:1: title is 3: a text is expected"),
        ('title = "Two types share a resource"', "types = 3", "f.toml:3: not a TOML file: this key is given twice"),
        ("{A,R}   @ take", "{A,R} @ take, 1\ntwice = 2 #", "f.toml:16: twice = 2 #, 1     # forward, backward is no reaction: rates go under [rates], sets under [sets], kinetics above"),
        ("[types]", "[[types]]", "f.toml:3: types is [{'A': 2, 'B': 1}]: a table [types] is expected"),
        ("A = 2", "A = 0x" + "f" * 5000, "f.toml:4: types.A is a value too long to show"),
        # queries
        ('"{A,R} + {B,R}"', '"{A,R} + {B,R} <= 1.5"', "f.toml:21: '{A,R} + {B,R} <= 1.5' is no threshold"),
        ('"{A,R} + {B,R}"', '"{A,R} + {R,A}"', "f.toml:21: {A,R} is 2 times in busy: write it once"),
        ('free = "{A} + {B}"\nbusy = "{A,R} + {B,R}"', "", "f.toml:19: [observe] is empty: leave it out to see everything"),
    ],
)  # fmt: skip
def test_what_is_wrong_and_where(old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(CoveyError) as caught:
        loads(GOOD.replace(old, new, 1), file="f.toml")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", ": the file is empty: `covey new NAME` writes one to start from"),
        (b"# only a comment\n", ": the file is empty"),
        (b"\x00[[[", ":1: not a TOML file: "),
        (b"\x89PNG\r\n\x1a\n\x00", ":1: byte 0x89 is not UTF-8: save the file as UTF-8 text"),
        (
            GOOD.replace("resource", "ressource \xe9").encode("latin-1"),
            ":1: byte 0xe9 is not UTF-8",
        ),
        (b"[types]\nA = 1", ": there is no [network]: a scenario needs its reactions"),
        (b"[network]\n", ':1: [network] needs reactions = """..."""'),
        (b"[network]\nreactions = 3\n", ':1: [network] needs reactions = """..."""'),
        (b'[network]\nreactions = ""\n', ":2: the network has no reactions"),
        (b"x = " + b"[" * 5000, ": lists or tables are nested too deeply"),
        (b"[types]\nA = " + b"9" * 5000, ": not a TOML file: "),
        (b"#" * (MAX_BYTES + 1), ": more than 8 MB: this is too large for a scenario file"),
    ],
)
def test_what_is_no_scenario(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "f.toml"
    path.write_bytes(content)
    with pytest.raises(CoveyError) as caught:
        load(path)
    assert str(path) + message in str(caught.value)


def test_a_file_of_ten_megabytes_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    path = tmp_path / "big.toml"
    path.write_text(GOOD + "# padding\n" * 1_000_000)
    with pytest.raises(CoveyError, match="more than 8 MB"):
        load(path)


def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(CoveyError, match="this is a directory; a scenario file is expected"):
        load(tmp_path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(CoveyError, match="there is no such file; `covey new NAME` writes"):
        load(tmp_path / "none.toml")


def test_a_name_that_no_file_can_have() -> None:
    with pytest.raises(CoveyError, match="cannot be read"):
        load("a\0b")


def test_windows_line_ends_and_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "f.toml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert load(path) == loads(GOOD)


def test_reactions_on_one_line_still_name_the_line() -> None:
    with pytest.raises(CoveyError, match="^f:2: a -> b has no rate"):
        loads('[network]\nreactions = "a -> b"\n', file="f")


def test_escapes_do_not_lead_to_a_wrong_line() -> None:
    with pytest.raises(CoveyError, match="^f:2: b -> c has no rate"):
        loads('[network]\nreactions = "a -> b @ 1\\nb -> c"\n', file="f")


def test_the_longer_of_two_reactions_is_named() -> None:
    reactions = "0 -> {P} @ 1\n0 -> {P} + {Q} @ 1"
    with pytest.raises(CoveyError, match=r"^f:5: 0 -> {P} \+ {Q} has Q"):
        loads(f'[types]\nP = 1\n[network]\nreactions = """{reactions}"""\n', file="f")


def test_a_plain_species_is_no_type() -> None:
    with pytest.raises(CoveyError, match="A is a plain species in a reaction, and a type or"):
        loads("[types]\nA = 2\n[network]\nreactions = '{A} + A <-> w{A} + B @ 1, 1'\n")


def test_long_lines_take_no_longer_than_they_are() -> None:
    with pytest.raises(CoveyError, match="is not a species"):
        loads("[network]\nreactions = 'X" + " " * 200_000 + "! -> Y @ 1'\n")


@pytest.mark.parametrize("title", ["a -> b\nc\x00", "a\n-> b", 'a "quoted" -> \\ \x7f """ title'])
def test_titles_are_data(title: str) -> None:
    scenario = loads("[network]\nreactions = 'a -> b @ 1'\n").with_(title=title)
    assert loads(dumps(scenario)).title == title


def test_a_model_in_xml_is_told_where_it_goes() -> None:
    with pytest.raises(CoveyError, match='sbml = "model.xml"'):
        loads("<?xml version='1.0'?><sbml/>")
