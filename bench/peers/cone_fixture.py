"""What Clarabel says about the random problems with cones of qptest, for its
tests:

    dcbench qp --cones tiny --cone-seeds 200 --solvers none --peers clarabel --repeat 1 --out DIR
    python cone_fixture.py DIR/results.csv > ../../qpbackend/qptest/testdata/clarabel_cones.csv
"""

import csv
import sys


def main():
    with open(sys.argv[1], newline="") as f:
        rows = [r for r in csv.DictReader(f) if r["group"] == "cones-tiny" and r["solver"] == "clarabel"]
    rows.sort(key=lambda r: r["instance"])
    print("seed,status,objective,version")
    for r in rows:
        seed = int(r["instance"].split("-")[1])
        print(f"{seed},{r['status']},{r['objective']},{r['version']}")


if __name__ == "__main__":
    main()
