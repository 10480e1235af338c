#!/usr/bin/env bash
# Does as a newcomer does: clones the last commit, and with a home and caches of Go and pip that are
# empty runs the commands and programs of README.md, docs/install.md and the tutorials in empty
# folders. Outputs are compared as TestDocuments does it: same words, numbers up to rounding. It needs
# a network, Python and some minutes; the tests of this folder run the same with the caches.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
if [ -n "$(git status --porcelain)" ]; then
	echo "note: the last commit is tried, without the changes of this folder"
fi
git clone -q "$root" "$work/dcopt"

GOPROXY=$(go env GOPROXY) GOSUMDB=$(go env GOSUMDB) # of this machine; the rest is a newcomer's
export GOPROXY GOSUMDB HOME=$work/home PIP_NO_CACHE_DIR=1 PYTHONDONTWRITEBYTECODE=1
unset GOPATH GOBIN GOCACHE GOMODCACHE GOFLAGS GOWORK PYTHONPATH DCOPT_PROGRAM DCOPT_SHARED
export PATH=$HOME/go/bin:$PATH
mkdir -p "$HOME" "$work/empty" "$work/discs"

# README.md, Begin; docs/install.md.
(cd "$work/dcopt" && go install ./cmd/dcopt)
(cd "$work/empty" && dcopt new packing && dcopt solve packing.dc)
echo "ok    the program"

# The other commands.
(cd "$work/dcopt/tools/site" && go test . -count=1 -run='TestDocuments/README|TestDocuments/docs/(install|tutorial)')
echo "ok    the commands of the documents"

# docs/tutorial-go.md, in a module of its own.
awk '/^```/ { inside = /^```go/; next } inside' "$work/dcopt/docs/tutorial-go.md" >"$work/discs/main.go"
(cd "$work/discs" && go mod init discs && go mod edit -replace "github.com/dcopt/dcopt=$work/dcopt" &&
	go mod tidy && go run . | tee out && grep -q '^feasible: true' out)
echo "ok    the Go program"

# The Python package.
python3 -m venv "$work/venv"
export PATH=$work/venv/bin:$PATH
(cd "$work/dcopt" && pip install -q './python[cvxpy,sklearn]' pytest)
(cd "$work/empty" && python -c 'import dcopt; print(dcopt.solve_qp([[2.0]], [-2.0]))')
(cd "$work/dcopt/python/tests" && python -m pytest -q -p no:cacheprovider test_readme.py)
echo "ok    Python"
