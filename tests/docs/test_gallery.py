"""The gallery leaves no example out, and shows a picture of each."""

import re

from tests.conftest import EXAMPLES
from tests.docs.public_names import DOCS

GALLERY = (DOCS / "gallery.md").read_text(encoding="utf-8")


def test_every_example_has_a_section_with_its_picture() -> None:
    names = sorted(path.stem for path in EXAMPLES)
    assert sorted(re.findall(r"^- \*\*File\*\*: `examples/(.+)\.toml`$", GALLERY, re.M)) == names
    pictures = re.findall(r"\]\((pictures/gallery/(.+)\.svg)\)", GALLERY)
    assert sorted(name for _, name in pictures) == names
    assert [path for path, _ in pictures if not (DOCS / path).exists()] == []


def test_every_verdict_is_a_figure_that_the_page_prints() -> None:
    sections = re.findall(r"^- \*\*File\*\*: .*?(?=^## )", GALLERY, re.M | re.S)
    for section in sections:
        name = re.findall(r"examples/(.+)\.toml", section)[0]
        (printed,) = re.findall(rf"^{name} +(.+)%$", GALLERY, re.M)
        assert re.findall(r"(\d+\.\d)%", section) == printed.split("% -> "), name
