"""Makes dcopt known to CVXPY when CVXPY is imported, so that `import dcopt` need not import it."""

from __future__ import annotations

import importlib.abc
import sys
import warnings
from importlib.machinery import ModuleSpec
from typing import Any, Sequence


def register() -> None:
    """Makes `prob.solve(method="dcopt")` and `prob.solve(solver="DCOPT")` known to CVXPY. A version that lacks a name
    that dcopt needs stays usable: then there is a warning."""
    try:
        from ._method import register as method

        method()
        try:
            from ._solver import register as solver
        except ImportError:  # before CVXPY 1.8
            return
        solver()
    except (ImportError, AttributeError) as e:
        version = getattr(sys.modules["cvxpy"], "__version__", "")
        warnings.warn(f"dcopt cannot solve problems of CVXPY {version}: {e}. Install a version that the extra dcopt[cvxpy] allows.", stacklevel=2)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds cvxpy as the other finders do, and registers dcopt once the module has been executed."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        if name != "cvxpy":
            return None
        specs = (f.find_spec(name, path, target) for f in sys.meta_path if f is not self)
        spec = next((s for s in specs if s is not None), None)
        loader: Any = None if spec is None else spec.loader
        if loader is not None:
            execute = loader.exec_module

            def exec_module(module: Any) -> None:
                execute(module)
                register()

            loader.exec_module = exec_module
        return spec


def install() -> None:
    """Registers dcopt with CVXPY now if it is there, else as soon as it is imported."""
    if "cvxpy" in sys.modules:
        register()
    else:
        sys.meta_path.insert(0, _Finder())
