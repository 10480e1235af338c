"""Runs one solver of DC problems for dcbench dc: a request a line on standard
input, answers on standard output. The Go package bench/internal/wire documents
both.

    python worker.py SOLVER
"""

import gc
import importlib
import json
import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np

LONG = 1.0  # seconds of runs after which there are no more repetitions


class Spec:
    """A problem's folder: the model's name, its parameters and its data."""

    def __init__(self, folder):
        self.folder = Path(folder)
        spec = json.loads((self.folder / "problem.json").read_text())
        self.model, self.params = spec["model"], spec["params"] or {}
        self.files = {name: read(self.folder / (name + ".csv")) for name in spec["files"]}

    def shared(self, name):
        """A table of the reference problems' data."""
        return read(Path(self.params["data"]) / (name + ".csv"))


def read(path):
    return np.loadtxt(path, delimiter=",", ndmin=2)


def main():
    # What a solver prints must not get between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    warnings.filterwarnings("ignore")

    def say(**fields):
        answers.write(json.dumps(fields) + "\n")
        answers.flush()

    name = sys.argv[1]
    solver = importlib.import_module("solve_" + name.split("-")[0]).Solver(*name.split("-")[1:])
    say(hello=name, version=solver.version)
    for line in sys.stdin:
        serve(solver, json.loads(line), say)


def serve(solver, request, say):
    spec = Spec(request["problem"])
    best, spent = None, 0.0
    for _ in range(request["repeat"]):
        if spent > LONG:
            break
        try:
            task = solver.prepare(spec)
        except KeyError:
            say(status="unsupported", message=f"no model {spec.model}")
            return
        gc.collect()
        say(begin=True)
        cpu, wall = time.process_time(), time.perf_counter()
        try:
            status, iterations = task.run()
        except Exception as error:  # a refusal is an answer
            text = " ".join(str(error).split())
            say(status="refused", message=f"{type(error).__name__}: {text[:200]}")
            return
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        spent += wall
        best = (wall, cpu) if best is None else tuple(map(min, best, (wall, cpu)))
    with open(request["answer"], "w") as f:
        json.dump({name: numbers(v) for name, v in task.point().items()}, f)
    wall, cpu = best
    say(status=status, iterations=int(iterations), wall=wall, cpu=cpu)


def numbers(value):
    """A flat list, null for what is not finite."""
    flat = np.asarray(value, dtype=float).ravel()
    return [v if np.isfinite(v) else None for v in flat.tolist()]


if __name__ == "__main__":
    main()
