"""XML from strangers: whatever it is, it is refused with a line, or it is safe to read."""

from __future__ import annotations

from pathlib import Path

import pytest

from covey import CoveyError, Network, from_sbml
from covey.model.io.sbml.text import MAX_BYTES
from tests.model.io.sbml.sbml_models import model, reaction, species

GOOD = model(reaction("A + B -> C", "k * A * B"))
LAW = GOOD[GOOD.index("<apply>") : GOOD.index("</math>")]
NESTED = "<apply><plus/><cn>1</cn>" * 100_000 + "</apply>" * 100_000


def _read(tmp_path: Path, content: str | bytes) -> Network:
    path = tmp_path / "m.xml"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return from_sbml(path).network


def test_good(tmp_path: Path) -> None:
    assert _read(tmp_path, GOOD) == Network("k = 3\nA + B -> C @ k")
    assert _read(tmp_path, b"\xef\xbb\xbf" + GOOD.encode()) == _read(tmp_path, GOOD)
    assert _read(tmp_path, GOOD.replace("\n", "\r\n")) == _read(tmp_path, GOOD)
    assert _read(tmp_path, GOOD.replace(' encoding="UTF-8"', "")) == _read(tmp_path, GOOD)
    assert _read(tmp_path, GOOD.partition("?>")[2].strip()) == _read(tmp_path, GOOD)


@pytest.mark.parametrize("declaration", ["", '<?xml version="1.0"?>', "<?xml\nversion='1.0'\n?>\n"])
def test_lines_are_counted_right(tmp_path: Path, declaration: str) -> None:
    text = declaration + GOOD.partition("?>\n")[2].replace("k </ci>", "q </ci>")
    line = text[: text.index("<reaction ")].count("\n") + 1
    with pytest.raises(CoveyError, match=f"m.xml:{line}: reaction r: q in its formula"):
        _read(tmp_path, text)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        # no XML at all, or not whole
        (GOOD, "", "m.xml:1: not an XML file: no element found"),
        (GOOD, "{A} -> {B} @ 1", "m.xml:1: not an XML file: not well-formed"),
        (GOOD, GOOD[:-20], "not an XML file: "),
        ("</model>", "", "m.xml:21: not an XML file: mismatched tag"),
        ('name="a model"', 'name="a\0model"', "m.xml:3: not an XML file: not well-formed"),
        # XML, but no SBML
        (GOOD, "<html><body>hello</body></html>", "m.xml:1: the first element is <html>: an SBML file has <sbml>"),
        (GOOD, '<sbml xmlns="http://www.sbml.org/sbml/level3/version1/core" level="3" version="1"/>', "m.xml:1: not valid SBML: No model definition found"),
        (GOOD, '<sbml xmlns="http://www.sbml.org/sbml/level3/version2/core" level="3" version="2"/>', "there is no <model> in it"),
        ("level3/version1/core", "level9/version1/core", "m.xml:2: not valid SBML: "),
        ('level="3"', 'level="2"', "m.xml:2: not valid SBML: "),
        (' xmlns="http://www.sbml.org/sbml/level3/version1/core"', "", "m.xml:2: not valid SBML: "),
        ("<listOfReactions>", "<listOfDances/><listOfReactions>", "not valid SBML: "),
        ('id="k"', 'id="k 1"', "not valid SBML: "),
        ('value="3.0"', 'value="3,0"', "not valid SBML: "),
        ('stoichiometry="1"', 'stoichiometry="one"', "not valid SBML: "),
        ('stoichiometry="1"', "", "the stoichiometry of A is not a whole number, 1 or more"),
        ('reversible="false"', "", "not valid SBML: "),
        ('fast="false"', 'fast="true"', "the model has a fast reaction: give it a rate instead"),
        ("<model ", '<model conversionFactor="k" ', "the model has a conversion factor"),
        ("<model ", '<model xmlns:o="http://www.sbml.org/sbml/level2/version4" ', "m.xml:3: it has the namespaces of two versions of SBML"),
        # packages that change the meaning, known and unknown
        ("<sbml ", '<sbml xmlns:multi="http://www.sbml.org/sbml/level3/version1/multi/version1" multi:required="true" ', "it uses the SBML package multi"),
        ("<sbml ", '<sbml xmlns:z="http://www.sbml.org/sbml/level3/version1/z/version1" z:required="true" ', "not valid SBML: "),
        # entities, encodings, depth and size
        ("<sbml ", '<!DOCTYPE s [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><sbml ', "m.xml:2: a document type is declared"),
        ("<sbml ", '<!DOCTYPE s SYSTEM "file:///etc/passwd"><sbml ', "a document type is declared"),
        ('"UTF-8"', '"UTF-7"', "m.xml:1: the encoding is UTF-7: SBML is written in UTF-8"),
        ('"UTF-8"', '"ISO-8859-1"', "the encoding is ISO-8859-1"),
        (LAW, NESTED, "more than 100 elements are nested in each other"),
        ("<model ", "<model><notes>" + "<p>" * 5000 + "</p>" * 5000 + "</notes></model><model ", "more than 100 elements are nested"),
        ('name="a model"', f'name="{"a" * 30_000}"', "<model> has more than 20,000 characters of attributes"),
        (LAW, "<apply><times/>" + "<cn>1</cn>" * 10_001 + "</apply>", "a formula has more than 10,000 operands"),
        (GOOD, GOOD + " " * MAX_BYTES, "m.xml: more than 8 MB: this is too large"),
        # numbers that libsbml would take for others
        (LAW, '<cn type="integer">1.5</cn>', '"1.5" in a formula is no number of type integer'),
        (LAW, "<cn>5 6</cn>", '"5 6" in a formula is no number of type real'),
        (LAW, '<cn base="16">1F</cn>', "a number is not written in base 10"),
        (LAW, '<cn type="integer">99999999999999999999</cn>', "not valid SBML: "),
        (LAW, '<cn type="e-notation">1<sep/>99999</cn>', "not valid SBML: "),
        (LAW, '<cn type="e-notation">1</cn>', "is no number of type e-notation"),
        (LAW, '<cn type="rational">1<sep/>0</cn>', "its formula divides by 0"),
        (LAW, '<cn type="complex">1<sep/>0</cn>', '"1,0" in a formula is no number of type complex'),
        (LAW, "<cn>1e999</cn>", "not valid SBML: "),
        # formulas that are none
        (LAW, "", "not valid SBML: Invalid MathML element"),
        (LAW, "<apply/>", "its formula has a part that is empty or unknown"),
        (LAW, "<ci/>", "not valid SBML: "),
        (LAW, "<apply><dance/><ci>A</ci></apply>", "not valid SBML: "),
        (LAW, "<apply><divide/><ci>A</ci></apply>", 'its formula has "divide"'),
        (LAW, "<ci>A</ci><ci>B</ci>", "not valid SBML: "),
        (LAW, "<true/>", 'its formula has "true"'),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(CoveyError) as caught:
        _read(tmp_path, GOOD.replace(old, new, 1))
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "m.xml"))


def test_without_a_law(tmp_path: Path) -> None:
    start, end = GOOD.index("<kineticLaw>"), GOOD.index("</kineticLaw>")
    with pytest.raises(CoveyError, match="reaction r: it has no kinetic law: a rate is needed"):
        _read(tmp_path, GOOD[:start] + GOOD[end + len("</kineticLaw>") :])
    bare = '<kineticLaw><math xmlns="http://www.w3.org/1998/Math/MathML"/></kineticLaw>'
    with pytest.raises(CoveyError, match="reaction r: its formula"):
        _read(tmp_path, GOOD[:start] + bare + GOOD[end + len("</kineticLaw>") :])


def test_without_reactions(tmp_path: Path) -> None:
    with pytest.raises(CoveyError, match="the model has no reaction that ever happens"):
        _read(tmp_path, model())


def test_level_1(tmp_path: Path) -> None:
    text = '<sbml xmlns="http://www.sbml.org/sbml/level1" level="1" version="2"><model name="m"/></sbml>'
    with pytest.raises(CoveyError, match="this is SBML Level 1: save it as Level 2 or 3 first"):
        _read(tmp_path, text)


def test_names_with_quotes_and_angles(tmp_path: Path) -> None:
    listed = species("S", name="a \"<'&> \n b")
    assert _read(tmp_path, model(reaction("S ->", "k * S"), more_species=listed)) == Network(
        "k = 3\nS -> 0 @ k"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (GOOD.encode("utf-16"), "m.xml:1: byte 0xff is not UTF-8: save the file as UTF-8"),
        (GOOD.replace("a model", "é").encode("latin-1"), "m.xml:3: byte 0xe9 is not UTF-8"),
        (b"\x1f\x8b\x08", "m.xml:1: byte 0x8b is not UTF-8"),
    ],
)
def test_other_bytes(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(CoveyError) as caught:
        _read(tmp_path, content)
    assert message in str(caught.value)


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(CoveyError, match="this is a directory; an SBML file is expected"):
        from_sbml(tmp_path)
    with pytest.raises(CoveyError, match="there is no such file"):
        from_sbml(tmp_path / "none.xml")
    with pytest.raises(CoveyError, match="this is a device; an SBML file is expected"):
        from_sbml("/dev/zero")
    with pytest.raises(CoveyError, match="cannot be read"):
        from_sbml("a\0b")
