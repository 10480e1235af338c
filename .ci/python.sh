#!/usr/bin/env bash
# The tests of the Python package: builds the wheel twice, which must give the same
# bytes, installs it beside what its tests need, in an environment of their own under
# build/, and runs them; then installs it in an empty environment and solves a problem
# where there is no Go, and builds the sdist with Go. A skipped test has a line
# "skip python NAME: needs THING: WHY"; the last line is "count PASSED FAILED SKIPPED".
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
work=$PWD/build/python
mkdir -p "$work"

python=
for name in python3 python; do
	command -v "$name" >/dev/null && "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && python=$name && break
done
if [ -z "$python" ]; then
	printf 'skip python: needs Python: 3.11 or newer with venv\ncount 0 0 1\n'
	exit
fi
# torch is large: the tests of its layer run where Python has it already.
site=()
"$python" -c 'import torch' 2>/dev/null && site=(--system-site-packages)
stamp=$(cat python/tests/requirements.txt; "$python" -V; echo "${site[@]}")
if [ "$(cat "$work/stamp" 2>/dev/null)" != "$stamp" ]; then
	rm -rf "$work/venv"
	if ! { "$python" -m venv "${site[@]}" "$work/venv" && "$work/venv/bin/pip" install -q --disable-pip-version-check -r python/tests/requirements.txt; } >"$work/log" 2>&1; then
		tail -n 3 "$work/log"
		printf 'skip python: needs Python: the packages of its tests could not be installed\ncount 0 0 1\n'
		exit
	fi
	echo "$stamp" >"$work/stamp"
fi

wheel() { rm -rf "$work/$1" && (cd python && "$work/venv/bin/python" -m hatchling build -t wheel -d "$work/$1") >"$work/log" 2>&1 || { cat "$work/log"; echo "count 0 1 0"; exit; }; }
wheel one
wheel two
failed=0 passed=1
if ! cmp "$work"/one/*.whl "$work"/two/*.whl; then
	echo "FAIL  two builds of the wheel differ"
	failed=1 passed=0
fi
"$work/venv/bin/pip" install -q --disable-pip-version-check --no-deps --force-reinstall "$work"/one/*.whl || failed=$((failed + 1))
(cd python/tests && env -u DCOPT_PROGRAM -u PYTHONPATH DCOPT_WHEELS="$work/one" "$work/venv/bin/python" -m pytest -q -rs -p no:cacheprovider --junitxml="$work/tests.xml" .)

# An empty environment, without Go.
rm -rf "$work/empty"
if "$python" -m venv "$work/empty" && "$work/empty/bin/pip" install -q --disable-pip-version-check "$work"/one/*.whl &&
	env -i HOME="$HOME" "$work/empty/bin/python" -c 'import dcopt; x = dcopt.solve_qp([[2.0]], [-2.0]); assert abs(x[0] - 1) < 1e-6'; then
	passed=$((passed + 1))
else
	echo "FAIL  the wheel in an empty environment"
	failed=$((failed + 1))
fi

# The sdist, with Go: it is built where there is no checkout.
rm -rf "$work/sdist" "$work/built"
if (cd python && "$work/venv/bin/python" -m hatchling build -t sdist -d "$work/sdist") >"$work/log" 2>&1 && "$python" -m venv "$work/built" &&
	"$work/built/bin/pip" install -q --disable-pip-version-check "$work"/sdist/*.tar.gz &&
	env -i HOME="$HOME" "$work/built/bin/python" -c 'import dcopt; x = dcopt.solve_qp([[2.0]], [-2.0]); assert abs(x[0] - 1) < 1e-6'; then
	passed=$((passed + 1))
else
	tail -n 3 "$work/log"
	echo "FAIL  the sdist, built with Go"
	failed=$((failed + 1))
fi
"$python" - "$work/tests.xml" "$passed" "$failed" <<'END'
import re
import sys
import xml.etree.ElementTree as tree

passed, failed, skipped = int(sys.argv[2]), int(sys.argv[3]), 0
try:
    root = tree.parse(sys.argv[1]).getroot()
    for case in root.iter("testcase"):
        for s in case.iter("skipped"):
            said = re.search(r"^needs .*|(?<=Skipped: )needs .*(?=.\)$)", f"{s.get('message')}\n{s.text}", re.M)
            print(f"skip python {case.get('classname')} {case.get('name')}: {said[0] if said else 'no reason given'}")
    for s in root.iter("testsuite"):
        n, bad, left = int(s.get("tests")), int(s.get("failures")) + int(s.get("errors")), int(s.get("skipped"))
        passed, failed, skipped = passed + n - bad - left, failed + bad, skipped + left
except (OSError, tree.ParseError) as e:
    print("FAIL  pytest:", e)
    failed += 1
print("count", passed, failed, skipped)
END
