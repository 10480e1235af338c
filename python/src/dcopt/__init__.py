"""Difference-of-convex optimisation from Python.

With CVXPY installed, `import dcopt` adds `prob.solve(method="dcopt")` and the solver "DCOPT"; with scikit-learn there are
`dcopt.LDERegressor` and `dcopt.LDEClassifier`. Neither is imported before it is needed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ._errors import CurvatureError, DcoptError, NotUniqueWarning, ProblemError, UnsupportedError, WorkerError
from ._hook import install as _install
from ._version import __version__

if TYPE_CHECKING:  # what __getattr__ imports when it is needed, for who reads types
    from . import dc
    from ._apply import apply
    from ._async import solve_async
    from ._estimators import Formula, LDEClassifier, LDERegressor
    from ._file import File, from_dc, solve_file
    from ._function import Function
    from ._method import as_dccp, functions, is_dc, replace_dccp, solve, to_dc, why_not
    from ._qp import solve_qp
    from ._result import Progress, Result
    from ._solver import DCOPT, DCOPT_QP
    from .dc import Model

__all__ = [
    "CurvatureError", "DCOPT", "DCOPT_QP", "DcoptError", "File", "Formula", "Function", "LDEClassifier", "LDERegressor", "Model", "NotUniqueWarning", "ProblemError", "Progress",
    "Result", "UnsupportedError", "WorkerError", "__version__", "apply", "as_dccp", "dc", "from_dc", "functions", "is_dc", "replace_dccp", "solve", "solve_async",
    "solve_file", "solve_qp", "to_dc", "why_not",
]

_install()

if not TYPE_CHECKING:  # a __getattr__ would hide wrong names from who reads types
    _MODULES = {
        "_apply": "apply", "_async": "solve_async", "_estimators": "Formula LDEClassifier LDERegressor", "_file": "File from_dc solve_file", "_function": "Function",
        "_method": "as_dccp functions is_dc replace_dccp solve to_dc why_not", "_qp": "solve_qp", "_result": "Progress Result", "_solver": "DCOPT DCOPT_QP", "dc": "Model",
    }
    _WHERE = {name: module for module, names in _MODULES.items() for name in names.split()}
    _OF_CVXPY = ("_async", "_function", "_method", "_solver")
    _EXTRAS = {"cvxpy": "cvxpy", "scipy": "cvxpy", "sklearn": "sklearn"}  # the module that is missing, and the extra that brings it

    def __getattr__(name):
        if name == "dc":
            return importlib.import_module(".dc", __name__)
        if name not in _WHERE:
            raise AttributeError(f"module 'dcopt' has no attribute {name!r}")
        try:
            if _WHERE[name] in _OF_CVXPY:
                importlib.import_module("cvxpy")  # which registers the module: it has to be whole before, as the module imports it
            return getattr(importlib.import_module("." + _WHERE[name], __name__), name)
        except ModuleNotFoundError as e:
            missing = (e.name or "").partition(".")[0]
            if missing not in _EXTRAS:
                raise
            raise ImportError(f"dcopt.{name} needs {missing}: pip install 'dcopt[{_EXTRAS[missing]}]'") from e

    def __dir__():
        return sorted(__all__)
