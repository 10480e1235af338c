"""A parametric loop of ccp.Session beside PIQP: BenchmarkParametric of package ccp, a least squares problem of 20 variables within
bounds and 40 rows whose right sides change, and the same by PIQP's dense solver, on numbers of the same distributions. Blocks of
both alternate, so that both see the same machine. A line has microseconds of the processor per solve, the median of the
blocks, and the median of the ratios. That of dcopt is the time of a program of 2 N solves less that of one of N, collection of
garbage included; that of PIQP has its calls from Python, a few microseconds.

go test -c -o ccp.test ./ccp && python bench/peers/python/session.py ./ccp.test
"""

import argparse
import os
import statistics
import subprocess
import time

import numpy as np
import piqp

N, M = 20, 40


def program(binary, solves):
    """Seconds of the processor of so many solves and of the start."""
    before = os.times()
    args = [binary, "-test.run=^$", "-test.bench=^BenchmarkParametric$", f"-test.benchtime={solves}x"]
    subprocess.run(args, check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


class Peer:
    def __init__(self):
        rng = np.random.default_rng(1)
        a, c = rng.normal(size=(M, N)), rng.normal(size=N)
        self.sides = rng.normal(size=(100, M)) + 4
        self.solver = piqp.DenseSolver()
        self.solver.setup(2 * np.eye(N), -2 * c, None, None, a, None, self.sides[0], -np.ones(N), np.ones(N))

    def seconds(self, solves):
        begin = time.process_time()
        for k in range(solves):
            self.solver.update(h_u=self.sides[k % len(self.sides)])
            if self.solver.solve() != piqp.PIQP_SOLVED:
                raise RuntimeError("PIQP has not solved a problem")
        return time.process_time() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("binary", help="the tests of package ccp, as of go test -c")
    parser.add_argument("--solves", type=int, default=10_000)
    parser.add_argument("--blocks", type=int, default=9)
    args = parser.parse_args()
    peer, ours, theirs = Peer(), [], []
    peer.seconds(args.solves)
    for _ in range(args.blocks):
        one = program(args.binary, args.solves)
        theirs.append(peer.seconds(args.solves))
        ours.append(program(args.binary, 2 * args.solves) - one)
    ratio = statistics.median(t / u for t, u in zip(ours, theirs))
    us = [1e6 * statistics.median(t) / args.solves for t in (ours, theirs)]
    print(f"dcopt {us[0]:.1f} us, PIQP {us[1]:.1f} us, ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
