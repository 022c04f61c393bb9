"""The picture of a network: complete, legible, and the same every time."""

from __future__ import annotations

import os
from itertools import combinations
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, PathPatch, Polygon
from matplotlib.transforms import Bbox

from covey.errors import InputError, TooLargeError
from covey.model.network import Network
from covey.report.figure_file import save_figure
from covey.report.style import DARK, LIGHT
from covey.report.topology import MAX_NODES, draw_network, labels
from covey.report.topology.layers import Box, Diagram
from covey.report.topology.layout import arrange, spread

pytestmark = pytest.mark.slow  # many pictures

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

PAIRS = [(1, 2), (1, 3), (2, 1), (2, 3), (3, 1), (3, 2)]


def _tree(leaves: int) -> str:
    lines, groups = [], [[str(leaf)] for leaf in range(1, leaves + 1)]
    while len(groups) > 1:
        merged = [a + b for a, b in zip(groups[::2], groups[1::2], strict=True)]
        for a, b in zip(groups[::2], groups[1::2], strict=True):
            a_, b_, both = (",".join(group) for group in (a, b, a + b))
            lines.append(f"{{{a_}}} + {{{b_}}} <-> {{{both}}} @ 1, 1")
        groups = merged
    return "\n".join(lines)


TASK = "\n".join(
    [f"e{{{i}}} <-> w{{{i}}} @ 1, 0.5" for i in (1, 2, 3)]
    + [f"e{{{i}}} + w{{{j}}} <-> w{{{i},{j}}} @ 1, 0.5" for i, j in PAIRS]
    + [
        f"e{{{k}}} + w{{{i},{j}}} -> e{{1}} + e{{2}} + e{{3}} @ 2"
        for k, i, j in ((1, 2, 3), (2, 1, 3), (3, 1, 2))
    ]
)

NETWORKS = {
    "shared": "{A} + {R} <-> {A,R} @ 3, 1\n{B} + {R} <-> {B,R} @ 1, 1",
    "chain": "{1} + {2} <-> {1,2} @ 1, 1\n{1,2} + {3} <-> {1,2,3} @ 1, 1",
    "dag": """{1} + {2} <-> {1,2} @ 1, 1
        {1} + {1,2} <-> {1,1,2} @ 1, 1
        {3} + {4} + {5} <-> {3,4,5} @ 1, 1
        {1,2} + {3,4,5} <-> {1,2,3,4,5} @ 1, 1""",
    "tree": _tree(8),
    "task": TASK,
    "open": "0 -> {A} @ 1\n{A} -> 0 @ 0.1\n{A} + dock <-> docked{A} @ 1, 2",
    "plain": "E + S <-> ES @ 1, 1\nES -> E + P @ 2\nP + X -> 2 P @ 1\n2 P <-> D @ 1, 1",
    "idle": "{A} -> {A} @ 1",
    "apart": "{A} <-> w{A} @ 1, 1\nm{A,B,C} <-> n{A,B,C} @ 1, 1\n0 -> x{A,B} @ 2",
    "long names": """survey_of_the_north{surveyor,carrier} -> {surveyor} + {carrier} @ 1e-9
        {_x_} -> an_activity_with_an_exceptionallylongname{_x_} @ 0.1234567""",
}


@pytest.fixture(params=NETWORKS, scope="module")
def network(request: pytest.FixtureRequest) -> Network:
    return Network(NETWORKS[request.param])


def _nodes(figure: Figure) -> list[Circle | FancyBboxPatch]:
    """Circles and boxes, without the inner rings of compounds."""
    found = [p for p in figure.axes[0].patches if isinstance(p, Circle | FancyBboxPatch)]
    outer: dict[tuple[float, float], Circle | FancyBboxPatch] = {}
    for patch in found:
        box = _extent(patch)
        centre = round(float(box.x0 + box.x1), 6), round(float(box.y0 + box.y1), 6)
        outer.setdefault(centre, patch)  # the outer circle is drawn first
    return list(outer.values())


def _extent(patch: Circle | FancyBboxPatch) -> Bbox:
    return patch.get_path().transformed(patch.get_patch_transform()).get_extents()


def _text_boxes(figure: Figure) -> list[Bbox]:
    canvas = figure.canvas
    assert isinstance(canvas, FigureCanvasAgg)
    renderer = canvas.get_renderer()  # type: ignore[no-untyped-call]
    return [text.get_window_extent(renderer) for text in figure.axes[0].texts]


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_every_format(network: Network, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"net.{ending}"
    save_figure(draw_network(network, resources=("R",), title="Title"), path)
    starts = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
    assert path.read_bytes().startswith(starts[ending])
    assert list(tmp_path.iterdir()) == [path]


def test_no_two_nodes_overlap(network: Network) -> None:
    nodes = _nodes(draw_network(network, key=False))
    boxes = len({n for n, part in enumerate(Diagram.of(network).nodes) if isinstance(part, Box)})
    assert len(nodes) == len(network.species) + boxes
    for a, b in combinations(map(_extent, nodes), 2):
        assert not a.overlaps(b)


def test_all_text_is_inside_the_figure_and_apart(network: Network) -> None:
    figure = draw_network(network, title="A title of several words, so that it may have to wrap")
    whole = figure.bbox
    boxes = _text_boxes(figure)
    for box in boxes:
        assert whole.x0 <= box.x0
        assert whole.y0 <= box.y0
        assert box.x1 <= whole.x1
        assert box.y1 <= whole.y1
    for a, b in combinations(boxes, 2):
        common = Bbox.intersection(a, b)
        # Lines of one label may touch: extents reach from the ascenders to the descenders.
        assert common is None or min(common.width, common.height) < 0.03 * figure.dpi


def test_text_is_inside_its_node(network: Network) -> None:
    figure = draw_network(network, key=False)
    inches = [box.transformed(figure.axes[0].transData.inverted()) for box in _text_boxes(figure)]
    for node in _nodes(figure):
        extent = _extent(node)
        middle = (extent.x0 + extent.x1) / 2
        inside = [
            b
            for b in inches
            if abs((b.x0 + b.x1) / 2 - middle) < 0.02 and extent.y0 < (b.y0 + b.y1) / 2 < extent.y1
        ]
        assert inside
        for box in inside:
            assert extent.x0 <= box.x0
            assert box.x1 <= extent.x1


def test_lines_run_through_no_node(network: Network) -> None:
    figure = draw_network(network, key=False)
    nodes = [(node, _extent(node)) for node in _nodes(figure)]
    for line in figure.axes[0].patches:
        if isinstance(line, PathPatch):
            fine = _samples(line)
            for node, extent in nodes:
                half = np.array([extent.width, extent.height]) / 2
                away = np.abs(fine - extent.min - half) / (half - 0.01)
                norm = np.hypot(*away.T) if isinstance(node, Circle) else away.max(axis=1)
                assert norm.min() >= 1


def _samples(line: PathPatch) -> NDArray[np.float64]:
    """Many points of a chain of cubic curves."""
    points = np.asarray(line.get_path().vertices)
    t = np.linspace(0, 1, 60)[:, None]
    curves = []
    for i in range(0, len(points) - 1, 3):
        a, b, c, d = points[i : i + 4]
        curves.append(
            (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t**2 * (1 - t) * c + t**3 * d
        )
    return np.concatenate(curves)


def test_the_picture_lies_inside_the_figure(network: Network) -> None:
    figure = draw_network(network)
    axes = figure.axes[0]
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    for patch in axes.patches:
        extent = patch.get_path().transformed(patch.get_patch_transform()).get_extents()
        assert left < extent.x0 < extent.x1 < right or extent.width == 0
        assert bottom < extent.y0 <= extent.y1 < top


@pytest.mark.parametrize("name", ["shared", "chain", "dag", "tree", "open"])
def test_planar_networks_are_drawn_without_crossings(name: str) -> None:
    diagram = Diagram.of(Network(NETWORKS[name]))
    lines = [(link.place, link.box) for link in diagram.links]
    sizes = np.full((len(diagram.nodes), 2), 0.4)
    assert arrange(diagram.columns_by_making(), sizes, lines).crossings == 0


def test_elementary_species_stand_first_and_compounds_by_size() -> None:
    diagram = Diagram.of(Network(NETWORKS["dag"]))
    columns = dict(zip(map(str, diagram.nodes), diagram.columns_by_making(), strict=True))
    assert {columns[f"{{{i}}}"] for i in range(1, 6)} == {0}
    assert columns["{1,2}"] == columns["{3,4,5}"] == 2
    assert columns["{1,1,2}"] == columns["{1,2,3,4,5}"] == 4


def test_a_reaction_and_its_reverse_share_a_box() -> None:
    reactions = "{A} -> b{A} @ 1\n{B} -> b{B} @ 3\nb{A} -> {A} @ 2"
    figure = draw_network(Network(reactions))
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert {"r1, r3", "1, 2", "r2", "3"} <= set(texts)


def test_what_lines_say() -> None:
    """Solid and open heads for the way back, dashes for one way, two full heads for a catalyst."""

    def lines(text: str) -> tuple[set[bool], list[str]]:
        axes = draw_network(Network(text), key=False).axes[0]
        dashed = {p.get_linestyle() != "-" for p in axes.patches if isinstance(p, PathPatch)}
        heads = [p for p in axes.patches if isinstance(p, Polygon)]
        return dashed, sorted(to_hex(head.get_facecolor()) for head in heads)

    ink, paper, alert = LIGHT.ink, LIGHT.background, LIGHT.alert
    assert lines("{A} <-> b{A} @ 1, 1") == ({False}, [ink] * 2 + [paper] * 2)
    assert lines("{A} -> b{A} @ 1") == ({True}, [alert] * 2)
    assert lines("{A} + E -> b{A} + E @ 1") == ({True}, [alert] * 4)
    assert lines("{A} + E <-> b{A} + E @ 1, 1") == ({False}, [ink] * 4 + [paper] * 2)


@pytest.mark.parametrize(
    ("reaction", "texts"),
    [
        ("2 P <-> D @ 1, 1", {"2"}),
        ("P + X -> 2 P @ 1", {"1→2"}),
        ("3 E + {A} -> 3 E + b{A} @ 1", {"3"}),
        ("0 -> {A} @ 1", {"∅"}),
    ],
)
def test_coefficients_and_the_empty_side(reaction: str, texts: set[str]) -> None:
    figure = draw_network(Network(reaction), key=False)
    assert texts <= {text.get_text() for text in figure.axes[0].texts}


def test_only_what_is_private_is_coloured() -> None:
    network = Network("{A} + {R} + battery -> {A,R} @ 1")
    figure = draw_network(network, resources=["R"], key=False)
    circles = [p for p in figure.axes[0].patches if isinstance(p, Circle)]
    fills = [to_hex(circle.get_facecolor()) for circle in circles]
    assert sorted(fills) == sorted([LIGHT.accent_fill] * 3 + [LIGHT.neutral_fill] * 2)


def test_text_is_data() -> None:
    figure = draw_network(Network("{a_1} -> b_{a_1} @ 1"), title="$\\frac{1}$ and \\n_2 $ 机\x00")
    figure.canvas.draw()
    assert figure.axes[0].texts[-1].get_parse_math() is False


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_the_same_bytes_again(ending: str, tmp_path: Path) -> None:
    network = Network(NETWORKS["task"])
    files = [tmp_path / f"{name}.{ending}" for name in "ab"]
    for file in files:
        save_figure(draw_network(network, title="Task"), file)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_matplotlib_is_left_as_it_was(tmp_path: Path) -> None:
    before = dict(mpl.rcParams)
    save_figure(draw_network(Network(NETWORKS["shared"]), theme=DARK), tmp_path / "a.svg")
    assert dict(mpl.rcParams) == before


def test_too_large_is_refused() -> None:
    reactions = "\n".join(f"{{A{i}}} -> b{{A{i}}} @ 1" for i in range(MAX_NODES // 3 + 1))
    with pytest.raises(TooLargeError, match="402 circles and boxes, and beyond 400"):
        draw_network(Network(reactions))


@pytest.mark.parametrize(("name", "found"), [("a.gif", "ends in .gif"), ("a", "has no ending")])
def test_other_endings(name: str, found: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rf"{found}, and \.png, \.svg or \.pdf is expected"):
        save_figure(Figure(), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_capital_endings(tmp_path: Path) -> None:
    save_figure(Figure(), tmp_path / "A.PNG")
    assert (tmp_path / "A.PNG").exists()


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no folder .*nowhere: make it first"):
        save_figure(Figure(), tmp_path / "nowhere" / "a.svg")
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(InputError, match="this is a directory"):
        save_figure(Figure(), tmp_path / "folder.svg")
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="cannot be written: Not a directory"):
        save_figure(Figure(), tmp_path / "file" / "a.svg")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="cannot be written: Permission denied"):
        save_figure(Figure(), tmp_path / "a.svg")


def test_a_failure_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.svg"
    path.write_text("old")

    def fail(*_args: object, **_kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    figure = Figure()
    monkeypatch.setattr(figure, "savefig", fail)
    with pytest.raises(InputError, match="cannot be written: No space left on device"):
        save_figure(figure, path)
    assert [file.read_text() for file in tmp_path.iterdir()] == ["old"]


def test_spread_is_the_nearest_feasible() -> None:
    wanted, gaps = np.array([0.0, 0.0, 5.0]), np.array([1.0, 1.0])
    np.testing.assert_allclose(spread(wanted, gaps), [-0.5, 0.5, 5.0])
    np.testing.assert_allclose(spread(wanted, gaps, np.array([1.0, 3.0, 1.0])), [-0.75, 0.25, 5.0])


def test_long_titles_and_names_are_measured_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Letter by letter, a title of a thousand took six seconds; so did a name of 500 parts."""
    measured = 0
    width = labels.text_width

    def counted(text: str, size: float) -> float:
        nonlocal measured
        measured += 1
        return width(text, size)

    monkeypatch.setattr(labels, "text_width", counted)
    network = Network(f"{{A}} <-> {'x_' * 500}{{A}} @ 1, 1")
    draw_network(network, title="A" * 1000 + " b" * 1000)
    assert 0 < measured < 1000


@pytest.mark.parametrize(("width", "line"), [(0.0, "A…"), (0.5, "AAA…"), (9.0, "A" * 20)])
def test_a_word_is_cut_where_the_line_ends(width: float, line: str) -> None:
    found = labels.wrap("A" * 20, 10, width)[0]
    assert found == line
    assert width == 0 or labels.text_width(found, 10) <= width
