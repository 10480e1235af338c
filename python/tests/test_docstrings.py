"""The docstrings of the public names: each has an example, which runs."""

import doctest
import importlib
import inspect
from pathlib import Path

import pytest

import dcopt
import need

need.module("sklearn")
need.module("matplotlib")
need.cvxpy((1, 8), "for dcopt.DCOPT")

PUBLIC = [name for name in dcopt.__all__ if name not in ("__version__", "dc")]


@pytest.mark.parametrize("name", PUBLIC)
def test_each_public_name_has_an_example(name):
    text = inspect.getdoc(getattr(dcopt, name))
    assert "\nExamples\n--------\n" in text and "\n>>> " in text and "Args:" not in text, name


@pytest.mark.parametrize("name", sorted(f.stem for f in Path(dcopt.__file__).parent.glob("*.py") if f.stem not in ("torch", "__main__")))
def test_examples_run(name):
    module = dcopt if name == "__init__" else importlib.import_module(f"dcopt.{name}")
    found = doctest.testmod(module)
    assert not found.failed
