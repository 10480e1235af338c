"""Derivatives of solutions: CVXPY's `backward` and `derivative` for problems that dcopt has solved, and functions of arrays."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import cvxpy as cp
import numpy as np
from cvxpy import error
from cvxpy import settings as s
from cvxpy.utilities import scopes

from ._errors import DcoptError, UnsupportedError
from ._graph import flat
from ._lower import linear_parts
from ._worker import Buffers

# The step of differences of data that depend on parameters, relative to the parameter.
# Source: derived: the cube root of the unit roundoff, best for central differences.
_STEP = 6e-6


def attach(problem: cp.Problem, kept: Any) -> None:
    """Gives a problem that was solved with requires_grad=True its backward and derivative."""
    problem.__dict__["_dcopt_derivative"] = kept
    problem.__dict__["backward"] = lambda: _backward(problem)
    problem.__dict__["derivative"] = lambda: _derivative(problem)


def detach(problem: cp.Problem) -> None:
    """Takes them away: another solve has none."""
    for name in ("_dcopt_derivative", "backward", "derivative"):
        problem.__dict__.pop(name, None)


def _kept(problem: cp.Problem, what: str) -> Any:
    """The translation of the last solve; None: another solver has solved the problem since."""
    stats = problem.solver_stats
    if stats is None or stats.solver_name != "dcopt":
        detach(problem)
        return None
    if problem.status not in s.SOLUTION_PRESENT:
        raise error.SolverError(f"{what} through a problem that is {problem.status} is not possible")
    kept = problem.__dict__["_dcopt_derivative"]
    if kept.reduced is not None:
        raise UnsupportedError("a derivative of a problem with complex numbers or of a geometric program", "unsupported",
                               "State the problem in real numbers, or in logarithms.")
    moving = {p.id for p in problem.parameters()}
    for p, _ in kept.lowered.fixed:
        if p.id in moving:
            raise UnsupportedError("a derivative with respect to a parameter that stands in the problem as a number", "unsupported",
                                   "Such are exponents, and matrices of quadratic forms.", p.name())
    for v, _, _, plain in kept.places:
        if not plain:
            raise UnsupportedError("a derivative of a diagonal or sparse variable", "unsupported", "State it as a vector.", v.name())
    return kept


class _Moved:
    """The values of parameters, changed for a while."""

    def __init__(self, problem: cp.Problem) -> None:
        self.old = [(p, p.value) for p in problem.parameters()]

    def __enter__(self) -> _Moved:
        return self

    def __exit__(self, *_: Any) -> None:
        for p, value in self.old:
            p.save_value(value)


class _Chain:
    """The parameters of the graph as functions of those of the problem."""

    def __init__(self, problem: cp.Problem, kept: Any) -> None:
        low = kept.lowered
        self.problem = problem
        self.values: list[Callable[[], Any]] = [value for _, value in low.parameters]
        self.at: dict[int, slice] = {}  # of each parameter, by its id, its entries among all
        self.size = 0
        for p in problem.parameters():
            self.at[p.id] = slice(self.size, self.size + p.size)
            self.size += p.size
        # Of each value: the entries that it is, or a matrix by all entries, or None, for a function that is not affine.
        self.maps: list[Any] = [self.at[e.id] if isinstance(e, cp.Parameter) else None for e in low.parameter_exprs]
        affine = []
        for k, e in enumerate(low.parameter_exprs):
            with scopes.dpp_scope():
                if self.maps[k] is None and e.is_affine():
                    affine.append(k)
        if affine:
            stand_in = {p.id: cp.Variable(p.shape) for p in problem.parameters()}
            exprs = [_in_variables(low.parameter_exprs[k], stand_in) for k in affine]
            for k, matrix in zip(affine, linear_parts(exprs, {stand_in[i].id: place.start for i, place in self.at.items()}, self.size)):
                self.maps[k] = matrix

    def forward(self, delta: dict[int, np.ndarray]) -> list[np.ndarray]:
        """The changes of the values along changes of the parameters."""
        whole = np.concatenate([flat(delta[p.id]) for p in self.problem.parameters()]) if self.at else np.zeros(0)
        curved = [v for v, m in zip(self.values, self.maps) if m is None]
        slopes = iter(_slopes(self.problem, curved, delta))
        return [next(slopes) if m is None else whole[m] if isinstance(m, slice) else m @ whole for m in self.maps]

    def back(self, gradients: Sequence[np.ndarray]) -> np.ndarray:
        """The gradient with respect to all entries of the parameters from that with respect to the values."""
        total = np.zeros(self.size)
        curved = []
        for g, value, m in zip(gradients, self.values, self.maps):
            if m is None:
                curved.append((value, g))
            elif isinstance(m, slice):
                total[m] += g
            else:
                total += m.T @ g
        if curved:  # the chain rule, entry by entry
            zero = {p.id: np.zeros(p.shape) for p in self.problem.parameters()}
            for p in self.problem.parameters():
                for k in range(p.size):
                    unit = np.zeros(p.size)
                    unit[k] = 1
                    slopes = _slopes(self.problem, [v for v, _ in curved], {**zero, p.id: unit.reshape(p.shape, order="F")})
                    total[self.at[p.id].start + k] += sum(float(g @ d) for (_, g), d in zip(curved, slopes))
        return total


def _in_variables(expr: Any, stand_in: dict[int, cp.Variable]) -> Any:
    """The expression with variables in the places of parameters."""
    if isinstance(expr, cp.Parameter):
        return stand_in[expr.id]
    if not expr.parameters():
        return expr
    return expr.copy([_in_variables(a, stand_in) for a in expr.args])


def _chain(problem: cp.Problem, kept: Any) -> _Chain:
    if kept.chain is None:
        kept.chain = _Chain(problem, kept)
    return kept.chain


def _step(problem: cp.Problem, delta: dict[int, np.ndarray]) -> float:
    size = max((float(np.max(np.abs(delta[p.id]) / np.maximum(1, np.abs(p.value)), initial=0)) for p in problem.parameters()), default=0.0)
    return _STEP / size if size else 0.0


def _slopes(problem: cp.Problem, values: list[Callable[[], Any]], delta: dict[int, np.ndarray]) -> list[np.ndarray]:
    """The changes of values along changes of the parameters."""
    h = _step(problem, delta)
    if not h:
        return [np.zeros(flat(v()).size) for v in values]
    ends = []
    for sign in (1, -1):
        with _Moved(problem) as moved:
            for p, value in moved.old:
                p.save_value(np.asarray(value, dtype=float) + sign * h * delta[p.id])
            ends.append([flat(v()).copy() for v in values])
    return [(a - b) / (2 * h) for a, b in zip(*ends)]


def _delta(p: cp.Parameter, value: Any) -> np.ndarray:
    return np.zeros(p.shape) if value is None else np.broadcast_to(np.asarray(value, dtype=float), p.shape)


def _derivative(problem: cp.Problem) -> None:
    kept = _kept(problem, "Differentiating")
    if kept is None:
        return problem.derivative()
    for p in problem.parameters():
        if p.value is None:
            raise DcoptError(f"parameter {p.name()} has no value", "problem", "Set its .value and solve.")
    delta = {p.id: _delta(p, p.delta) for p in problem.parameters()}
    buffers, header = Buffers(), {"type": "derivative", "parameters": {}}
    for (name, _), change in zip(kept.lowered.parameters, _chain(problem, kept).forward(delta)):
        header["parameters"][name] = buffers.add(change)
    x = kept.loaded.request(header, buffers).array("x")
    assert x is not None
    for v, lo, hi, _ in kept.places:
        v.delta = x[lo:hi].reshape(v.shape, order="F").copy()
    return None


def _backward(problem: cp.Problem) -> None:
    kept = _kept(problem, "Backpropagating")
    if kept is None:
        return problem.backward()
    parts = []
    for v, _, _, _ in kept.places:
        g = np.ones(v.shape) if v.gradient is None else np.broadcast_to(np.asarray(v.gradient, dtype=float), v.shape)
        parts.append(flat(g))
    buffers = Buffers()
    header = {"type": "adjoint", "x": buffers.add(np.concatenate(parts) if parts else np.zeros(0))}
    reply = kept.loaded.request(header, buffers)
    chain = _chain(problem, kept)
    total = chain.back([reply.buffers[reply["parameters"][name]] for name, _ in kept.lowered.parameters])
    for p in problem.parameters():
        g = total[chain.at[p.id]]
        p.gradient = g.reshape(p.shape, order="F") if p.shape else float(g[0])
    return None


class Function:
    """The solution of a CVXPY problem as a function of arrays, with both derivatives.

    Args:
        problem: its parameters are the arguments.
        parameters: their order.
        variables: the results, and their order.
        settings: of `prob.solve(method="dcopt")`.

    A call solves; `derivative` and `adjoint` are at the last call.
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
        self.calls = 0

    def __call__(self, *values: Any) -> tuple[np.ndarray, ...]:
        """The values of the variables. Raises: cvxpy.error.SolverError where there is no solution."""
        if len(values) != len(self.parameters):
            raise DcoptError(f"{len(values)} arguments for {len(self.parameters)} parameters", "problem", "")
        self.calls += 1
        for p, value in zip(self.parameters, values):
            p.value = np.asarray(value, dtype=float)
        self.problem.solve(method="dcopt", **self.settings)
        if self.problem.status not in s.SOLUTION_PRESENT:
            raise error.SolverError(f"the problem is {self.problem.status}")
        return tuple(np.array(v.value) for v in self.variables)

    def derivative(self, *deltas: Any) -> tuple[np.ndarray, ...]:
        """The changes of the variables along changes of the parameters; None for zeros."""
        for p, d in zip(self.parameters, deltas):
            p.delta = _delta(p, d)
        self.problem.derivative()
        return tuple(np.array(v.delta) for v in self.variables)

    def adjoint(self, *gradients: Any) -> tuple[np.ndarray, ...]:
        """The gradient with respect to the parameters of a function that has the given gradient with
        respect to the variables; None for zeros."""
        for v in self.problem.variables():
            v.gradient = np.zeros(v.shape)
        for v, g in zip(self.variables, gradients):
            if g is not None:
                v.gradient = np.broadcast_to(np.asarray(g, dtype=float), v.shape)
        self.problem.backward()
        return tuple(np.array(p.gradient) for p in self.parameters)
