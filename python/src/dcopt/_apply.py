"""Functions that dcopt has and CVXPY lacks, by their names."""

from __future__ import annotations

from typing import Any

import cvxpy as cp
import numpy as np
from cvxpy.atoms.elementwise.elementwise import Elementwise

from ._errors import Places, UnsupportedError
from ._graph import Graph, Loaded, flat
from ._worker import operations


class Apply(Elementwise):
    """A function of one number, of each entry. CVXPY knows no curvature, sign or derivative of it."""

    def __init__(self, x: Any, operation: str) -> None:
        if operation not in operations():
            raise UnsupportedError(f"dcopt has no function {operation}", "unsupported", "dcopt.functions() lists them.")
        self.operation = operation
        super().__init__(x)

    def get_data(self) -> list[str]:
        return [self.operation]

    def name(self) -> str:
        return f"{self.operation}({self.args[0].name()})"

    def numeric(self, values: Any) -> np.ndarray:
        graph, shape = Graph(), np.shape(values[0])
        x = graph.node("const", [], shape, data=graph.buffers.add(flat(values[0])))
        y = graph.number(graph.node(self.operation, [x], shape))
        reply = Loaded(graph, Places()).request({"type": "evaluate", "nodes": [y]})
        value: np.ndarray = reply.buffers[reply["values"][0]].reshape(shape, order="F")
        return value

    def sign_from_args(self) -> tuple[bool, bool]:
        return False, False

    def is_atom_convex(self) -> bool:
        return False

    is_atom_concave = is_atom_convex

    def is_incr(self, idx: int) -> bool:
        return False

    is_decr = is_incr

    def _grad(self, values: Any) -> list[None]:
        return [None]


def apply(operation: str, x: Any) -> cp.Expression:
    """A function of one number that dcopt has, by its name in `dcopt.functions()`, of each entry of an expression or array.

    Parameters
    ----------
    operation : str
    x : expression or array

    Returns
    -------
    cvxpy.Expression

    Examples
    --------
    >>> import cvxpy as cp, dcopt
    >>> x = cp.Variable()
    >>> prob = cp.Problem(cp.Maximize(dcopt.apply("erf", x)), [cp.abs(x) <= 1])
    >>> round(prob.solve(method="dcopt"), 4)
    0.8427
    """
    return Apply(x, operation)
