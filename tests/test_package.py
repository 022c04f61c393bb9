"""What a wheel carries besides code."""

from importlib.resources import files


def test_type_checkers_of_others_are_told_that_covey_is_typed() -> None:
    assert files("covey").joinpath("py.typed").is_file()  # PEP 561; hatchling packs the folder
