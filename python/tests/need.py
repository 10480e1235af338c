"""Names what tests need and a machine, a build or a run may lack, as internal/need does for the tests in Go: a test
that lacks it is skipped in one form of words, "needs THING: WHY", by which .ci counts it. No other file of tests calls
what pytest has to skip."""

import enum
import unittest

import pytest


LEFT_OUT = unittest.SkipTest  # what a check of another package raises that does not apply


class Thing(enum.Enum):
    CHECKOUT = "a checkout of the repository"
    CLARABEL = "Clarabel"
    CVXPY = "a newer CVXPY"
    PYTHON = "Python"  # with the packages of requirements.txt
    TORCH = "PyTorch"
    UNIX = "Unix"
    WHEELS = "DCOPT_WHEELS"


def that(has, thing, why):
    """Skips the test, or the tests of a file from its top, unless it has what it needs."""
    __tracebackhide__ = True
    if not has:
        pytest.skip(_text(thing, why), allow_module_level=True)


def module(name, thing=Thing.PYTHON):
    """A module. Without it the test is skipped, or the tests of a file from its top."""
    __tracebackhide__ = True
    return pytest.importorskip(name, reason=_text(thing, f"import {name}"))


def cvxpy(version, why):
    """CVXPY of at least a version, as (1, 8)."""
    __tracebackhide__ = True
    from cvxpy import __version__

    that(tuple(map(int, __version__.split(".")[:2])) >= version, Thing.CVXPY, why)


def _text(thing, why):
    return f"needs {thing.value}: {why}"
