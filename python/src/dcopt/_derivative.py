"""Derivatives of solutions: CVXPY's `backward` and `derivative` for problems that dcopt has solved."""

from __future__ import annotations

import warnings
from typing import Any, Callable, Sequence

import cvxpy as cp
import numpy as np
import scipy.sparse as sp
from cvxpy import error
from cvxpy import settings as s
from cvxpy.reductions.reduction import Reduction
from cvxpy.utilities import scopes

from ._errors import DcoptError, NotUniqueWarning, UnsupportedError
from ._graph import flat
from ._lower import linear_part
from ._worker import Buffers

# The step of differences of data that depend on parameters, relative to the parameter.
# Source: derived: the cube root of the unit roundoff, best for central differences.
_STEP = 6e-6


def warn(reply: Any) -> None:
    """Says so where the reply has a derivative of a solution that is not unique."""
    if reply.header.get("regularised"):
        warnings.warn("the solution is not unique: what nothing holds does not move in its derivative", NotUniqueWarning, stacklevel=4)


def attach(problem: cp.Problem, kept: Any) -> None:
    """Gives a problem that was solved with requires_grad=True its backward and derivative."""
    problem.__dict__["_dcopt_derivative"] = kept
    kept.values = [(p, p.value) for p in kept.real.parameters()]
    problem.__dict__["backward"] = lambda: _backward(problem)
    problem.__dict__["derivative"] = lambda one_sided=False: _derivative(problem, one_sided)


def detach(problem: cp.Problem) -> None:
    """Takes them away: another solve has none."""
    for name in ("_dcopt_derivative", "backward", "derivative"):
        problem.__dict__.pop(name, None)


def kept_of(problem: cp.Problem, what: str) -> Any:
    """The translation of the last solve; None: another solver has solved the problem since."""
    stats = problem.solver_stats
    if stats is None or stats.solver_name != "dcopt":
        detach(problem)
        return None
    if problem.status not in s.SOLUTION_PRESENT:  # errors as CVXPY has them
        raise (error.SolverError if what == "Backpropagating" else ValueError)(
            f"{what} through infeasible/unbounded problems is not possible; this one is {problem.status}")
    kept = problem.__dict__["_dcopt_derivative"]
    refuse(kept)
    return kept


def refuse(kept: Any) -> None:
    """An error where the translation says too little for derivatives."""
    if kept.reduced is not None and not hasattr(kept.reduced[0], "param_forward"):  # CVXPY before 1.9
        raise UnsupportedError("a derivative of a problem with complex numbers or of a geometric program", "unsupported",
                               "State the problem in real numbers, or in logarithms, or install CVXPY 1.9.")
    moving = {p.id for p in kept.real.parameters()}
    for p, _ in kept.lowered.fixed:
        if p.id in moving:
            raise UnsupportedError("a derivative with respect to a parameter that stands in the problem as a number", "unsupported",
                                   "Such are exponents, and matrices of quadratic forms.", p.name())


class Moved:
    """The values of parameters, changed for a while: to those given, and as one likes."""

    def __init__(self, problem: cp.Problem, values: Sequence[tuple[cp.Parameter, Any]] = ()) -> None:
        self.old, self.values = [(p, p.value) for p in problem.parameters()], values

    def __enter__(self) -> Moved:
        for p, value in self.values:
            p.save_value(value)
        return self

    def __exit__(self, *_: Any) -> None:
        for p, value in self.old:
            p.save_value(value)


class _Chain:
    """The parameters of the graph as functions of those of the problem."""

    def __init__(self, problem: cp.Problem, kept: Any) -> None:
        low = kept.lowered
        self.problem, self.parameters = problem, problem.parameters()
        self.names = [name for name, _ in low.parameters]
        at: dict[int, int] = {}
        self.size = 0  # of all parameters
        for p in self.parameters:
            at[p.id] = self.size
            self.size += p.size
        self.sizes = [e.size for e in low.parameter_exprs]
        affine: list[int] = []
        self.curved: list[int] = []
        for k, e in enumerate(low.parameter_exprs):
            with scopes.dpp_scope():
                (affine if e.is_affine() else self.curved).append(k)
        # Of the affine functions, one after the other: matrix and constant.
        self.affine = affine
        self.matrix, self.constant = sp.csr_array((0, self.size)), np.zeros(0)
        if affine:
            stand_in = {p.id: cp.Variable(p.shape) for p in self.parameters}
            self.matrix, self.constant = linear_part([_in_variables(low.parameter_exprs[k], stand_in) for k in affine],
                                                     {stand_in[i].id: place for i, place in at.items()}, self.size)
        self.turned = self.matrix.T.tocsr()
        self.values = [low.parameters[k][1] for k in self.curved]
        rng = np.random.default_rng(0)
        self.delta = {p.id: free(p, rng.standard_normal(p.shape)) for p in self.parameters}

    def along(self, arrays: Sequence[np.ndarray] | None = None) -> dict[str, np.ndarray]:
        """A change of the graph's parameters along a random one of the problem's: of all sets one after another, where there are curved functions, at
        their values."""
        if arrays is None or not self.curved:
            return self.forward(self.delta)
        with Moved(self.problem):
            sets = []
            for row in range(max(map(len, arrays))):
                self.place(arrays, row)
                sets.append(self.forward(self.delta))
        return {name: np.concatenate([one[name] for one in sets]) for name in self.names}

    def split(self, whole: np.ndarray, of: list[int]) -> list[np.ndarray]:
        """The parts of the last dimension for these parameters of the graph."""
        return np.split(whole, np.cumsum([self.sizes[k] for k in of])[:-1], axis=-1) if of else []

    def forward(self, delta: dict[int, np.ndarray]) -> dict[str, np.ndarray]:
        """The changes of the graph's parameters along changes of the problem's."""
        whole = np.concatenate([flat(delta[p.id]) for p in self.parameters]) if self.parameters else np.zeros(0)
        out = {self.names[k]: part for k, part in zip(self.affine, self.split(self.matrix @ whole, self.affine))}
        if self.curved:
            out.update((self.names[k], d) for k, d in zip(self.curved, _slopes(self.problem, self.values, delta)))
        return out

    def place(self, arrays: Sequence[np.ndarray], row: int) -> None:
        """Gives the parameters the values of a set: a row of each array."""
        for p, a in zip(self.parameters, arrays):
            p.save_value(a[row].reshape(p.shape, order="F"))

    def sets(self, arrays: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
        """The values of the graph's parameters for sets of values of the problem's, by parameter: a row is a set."""
        whole = np.concatenate(arrays, axis=1) if arrays else np.zeros((1, 0))
        out = {self.names[k]: part for k, part in zip(self.affine, self.split((self.matrix @ whole.T).T + self.constant, self.affine))}
        if self.curved:
            parts: list[list[np.ndarray]] = [[] for _ in self.curved]
            with Moved(self.problem):
                for row in range(len(whole)):
                    self.place(arrays, row)
                    for part, value in zip(parts, self.values):
                        part.append(flat(value()).copy())
            out.update((self.names[k], np.array(part)) for k, part in zip(self.curved, parts))
        return out

    def back(self, gradients: dict[str, np.ndarray], arrays: Sequence[np.ndarray] | None = None) -> np.ndarray:
        """The gradient with respect to all entries of the parameters, from that with respect to the graph's: a row for each set, at its values,
        or where the parameters are."""
        total = np.zeros((len(next(iter(gradients.values()))) if gradients else 1, self.size))
        if self.affine:
            total += (self.turned @ np.concatenate([gradients[self.names[k]] for k in self.affine], axis=1).T).T
        if self.curved:
            with Moved(self.problem):
                for row, g in enumerate(total):
                    if arrays is not None:
                        self.place(arrays, row)
                    self._back_curved(g, {name: v[row] for name, v in gradients.items()})
        return total

    def _back_curved(self, total: np.ndarray, gradients: dict[str, np.ndarray]) -> None:
        """The chain rule, entry by entry."""
        zero, at = {p.id: np.zeros(p.shape) for p in self.parameters}, 0
        for p in self.parameters:
            for k in range(p.size):
                unit = np.zeros(p.size)
                unit[k] = 1
                slopes = _slopes(self.problem, self.values, {**zero, p.id: unit.reshape(p.shape, order="F")})
                total[at] += sum(float(gradients[self.names[c]] @ d) for c, d in zip(self.curved, slopes))
                at += 1


def _symmetric(p: cp.Parameter) -> bool:
    return any(p.attributes[name] for name in ("symmetric", "PSD", "NSD"))


def free(p: cp.Parameter, change: np.ndarray) -> np.ndarray:
    """The part of a change that the attributes of a parameter leave, whose dimensions are the last of the array."""
    if _symmetric(p):
        change = (change + np.swapaxes(change, -1, -2)) / 2
    if p.attributes["diag"]:
        change = change * np.eye(p.shape[0])
    places = getattr(p, "sparse_idx", None)
    if places is not None:
        kept = np.zeros(p.shape)
        kept[places] = 1
        change = change * kept
    return change


def _in_variables(expr: Any, stand_in: dict[int, cp.Variable]) -> Any:
    """The expression with variables in the places of parameters."""
    if isinstance(expr, cp.Parameter):
        return stand_in[expr.id]
    if not expr.parameters():
        return expr
    return expr.copy([_in_variables(a, stand_in) for a in expr.args])


def chain_of(problem: cp.Problem, kept: Any) -> _Chain:
    if kept.chain is None:
        kept.chain = _Chain(problem, kept)
    chain: _Chain = kept.chain
    return chain


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
        with Moved(problem) as moved:
            for p, value in moved.old:
                p.save_value(np.asarray(value, dtype=float) + sign * h * delta[p.id])
            ends.append([flat(v()).copy() for v in values])
    return [(a - b) / (2 * h) for a, b in zip(*ends)]


def given(leaf: Any, what: str, value: Any, otherwise: float) -> np.ndarray:
    """A change or a gradient in the shape of the parameter or variable."""
    a = np.asarray(otherwise if value is None else value.toarray() if hasattr(value, "toarray") else value)
    if a.size != 1 and a.shape != leaf.shape:
        raise DcoptError(f"the {what} has shape {a.shape}, want {leaf.shape}", "problem", "", leaf.name())
    if not np.all(np.isfinite(a)):
        raise DcoptError(f"the {what} has numbers that are not finite", "problem", "", leaf.name())
    return np.broadcast_to(a.reshape(()) if a.size == 1 else a, leaf.shape)


def delta_of(p: cp.Parameter, value: Any) -> np.ndarray:
    return given(p, "delta", value, 0.0)


def _derivative(problem: cp.Problem, one_sided: bool) -> None:
    kept = kept_of(problem, "Differentiating")
    if kept is None:
        problem.derivative()
        return
    for p in problem.parameters():
        if p.value is None:
            raise DcoptError(f"parameter {p.name()} has no value", "problem", "Set its .value and solve.")
    delta = {p.id: delta_of(p, p.delta) for p in problem.parameters()}
    if kept.reduced is not None:
        delta = kept.reduced[0].param_forward(delta)
    buffers, header = Buffers(), {"type": "derivative", "one_sided": bool(one_sided)}
    with Moved(kept.real, kept.values):
        changes = chain_of(kept.real, kept).forward({p.id: np.asarray(delta[p.id], dtype=float) for p in kept.real.parameters()})
    header["parameters"] = {name: buffers.add(change) for name, change in changes.items()}
    reply = kept.loaded.request(header, buffers)
    warn(reply)
    x = reply.array("x")
    assert x is not None
    out = {v.id: x[lo:hi].reshape(v.shape, order="F").copy() for v, lo, hi, _ in kept.places}
    if kept.reduced is not None:
        out = kept.reduced[0].var_forward(out)
    for v in problem.variables():
        v.delta = out[v.id] if v.id in out else np.zeros(v.shape)


def _backward(problem: cp.Problem) -> None:
    kept = kept_of(problem, "Backpropagating")
    if kept is None:
        problem.backward()
        return
    gradient = {v.id: given(v, "gradient", v.gradient, 1.0) for v in problem.variables()}
    out = pulled(kept, gradient, mirrored=hasattr(Reduction, "param_backward"))
    for p in problem.parameters():
        p.gradient = out[p.id] if p.id in out else np.zeros(p.shape)


def pulled(kept: Any, gradient: dict[int, Any], mirrored: bool) -> dict[int, Any]:
    """The gradient with respect to the parameters, by number, from that with respect to the variables, where a parameter takes changes of its attributes alone: it is symmetric
    where the parameter is. mirrored: as CVXPY has it from 1.9 on, an entry of a symmetric parameter stands for its mirror, too."""
    if kept.reduced is not None:
        gradient = kept.reduced[0].var_backward(gradient)
    parts = [flat(np.broadcast_to(gradient.get(v.id, 0.0), v.shape)) for v, _, _, _ in kept.places]
    buffers, chain = Buffers(), chain_of(kept.real, kept)
    header = {"type": "adjoint", "x": buffers.add(np.concatenate(parts) if parts else np.zeros(0))}
    with Moved(kept.real, kept.values):  # those of the solve
        header["along"] = {name: buffers.add(change) for name, change in chain.along().items()}
        reply = kept.loaded.request(header, buffers)
        warn(reply)
        total = chain.back({name: reply.buffers[k][None] for name, k in reply["parameters"].items()})[0]
    out, at = {}, 0
    for p in kept.real.parameters():
        g = free(p, total[at:at + p.size].reshape(p.shape, order="F"))
        at += p.size
        if mirrored and _symmetric(p):
            g = g * (2 - np.eye(p.shape[-1]))
        out[p.id] = g if p.shape else float(g)
    if kept.reduced is not None:
        out = kept.reduced[0].param_backward(out)
    return out
