#!/usr/bin/env bash
# The work of "make check", "make test" and "make quick", for this module and every nested
# one. A failing step does not stop the others. The last line is the summary:
# a step that is no test (gofmt, vet, ...) counts there only if it fails.
#
# What a machine lacks to test something, and so is skipped, is listed and counted; with
# CI=true only what summary.sh names may be missing. All skips have one form of words, that
# of internal/need: "needs THING: WHY".
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

what=${1:-all}
logs=$PWD/build/test
rm -rf "$logs"
mkdir -p "$logs"
: >"$logs/tally"
# What is built meanwhile comes and goes: a module of its own is no part of ./...
printf 'module build\n' >build/go.mod

# clock sets spent to the seconds since the start, and those of processors that the programs of
# this shell took: where two processors give less than twice the seconds, they had no work.
clock() {
	times >"$logs/times"
	spent=$(awk -v s="$SECONDS" 'NR == 2 { gsub(/[ms]/, " "); printf "%ds, %.0fs of processor time", s, 60 * $1 + $2 + 60 * $3 + $4 }' "$logs/times")
}

# step NAME COMMAND... runs it, silent if it succeeds.
step() {
	local name=$1
	shift
	if "$@" >"$logs/step" 2>&1; then
		echo "ok    $name"
	else
		echo "FAIL  $name"
		sed 's/^/      /' "$logs/step"
		printf 'fail %s\ncount 0 1 0\n' "$name" >>"$logs/tally"
	fi
}

# skip NAME THING WHY records what this machine cannot do.
skip() {
	echo "SKIP  $1: needs $2: $3"
	printf 'skip %s: needs %s: %s\ncount 0 0 1\n' "$@" >>"$logs/tally"
}

# As the wheels are built: the packages that one step compiles serve the others.
# Without tables for debuggers a link takes .55 of the processor time.
export GOFLAGS="-trimpath -ldflags=-w ${GOFLAGS:-}"
# Tests and compilers have small heaps and make much garbage: with 4 times the room
# the tests of lder take .82 of the processor time, those of internal/judge .85.
export GOGC=${GOGC:-400}

# Directories with a go.mod, "." first.
modules=$(find . \( -name build -o -name testdata -o -name 'build.tmp.*' -o -name '.?*' \) -prune -o -name go.mod -print |
	sed 's,/go.mod$,,' | sort)

# A module that requires this one gets a workspace of the two: with -trimpath a package that is a requirement is compiled
# apart from the same one of a main module, and staticcheck looks at it again. The versions stay those of that module,
# whose requirements include those of this one.
for dir in $(grep -l 'github.com/dcopt/dcopt => ' $(sed 's,$,/go.mod,' <<<"$modules") | xargs -rn1 dirname); do
	mkdir -p "$logs/work/$dir"
	printf '%s\nuse "%s"\nuse "%s"\n' "$(grep '^go ' "$dir/go.mod")" "$PWD" "$PWD/${dir#./}" >"$logs/work/$dir/go.work"
done

# inside DIR COMMAND... runs it there, in the workspace of the module.
inside() {
	local work=$logs/work/$1/go.work
	([ ! -f "$work" ] || export GOWORK=$work; cd "$1" && shift && "$@")
}

# The tags of the full run, and whether the race detector can run: both need C.
cgo=yes tags=osqp
cc=$(go env CC)
if [ "$(go env CGO_ENABLED)" != 1 ] || ! command -v "${cc%% *}" >/dev/null; then
	cgo=no tags=
	skip "race detector and OSQP" "a C compiler" "CGO_ENABLED=0, or no ${cc%% *}"
elif [ "$what" != quick ] && ! third_party/osqp/build.sh; then
	tags=
	skip OSQP OSQP "the library could not be built, see above"
fi

unformatted() {
	local files
	files=$(find . \( -name build -o -name testdata -o -name 'build.tmp.*' -o -name '.?*' \) -prune -o -name '*.go' -print0 | xargs -0 gofmt -l) &&
		[ -z "$files" ] || { echo "$files"; return 1; }
}

# concurrent DIR lists the packages of the module in which the race detector has something
# to see: whose files or tests start goroutines, or hand work to a function that does. For
# packages without tests the nearest folder above with tests stands, the module's own aside.
concurrent() {
	awk -v top="$(inside "$1" pwd)" 'NR == FNR { tested[$0]; next }
		{ at = $0; while (!(at in tested) && at != top && sub(/\/[^\/]*$/, "", at)); if (at in tested && (at == $0 || at != top) && !seen[at]++) print at }' \
		<(inside "$1" go list -tags="$tags" -f '{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}' ./...) \
		<(inside "$1" sources -e '^\s*go [a-z(]' -e '\.(Go|AfterFunc|Await)\(')
}

# left_out PACKAGE... prints an expression for the tests in files that are not built with the
# race detector, and the packages that have them, a line each.
left_out() {
	local files
	files=$(find "$@" -maxdepth 1 -name '*_test.go' -exec grep -lE '^//go:build .*!race' {} +)
	[ -n "$files" ] || return 0
	# shellcheck disable=SC2086 # files are several words
	grep -ohE '^func (Test|Example|Fuzz)[A-Za-z0-9_]*' $files | sed 's/^func //' | sort -u | paste -sd'|' | sed 's/.*/^(&)$/'
	# shellcheck disable=SC2086
	dirname $files | sort -u
}

# tagged DIR lists the packages with files that depend on the tag.
tagged() {
	[ -z "$tags" ] || inside "$1" sources -e "^//go:build .*\b$tags\b" | grep -Fxf <(inside "$1" go list -tags="$tags" -f '{{.Dir}}' ./...)
}

# sources EXPRESSION... lists the folders here with Go files that match, nested modules aside.
sources() {
	find "$PWD" -mindepth 1 \( -name build -o -name testdata -o -name '.?*' -o -type d -exec test -f '{}/go.mod' \; \) -prune -o -name '*.go' -print0 |
		xargs -0 grep -lE "$@" | xargs -r -n1 dirname | sort -u
}

# installed waits for the programs that .ci/run installs meanwhile.
installed() { [ -z "${DCOPT_INSTALLING:-}" ] || tail --pid="$DCOPT_INSTALLING" -f /dev/null; }

# Packages of Python come over a network, while the processors are busy with what follows.
if [ "$what" = all ]; then
	{ installed && .ci/python.sh; } >"$logs/python" 2>&1 &
fi

# checks runs the steps that are no tests.
checks() {
	local staticcheck= version dir packages tag of with
	step gofmt unformatted
	# The newest staticcheck that the installed Go can build.
	for version in v0.8.2 v0.7.0 v0.6.1; do
		if go run "honnef.co/go/tools/cmd/staticcheck@$version" -version >"$logs/staticcheck" 2>&1; then
			staticcheck=honnef.co/go/tools/cmd/staticcheck@$version
			break
		fi
	done
	[ -n "$staticcheck" ] || skip staticcheck staticcheck "$(tail -n 1 "$logs/staticcheck")"
	for dir in $modules; do
		step "build without cgo ($dir)" inside "$dir" env CGO_ENABLED=0 go build ./...
		packages=./...
		for tag in "" $tags; do
			# What was built without cgo serves; only the tag needs it.
			with=CGO_ENABLED=$((${#tag} > 0))
			of="$dir${tag:+, tag $tag}"
			if [ -n "$packages" ]; then
				# shellcheck disable=SC2086 # packages are several words
				step "vet ($of)" inside "$dir" env "$with" go vet -tags="$tag" $packages
				# shellcheck disable=SC2086
				[ -z "$staticcheck" ] || step "staticcheck ($of)" inside "$dir" env "$with" go run "$staticcheck" -tags="$tag" $packages
			fi
			# With the tag only the packages with files that depend on it are other code.
			packages=$(tagged "$dir")
		done
	done
}

# tests NAME DIR FLAGS... keeps all output in build/test/output and shows what
# matters of it. go vet has run before.
tests() {
	clock
	echo "tests ($1), after $spent"
	echo "=== SUITE $1" >>"$logs/output"
	inside "$2" go test -v -count=1 -vet=off -timeout=15m "${@:3}" 2>&1 | tee -a "$logs/output" |
		awk -v tally="$logs/tally" -f .ci/tests.awk
	if [ "${PIPESTATUS[0]}" -ne 0 ] && tail -n 1 "$logs/tally" | grep -Eq '^count [0-9]+ 0 '; then
		echo "FAIL  tests ($1): go test failed without a failing package"
		echo "count 0 1 0" >>"$logs/tally"
	fi
}

# module DIR runs the tests of a module. Every test runs once: with the race detector in packages that
# start goroutines, with the tag in those that depend on it as well as without it, and plainly where neither is.
module() {
	raced "$1"
	unraced "$1"
}

# raced DIR runs the part of module with the race detector.
raced() {
	local at
	at=$([ "$cgo" != yes ] || concurrent "$1")
	# shellcheck disable=SC2086 # packages are several words
	if [ -n "$at" ]; then
		tests "$1, race detector${tags:+, tag $tags}" "$1" -race -tags="$tags" $at
	elif [ "$cgo" = yes ] && [ "$1" = . ]; then
		echo "FAIL  no package starts goroutines" && echo "count 0 1 0" >>"$logs/tally"
	fi
}

# unraced DIR runs the part of module without it, and without cgo where the tag does not need it.
unraced() {
	local dir=$1 at= apart= of=() rest tag
	if [ "$cgo" = yes ]; then
		at=$(concurrent "$dir")
		# shellcheck disable=SC2086
		[ -z "$at" ] || { read -r apart && mapfile -t of; } < <(left_out $at)
		for tag in "" $tags; do
			rest=$(printf '%s\n' "${of[@]}" | if [ -n "$tag" ]; then grep -Fxf <(tagged "$dir"); else grep -Fxvf <(tagged "$dir"); fi)
			# shellcheck disable=SC2086
			[ -z "$rest" ] || CGO_ENABLED=$((${#tag} > 0)) tests "$dir${tag:+, tag $tag}, not with the race detector" "$dir" -tags="$tag" -run="$apart" $rest
		done
		rest=$(grep -Fxvf <(echo "$at") <(tagged "$dir"))
		# shellcheck disable=SC2086
		[ -z "$rest" ] || tests "$dir, tag $tags" "$dir" -tags="$tags" $rest
	fi
	rest=$(inside "$dir" go list -f '{{.Dir}}' ./... | grep -Fxvf <(echo "$at"))
	# shellcheck disable=SC2086
	[ -z "$rest" ] || CGO_ENABLED=0 tests "$dir" "$dir" $rest
}

# kernels runs the tests of the packages that choose kernels by the processor as they
# run where it has no AVX-512. Builds for other processors have one kind of kernels.
kernels() {
	local at
	[ "$(go env GOARCH)" = amd64 ] || return 0
	at=$(CGO_ENABLED=0 go list -f '{{.Dir}} {{.Imports}} {{.TestImports}} {{.XTestImports}}' ./... |
		grep '/internal/cpu\b' | cut -d' ' -f1)
	# shellcheck disable=SC2086 # packages are several words
	GODEBUG=cpu.avx512f=off CGO_ENABLED=0 tests "., AVX-512 off" . ${at:-./internal/cpu}
}

# lean runs the tests of the package with files for the engine of the playground.
lean() { CGO_ENABLED=0 tests "., tag lean" . -tags=lean ./internal/dense; }

# others are the steps that are no tests, which end long before these, and packages once more.
others() {
	checks
	kernels
	lean
}

# each DIR... runs the tests of modules.
each() {
	local dir
	for dir in "$@"; do
		module "$dir"
	done
}

# apart NAME COMMAND... runs it with its output and tally in files of their own. Packages and steps are
# shown as they end.
apart() {
	local logs=$logs/$1
	mkdir -p "$logs"
	: >"$logs/tally"
	"${@:2}" 2>&1 | tee "$logs/log" | grep --line-buffered -E '^ok\b'
}

# quick runs the tests of the packages with files that differ from the branch main, or from the last
# commit, for a minute at most: those with the fewest tests first.
quick() {
	local base at
	base=$(git merge-base HEAD main 2>/dev/null || echo HEAD)
	at=$({ git diff --name-only "$base"; git ls-files --others --exclude-standard; } | grep -E '\.go$|/testdata/' |
		sed -E 's,/testdata/.*,/,; s,/?[^/]*$,,; s,^,./,' | sort -u |
		while read -r dir; do
			[ ! -d "$dir" ] || inside . go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}' "$dir" 2>/dev/null
		done | while read -r dir; do echo "$(cat "$dir"/*_test.go | wc -c) $dir"; done | sort -n | cut -d' ' -f2)
	step gofmt unformatted
	step build env CGO_ENABLED=0 go build ./...
	# shellcheck disable=SC2086 # packages are several words
	CGO_ENABLED=0 timeout 60 go test -short ${at:-./dc/lang} 2>&1 | tee "$logs/quick"
	case "${PIPESTATUS[0]}" in
	0) ;;
	124) echo "a minute has passed; make test runs all of it" ;;
	*) echo "count 0 1 0" >>"$logs/tally" ;;
	esac
	echo "count $(grep -c '^ok' "$logs/quick") 0 0" >>"$logs/tally"
}

if [ "$what" = quick ]; then
	quick
elif [ "$what" = all ]; then
	# What the lanes would compile beside each other, once before them, and the program for the tests that
	# run it.
	CGO_ENABLED=0 go build ./... >/dev/null 2>&1
	mkdir "$logs/program"
	if CGO_ENABLED=0 go build -o "$logs/program/" ./cmd/dcopt >/dev/null 2>&1; then
		export DCOPT_BUILT=$logs/program/dcopt
	fi
	# Four lanes, as each of them leaves a processor idle much of the time. What the site compiles is not
	# what the race detector needs; what the other modules compile serves this one, or is served by it.
	apart checks others &
	# shellcheck disable=SC2046
	{ installed && apart nested each ./tools/site $(grep -vx '\.\|\./tools/site' <<<"$modules"); } &
	module .
	wait
	for name in checks nested; do
		grep -Ev '^ok\b' "$logs/$name/log"
		[ ! -e "$logs/$name/output" ] || cat "$logs/$name/output" >>"$logs/output"
		cat "$logs/$name/tally" >>"$logs/tally"
	done
	echo "tests (python)"
	grep -Ev '^(skip python|count )' "$logs/python"
	grep '^skip python' "$logs/python" >>"$logs/tally"
	if ! tail -n 1 "$logs/python" | grep '^count ' >>"$logs/tally"; then
		echo "FAIL  .ci/python.sh"
		echo "count 0 1 0" >>"$logs/tally"
	fi
else
	checks
	tests "house rules" . ./internal/house
fi

clock
echo "$spent"
exec .ci/summary.sh "$logs/tally"
