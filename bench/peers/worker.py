"""Runs one solver for dcbench: a request a line on standard input, answers on
standard output. The Go package bench/internal/wire documents both.

    python worker.py SOLVER
"""

import gc
import importlib
import json
import os
import sys
import time

import numpy as np

from forms import Problem

LONG = 1.0  # seconds of runs after which there are no more repetitions


def main():
    # What a solver prints must not get between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(**fields):
        answers.write(json.dumps(fields) + "\n")
        answers.flush()

    name = sys.argv[1]
    solver = importlib.import_module("solve_" + name).Solver()
    say(hello=name, version=solver.version)
    for line in sys.stdin:
        serve(solver, json.loads(line), say)


def serve(solver, request, say):
    mode = request["mode"]
    if mode not in solver.modes:
        say(status="unsupported", message=f"no mode {mode}")
        return
    problem = Problem.read(request["problem"])
    for cone in problem.cones:
        if cone.kind not in getattr(solver, "cones", ()):
            say(status="refused", message=f"{sys.argv[1]} has no {cone.kind} cone")
            return

    def refuse(error):
        say(status="refused", message=f"{type(error).__name__}: {error}")

    try:
        data = solver.translate(problem)
    except Exception as error:
        refuse(error)
        return
    # Of an external program, the time of its processes too.
    clock = getattr(solver, "cpu", time.process_time)
    best, spent = None, 0.0
    for _ in range(request["repeat"]):
        if spent > LONG:
            break
        if mode == "fresh":
            solver.solver = None  # to free it is not part of the next run
        gc.collect()
        say(begin=True)
        cpu, wall = clock(), time.perf_counter()
        try:
            if mode == "fresh":
                solver.setup(data, request["tol"], request["limit"])
            else:
                solver.update(data, warm=mode == "warm")
            setup = clock() - cpu
            raw = solver.solve()
        except Exception as error:  # a refusal is an answer
            refuse(error)
            return
        wall, cpu = time.perf_counter() - wall, clock() - cpu
        spent += wall
        times = (wall, cpu, setup)
        best = times if best is None else tuple(map(min, best, times))
    status, iterations, x, y = solver.answer(data, raw)
    with open(request["answer"], "wb") as f:
        f.write(np.concatenate([x, y]).astype("<f8").tobytes())
    wall, cpu, setup = best
    say(status=status, iterations=int(iterations), wall=wall, cpu=cpu, setup=setup)


if __name__ == "__main__":
    main()
