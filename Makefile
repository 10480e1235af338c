# make            what follows
# make test       everything that must hold before a commit lands: check, then all
#                 tests; of packages that start goroutines also with the race
#                 detector, of those that call OSQP also with it
# make quick      the tests of packages that differ from the branch main, for a minute at most
# make check      what needs no test run: gofmt, vet, staticcheck, house rules, a
#                 build without cgo
# make build      the program, static, as build/dcopt
# make man        the manual pages, in build/man
# make wheels     Python wheels for all platforms, in build/wheels; needs Python
# make playground  the page that solves problems in a browser, in build/site/playground
# make osqp       the OSQP library, for the build tag osqp
# make release    what a release has, in build/release; tools/release/README.md
# make release-check  a release twice, compared and checked; minutes
# make newcomer   the README and the tutorials in empty folders with empty caches; minutes
# make api        record the exported names of the Go packages under tools/api
# make fuzz       every fuzz test for FUZZTIME (20s)
# make judge      JUDGE (100000) generated problems, every answer judged in 200-bit
#                 arithmetic, see docs/lab/bench.md
# make peers      the other solvers of the comparisons, for bench; needs Python
# make bench      every benchmark, COUNT (6) times, for benchstat
# make site       the site of the documentation, in build/site/html; needs Python
# make site-serve serves it at http://localhost:8000
# make gallery    the pictures of docs/gallery.md, from examples/gallery
# make golden     rewrite the golden files of the tests
# make clean      remove what was built, the OSQP library excepted
#
# In go commands of your own, add the tag osqp after
#   export PKG_CONFIG_PATH=$PWD/third_party/osqp/build/lib/pkgconfig

SHELL := bash
FUZZTIME ?= 20s
COUNT ?= 6
JUDGE ?= 100000

export DCOPT_SHARED := $(abspath $(or $(DCOPT_SHARED),../shared))
export PKG_CONFIG_PATH := $(CURDIR)/third_party/osqp/build/lib/pkgconfig$(if $(PKG_CONFIG_PATH),:$(PKG_CONFIG_PATH))

.PHONY: help test quick check build wheels playground osqp fuzz bench judge golden site site-serve clean peers peers-test

help:
	@sed -n 's/^# \{0,1\}//p;/^$$/q' Makefile

test:
	@bash .ci/test.sh all

quick:
	@bash .ci/test.sh quick

check:
	@bash .ci/test.sh check

# The tag leaves out a generator of manual pages that would be set up at every
# start of the program.
build:
	CGO_ENABLED=0 go build -trimpath -tags=urfave_cli_no_docs -ldflags=-s -o build/dcopt ./cmd/dcopt

.PHONY: man
man: build
	@mkdir -p build/man; build/dcopt man >build/man/dcopt.1; \
	for command in $$(sed -n '/COMMANDS/,/EXIT/s/^\.B \([a-z]*\)$$/\1/p' build/man/dcopt.1); do \
		build/dcopt man $$command >build/man/dcopt-$$command.1 || exit; \
	done

# A wheel holds the program of its platform, built without C.
wheels:
	@set -e; test -x build/wheels/venv/bin/python || python3 -m venv build/wheels/venv; \
	build/wheels/venv/bin/pip install -q --disable-pip-version-check hatchling==1.33.0; \
	for platform in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do \
		(cd python && DCOPT_PLATFORM=$$platform ../build/wheels/venv/bin/python -m hatchling build -t wheel -d ../build/wheels); \
	done

playground:
	@tools/site/playground/build.sh build/site/playground

osqp:
	@third_party/osqp/build.sh

# The fuzz tests are found by name; each runs by itself, as Go demands.
fuzz:
	@bad=0; while IFS=: read -r file func; do \
		echo "$${func#func } in $$(dirname "$$file")"; \
		go test -run='^$$' -fuzz="^$${func#func }\$$" -fuzztime=$(FUZZTIME) "$$(dirname "$$file")" || bad=1; \
	done < <(grep -rEo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sort); exit $$bad

bench:
	@tags=; third_party/osqp/build.sh && tags=-tags=osqp; \
	go test $$tags -run='^$$' -bench=. -benchmem -count=$(COUNT) ./...

judge:
	go test ./internal/judge -run='^TestJudge$$' -v -timeout=0 -judge.n=$(JUDGE)

.PHONY: gallery
gallery:
	go test ./cmd/dcopt -run='^TestGallery$$' -update

# Packages whose tests define the flag -update.
golden:
	@set -e; grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -r -n1 dirname | sort -u | while read -r dir; do \
		echo "$$dir"; (cd "$$dir" && go test . -update); \
	done

.PHONY: release release-check
release:
	cd tools/release && go run .

release-check:
	@tools/release/check.sh

.PHONY: newcomer
newcomer:
	@tools/site/newcomer.sh

.PHONY: api
api:
	go test ./internal/house -run='^TestAPI$$' -count=1 -update-api

site:
	@tools/site/build.sh

site-serve: site
	@cd build/site/html && exec ../venv/bin/python -m http.server 8000 --bind 127.0.0.1

clean:
	rm -rf build

peers peers-test:
	@$(MAKE) --no-print-directory -C bench $@
