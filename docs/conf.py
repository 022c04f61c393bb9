"""The documentation as a site: `make docs`."""

from covey import __version__

project = "covey"
author = "The covey developers"
version = release = __version__
extensions = ["myst_parser"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = f"covey {__version__}"
exclude_patterns = ["_build", "benchmarks/*"]  # tables that benchmarks.md includes
