"""Compares the default answers of dcopt with 20 starts of scipy's SLSQP on random smooth problems.

usage: python random_slsqp.py DCOPT [PROBLEMS [SEED]]

Problems have 2 to 5 variables in [-2, 2], an objective of 2 to 5 terms (squares, cubes, exponentials,
logarithms and roots of 1 + u^2, sines, tanh, products, also with cosines, entropies) and up to two constraints of 1 or 2 terms, which a
random point keeps by 0.5. Prints the problems on which dcopt is worse by more than 1e-3, relative to
max(1, |objective|), and how many there are, and on how many it is better by as much.
"""

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

STARTS = 20
APART = 1e-3


def term(rng, n):
    """A term as text and as a function."""
    a, b, w = np.round(rng.normal(size=n), 2), round(rng.normal(), 2), round(2 * rng.normal(), 2)
    text = " + ".join(f"({v})*x[{j + 1}]" for j, v in enumerate(a)) + f" + ({b})"
    i, j = rng.integers(n, size=2)
    kinds = [
        (f"({text})^2", lambda x: (a @ x + b) ** 2),
        (f"exp(0.5*({text}))", lambda x: np.exp(0.5 * (a @ x + b))),
        (f"({text})^3", lambda x: (a @ x + b) ** 3),
        (f"log(1 + ({text})^2)", lambda x: np.log(1 + (a @ x + b) ** 2)),
        (f"sqrt(1 + ({text})^2)", lambda x: np.sqrt(1 + (a @ x + b) ** 2)),
        (f"sin(2*({text}))", lambda x: np.sin(2 * (a @ x + b))),
        (f"tanh({text})", lambda x: np.tanh(a @ x + b)),
        (f"x[{i + 1}]*cos({text})", lambda x: x[i] * np.cos(a @ x + b)),
        (f"x[{i + 1}]*x[{j + 1}]", lambda x: x[i] * x[j]),
        (f"(x[{i + 1}] + 2.5)*log((x[{i + 1}] + 2.5)/(x[{j + 1}] + 3))",
         lambda x: (x[i] + 2.5) * np.log((x[i] + 2.5) / (x[j] + 3))),
    ]
    text, f = kinds[rng.integers(len(kinds))]
    return f"({w})*{text}", lambda x: w * f(x)


def total(rng, n, terms):
    parts = [term(rng, n) for _ in range(terms)]
    return " + ".join(p[0] for p in parts), lambda x: sum(p[1](x) for p in parts)


def draw(rng):
    """A problem as text, its objective, its constraints f(x) <= b and the number of variables."""
    n = int(rng.integers(2, 6))
    text, objective = total(rng, n, int(rng.integers(2, 6)))
    source, rows = f"var x[{n}] in [-2, 2]\nminimize {text}\n", []
    for k in range(int(rng.integers(0, 3))):
        text, f = total(rng, n, int(rng.integers(1, 3)))
        b = round(float(f(rng.uniform(-2, 2, n))) + 0.5, 2)
        source += ("" if rows else "subject to\n") + f"  c{k}: {text} <= {b}\n"
        rows.append((f, b))
    return source, objective, rows, n


def slsqp(rng, objective, rows, n):
    """The least objective of the starts that end at a feasible point."""
    best = math.inf
    constraints = [{"type": "ineq", "fun": lambda x, f=f, b=b: b - f(x)} for f, b in rows]
    for _ in range(STARTS):
        end = minimize(objective, rng.uniform(-2, 2, n), method="SLSQP", bounds=[(-2, 2)] * n,
                       constraints=constraints, options={"maxiter": 200, "ftol": 1e-10})
        if all(f(end.x) <= b + 1e-7 for f, b in rows) and end.fun < best:
            best = end.fun
    return best


def main(program, problems=1000, seed=0):
    rng = np.random.default_rng(seed)
    worse = better = 0
    with tempfile.TemporaryDirectory() as folder, np.errstate(all="ignore"):
        path = Path(folder) / "problem.dc"
        for k in range(problems):
            source, objective, rows, n = draw(rng)
            path.write_text(source)
            run = subprocess.run([program, "solve", "--json", str(path)], capture_output=True, text=True, check=False)
            if run.returncode not in (0, 3):
                sys.exit(f"problem {k}: {run.stderr}\n{source}")
            result = json.loads(run.stdout)
            own = result["objective"] if result["feasible"] else math.inf
            best = slsqp(rng, objective, rows, n)
            if not own - best <= APART * max(1, abs(best)) and best < math.inf:
                worse += 1
                print(f"problem {k}: {own}, SLSQP {best}\n{source}")
            better += own - best < -APART * max(1, abs(best))
    print(f"{problems} problems: worse on {worse}, better on {better}")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
