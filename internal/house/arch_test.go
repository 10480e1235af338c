package house

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/graph/atom"
)

const module = "github.com/dcopt/dcopt"

// mayImport is the import graph: for each package of this module the packages
// of this module that its code, tests aside, may import. The words gonum and
// cli stand for those modules; the standard library is free for all. An edge is
// added with a reason, in a commit of its own.
var mayImport = map[string]string{
	".": "",

	// DC programs know nothing of how they are solved.
	"dc":      "internal/expr internal/expr/family internal/expr/matrix internal/expr/rule gonum internal/convex internal/graph internal/graph/atom internal/graph/pass internal/interval internal/num internal/program",
	"dc/lang": "internal/setting dc dc/lang/syntax dc/lang/internal/printer dc/lang/internal/datafile dc/lang/internal/value dc/lang/internal/eval dc/lang/internal/function internal/arrays internal/enum internal/graph/atom internal/suggest internal/program",
	// The values of expressions, how operations and loops compute them, and functions: each knows
	// the one before.
	"dc/lang/internal/value":    "internal/convex dc dc/lang/syntax internal/arrays",
	"dc/lang/internal/eval":     "internal/convex dc dc/lang/syntax dc/lang/internal/datafile dc/lang/internal/value internal/graph internal/graph/atom gonum",
	"dc/lang/internal/function": "internal/convex dc dc/lang/syntax dc/lang/internal/datafile dc/lang/internal/value dc/lang/internal/eval gonum internal/arrays internal/dense internal/graph/atom internal/interval internal/suggest",
	// Editors ask for names and places, so it reads statements itself.
	"dc/lang/lsp": "internal/setting dc/lang dc/lang/syntax",
	// Text to statements and back; it knows no meaning, so no dc.
	"dc/lang/syntax": "internal/suggest internal/table",
	// A problem as statements, with names that are no words of the language.
	"dc/lang/internal/printer": "internal/expr internal/convex dc dc/lang/syntax internal/graph/atom internal/program",
	// Numbers and words of the files that a problem names.
	"dc/lang/internal/datafile": "internal/arrays internal/input internal/table",

	// The data of problem files for packages that give the syntax a meaning of their own.
	"dc/lang/reader": "dc/lang/internal/datafile internal/arrays",
	// Checks answers, so it shares no code with what it checks but the readers of files; gonum
	// inverts data.
	"verify":                  "dc/lang/reader dc/lang/syntax internal/enum internal/input verify/internal/leastsq verify/internal/safe gonum",
	"verify/internal/leastsq": "gonum",
	"verify/internal/safe":    "gonum",

	// "did you mean", for whoever reads names from people.
	"internal/suggest": "",
	// Names of the values of a type, and back.
	"internal/enum": "internal/suggest",
	// Judges answers, so it shares no code with what it judges.
	"internal/judge":       "internal/judge/exact",
	"internal/judge/exact": "",
	// The random programs of the OSQP paper, for tests and benchmarks.
	"internal/classes": "qpbackend qpbackend/sparse gonum",
	// What a picture of a solution shows, as data; also for programs without gonum/plot.
	"internal/scene": "dc/lang internal/program",
	// Where the data of tests are that are not in the repository.
	"internal/shared": "internal/need",
	// What tests need of a machine, which no code but that of tests may import.
	"internal/need":  "",
	"internal/house": "internal/need internal/page",
	// Pages of the documentation that tests hold to the code.
	"internal/page": "",
	// Bounds of what is read, plain or compressed.
	"internal/input": "",
	// One grammar of numbers and one reader of tables, for whoever reads data.
	"internal/table": "internal/input",
	// Arrays and sparse matrices in the formats of others.
	"internal/arrays": "internal/table",
	// Which kernels in assembler this processor runs.
	"internal/cpu": "",
	// Factorisations of dense matrices that a context ends; products and eigenvalues by kernels of
	// ours.
	"internal/dense":  "internal/matrix internal/num gonum",
	"internal/matrix": "internal/cpu internal/num internal/simd internal/poll gonum",
	// How often a long computation looks at its context.
	"internal/poll": "",
	"internal/num":  "",
	// Arithmetic with intervals of numbers, and functions of one number with their ranges.
	"internal/interval":   "internal/num",
	"internal/graph/atom": "internal/convex internal/interval internal/num",
	// Functions of the variables as nodes of arrays, and passes over them.
	"internal/graph":      "internal/graph/atom gonum",
	"internal/graph/pass": "internal/graph internal/graph/atom internal/interval internal/num gonum",
	// Functions as they are written and their splits, the rules that make them, and many of them as
	// one.
	"internal/expr":        "gonum internal/convex internal/dense internal/graph/atom internal/interval internal/num",
	"internal/expr/rule":   "gonum internal/convex internal/dense internal/expr internal/graph/atom internal/interval internal/num",
	"internal/expr/matrix": "gonum internal/convex internal/dense internal/expr internal/expr/rule internal/graph/atom internal/interval",
	"internal/expr/family": "gonum internal/convex internal/expr internal/expr/rule internal/graph internal/graph/atom internal/graph/pass internal/interval internal/num",
	// A problem as the packages that read it have it; package dc states it.
	"internal/program": "gonum internal/convex internal/dense internal/enum internal/expr internal/expr/family internal/expr/matrix internal/expr/rule internal/graph internal/graph/atom internal/interval internal/num",
	// What convex functions are to their users; affine ones, and arrays of these.
	"internal/convex":    "gonum internal/enum internal/interval internal/num",
	"internal/setting":   "",
	"internal/heuristic": "",
	// How often garbage is collected, by the size of a problem: for the program and for the worker
	// that measures.
	"internal/garbage": "qpbackend",
	// The protocol of the worker as data, a graph that came by it, and the worker.
	"internal/record":      "internal/table",
	"internal/wire":        "internal/setting internal/enum internal/record",
	"internal/wire/decode": "internal/convex dc internal/graph/atom internal/wire internal/suggest gonum internal/expr internal/program",
	"internal/serve":       "internal/setting internal/options internal/record internal/report dc/lang ccp ccp/global internal/wire internal/wire/decode qpbackend qpbackend/sparse qpbackend/backends qpbackend/ipm qpbackend/presolve lder lder/dataset lder/export",
	// The options of a file as settings of the procedure, for all that solve files.
	"internal/options": "internal/setting ccp",
	// What a Go program that uses a worker imports.
	"client":        "internal/wire",
	"internal/simd": "",
	// The engine of a page: text and files in memory to answers in JSON. Its backend is ipm alone.
	"tools/playground": "dc dc/lang internal/report ccp ccp/global qpbackend/ipm internal/scene internal/options internal/program",
	"tools/wasm":       "tools/playground",

	// The only bridge between dc and qpbackend. ipm is what a nil backend means.
	"ccp": "internal/heuristic internal/interval internal/num internal/setting dc qpbackend qpbackend/ipm internal/enum ccp/sensitivity ccp/internal/penalty ccp/internal/stop ccp/internal/subproblem ccp/internal/accel ccp/internal/kkt ccp/internal/search ccp/internal/diagnose ccp/internal/sl1qp ccp/internal/workingset ccp/internal/saa qpbackend/reduce internal/expr internal/program",
	// First-order conditions of a problem as it is written; a projection is a program.
	"ccp/internal/kkt": "internal/expr internal/expr/family internal/convex internal/dense internal/num ccp/internal/blocks qpbackend qpbackend/ipm qpbackend/sparse gonum internal/program",
	// The schedule of a weight and the stopping rule, by numbers alone.
	"ccp/internal/penalty": "",
	"ccp/internal/stop":    "internal/num",
	// The convex problem of an iteration, and a backend's view of it.
	"ccp/internal/blocks":     "internal/convex internal/expr/family internal/num internal/graph internal/graph/pass qpbackend internal/program",
	"ccp/internal/subproblem": "internal/expr internal/convex internal/num internal/matrix ccp/internal/implied ccp/internal/blocks qpbackend qpbackend/reduce qpbackend/sparse ccp/internal/fixed ccp/internal/scaling ccp/internal/workingset internal/dense internal/graph/pass gonum internal/program",
	// A starting point from samples of a large sum.
	"ccp/internal/saa": "internal/num ccp/internal/search internal/expr internal/expr/family internal/program",
	// A backend's problem without the columns of parameters.
	"ccp/internal/fixed": "qpbackend qpbackend/reduce qpbackend/sparse",
	// Derivatives at a fixed point of the procedure.
	"ccp/sensitivity": "internal/convex dc internal/num qpbackend qpbackend/ipm qpbackend/reduce ccp/internal/subproblem internal/program",
	// A backend's problem with some of its rows.
	"ccp/internal/workingset": "internal/num ccp/internal/implied qpbackend qpbackend/reduce qpbackend/sparse",
	// Bounds and proofs by rows and multipliers; the eigenvalues of one of a semidefinite cone are
	// gonum's.
	"ccp/internal/implied": "internal/num internal/dense qpbackend qpbackend/sparse gonum",
	// A backend's problem in units of its own.
	"ccp/internal/scaling": "ccp/internal/implied internal/num qpbackend qpbackend/reduce qpbackend/sparse",
	// Functions of points and of a merit, which know no problem.
	"ccp/internal/accel": "internal/dense gonum",
	// Searches around a local search, which they know as a function.
	"ccp/internal/search": "internal/expr internal/expr/family internal/convex internal/num qpbackend qpbackend/ipm qpbackend/sparse ccp/internal/subproblem internal/program", // dc: values along a coordinate; qpbackend: directions between them
	// A local search of its own, for equations.
	"ccp/internal/sl1qp": "internal/num internal/convex internal/dense qpbackend ccp/internal/subproblem gonum internal/program",
	// What is wrong with a problem or a run.
	"ccp/internal/diagnose": "qpbackend ccp/internal/implied ccp/internal/subproblem internal/expr internal/program",
	// Proofs by branch and bound begin with the points that ccp finds.
	// Files of proofs: programs without them are spared cryptography.
	"ccp/global/prooffile": "ccp/global",
	"ccp/global":           "internal/expr/family internal/heuristic internal/num dc qpbackend/ipm ccp ccp/internal/subproblem ccp/global/internal/boxqp ccp/global/internal/factorable ccp/global/internal/spatial internal/program",
	// Points of quadratic functions over boxes.
	"ccp/global/internal/boxqp": "internal/expr internal/expr/family internal/convex internal/program",
	// The functions of a problem by columns, with safe bounds; it knows no solver.
	"ccp/global/internal/factorable": "internal/expr internal/convex dc internal/graph/atom internal/interval internal/num internal/program",
	// The branch and bound over intervals of columns.
	"ccp/global/internal/spatial": "internal/convex internal/dense internal/interval qpbackend ccp/internal/implied ccp/internal/subproblem ccp/global/internal/factorable gonum",

	// Solvers of the subproblem know nothing of DC.
	"qpbackend":        "internal/setting qpbackend/sparse internal/enum qpbackend/internal/project qpbackend/internal/amd qpbackend/internal/dissect qpbackend/internal/equil qpbackend/internal/ldl internal/num qpbackend/internal/packed",
	"qpbackend/sparse": "",
	// The part of a solver that is the same in all backends.
	// Triangles of symmetric matrices, as rows of cones have them.
	"qpbackend/internal/packed":  "",
	"qpbackend/internal/base":    "internal/num qpbackend",
	"qpbackend/internal/amd":     "internal/poll",
	"qpbackend/internal/ldl":     "qpbackend/sparse internal/poll internal/cpu internal/num internal/simd",
	"qpbackend/internal/dissect": "qpbackend/sparse qpbackend/internal/amd qpbackend/internal/ldl internal/poll",
	"qpbackend/internal/kkt":     "qpbackend/sparse internal/enum qpbackend/internal/amd qpbackend/internal/dissect internal/poll internal/cpu qpbackend/internal/ldl qpbackend/internal/elimination internal/matrix internal/num internal/simd",
	"qpbackend/internal/cone":    "internal/num internal/cpu internal/simd internal/matrix qpbackend/internal/packed",
	// The Schur complement that the rows of a semidefinite cone leave.
	"qpbackend/internal/elimination": "internal/num qpbackend/sparse internal/matrix internal/poll qpbackend/internal/packed",
	// Large sparse semidefinite cones in pieces.
	"qpbackend/internal/chordal": "qpbackend qpbackend/reduce qpbackend/sparse qpbackend/internal/amd internal/matrix internal/num internal/poll qpbackend/internal/packed",
	// Faces of semidefinite cones that hold all multipliers.
	"qpbackend/internal/facial": "qpbackend qpbackend/reduce qpbackend/sparse internal/matrix internal/num qpbackend/internal/packed",
	"qpbackend/internal/equil":  "qpbackend/sparse internal/cpu internal/num internal/simd",
	// The points of cones nearest to given ones.
	"qpbackend/internal/project":      "internal/num internal/matrix qpbackend/internal/packed",
	"qpbackend/internal/implicitdiff": "internal/num qpbackend qpbackend/sparse qpbackend/internal/equil qpbackend/internal/kkt internal/matrix qpbackend/internal/project qpbackend/internal/packed",
	"qpbackend/ipm":                   "qpbackend qpbackend/ipm/internal/interior qpbackend/internal/implicitdiff qpbackend/internal/base qpbackend/internal/chordal qpbackend/internal/facial qpbackend/presolve qpbackend/reduce qpbackend/sparse qpbackend/internal/kkt qpbackend/internal/equil internal/num",
	// A run of the method over a scaled problem, which knows no units and no certificates.
	"qpbackend/ipm/internal/interior": "qpbackend qpbackend/sparse qpbackend/internal/kkt qpbackend/internal/cone internal/cpu internal/num internal/simd qpbackend/internal/packed",
	// Where its iterates stall, admm lets ipm go on.
	"qpbackend/admm":     "qpbackend qpbackend/internal/base qpbackend/sparse qpbackend/internal/kkt qpbackend/internal/equil internal/num",
	"qpbackend/osqp":     "qpbackend qpbackend/internal/base qpbackend/sparse third_party/osqp internal/num",
	"qpbackend/backends": "qpbackend qpbackend/ipm qpbackend/admm qpbackend/osqp",
	// What is before a backend: the chain alone is a backend.
	"qpbackend/reduce":   "qpbackend qpbackend/internal/base qpbackend/sparse",
	"qpbackend/presolve": "qpbackend qpbackend/reduce qpbackend/sparse internal/poll",
	// The parts that readers of files share; a format each; and the choice by the name.
	"qpbackend/problemfile":              "qpbackend qpbackend/sparse internal/input internal/table",
	"qpbackend/qps":                      "qpbackend qpbackend/problemfile qpbackend/sparse internal/input internal/table",
	"qpbackend/sdpa":                     "qpbackend qpbackend/problemfile",
	"qpbackend/cbf":                      "qpbackend qpbackend/problemfile qpbackend/sparse",
	"qpbackend/npz":                      "qpbackend qpbackend/problemfile qpbackend/sparse internal/arrays internal/input",
	"qpbackend/formats":                  "qpbackend/problemfile qpbackend/qps qpbackend/cbf qpbackend/sdpa qpbackend/npz",
	"qpbackend/qptest":                   "qpbackend/qptest/internal/problems internal/num qpbackend qpbackend/sparse",
	"qpbackend/qptest/internal/problems": "internal/num internal/table qpbackend qpbackend/sparse",

	// Only the paper's methods go through dc and ccp; the others fit by refit,
	// which knows nothing but numbers.
	"lder":                             "internal/heuristic internal/setting dc ccp internal/enum internal/input internal/table qpbackend lder/dataset lder/ensemble lder/internal/refit lder/internal/platt internal/suggest gonum",
	"lder/ensemble":                    "lder/ensemble/internal/selection lder/internal/refit gonum",
	"lder/ensemble/internal/selection": "lder/internal/refit gonum",
	"lder/dataset":                     "internal/enum internal/input internal/suggest internal/table gonum",
	"lder/internal/refit":              "internal/cpu internal/num internal/simd",
	"lder/internal/platt":              "lder/internal/refit", // for the weights of rows
	"lder/export":                      "lder internal/enum",
	// Fits over tables in parts, by the sums that refit needs of each.
	"lder/shards": "ccp lder lder/dataset lder/ensemble lder/internal/refit internal/arrays",

	// Shards of what the program computes, for many machines; settings as the program
	// has them.
	"plan": "internal/setting dc/lang ccp lder lder/dataset lder/shards qpbackend/backends internal/input internal/options internal/record internal/report internal/table",

	// The program: a file per small command; the others are packages over one session.
	"cmd/dcopt": "cmd/dcopt/internal/exit cmd/dcopt/internal/session cmd/dcopt/internal/flags internal/report cmd/dcopt/internal/problem cmd/dcopt/internal/solve " +
		"cmd/dcopt/internal/models cmd/dcopt/internal/fleet cmd/dcopt/internal/template ccp dc/lang dc/lang/lsp dc/lang/reader internal/serve internal/wire " +
		"qpbackend/backends qpbackend/formats qpbackend/ipm verify cli",
	"cmd/dcopt/internal/exit":    "",
	"cmd/dcopt/internal/session": "cmd/dcopt/internal/exit internal/report internal/input ccp dc/lang lder/dataset qpbackend/formats cli",
	"cmd/dcopt/internal/flags":   "cmd/dcopt/internal/exit cmd/dcopt/internal/session internal/suggest internal/table qpbackend qpbackend/backends cli",
	// Results as text, JSON and CSV.
	"internal/report": "dc dc/lang ccp ccp/global qpbackend internal/record internal/program",
	"cmd/dcopt/internal/problem": "cmd/dcopt/internal/exit cmd/dcopt/internal/flags internal/report cmd/dcopt/internal/session internal/program " +
		"ccp dc dc/lang internal/setting internal/table plan qpbackend/backends qpbackend/formats cli",
	"cmd/dcopt/internal/solve": "internal/expr/family cmd/dcopt/internal/exit cmd/dcopt/internal/flags cmd/dcopt/internal/picture cmd/dcopt/internal/problem internal/record internal/report cmd/dcopt/internal/session internal/program " +
		"ccp ccp/global ccp/global/prooffile dc dc/lang internal/setting internal/garbage internal/scene internal/table plan qpbackend qpbackend/formats qpbackend/ipm qpbackend/presolve cli",
	"cmd/dcopt/internal/models": "cmd/dcopt/internal/exit cmd/dcopt/internal/flags cmd/dcopt/internal/picture internal/record internal/report cmd/dcopt/internal/session " +
		"ccp internal/garbage internal/suggest internal/table lder lder/dataset lder/export lder/shards cli",
	"cmd/dcopt/internal/fleet": "cmd/dcopt/internal/exit cmd/dcopt/internal/flags cmd/dcopt/internal/models cmd/dcopt/internal/problem internal/record internal/report cmd/dcopt/internal/session " +
		"ccp dc/lang lder lder/dataset plan cli",
	// Problems to begin with, embedded.
	"cmd/dcopt/internal/template": "",
	// Pictures are drawn by gonum/plot, which no other package may import.
	"cmd/dcopt/internal/picture": "cmd/dcopt/internal/exit cmd/dcopt/internal/session ccp lder internal/scene plot cli",

	// The only package with C.
	"third_party/osqp": "",
}

// examplesMayImport holds for every package under examples: what a user may
// import.
const examplesMayImport = "dc dc/lang ccp qpbackend qpbackend/sparse qpbackend/ipm qpbackend/admm qpbackend/osqp qpbackend/backends qpbackend/formats qpbackend/problemfile qpbackend/qps qpbackend/cbf qpbackend/sdpa qpbackend/npz qpbackend/qptest lder lder/dataset lder/export"

// planned are rows of mayImport whose package is still to come. A package that
// exists must not stand here.
var planned = map[string]bool{}

// modules are the words of mayImport for other modules, by import path prefix.
var modules = map[string]string{
	"gonum.org/v1/gonum":       "gonum",
	"gonum.org/v1/plot":        "plot",
	"github.com/urfave/cli/v2": "cli",
}

// ownC are the files in C that are ours, and a header of assembler; foreign C is not
// in this repository. build.sh writes library.h, which is not tracked.
var ownC = map[string]bool{
	"internal/simd/frames.h":     true,
	"third_party/osqp/hooks.c":   true,
	"third_party/osqp/shim.h":    true,
	"third_party/osqp/library.h": true,
}

// source is a Go file of this module.
type source struct {
	path string // with slashes, from the root
	file *ast.File
}

func (s source) pkg() string     { return path.Dir(s.path) }
func (s source) test() bool      { return strings.HasSuffix(s.path, "_test.go") }
func (s source) isExample() bool { return strings.HasPrefix(s.path, "examples/") }
func (s source) isCmd() bool     { return strings.HasPrefix(s.path, "cmd/") }

// rule is a rule of the house that a file meets or breaks by itself.
type rule struct {
	name  string
	check func(s source) []string // what is wrong
	bad   []sample                // each breaks the rule
	good  []sample                // none does
}

type sample struct{ path, code string }

func rules() []rule {
	return []rule{
		{"names of enumerations are read as they are written", checkEnums, []sample{
			{"ccp/x.go", `type Kind uint8; func (k Kind) String() string { return "" }`},
			{"ccp/x.go", `type Kind uint8; func (k Kind) String() string { return enum.String(k, "Kind", text[:]) }`},
		}, []sample{
			{"ccp/x.go", `type Kind uint8; func (k Kind) String() string { return enum.String(k, "Kind", text[:]) }; func ParseKind(name string) (Kind, error) { return 0, nil }`},
			{"ccp/x.go", `type kind uint8; func (k kind) String() string { return "" }`},
			{"ccp/x.go", `type Kind struct{}; func (k Kind) String() string { return "" }`},
			{"dc/lang/syntax/x.go", `type Kind uint8; func (k Kind) String() string { return "" }`},
			{"internal/judge/x.go", `type Kind uint8; func (k Kind) String() string { return "" }`},
		}},
		{"imports follow the table", checkImports, []sample{
			{"dc/x.go", `import "github.com/dcopt/dcopt/ccp"`},
			{"dc/x.go", `import "github.com/dcopt/dcopt/qpbackend"`},
			{"qpbackend/x.go", `import "github.com/dcopt/dcopt/dc"`},
			{"qpbackend/ipm/x.go", `import "github.com/dcopt/dcopt/third_party/osqp"`},
			{"ccp/x.go", `import "github.com/dcopt/dcopt/qpbackend/osqp"`},
			{"examples/a/x.go", `import "github.com/dcopt/dcopt/qpbackend/internal/ldl"`},
			{"qpbackend/ipm/x.go", `import "gonum.org/v1/gonum/mat"`},
			{"ccp/x.go", `import "github.com/urfave/cli/v2"`},
			{"lder/x.go", `import "golang.org/x/exp/rand"`},
			{"lder/x_test.go", `import "golang.org/x/exp/rand"`},
		}, []sample{
			{"ccp/x.go", `import ("math"; "github.com/dcopt/dcopt/dc")`},
			{"dc/x.go", `import "gonum.org/v1/gonum/mat"`},
			{"dc/x_test.go", `import "github.com/dcopt/dcopt/ccp"`},
			{"cmd/dcopt/x.go", `import "github.com/urfave/cli/v2"`},
		}},
		{"only third_party/osqp has C", checkC, []sample{
			{"qpbackend/osqp/x.go", `import "C"`},
			{"qpbackend/osqp/x_test.go", `import "C"`},
		}, []sample{{"third_party/osqp/x.go", `import "C"`}}},
		{"no init", checkInit, []sample{
			{"dc/x.go", `func init() {}`},
			{"dc/x_test.go", `func init() {}`},
		}, []sample{{"dc/x.go", `type t int; func (t) init() {}`}}},
		{"package variables are tables and errors", checkVars, []sample{
			{"dc/x.go", `var n int`},
			{"dc/x.go", `var n = 3`},
			{"dc/x.go", `var a [4]bool`},
			{"dc/x.go", `var a = make(map[string]int)`},
			{"dc/x.go", `import "sync"; var mu sync.Mutex`},
			{"dc/x.go", `var p = &struct{}{}`},
			{"dc/x.go", `var a, b = []int{1}, 2`},
			{"dc/x.go", `var f = func() {}`},
		}, []sample{
			{"dc/x.go", `var a = [...]string{"a"}; var b = map[string]int{}; var c = []int{1}`},
			{"dc/x.go", `import "errors"; var errX = errors.New("x")`},
			{"dc/x.go", `type t struct{}; func rowOf(r t) *t { return &r }; var A = rowOf(t{})`},
			{"dc/x.go", `import "fmt"; var ErrY = fmt.Errorf("y: %w", errX)`},
			{"dc/x.go", `type t struct{}; var _ interface{} = t{}`},
			{"dc/x.go", "import \"embed\"\n//go:embed a\nvar files embed.FS"},
			{"dc/x_test.go", `import "flag"; var update = flag.Bool("update", false, "")`},
		}},
		{"no printing outside cmd", checkPrinting, []sample{
			{"dc/x.go", `import "fmt"; func f() { fmt.Println() }`},
			{"dc/x.go", `import f "fmt"; func g() { f.Printf("") }`},
			{"dc/x.go", `import "log"`},
			{"dc/x.go", `import "os"; func f() { os.Stdout.Close() }`},
			{"dc/x.go", `import "os"; var w = os.Stderr`},
			{"dc/x.go", `func f() { println() }`},
			{"third_party/osqp/x.go", `import "fmt"; func f() { fmt.Print() }`},
		}, []sample{
			{"dc/x.go", `import "fmt"; func f() string { return fmt.Sprint() }`},
			{"ccp/x.go", `import "log/slog"`},
			{"dc/x_test.go", `import "fmt"; func f() { fmt.Println() }`},
			{"examples/a/x.go", `import "fmt"; func f() { fmt.Println() }`},
			{"cmd/dcopt/x.go", `import "os"; var _ = os.Stdout`},
		}},
		{"numbers are read by internal/table", checkNumbers, []sample{
			{"lder/x.go", `import "strconv"; func f(s string) (float64, error) { return strconv.ParseFloat(s, 64) }`},
			{"cmd/dcopt/x.go", `import s "strconv"; var parse = s.ParseFloat`},
		}, []sample{
			{"internal/table/x.go", `import "strconv"; var parse = strconv.ParseFloat`},
			{"internal/judge/x.go", `import "strconv"; var parse = strconv.ParseFloat`},
			{"internal/shared/x.go", `import "strconv"; var parse = strconv.ParseFloat`},
			{"lder/x_test.go", `import "strconv"; var parse = strconv.ParseFloat`},
			{"lder/x.go", `import "strconv"; var parse = strconv.Atoi`},
		}},
		{"functions are named in tables", checkAtoms, []sample{
			{"ccp/x.go", `func f(op string) int { switch op { case "huber": return 1; case "a": return 2 }; return 0 }`},
			{"dc/x.go", `var of = map[string]int{"logistic": 1, "sigmoid": 2}`},
			{"ccp/x.go", `func f(op string) int { switch op { case "tanh": return 1 }; return 0 }`},
			{"dc/lang/x.go", `func f(op string) int { switch { case op == "kl": return 1; case op == "lse": return 2 }; return 0 }`},
			{"internal/wire/x.go", "var known = map[string]bool{`sumlargest`: true, \"quad\": true, \"norm2\": true}"},
		}, []sample{
			{"ccp/x.go", `func f(op string) int { switch op { case "a": return 2 }; return 0 }`},
			{"dc/x_test.go", `var of = map[string]int{"logistic": 1, "sigmoid": 2}`},
			{"dc/x.go", `func f(op string) bool { return op == "huber" }`},
			{"dc/x.go", `func f(op string) int { switch { case op == "pos": return 1; case op == "max": return 2 }; return 0 }`},
		}},
		skipRule,
	}
}

// skipRule holds in the nested modules, too.
var skipRule = rule{"tests are skipped by internal/need", checkSkips, []sample{
	{"dc/x_test.go", `import "testing"; func TestX(t *testing.T) { t.Skip() }`},
	{"dc/x_test.go", `import "testing"; func TestX(t *testing.T) { t.Skipf("no %s", "x") }`},
	{"dc/x_test.go", `import "testing"; func BenchmarkX(b *testing.B) { f := b.Skip; f("no x") }`},
	{"dc/x_test.go", `import "testing"; type s struct { t testing.TB }; func (x s) f() { x.t.Skip("no x") }`},
	{"dc/x_test.go", `import tests "testing"; func f(all ...tests.TB) { for _, t := range all { t.SkipNow() } }`},
	{"dc/x_test.go", `import "testing"; func TestX(t *testing.T) { t.Log("SKIPPED: no x") }`},
	{"internal/shared/x.go", `import "testing"; func f(t testing.TB) { t.Skip("no x") }`},
}, []sample{
	{"dc/x_test.go", `import "testing"; func TestX(t *testing.T) { need.That(t, false, need.Go) }`},
	{"dc/x_test.go", `import "testing"; func TestX(t *testing.T) { r := table.New(); r.Skip() }`},
	{"internal/need/x.go", `import "testing"; func f(t testing.TB) { t.Skip("SKIPPED: needs x") }`},
}}

// imports are the paths that a file imports, and by which name it uses them.
func imports(f *ast.File) map[string]string {
	m := map[string]string{}
	for _, i := range f.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		m[p] = path.Base(p)
		if i.Name != nil {
			m[p] = i.Name.Name
		}
	}
	return m
}

func checkImports(s source) (wrong []string) {
	allowed := mayImport[s.pkg()]
	if s.isExample() {
		allowed = examplesMayImport
	}
	for p := range imports(s.file) {
		word, own := strings.CutPrefix(p, module+"/")
		first, _, _ := strings.Cut(p, "/")
		switch {
		case own && s.test(), !own && !strings.Contains(first, "."):
			continue // tests may look at the whole module
		case !own:
			word = p
			for prefix, w := range modules {
				if p == prefix || strings.HasPrefix(p, prefix+"/") {
					word = w
				}
			}
			if s.test() && word == "gonum" {
				continue
			}
		}
		if !slices.Contains(strings.Fields(allowed), word) {
			wrong = append(wrong, fmt.Sprintf("package %s may not import %s", s.pkg(), p))
		}
	}
	return wrong
}

// checkNumbers refuses a second grammar of numbers: strconv reads 0x1p4, and internal/table
// does not. Package judge shares no code with the others, shared is for tests.
func checkNumbers(s source) (wrong []string) {
	switch s.pkg() {
	case "internal/table", "internal/judge", "internal/judge/exact", "internal/shared":
		return nil
	}
	if s.test() || s.isExample() {
		return nil
	}
	name := imports(s.file)["strconv"]
	ast.Inspect(s.file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && name != "" && isName(sel.X, name) && sel.Sel.Name == "ParseFloat" {
			wrong = append(wrong, "numbers are read by internal/table, not by strconv.ParseFloat")
		}
		return true
	})
	return wrong
}

// checkEnums asks for enum.String and a function Parse beside the String of an
// exported enumeration. Package judge shares no code with the others; tokens, of package
// syntax, are read by its scanner.
func checkEnums(s source) (wrong []string) {
	if s.test() || strings.HasPrefix(s.pkg(), "internal/judge") || s.pkg() == "dc/lang/syntax" {
		return nil
	}
	kinds, strings, parses := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if ty, ok := spec.(*ast.TypeSpec); ok && isName(ty.Type, "uint8") && ty.Name.IsExported() {
					kinds[ty.Name.Name] = true
				}
			}
		case *ast.FuncDecl:
			switch {
			case d.Recv == nil:
				parses[d.Name.Name] = true
			case d.Name.Name == "String":
				if id, ok := d.Recv.List[0].Type.(*ast.Ident); ok {
					strings[id.Name] = usesEnum(d)
				}
			}
		}
	}
	for kind := range kinds {
		if byTable, ok := strings[kind]; ok && (!byTable || !parses["Parse"+kind]) {
			wrong = append(wrong, fmt.Sprintf("%s has names; want its String by enum.String, and Parse%s by enum.Parse beside it", kind, kind))
		}
	}
	return wrong
}

func usesEnum(f *ast.FuncDecl) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		found = found || ok && isName(sel.X, "enum") && sel.Sel.Name == "String"
		return true
	})
	return found
}

// checkSkips refuses skips of tests, and words of skips, outside package need. Types beside
// tests have methods Skip, too.
func checkSkips(s source) (wrong []string) {
	if s.pkg() == "internal/need" {
		return nil
	}
	testing, tests := imports(s.file)["testing"], map[string]bool{} // parameters and fields
	ast.Inspect(s.file, func(n ast.Node) bool {
		field, ok := n.(*ast.Field)
		if !ok {
			return true
		}
		of := field.Type
		if pointer, ok := of.(*ast.StarExpr); ok {
			of = pointer.X
		}
		if sel, ok := of.(*ast.SelectorExpr); ok && isName(sel.X, testing) {
			for _, name := range field.Names {
				tests[name.Name] = true
			}
		}
		return true
	})
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			of := types.ExprString(n.X)
			of = of[strings.LastIndex(of, ".")+1:]
			if n.Sel.Name == "Skipf" || n.Sel.Name == "SkipNow" || n.Sel.Name == "Skip" && tests[of] {
				wrong = append(wrong, "skips by "+types.ExprString(n)+", not by package need")
			}
		case *ast.BasicLit:
			if s.pkg() != "internal/house" && strings.Contains(n.Value, "SKIPPED") {
				wrong = append(wrong, "says SKIPPED, as package need alone does")
			}
		}
		return true
	})
	return wrong
}

func checkC(s source) []string {
	if _, ok := imports(s.file)["C"]; ok && s.pkg() != "third_party/osqp" {
		return []string{"imports C"}
	}
	return nil
}

func checkInit(s source) (wrong []string) {
	for _, d := range s.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
			wrong = append(wrong, "has a function init")
		}
	}
	return wrong
}

func checkVars(s source) (wrong []string) {
	if s.test() {
		return nil
	}
	for _, d := range s.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			for i, name := range v.Names {
				if name.Name == "_" || strings.HasPrefix(embedded(g), "//go:embed ") || i < len(v.Values) && (isTable(v.Values[i]) || isError(v.Values[i])) {
					continue
				}
				wrong = append(wrong, fmt.Sprintf("package variable %s is neither a table nor an error", name.Name))
			}
		}
	}
	return wrong
}

// embedded is the directive above a declaration that embeds files, which are a table.
func embedded(g *ast.GenDecl) string {
	if g.Doc == nil {
		return ""
	}
	return g.Doc.List[len(g.Doc.List)-1].Text
}

// isTable: a row of a table that has a name is made by a function rowOf.
func isTable(e ast.Expr) bool {
	if c, ok := e.(*ast.CallExpr); ok {
		return isName(c.Fun, "rowOf")
	}
	_, ok := e.(*ast.CompositeLit)
	return ok
}

func isError(e ast.Expr) bool {
	c, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := c.Fun.(*ast.SelectorExpr)
	return ok && (f.Sel.Name == "New" && isName(f.X, "errors") || f.Sel.Name == "Errorf" && isName(f.X, "fmt"))
}

func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// atomTables are the packages and files that may list functions by name, each with its reason.
var atomTables = map[string]string{
	"internal/graph/atom":                "the tables",
	"verify":                             "a table of its own, as a checker has to have",
	"dc/lang/internal/function/table.go": "arguments, complex numbers and sums of functions of the language",
	"internal/wire/decode/ops.go":        "arguments and attributes of operations of the protocol",
}

// ambiguous are names of functions that are words of other lists as well: "exp" and "power" are
// cones, and "max" and "min" reductions of the language.
var ambiguous = []string{"exp", "power", "max", "min"}

// isAtom reports whether e is a text that names a function.
func isAtom(e ast.Expr) bool {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return false
	}
	name, err := strconv.Unquote(l.Value)
	return err == nil && !slices.Contains(ambiguous, name) && (atom.Find(name) != nil || atom.FindReduce(name) != nil)
}

// checkAtoms refuses switches and maps over names of functions outside of the tables. A case may
// compare with a single one.
func checkAtoms(s source) (wrong []string) {
	if s.test() || atomTables[s.pkg()] != "" || atomTables[s.path] != "" {
		return nil
	}
	see := func(e ast.Expr) {
		if isAtom(e) {
			wrong = append(wrong, "has a case of its own for "+types.ExprString(e))
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			see(n.Key)
		case *ast.SwitchStmt:
			compared := 0
			for _, c := range n.Body.List {
				for _, e := range c.(*ast.CaseClause).List {
					see(e)
					compared += comparisons(e)
				}
			}
			if compared > 1 {
				wrong = append(wrong, "has cases of its own for functions by name")
			}
		}
		return true
	})
	return wrong
}

// comparisons counts the comparisons with names of functions in e.
func comparisons(e ast.Expr) (count int) {
	ast.Inspect(e, func(n ast.Node) bool {
		if b, ok := n.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) && (isAtom(b.X) || isAtom(b.Y)) {
			count++
		}
		return true
	})
	return count
}

func checkPrinting(s source) (wrong []string) {
	if s.test() || s.isExample() || s.isCmd() {
		return nil
	}
	imp := imports(s.file)
	if _, ok := imp["log"]; ok {
		wrong = append(wrong, "imports log")
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if isName(n.Fun, "print") || isName(n.Fun, "println") {
				wrong = append(wrong, "calls a built-in print function")
			}
		case *ast.SelectorExpr:
			switch {
			case isName(n.X, imp["fmt"]) && strings.HasPrefix(n.Sel.Name, "Print"):
				wrong = append(wrong, "calls fmt."+n.Sel.Name)
			case isName(n.X, imp["os"]) && (n.Sel.Name == "Stdout" || n.Sel.Name == "Stderr"):
				wrong = append(wrong, "uses os."+n.Sel.Name)
			}
		}
		return true
	})
	return wrong
}

// TestRulesFire gives every rule what it must refuse and what it must not.
func TestRulesFire(t *testing.T) {
	for _, r := range rules() {
		if len(r.bad) == 0 {
			t.Errorf("rule %q has no sample that breaks it", r.name)
		}
		for _, b := range r.bad {
			if len(r.check(parse(t, b))) == 0 {
				t.Errorf("rule %q lets pass, in %s: %s", r.name, b.path, b.code)
			}
		}
		for _, g := range r.good {
			if wrong := r.check(parse(t, g)); len(wrong) > 0 {
				t.Errorf("rule %q refuses, in %s: %s: %v", r.name, g.path, g.code, wrong)
			}
		}
	}
	if !hasMicro([]byte("a \u00b5 b")) || hasMicro([]byte("a \u03bc b")) {
		t.Error("the rule about the micro sign does not tell it from mu")
	}
	if wrong := checkPackages(map[string][]source{"dc": nil, "new": nil}, map[string]string{"dc": "", "gone": "", "soon": ""}, map[string]bool{"soon": true, "dc": true, "ghost": true}); len(wrong) != 4 {
		t.Errorf("packages against table: %q, want new, gone, dc and ghost", wrong)
	}
	if wrong := checkDoc("dc", []source{parse(t, sample{"dc/x.go", ""})}); wrong == "" {
		t.Error("a package without doc.go passes")
	}
	for _, c := range []struct {
		pkg   string
		files int
		wrong bool
	}{
		{"qpbackend", mostFiles, false}, {"qpbackend", mostFiles + 1, true}, {"internal/new", mostFiles + 1, true},
		{"dc", 1000, false}, {"dc", mostFiles, true}, // no exception any more
	} {
		if wrong := checkFolder(c.pkg, c.files); (wrong != "") != c.wrong {
			t.Errorf("%s with %d files: %q", c.pkg, c.files, wrong)
		}
	}
	for pkg, why := range largeFolders {
		if why == "" {
			t.Errorf("%s has many files and no reason", pkg)
		}
	}
}

func parse(t *testing.T, s sample) source {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), s.path, "package x; "+s.code, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return source{s.path, f}
}

// hasMicro finds U+00B5, which looks like the Greek μ, U+03BC, and is another
// letter.
func hasMicro(b []byte) bool { return bytes.Contains(b, []byte("\u00b5")) }

// checkPackages compares the packages that exist with the table.
func checkPackages(exist map[string][]source, table map[string]string, planned map[string]bool) (wrong []string) {
	for pkg := range exist {
		switch _, listed := table[pkg]; {
		case planned[pkg]:
			wrong = append(wrong, pkg+" exists: take it out of planned")
		case !listed && pkg != "examples" && !strings.HasPrefix(pkg, "examples/"):
			wrong = append(wrong, pkg+" is not in the table mayImport")
		}
	}
	for pkg := range table {
		if _, ok := exist[pkg]; !ok && !planned[pkg] {
			wrong = append(wrong, pkg+" is in the table mayImport but does not exist")
		}
	}
	for pkg := range planned {
		if _, ok := table[pkg]; !ok {
			wrong = append(wrong, pkg+" is planned but not in the table mayImport")
		}
	}
	return wrong
}

// checkDoc asks for a package comment, in doc.go but for examples.
func checkDoc(pkg string, files []source) string {
	for _, s := range files {
		if s.file.Doc.Text() != "" && (path.Base(s.path) == "doc.go" || s.isExample()) {
			return ""
		}
	}
	return pkg + " has no package comment in doc.go"
}

// mostFiles bounds the Go files of a package, tests aside: beyond that a package of its
// own says more.
const mostFiles = 15

// largeFolders are the packages with more files, each with its reason.
var largeFolders = map[string]string{
	"ccp":                 "one run: a file for each part of the loop, which share its state",
	"dc":                  "what a user enters: models, arrays, constraints, and a file per family of atoms",
	"internal/expr":       "sums and their splits, each of which is made of the other",
	"internal/graph/atom": "a file per family of functions",
	"verify":              "the language, the columns of proofs and the claims, which share nothing with other packages",
}

// checkFolder refuses a folder with too many files, and an exception that is none.
func checkFolder(pkg string, files int) string {
	_, large := largeFolders[pkg]
	switch {
	case large && files <= mostFiles:
		return fmt.Sprintf("%s has %d Go files: take it out of largeFolders", pkg, files)
	case !large && files > mostFiles:
		return fmt.Sprintf("%s has %d Go files, at most %d: make a package of what belongs together", pkg, files, mostFiles)
	}
	return ""
}

func TestArchitecture(t *testing.T) {
	packages := map[string][]source{} // without their tests
	var tests, nested []source
	walk(t, func(name string, inModule bool) {
		switch ext := path.Ext(name); ext {
		case ".go", ".md":
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if hasMicro(b) {
				t.Errorf("%s has the micro sign U+00B5; the Greek μ is U+03BC", name)
			}
			if ext == ".md" {
				return
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, b, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Error(err)
				return
			}
			s := source{name, f}
			if !inModule {
				nested = append(nested, s)
			} else if s.test() {
				tests = append(tests, s)
			} else {
				packages[s.pkg()] = append(packages[s.pkg()], s)
			}
		case ".s":
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if path.Dir(name) != "internal/cpu" && bytes.Contains(b, []byte("CPUID")) {
				t.Errorf("%s asks the processor, which internal/cpu does for all", name)
			}
		case ".c", ".cc", ".cpp", ".h":
			if !ownC[name] {
				t.Errorf("%s: C sources do not belong into this repository", name)
			}
		}
	})
	for _, wrong := range checkPackages(packages, mayImport, planned) {
		t.Error(wrong)
	}
	for pkg := range largeFolders {
		if packages[pkg] == nil {
			t.Errorf("%s is in largeFolders but does not exist", pkg)
		}
	}
	all := tests
	for _, pkg := range slices.Sorted(maps.Keys(packages)) {
		if wrong := checkDoc(pkg, packages[pkg]); wrong != "" {
			t.Error(wrong)
		}
		if wrong := checkFolder(pkg, len(packages[pkg])); wrong != "" {
			t.Error(wrong)
		}
		all = append(all, packages[pkg]...)
	}
	for _, s := range nested {
		for _, wrong := range skipRule.check(s) {
			t.Errorf("%s: %s (rule: %s)", s.path, wrong, skipRule.name)
		}
	}
	for _, r := range rules() {
		for _, s := range all {
			for _, wrong := range r.check(s) {
				t.Errorf("%s: %s (rule: %s)", s.path, wrong, r.name)
			}
		}
	}
}

// walk visits the files of the repository, but for what is built or hidden.
// inModule is false below a go.mod of its own.
func walk(t *testing.T, visit func(name string, inModule bool)) {
	t.Helper()
	nested := []string{}
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(name)
		if d.IsDir() {
			if name != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" || base == "build" || strings.HasPrefix(base, "build.tmp.")) {
				return fs.SkipDir
			}
			if _, err := os.Stat(path.Join(name, "go.mod")); err == nil && name != "." {
				nested = append(nested, name+"/")
			}
			return nil
		}
		visit(name, !slices.ContainsFunc(nested, func(n string) bool { return strings.HasPrefix(name, n) }))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
