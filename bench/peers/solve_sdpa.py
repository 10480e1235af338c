"""SDPA, an external program, one thread."""

import re

import numpy as np

from sdpafile import External

WORDS = {
    "pdOPT": "solved",
    "pdFEAS": "almost_solved",
    "pFEAS_dINF": "primal_infeasible",
    "pINF_dFEAS": "primal_infeasible",
    "pUNBD": "dual_infeasible",
    "dUNBD": "primal_infeasible",
}
NUMBER = re.compile(r"[-+]?\d[\d.]*(?:[eE][-+]?\d+)?")


def parameters(tol):
    tol = tol or 1e-7
    return (
        f"100 maxIteration\n{tol} epsilonStar\n1e2 lambdaStar\n2.0 omegaStar\n-1e5 lowerBound\n"
        f"1e5 upperBound\n0.1 betaStar\n0.2 betaBar\n0.9 gammaStar\n{tol} epsilonDash\n"
        "%+.16e char* xPrint\n%+.16e char* XPrint\n%+.16e char* YPrint\n%+.16e char* infPrint\n"
    )


class Solver(External):
    parameters = ("param.sdpa", parameters)
    arguments = ["-ds", "p.dat-s", "-o", "p.out", "-p", "param.sdpa"]

    def __init__(self):
        super().__init__("sdpa", "sdpa")

    def read(self, data, log, text):
        phase = re.search(r"phase.value\s*=\s*(\w+)", text)
        iterations = re.search(r"Iteration\s*=\s*(\d+)", text)
        if not phase or "yMat" not in text:
            return "failed", 0, np.zeros(data.n), data.empty()
        head, tail = text.split("xVec =")[1].split("xMat =")
        dual = NUMBER.findall(tail.split("yMat =")[1].split("main loop time")[0])
        x = np.array(NUMBER.findall(head), dtype=float)
        at, blocks = 0, data.empty()
        for X in blocks:
            X.flat = np.array(dual[at : at + X.size], dtype=float)
            at += X.size
        return WORDS.get(phase[1], "failed"), int(iterations[1]), x, blocks
