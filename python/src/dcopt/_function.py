"""Solutions of CVXPY problems as functions of arrays."""

from __future__ import annotations

from typing import Any, Sequence

import cvxpy as cp
import numpy as np
from cvxpy import error
from cvxpy import settings as s

from ._derivative import Moved, chain_of, delta_of, free, given, kept_of, pulled, refuse, warn
from ._errors import DcoptError, UnsupportedError
from ._method import settings_of, start_of, translated
from ._worker import Buffers


class Function:
    """The solution of a CVXPY problem as a function of arrays, with both derivatives.

    A call solves; `derivative` and `adjoint` are at the last call.

    Parameters
    ----------
    problem : cvxpy.Problem
        Its parameters are the arguments.
    parameters : sequence of cvxpy.Parameter
        Their order.
    variables : sequence of cvxpy.Variable
        The results, and their order.
    **settings
        Of `prob.solve(method="dcopt")`.

    Examples
    --------
    >>> import cvxpy as cp, dcopt
    >>> x, p = cp.Variable(2), cp.Parameter(2)
    >>> f = dcopt.Function(cp.Problem(cp.Minimize(cp.sum_squares(x - p)), [cp.sum(x) == 1]), [p], [x])
    >>> f([1.0, 2.0])[0].round(4).tolist()
    [0.0, 1.0]
    >>> f.derivative([1.0, 0.0])[0].round(4).tolist()
    [0.5, -0.5]
    """

    def __init__(self, problem: cp.Problem, parameters: Sequence[cp.Parameter], variables: Sequence[cp.Variable], **settings: Any) -> None:
        if {p.id for p in parameters} != {p.id for p in problem.parameters()}:
            raise DcoptError("parameters are not those of the problem", "problem", "Name each of problem.parameters() once.")
        known = {v.id for v in problem.variables()}
        for v in variables:
            if v.id not in known:
                raise DcoptError(f"{v.name()} is no variable of the problem", "problem", "")
        self.problem, self.parameters, self.variables = problem, list(parameters), list(variables)
        self.settings = dict(settings, requires_grad=True)

    def __call__(self, *values: Any) -> tuple[np.ndarray, ...]:
        """The values of the variables. Raises: cvxpy.error.SolverError where there is no solution."""
        if len(values) != len(self.parameters):
            raise DcoptError(f"{len(values)} arguments for {len(self.parameters)} parameters", "problem", "")
        for p, value in zip(self.parameters, values):
            p.value = np.asarray(value, dtype=float)
        self.problem.solve(method="dcopt", **self.settings)
        if self.problem.status not in s.SOLUTION_PRESENT:
            raise error.SolverError(f"the problem is {self.problem.status}")
        return tuple(np.array(v.value) for v in self.variables)

    def derivative(self, *deltas: Any, one_sided: bool = False) -> tuple[np.ndarray, ...]:
        """The changes of the variables along changes of the parameters; None for zeros. With one_sided the parameters move that way alone, and there is
        a derivative at kinks, too."""
        for p, d in zip(self.parameters, deltas):
            p.delta = delta_of(p, d)
        self.problem.derivative(one_sided)
        return tuple(np.array(v.delta) for v in self.variables)

    def adjoint(self, *gradients: Any) -> tuple[np.ndarray, ...]:
        """The gradient with respect to the parameters of a function that has the given gradient with
        respect to the variables; None for zeros."""
        gradient = {v.id: np.zeros(v.shape) for v in self.problem.variables()}
        for v, g in zip(self.variables, gradients):
            gradient[v.id] = given(v, "gradient", g, 0.0)
        kept = kept_of(self.problem, "Backpropagating")
        if kept is None:
            raise DcoptError("another solver has solved the problem since the call", "problem", "Call the function again.")
        out = pulled(kept, gradient, mirrored=False)
        return tuple(np.array(out[p.id]) for p in self.parameters)

    def batch(self, *arrays: Any) -> Batch:
        """The solutions for sets of values, on all processors: each array has one dimension more than its parameter, before its own."""
        return Batch(self, [np.asarray(a, dtype=float) for a in arrays])


class Batch:
    """The solutions of a Function for sets of values of its parameters, on all processors; the values of the problem stay what they were.

    Where the problem is not convex each set starts at the values of the variables.

    Parameters
    ----------
    function : Function
    arrays : sequence of arrays
        Each has the shape of its parameter with one dimension more before it, for the sets; one set counts for all.

    Attributes
    ----------
    count : int
        The number of sets.
    values : tuple of ndarray
        An array for each variable of the function, with one dimension more before its own.

    Raises
    ------
    cvxpy.error.SolverError
        Where a set has no solution.
    """

    def __init__(self, function: Function, arrays: Sequence[np.ndarray]) -> None:
        self.function, problem = function, function.problem
        if len(arrays) != len(function.parameters):
            raise DcoptError(f"{len(arrays)} arguments for {len(function.parameters)} parameters", "problem", "")
        values = {}
        for p, a in zip(function.parameters, arrays):
            if a.ndim != len(p.shape) + 1 or a.shape[1:] != p.shape or not len(a):
                raise DcoptError(f"an array of shape {a.shape} for sets of values of shape {p.shape}", "problem", "", p.name())
            values[p.id] = a
        sizes = {len(a) for a in arrays} - {1}
        if len(sizes) > 1:
            raise DcoptError(f"batches of different sizes: {sorted(sizes)}", "problem", "")
        self.count = max(sizes, default=1)
        with Moved(problem):
            for p in problem.parameters():
                for value in values[p.id] if any(p.attributes.values()) else values[p.id][:1]:
                    p.value = value
            self.kept = translated(problem)
            if self.kept.reduced is not None:
                raise UnsupportedError("a batch of problems with complex numbers or of geometric programs", "unsupported", "Call the function for each set.")
            refuse(self.kept)
            if self.kept.lowered.data:
                raise UnsupportedError("a constraint without variables in a batch", "unsupported", "Leave it out.", str(self.kept.lowered.data[0]))
            self.chain = chain_of(problem, self.kept)
            self.sets = [np.broadcast_to(values[p.id].reshape((-1, p.size), order="F"), (self.count, p.size)) for p in problem.parameters()]
            sets = self.chain.sets(self.sets)
        self.at = {v.id: slice(lo, hi) for v, lo, hi, _ in self.kept.places}
        self._solve(sets)

    def _solve(self, sets: dict[str, np.ndarray]) -> None:
        loaded, buffers = self.kept.loaded, Buffers()
        header: dict[str, Any] = {"type": "batch", "count": self.count}
        header["parameters"] = {name: buffers.add(np.ascontiguousarray(np.broadcast_to(v, (self.count, v.shape[-1]))).reshape(-1)) for name, v in sets.items()}
        settings = settings_of({k: v for k, v in self.function.settings.items() if k not in ("requires_grad", "verbose", "warm_start", "gp")})
        if settings:
            header["settings"] = settings
        if not loaded.load():
            header["start"] = start_of(self.function.problem, self.kept, buffers)
        self.held, reply = loaded.keep("batch", header, buffers)
        for k, status in enumerate(reply["status"]):
            if status != "converged":
                raise error.SolverError(f"the problem of set {k} is {status}")
        x = reply.array("x")
        assert x is not None
        x = x.reshape(self.count, -1)
        self.values = tuple(x[:, self.at[v.id]].reshape((self.count, *v.shape), order="F") for v in self.function.variables)

    def adjoint(self, *gradients: Any) -> tuple[np.ndarray, ...]:
        """Of each set the gradient with respect to the parameters of a function that has the given gradient with
        respect to the variables; None for zeros."""
        x = np.zeros((self.count, max((at.stop for at in self.at.values()), default=0)))
        for v, g in zip(self.function.variables, gradients):
            if g is not None:
                x[:, self.at[v.id]] += np.broadcast_to(np.asarray(g, dtype=float), (self.count, *v.shape)).reshape((self.count, -1), order="F")
        buffers = Buffers()
        header = {"type": "adjoint", "batch": self.held.handle, "x": buffers.add(x.reshape(-1))}
        header["along"] = {name: buffers.add(change) for name, change in self.chain.along(self.sets).items()}
        reply = self.kept.loaded.request(header, buffers)
        warn(reply)
        parts = {name: reply.buffers[k].reshape(self.count, -1) for name, k in reply["parameters"].items()}
        total, at, out = self.chain.back(parts, self.sets), 0, {}
        for p in self.function.problem.parameters():
            out[p.id] = free(p, total[:, at:at + p.size].reshape((self.count, *p.shape), order="F"))
            at += p.size
        return tuple(out[p.id] for p in self.function.parameters)
