"""CVXPY's own test files with each solve sent to dcopt.

    python cvxpy_tests.py --out DIR [FILE ...]

runs the files test_*.py of the installed CVXPY (all without FILE), each in a process
of its own, and writes DIR/results.json and a table of what did not pass. It needs cvxpy, pytest, hypothesis
and dcopt; DCOPT_PROGRAM may name the program.

Redirected is each solve of a problem that CVXPY itself accepts: convex by its rules or
geometric, continuous, with a solver that is installed. The others test CVXPY's own refusals. A solve is done
by CVXPY first, with the solver that the test asks for; where it has another answer, Clarabel says which
is wrong.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
import warnings
import xml.etree.ElementTree as tree
from pathlib import Path

# An answer is another one where the values differ by more than this, relative to 1 + size.
# Source: the default tolerance of SCS, which tests ask for most, is 1e-4; the next digit is a limit
# on which no count depends.
DIFFERENCE = 1e-3
# A point keeps the constraints where none is broken by more, relative to the largest entry or 1.
# Source: feas_tol of dcopt.
FEASIBLE = 1e-6
# Seconds for a test.
PATIENCE = 60


# As a plugin of pytest.

def redirect():
    import cvxpy as cp
    import numpy as np

    import dcopt  # noqa: F401

    original = cp.Problem.solve
    log = open(os.environ["CVXPY_TESTS_LOG"], "a", buffering=1)
    nested = []

    def ours(problem, args, kwargs):
        solver = kwargs.get("solver", args[0] if args else None)
        if nested or kwargs.get("method") or kwargs.get("nlp") or kwargs.get("requires_grad") or kwargs.get("qcp") or kwargs.get("enforce_dpp"):
            return False
        if isinstance(solver, (list, tuple)) or solver is not None and (not isinstance(solver, str) or solver.upper() not in cp.installed_solvers()):
            return False
        if problem.is_mixed_integer():
            return False
        return problem.is_dgp() if kwargs.get("gp") else problem.is_dcp()

    def agree(status, value, other_status, other):
        return status == other_status and (status != "optimal" or abs(value - other) <= DIFFERENCE * (1 + abs(other)))

    def broken(problem):
        """By how much the constraints are broken at the variables' values, relative to these."""
        size = max((float(np.max(np.abs(v.value), initial=0)) for v in problem.variables() if v.value is not None), default=0.0)
        return max((float(np.max(c.violation(), initial=0)) for c in problem.constraints), default=0.0) / max(1.0, size)

    def referee(problem, args, kwargs):
        """Whether Clarabel, with a tolerance of 1e-8, says that dcopt's answer is wrong: another minimum, no point where
        dcopt has one that keeps the constraints to FEASIBLE, or a point where dcopt has a proof that there is none."""
        status, value, start = problem.status, problem.value, [(v, v.value) for v in problem.variables()]
        keeps = status == "optimal" and broken(problem) <= FEASIBLE
        nested.append(problem)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exact = original(problem, solver="CLARABEL", **({"gp": True} if kwargs.get("gp") else {}))
            said = problem.status.removesuffix("_inaccurate")
            return not agree(status, value, said, exact) and not (keeps and said == "infeasible")
        except Exception:
            return True
        finally:
            nested.pop()
            problem._status, problem._value = status, value
            for v, x in start:
                v.save_value(x)

    def solve(self, *args, **kwargs):
        if not ours(self, args, kwargs):
            return original(self, *args, **kwargs)
        start = [(v, v.value) for v in self.variables()]
        nested.append(self)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                theirs = original(self, *args, **dict(kwargs, verbose=False))
            status = self.status
        except Exception as e:
            theirs, status = None, type(e).__name__
        finally:
            nested.pop()
        for v, value in start:
            v.save_value(value)
        keep = {"gp": True} if kwargs.get("gp") else {}
        begin = time.perf_counter()
        try:
            value = original(self, method="dcopt", time_limit=30, **keep)
        except Exception as e:
            log.write(json.dumps({"test": os.environ.get("PYTEST_CURRENT_TEST"), "error": f"{type(e).__name__}: {e}"[:300], "theirs": status}) + "\n")
            raise
        entry = {"test": os.environ.get("PYTEST_CURRENT_TEST"), "seconds": time.perf_counter() - begin, "status": self.status, "theirs": status}
        if status in ("optimal", "infeasible", "unbounded") and self.status in ("optimal", "infeasible", "unbounded"):
            if not agree(self.status, value, status, theirs):
                entry["other"] = [self.status, value, status, theirs]
                entry["wrong"] = referee(self, args, kwargs)
        log.write(json.dumps(entry) + "\n")
        return value

    cp.Problem.solve = solve


def pytest_configure(config):
    if os.environ.get("CVXPY_TESTS_LOG"):
        redirect()


def pytest_runtest_setup(item):
    def late(number, frame):
        raise TimeoutError(f"no end within {PATIENCE} s")

    signal.signal(signal.SIGALRM, late)
    signal.alarm(PATIENCE)


def pytest_runtest_teardown(item):
    signal.alarm(0)


# As a program.

def run(folder, name, out):
    log, report = out / f"{name}.log", out / f"{name}.xml"
    for f in (log, report):
        f.unlink(missing_ok=True)
    env = dict(os.environ, CVXPY_TESTS_LOG=str(log), PYTHONPATH=os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
               PYTHONDONTWRITEBYTECODE="1")
    subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "cvxpy_tests", f"--junitxml={report}", str(folder / name)],
                   env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    result = {"passed": 0, "skipped": 0, "failed": {}, "solves": 0, "wrong": []}
    if log.exists():
        for line in log.read_text().splitlines():
            entry = json.loads(line)
            result["solves"] += 1
            if entry.get("wrong"):
                result["wrong"].append(entry)
    if not report.exists():
        result["failed"]["(the file)"] = "no report"
        return result
    for case in tree.parse(report).getroot().iter("testcase"):
        bad = [e for e in case if e.tag in ("failure", "error")]
        if bad:
            result["failed"][case.get("classname", "").rsplit(".", 1)[-1] + "." + case.get("name", "")] = (bad[0].get("message") or "")[:300]
        elif any(e.tag == "skipped" for e in case):
            result["skipped"] += 1
        else:
            result["passed"] += 1
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("build/cvxpy-tests"))
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    import cvxpy

    folder = Path(cvxpy.__file__).parent / "tests"
    out = args.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    found = out / "results.json"
    results = json.loads(found.read_text()) if found.exists() else {}
    for name in args.files or sorted(str(f.relative_to(folder)) for f in folder.glob("test_*.py")):
        results[name] = r = run(folder, name, out)
        found.write_text(json.dumps(results, indent=1))
        print(f"{name}: {r['passed']} passed, {len(r['failed'])} failed, {r['skipped']} skipped, {r['solves']} solves, {len(r['wrong'])} wrong answers", flush=True)
    total = [sum(f(r) for r in results.values()) for f in (lambda r: r["passed"], lambda r: len(r["failed"]), lambda r: r["skipped"], lambda r: r["solves"], lambda r: len(r["wrong"]))]
    print("passed {}, failed {}, skipped {}; {} solves, {} wrong answers".format(*total))


if __name__ == "__main__":
    main()
