"""Difference-of-convex optimisation from Python.

With CVXPY installed, `import dcopt` adds `prob.solve(method="dcopt")` and the solver "DCOPT"; with scikit-learn there are
`dcopt.LDERegressor` and `dcopt.LDEClassifier`. Neither is imported before it is needed.
"""

from __future__ import annotations

import importlib
from typing import Any

from ._errors import CurvatureError, DcoptError, NotUniqueWarning, ProblemError, UnsupportedError, WorkerError
from ._hook import install as _install
from ._version import __version__

_CVXPY = {"solve": "_method", "is_dc": "_method", "why_not": "_method", "to_dc": "_method", "functions": "_method",
          "replace_dccp": "_method", "as_dccp": "_method", "DCOPT": "_solver", "DCOPT_QP": "_solver", "Function": "_function", "apply": "_apply"}
_OTHERS = {"solve_qp": "_qp", "LDERegressor": "_estimators", "LDEClassifier": "_estimators"}

__all__ = ["CurvatureError", "DcoptError", "NotUniqueWarning", "ProblemError", "UnsupportedError", "WorkerError", "__version__", *_CVXPY, *_OTHERS]

_install()


def __getattr__(name: str) -> Any:
    module = _CVXPY.get(name) or _OTHERS.get(name)
    if module is None:
        raise AttributeError(f"module 'dcopt' has no attribute {name!r}")
    needs = "cvxpy" if name in _CVXPY else "scikit-learn" if module == "_estimators" else None
    try:
        return getattr(importlib.import_module("." + module, __name__), name)
    except ModuleNotFoundError as e:
        if needs is None or (e.name or "").startswith("dcopt"):
            raise
        extra = "cvxpy" if needs == "cvxpy" else "sklearn"
        raise ImportError(f"dcopt.{name} needs {needs}: pip install 'dcopt[{extra}]'") from e


def __dir__() -> list[str]:
    return sorted(__all__)
