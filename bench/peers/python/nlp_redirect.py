"""A plugin of pytest that runs CVXPY's own tests of `solve(nlp=True)` with dcopt in the place of Ipopt.

    PYTHONPATH=. python -m pytest -p nlp_redirect SITE/cvxpy/tests/nlp_tests

SITE is the folder of the installed packages. Ipopt (cyipopt) has to be installed too, as the tests are skipped without it and
check what CVXPY derives for it; DCOPT_PROGRAM may name the program. Redirected is each solve that names no solver or Ipopt.
At the end it says how many of the tests with such a solve pass.
"""

import os

import cvxpy as cp

import dcopt  # noqa: F401: it registers the method

# Seconds for a solve. Source: a limit of time.
PATIENCE = 60

sent, passed = set(), set()


def pytest_configure(config):
    original = cp.Problem.solve

    def solve(self, *args, **kwargs):
        solver = kwargs.get("solver", args[0] if args else None)
        if not kwargs.get("nlp") or solver is not None and str(solver).upper() != "IPOPT":
            return original(self, *args, **kwargs)
        sent.add(os.environ["PYTEST_CURRENT_TEST"].rsplit(" ", 1)[0])
        return original(self, method="dcopt", time_limit=PATIENCE)

    cp.Problem.solve = solve


def pytest_runtest_logreport(report):
    if report.when == "call" and report.passed:
        passed.add(report.nodeid)


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"{len(sent & passed)} of {len(sent)} tests with a redirected solve pass")
