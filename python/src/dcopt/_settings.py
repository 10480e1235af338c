"""The settings that keywords may give, one table for each kind of problem: docs/protocol.md says what they do."""

from __future__ import annotations

from typing import Literal, TypedDict

Effort = Literal["local", "quick", "normal", "thorough"]


class FileSettings(TypedDict, total=False):
    """Of `dcopt.solve_file` and `from_dc(...).solve`; None counts as missing."""

    starts: int | None
    effort: Effort | None
    seed: int | None
    time_limit: float | None
    tol: float | None
    max_iter: int | None
    backend: str | None
    global_: bool | None
    max_nodes: int | None


class Settings(FileSettings, total=False):
    """Of `dcopt.solve` and `Model.solve`."""

    feas_tol: float | None
    backend_tol: float | None
    tau0: float | None
    tau_max: float | None
    tau_relative: bool | None
    mu: float | None
    scale: float | None
    damping: float | None
    gap_tol: float | None


class QPSettings(TypedDict, total=False):
    """Of `dcopt.solve_qp`, and of `prob.solve(solver="DCOPT")`."""

    time_limit: float | None
    tol: float | None
    max_iter: int | None
    backend: str | None
    infeas_tol: float | None
    presolve: bool | None


def names(table: type) -> frozenset[str]:
    """The names of settings as the program has them: `global` is a word of Python."""
    return frozenset(name.rstrip("_") for name in table.__annotations__)
