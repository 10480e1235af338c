"""A plugin of pytest that sends each solve with requires_grad=True to dcopt, so that CVXPY's tests of derivatives are tests of dcopt's.

    cd bench/peers/python && python -m pytest -p derivative_redirect --pyargs cvxpy.tests.test_derivative

It needs cvxpy from 1.9 on, diffcp, without which these tests are skipped, and dcopt. Finite differences stay those of the solvers that the tests ask for.
"""

import cvxpy as cp

import dcopt  # noqa: F401: registers the method

_solve = cp.Problem.solve


def _redirected(problem, *args, **kwargs):
    if kwargs.get("requires_grad") and not args:  # one test asks for a solver that has no derivatives, for the error
        return _solve(problem, method="dcopt", requires_grad=True, gp=kwargs.get("gp", False), backend_tol=1e-11)
    return _solve(problem, *args, **kwargs)


cp.Problem.solve = _redirected
