"""CSDP, an external program, one thread."""

import re

import numpy as np

from sdpafile import External

WORDS = {
    "SDP solved": "solved",
    "SDP is primal infeasible": "dual_infeasible",  # of CSDP's primal, the dual of the file
    "SDP is dual infeasible": "primal_infeasible",
    "Partial Success": "almost_solved",
}


def parameters(tol):
    tol = tol or 1e-8
    return (
        f"axtol={tol}\natytol={tol}\nobjtol={tol}\npinftol=1.0e8\ndinftol=1.0e8\nmaxiter=100\n"
        "minstepfrac=0.90\nmaxstepfrac=0.97\nminstepp=1.0e-8\nminstepd=1.0e-8\nusexzgap=1\n"
        "tweakgap=0\naffine=0\nprintlevel=1\nperturbobj=1\nfastmode=0\n"
    )


class Solver(External):
    parameters = ("param.csdp", parameters)
    arguments = ["p.dat-s", "p.out"]

    def __init__(self):
        super().__init__("csdp", "coinor-csdp")

    def read(self, data, log, text):
        status = next((w for words, w in WORDS.items() if words in log), "failed")
        lines = text.split("\n")
        x = np.array(lines[0].split(), dtype=float)
        blocks = data.empty()
        for line in lines[1:]:
            f = line.split()
            if len(f) == 5 and f[0] == "2":
                X, i, j = blocks[int(f[1]) - 1], int(f[2]) - 1, int(f[3]) - 1
                if X.ndim == 1:
                    X[i] = float(f[4])
                else:
                    X[i, j] = X[j, i] = float(f[4])
        return status, len(re.findall(r"^Iter:", log, re.M)), x, blocks
