"""DCCP's nine notebooks as they stand, solved by DCCP and by dcopt in its place.

    python dccp_notebooks.py FOLDER [--out FILE] [NOTEBOOK ...]

FOLDER has the notebooks: examples/ of DCCP's source distribution. Each notebook is run twice
as it stands, in a process of its own: with DCCP, and after dcopt.replace_dccp(). Timed is each
prob.solve(method="dccp") as a whole, translation and start of processes included; imports and pictures are not. Data that a
notebook draws without a seed are the same for both. Printed is a table: seconds of all solves, their objectives, and how many ended feasible.
"""

import argparse
import itertools
import json
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

# A point is feasible where no constraint is broken by more.
# Source: DCCP's max_slack.
SLACK = 1e-3


def run(notebook, who):
    """Runs the code of a notebook; prints a line for each solve."""
    import warnings

    import cvxpy as cp
    import dccp  # noqa: F401: its functions, and its own method
    import numpy as np

    warnings.simplefilter("ignore")
    if who == "dcopt":
        import dcopt

        dcopt.replace_dccp()
    original = cp.Problem.solve

    def solve(self, *args, **kwargs):
        if kwargs.get("method") != "dccp":
            return original(self, *args, **kwargs)
        if isinstance(kwargs.get("solver"), str) and kwargs["solver"] not in cp.installed_solvers():
            kwargs.pop("solver")
        begin, error = time.perf_counter(), ""
        try:
            return original(self, *args, **kwargs)
        except Exception as e:
            error = f"{type(e).__name__}: {e}"[:200]
            raise
        finally:
            seconds = time.perf_counter() - begin
            value, violation = None, None
            if not error and all(v.value is not None for v in self.variables()):
                value = float(np.real(np.sum(self.objective.value)))
                violation = max([float(np.max(c.violation(), initial=0)) for c in self.constraints], default=0.0)
            print("SOLVE " + json.dumps({"seconds": seconds, "status": self.status, "value": value, "violation": violation, "error": error,
                                         "maximize": isinstance(self.objective, cp.Maximize)}), flush=True)

    cp.Problem.solve = solve
    for name in ("matplotlib", "matplotlib.pyplot", "matplotlib.patches", "matplotlib.animation"):
        sys.modules[name] = mock.MagicMock()
    space = {"__name__": "__main__", "display": print}
    # Two notebooks draw their data without a seed: both sides get the same ones. Draws of DCCP and dcopt stay theirs.
    unseeded, count = np.random.default_rng, itertools.count(1)

    def default_rng(seed=None):
        if seed is None and sys._getframe(1).f_globals is space:
            seed = next(count)
        return unseeded(seed)

    np.random.default_rng = default_rng
    np.random.seed(1)
    for cell in json.loads(Path(notebook).read_text())["cells"]:
        if cell["cell_type"] != "code":
            continue
        code = "".join(line for line in cell["source"] if not line.lstrip().startswith("%"))
        try:
            exec(compile(code, notebook, "exec"), space)
        except Exception as e:
            if "plt" in code and "method=" not in code:
                continue  # a picture of nothing
            print("END " + json.dumps(f"{type(e).__name__}: {e}"[:200]))
            return


def both(notebook, patience):
    out = {}
    for who in ("dccp", "dcopt"):
        try:
            p = subprocess.run([sys.executable, __file__, "--one", who, str(notebook)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               text=True, timeout=patience)
            lines, end = p.stdout.splitlines(), ""
        except subprocess.TimeoutExpired as e:
            lines, end = (e.stdout or b"").decode().splitlines(), f"no end within {patience:.0f} s"
        out[who] = {"solves": [json.loads(s[6:]) for s in lines if s.startswith("SOLVE ")], "end": end or next((json.loads(s[4:]) for s in lines if s.startswith("END ")), "")}
    return out


def compare(ours, theirs):
    """The numbers of solves in which dcopt's objective is better, the same, worse; a point that
    is not feasible is worse than one that is."""
    count = [0, 0, 0]
    for a, b in zip(ours, theirs):
        good = [s["value"] is not None and s["violation"] <= SLACK for s in (a, b)]
        if good[0] != good[1]:
            count[0 if good[0] else 2] += 1
        elif not good[0]:
            count[1] += 1
        else:
            gap = (b["value"] - a["value"]) * (-1 if a["maximize"] else 1) / (1e-9 + abs(b["value"]))
            count[1 if abs(gap) <= 1e-4 else 0 if gap > 0 else 2] += 1
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("notebooks", nargs="*")
    parser.add_argument("--one", choices=("dccp", "dcopt"))
    parser.add_argument("--out", type=Path, default=Path("build/dccp-notebooks.json"))
    parser.add_argument("--patience", type=float, default=900)
    args = parser.parse_args()
    if args.one:
        run(args.folder, args.one)
        return
    args.out.parent.mkdir(parents=True, exist_ok=True)
    results = json.loads(args.out.read_text()) if args.out.exists() else {}
    for notebook in sorted(args.folder.glob("*.ipynb")):
        if args.notebooks and notebook.stem not in args.notebooks:
            continue
        results[notebook.stem] = both(notebook, args.patience)
        args.out.write_text(json.dumps(results, indent=1))
    print("| notebook | solves | DCCP, s | dcopt, s | ratio | feasible: DCCP | dcopt | objective: better, same, worse |\n|---|---|---|---|---|---|---|---|")
    product, n = 1.0, 0
    for name, r in sorted(results.items()):
        theirs, ours = r["dccp"]["solves"], r["dcopt"]["solves"]
        seconds = [sum(s["seconds"] for s in side) for side in (theirs, ours)]
        feasible = [sum(s["value"] is not None and s["violation"] <= SLACK for s in side) for side in (theirs, ours)]
        if theirs and seconds[1]:
            product, n = product * seconds[0] / seconds[1], n + 1
        print(f"| {name} | {len(ours)} | {seconds[0]:.2f}{'+' if r['dccp']['end'] else ''} | {seconds[1]:.2f} | {f'{seconds[0] / max(seconds[1], 1e-9):.1f}' if theirs else 'DCCP ends without'} | "
              f"{feasible[0]} | {feasible[1]} | {', '.join(map(str, compare(ours, theirs)))} |")
    if n:
        print(f"geometric mean of the ratios: {product ** (1 / n):.1f}")


if __name__ == "__main__":
    main()
