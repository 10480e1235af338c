"""Solves that an event loop awaits."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, overload

from ._worker import Stop
from .dc import Model

if TYPE_CHECKING:
    import cvxpy as cp

    from ._result import Result


@overload
async def solve_async(problem: Model, **settings: Any) -> Result: ...


@overload
async def solve_async(problem: cp.Problem, **settings: Any) -> float: ...


async def solve_async(problem: Any, **settings: Any) -> Any:
    """Solves a problem while the event loop goes on. Solves of several problems run side by side in one worker.

    When the task is cancelled, so is the solve: within half a second it ends with the best point so far as the values of the variables, and the task is
    cancelled.

    Parameters
    ----------
    problem : cvxpy.Problem or Model
        Not to be changed before the solve has ended.
    **settings
        Of `dcopt.solve` or `Model.solve`.

    Returns
    -------
    float or Result
        As of these.

    Examples
    --------
    >>> import asyncio, dcopt
    >>> def model(k):
    ...     m = dcopt.Model()
    ...     x = m.var("x", at_least=-k, at_most=k + 1)
    ...     m.maximize(abs(x))
    ...     return m
    >>> async def main():
    ...     return await asyncio.gather(*(dcopt.solve_async(model(k), seed=1) for k in (1, 2)))
    >>> [round(result.objective, 4) for result in asyncio.run(main())]
    [2.0, 3.0]
    """
    stop = Stop()

    def run() -> Any:
        if stop.asked:  # before a thread was free
            return None
        with stop:
            if isinstance(problem, Model):
                return problem.solve(**settings)
            from ._method import solve

            return solve(problem, **settings)

    solving = asyncio.get_running_loop().run_in_executor(None, run)
    try:
        return await asyncio.shield(solving)
    except asyncio.CancelledError:
        stop.ask()
        await asyncio.wait([solving])
        solving.exception()  # nobody else asks for it
        raise
