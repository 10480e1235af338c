"""What a solve came to, and what it tells while it runs."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Union

from ._errors import DcoptError

if TYPE_CHECKING:
    import numpy as np

# What CVXPY calls the outcomes. A point that is feasible is useful whatever ended the run; one that is not is no answer,
# and only a proof says "infeasible".
_OUTCOME = {"converged": "optimal", "infeasible": "infeasible", "unbounded": "unbounded",
            "solved": "optimal", "almost_solved": "optimal_inaccurate", "primal_infeasible": "infeasible", "dual_infeasible": "unbounded"}


def outcome(reason: str, feasible: bool) -> str:
    """The status of a point, in CVXPY's words, by why the run ended."""
    return _OUTCOME.get(reason) or ("user_limit" if feasible else "infeasible_inaccurate")


def number(v: Any) -> float:
    """A number of a reply, NaN where it is missing."""
    return float(v) if v is not None else float("nan")


@dataclass
class Progress:
    """How far a solve is, as a callback is told at most ten times a second.

    Attributes
    ----------
    seconds : float
        Since the solve began.
    iteration, start, hop : int
        Of the iteration that has just ended.
    objective, max_violation : float
        At its point.
    feasible : bool
        Whether that point is feasible.
    best : float or None
        The objective of the best feasible point so far; None before there is one.

    Examples
    --------
    >>> from dcopt import dc
    >>> m = dc.Model()
    >>> x = m.var("x", 4, at_least=-1, at_most=1)
    >>> m.maximize(dc.norm2(x))
    >>> told = []
    >>> value = m.solve(callback=lambda p: told.append((p.seconds, p.best))).objective
    """

    seconds: float
    iteration: int = 0
    start: int = 0
    hop: int = 0
    objective: float = float("nan")
    max_violation: float = float("nan")
    feasible: bool = False
    best: float | None = None

    def __str__(self) -> str:
        best = "no feasible point yet" if self.best is None else f"best {self.best:.8g}"
        return f"{self.seconds:.1f} s, iteration {self.iteration}, objective {self.objective:.8g}, violation {self.max_violation:.1e}, {best}"


Callback = Union[Callable[[Progress], Any], str, None]


def teller(callback: Callback, verbose: bool = False, scale: Callable[[float], float] = float) -> Callable[[Any], None] | None:
    """A function for the frames of progress: it tells the callback, and prints to standard output. scale is applied to objectives."""
    tellers: list[Callable[[Progress], Any]] = []
    if verbose:
        tellers.append(lambda p: print(f"dcopt: {p}", flush=True))
    if callback == "tqdm":
        tellers.append(_bar())
    elif callable(callback):
        tellers.append(callback)
    elif callback is not None:
        raise DcoptError(f"callback is {callback!r}", "request", 'Give a function of one argument, a dcopt.Progress, or "tqdm".')
    if not tellers:
        return None

    def tell(frame: Any) -> None:
        best = frame.get("best")
        p = Progress(float(frame["seconds"]), frame.get("iteration", 0), frame.get("start", 0), frame.get("hop", 0), scale(number(frame.get("objective"))),
                     number(frame.get("max_violation")), bool(frame.get("feasible")), None if best is None else scale(float(best)))
        for t in tellers:
            t(p)

    return tell


def _bar() -> Callable[[Progress], None]:
    try:
        from tqdm.auto import tqdm
    except ImportError as e:
        raise ImportError('callback="tqdm" needs tqdm: pip install tqdm') from e
    bar = tqdm(unit=" starts", desc="dcopt")

    def tell(p: Progress) -> None:
        bar.update(max(0, p.start - bar.n))  # iterations begin anew with each start
        bar.set_postfix(iteration=p.iteration, best=p.best, violation=p.max_violation)

    return tell


@dataclass(repr=False)
class Result:
    r"""What a solve came to.

    Attributes
    ----------
    status : str
        What the point is, in CVXPY's words: "optimal" (a local minimum; of a convex problem the minimum), "user_limit" (feasible, but the run
        ended early), "infeasible", "unbounded" (both proved), "infeasible_inaccurate" (no feasible point was found, nothing is proved).
    reason : str
        Why the run ended, in the program's words: "converged", "time_limit", "stalled", ... (docs/cli.md).
    objective : float
        At the point, with the sign of the problem; NaN if the problem is infeasible or unbounded.
    x : dict
        The values of the variables by name: numbers and arrays. Empty where there is no point.
    duals : dict
        The multipliers of the constraints by name. Empty where there are none.
    feasible : bool
    max_violation : float
        The largest amount by which the point breaks a constraint or bound.
    bound, gap : float or None
        No feasible point is better than `bound`, and how far the objective is from it, relatively; None where the run looked for no bound.
    message : str
        What status and reason leave open, in words.
    reason_code : str
        A code of what ended the run, such as "stationary" or "constraint_broken" (docs/messages.md); empty of a quadratic program.
    iterations : int
    seconds : float
        Of the whole solve.
    history : list of dict
        The iterations of the start that gave the point, where the program reports them.
    details : dict
        All that the program reports.

    Examples
    --------
    >>> import dcopt
    >>> result = dcopt.from_dc("var x in [-2, 3]\nminimize abs(x) - 2*abs(x - 1)").solve()
    >>> result.status, result.reason, result["x"]
    ('optimal', 'converged', -2.0)
    """

    status: str
    reason: str
    objective: float
    x: dict[str, Any] = field(default_factory=dict)
    duals: dict[str, Any] = field(default_factory=dict)
    feasible: bool = False
    max_violation: float = float("nan")
    bound: float | None = None
    gap: float | None = None
    message: str = ""
    iterations: int = 0
    seconds: float = float("nan")
    history: list[dict[str, Any]] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def reason_code(self) -> str:
        """A code of what ended the run."""
        return str(self.details.get("reason", ""))

    def __getitem__(self, name: str) -> np.ndarray | float:
        """The value of a variable."""
        if name not in self.x:
            raise KeyError(f"{name}: " + (f"the variables are {', '.join(self.x)}" if self.x else f"there is no point, the problem is {self.status}"))
        return self.x[name]  # type: ignore[no-any-return]

    def _lines(self) -> list[tuple[str, str]]:
        lines = [("status", self.status if self.reason in (self.status, "converged", "solved") else f"{self.status} ({self.reason})"),
                 ("objective", f"{self.objective:.10g}"), ("violation", f"{self.max_violation:.2g}")]
        if self.bound is not None:
            lines.append(("bound", f"{self.bound:.10g}" + ("" if self.gap is None else f", gap {self.gap:.2g}")))
        lines += [("message", self.message)] if self.message else []
        lines += [("iterations", str(self.iterations)), ("time", f"{self.seconds:.3g} s")]
        return lines + [(name, " ".join(str(v).split())) for name, v in self.x.items()]

    def __repr__(self) -> str:
        return "\n".join(f"{name:<12} {text if len(text) <= 100 else text[:97] + '...'}" for name, text in self._lines())

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th><td style='text-align:left'>"
                       f"{html.escape(text if len(text) <= 400 else text[:397] + '...')}</td></tr>" for name, text in self._lines())
        return f"<table>{rows}</table>"

    def plot(self) -> Any:
        r"""Draws the variables: an array of two columns as points of the plane, other matrices as images, the rest by index; and, where the result has a
        history, objective and violation by iteration.

        Returns
        -------
        matplotlib.figure.Figure

        Examples
        --------
        >>> import dcopt
        >>> figure = dcopt.from_dc("var x[3] >= 1\nminimize sumsq(x)").solve().plot()
        """
        try:
            import matplotlib.pyplot as plt
        except ImportError as e:
            raise ImportError("Result.plot needs matplotlib: pip install matplotlib") from e
        import numpy as np

        values = {name: np.asarray(v) for name, v in self.x.items()}
        values = {name: v.real for name, v in values.items() if v.size and v.ndim <= 2}
        if not values and not self.history:
            raise DcoptError(f"there is nothing to draw: the problem is {self.status}", "problem")
        panels = len(values) + 2 * bool(self.history)
        figure, grid = plt.subplots(1, panels, figsize=(4 * panels, 3.5), layout="constrained", squeeze=False)
        axes = list(grid[0])
        for a, (name, v) in zip(axes, values.items()):
            a.set_title(name)
            if v.ndim == 2 and v.shape[1] == 2:
                a.plot(v[:, 0], v[:, 1], "o")
                a.set_aspect("equal", "datalim")
            elif v.ndim == 2:
                figure.colorbar(a.imshow(v, aspect="auto"), ax=a)
            else:
                a.plot(np.atleast_1d(v), "o-")
                a.set_xlabel("index")
        for a, what in zip(axes[len(values):], ("objective", "max_violation")):
            a.plot([h["iteration"] for h in self.history], [number(h[what]) for h in self.history])
            a.set_xlabel("iteration")
            a.set_title(what.replace("_", " "))
            if what == "max_violation":
                a.set_yscale("symlog", linthresh=1e-9)
                a.set_ylim(bottom=0)
        return figure


def of_record(found: Any, x: dict[str, Any], duals: dict[str, Any], seconds: float, details: dict[str, Any]) -> Result:
    """The result that the program states, in a file or in a reply, whose members have the same names."""
    reason = found["status"]
    feasible = bool(found.get("feasible", reason in ("solved", "almost_solved")))
    status = outcome(reason, feasible)
    none = status in ("infeasible", "unbounded")
    bound, gap = (None if found.get(k) is None else float(found[k]) for k in ("bound", "gap"))
    return Result(status, reason, float("nan") if none else number(found.get("objective")), {} if none else x, duals, feasible, number(found.get("max_violation")),
                  bound, gap, found.get("message", ""), found.get("iterations", 0), seconds, found.get("history") or [], details)
