package house

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// mostUpwards bounds, for packages of many files, the arrows between files that run upwards: from a
// file to one above it that it uses, in the order of files that makes them fewest. Files in layers
// need none; each bound is what the package has today and may only fall.
//
// At 01e3d7f they were, but for dc, in order, 20 (with the packages below ccp), 12, 11, 7 and 27;
// dc had 56 at 8a2372d.
var mostUpwards = map[string]int{
	"ccp":                             1,
	"qpbackend/ipm":                   2,
	"qpbackend/ipm/internal/interior": 3,
	"qpbackend/internal/kkt":          3,
	"lder":                            2,
	"dc":                              3,
	"dc/lang":                         2,
	"dc/lang/internal/value":          2,
	"dc/lang/internal/eval":           2,
	"dc/lang/internal/function":       2,
	"dc/lang/syntax":                  1,
	"dc/lang/internal/printer":        0,
	"dc/lang/internal/datafile":       0,
	"ccp/internal/subproblem":         4,
	"ccp/global":                      3,
	"lder/ensemble":                   4,
	"qpbackend/internal/ldl":          4,
}

// arrows are the pairs of files of which the first uses a function, method, type,
// constant or variable that the second declares. Names of other packages need
// not resolve for that.
func arrows(fset *token.FileSet, files []*ast.File) map[[2]string]bool {
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: noImports{}, Error: func(error) {}, FakeImportC: true}
	pkg, _ := conf.Check("p", fset, files, &info)
	edges := map[[2]string]bool{}
	for use, obj := range info.Uses {
		if obj.Pkg() != pkg || !declared(pkg, obj) {
			continue
		}
		from, to := fset.Position(use.Pos()).Filename, fset.Position(obj.Pos()).Filename
		if from != to {
			edges[[2]string{path.Base(from), path.Base(to)}] = true
		}
	}
	return edges
}

// declared reports whether a file declares obj at its top: fields and what is inside
// functions do not count.
func declared(pkg *types.Package, obj types.Object) bool {
	if f, ok := obj.(*types.Func); ok && f.Signature().Recv() != nil {
		return !types.IsInterface(f.Signature().Recv().Type())
	}
	return obj.Parent() == pkg.Scope()
}

// noImports has an empty package for every path.
type noImports struct{}

func (noImports) Import(p string) (*types.Package, error) {
	pkg := types.NewPackage(p, path.Base(p))
	pkg.MarkComplete()
	return pkg, nil
}

// orders is how many orders upwards begins with: from 12 on more find none better in the
// packages of mostUpwards.
const orders = 40

// upwards returns the arrows that run upwards in the best order of files that is
// found: each file in turn goes to its best place, from many orders at first.
func upwards(edges map[[2]string]bool) [][2]string {
	index := map[string]int{}
	for e := range edges {
		index[e[0]], index[e[1]] = 0, 0
	}
	names := slices.Sorted(maps.Keys(index))
	for i, n := range names {
		index[n] = i
	}
	n := len(names)
	uses := make([][]int, n)
	for i := range uses {
		uses[i] = make([]int, n)
	}
	for e := range edges {
		uses[index[e[0]]][index[e[1]]] = 1
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var best []int
	fewest := len(edges) + 1
	for range orders {
		order := rng.Perm(n)
		count := improved(order, uses)
		if count < fewest {
			fewest, best = count, order
		}
	}
	var up [][2]string
	for i, a := range best {
		for _, b := range best[:i] { // b stands above a
			if uses[a][b] == 1 {
				up = append(up, [2]string{names[a], names[b]})
			}
		}
	}
	return up
}

// improved moves files of the order, from the top to the ground, until no move of one
// leaves fewer arrows upwards, and returns their number.
func improved(order []int, uses [][]int) int {
	for moved := true; moved; {
		moved = false
		for at := range order {
			f := order[at]
			rest := slices.Delete(slices.Clone(order), at, at+1)
			// cost[k] is what f at place k has upwards, but for a constant.
			cost, least, place := 0, 0, 0
			here := 0
			for k, g := range rest {
				if k == at {
					here = cost
				}
				cost += uses[f][g] - uses[g][f]
				if cost < least {
					least, place = cost, k+1
				}
			}
			if at == len(rest) {
				here = cost
			}
			if least < here {
				copy(order, slices.Insert(rest, place, f))
				moved = true
			}
		}
	}
	count := 0
	for i, a := range order {
		for _, b := range order[:i] {
			count += uses[a][b]
		}
	}
	return count
}

// parsed are the files of a package, tests aside.
func parsed(t *testing.T, fset *token.FileSet, pkg string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(filepath.FromSlash(pkg), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// checkLayers refuses more arrows upwards than most.
func checkLayers(pkg string, fset *token.FileSet, files []*ast.File, most int) string {
	edges := arrows(fset, files)
	if up := upwards(edges); len(up) > most {
		return fmt.Sprintf("%s: %d of %d arrows between files run upwards, at most %d may: %v", pkg, len(up), len(edges), most, up)
	}
	return ""
}

func TestLayers(t *testing.T) {
	for pkg, most := range mostUpwards {
		fset := token.NewFileSet()
		if wrong := checkLayers(pkg, fset, parsed(t, fset, pkg), most); wrong != "" {
			t.Error(wrong)
		}
	}
}

// TestLayersFire counts arrows in packages of two and three files.
func TestLayersFire(t *testing.T) {
	for _, c := range []struct {
		files   []string
		up, all int
	}{
		{[]string{`func a() { b() }`, `func b() {}`}, 0, 1},
		{[]string{`func a() { b() }`, `func b() { a() }`}, 1, 2},
		{[]string{`type t struct{}; func f(x t) { x.g() }`, `func (t) g() {}`}, 1, 2},
		{[]string{`type t struct{ n int }`, `func (x t) g() int { return x.n }`}, 0, 1},
		{[]string{`type i interface{ g() }`, `import "fmt"; func f(x i) { x.g(); fmt.Println() }`}, 0, 1},
		{[]string{`func a() { b(); c() }`, `func b() { c() }`, `const k = 1; func c() {}`}, 0, 3},
		{[]string{`func a() { b(); c() }`, `func b() { c() }; var v = k`, `const k = 1; func c() { a(); b() }`}, 2, 5},
	} {
		fset := token.NewFileSet()
		var files []*ast.File
		for i, code := range c.files {
			f, err := parser.ParseFile(fset, fmt.Sprintf("%d.go", i), "package p; "+code, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		if edges := arrows(fset, files); len(edges) != c.all {
			t.Errorf("%q: arrows %v, want %d", c.files, edges, c.all)
		}
		if checkLayers("p", fset, files, c.up) != "" || c.up > 0 && checkLayers("p", fset, files, c.up-1) == "" {
			t.Errorf("%q: not %d arrows upwards", c.files, c.up)
		}
	}
}

// mostChanging bounds the fields of a struct under ccp that change while the procedure
// runs: beyond that some of them belong together in a struct of their own.
const mostChanging = 12

// settingUp are the functions that fill a struct before the procedure runs.
var settingUp = map[string]bool{"compile": true, "addObjective": true, "addConstraints": true, "addConstraint": true, "restrict": true, "pin": true, "compiled": true, "newRun": true}

// records are structs that are filled, not worked on.
var records = map[string]bool{"Result": true}

// changing are the fields of each struct of a package that functions assign to, those of
// settingUp aside. A field counts for the struct that declares it, not for one in which
// that is embedded.
func changing(fset *token.FileSet, files []*ast.File) map[string][]string {
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: noImports{}, Error: func(error) {}}
	pkg, _ := conf.Check("p", fset, files, &info)
	owner := map[*types.Var]string{}
	for _, name := range pkg.Scope().Names() {
		if st, ok := pkg.Scope().Lookup(name).Type().Underlying().(*types.Struct); ok {
			for i := range st.NumFields() {
				owner[st.Field(i)] = name
			}
		}
	}
	found := map[string]map[string]bool{}
	note := func(e ast.Expr) {
		for {
			switch x := e.(type) {
			case *ast.IndexExpr:
				e = x.X
				continue
			case *ast.ParenExpr:
				e = x.X
				continue
			case *ast.SelectorExpr:
				if v, ok := info.Uses[x.Sel].(*types.Var); ok && owner[v] != "" {
					if found[owner[v]] == nil {
						found[owner[v]] = map[string]bool{}
					}
					found[owner[v]][v.Name()] = true
				}
			}
			return
		}
	}
	for _, f := range files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || settingUp[fn.Name.Name] {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.AssignStmt:
					for _, l := range n.Lhs {
						note(l)
					}
				case *ast.IncDecStmt:
					note(n.X)
				}
				return true
			})
		}
	}
	out := map[string][]string{}
	for k, v := range found {
		out[k] = slices.Sorted(maps.Keys(v))
	}
	return out
}

// checkChanging refuses structs with too many fields that change.
func checkChanging(pkg string, fset *token.FileSet, files []*ast.File) (wrong []string) {
	for name, fields := range changing(fset, files) {
		if len(fields) > mostChanging && !records[name] {
			wrong = append(wrong, fmt.Sprintf("%s: %d fields of %s change, at most %d may: %v", pkg, len(fields), name, mostChanging, fields))
		}
	}
	return wrong
}

func TestStateIsInParts(t *testing.T) {
	for _, pkg := range []string{"ccp", "ccp/internal/subproblem", "ccp/internal/search", "ccp/internal/accel", "ccp/internal/diagnose", "ccp/internal/scaling", "ccp/internal/implied", "ccp/internal/sl1qp", "ccp/internal/fixed", "ccp/internal/workingset", "ccp/internal/penalty", "ccp/internal/stop", "ccp/global"} {
		fset := token.NewFileSet()
		for _, wrong := range checkChanging(pkg, fset, parsed(t, fset, pkg)) {
			t.Error(wrong)
		}
	}
}

// mostFields bounds the fields of a struct below ccp, those of embedded structs counted; the
// structs in largeStructs have more, and may only lose some.
const mostFields = 15

var largeStructs = map[string]int{
	"ccp.Iteration":                          17,
	"ccp.Settings":                           21,
	"ccp.newton":                             32,
	"ccp.restPoint":                          31,
	"ccp.run":                                27,
	"ccp/global/internal/factorable.bounder": 16,
	"ccp/global/internal/spatial.Search":     29,
	"ccp/global/internal/spatial.relaxation": 20,
	"ccp/internal/scaling.Solver":            16,
	"ccp/internal/scaling.units":             16,
	"ccp/internal/search.BasinHopping":       26,
	"ccp/internal/search.PatternSearch":      25,
	"ccp/internal/search.Coordinates":        24,
	"ccp/internal/search.Decisions":          20,
	"ccp/internal/search.Descents":           33,
	"ccp/internal/search.GradientSampling":   27,
	"ccp/internal/search.axisMerit":          16,
	"ccp/internal/sl1qp.Method":              18,
	"ccp/internal/stop.View":                 21,
	"ccp/internal/workingset.smoothing":      84,
	"ccp/internal/workingset.working":        52,
}

// sizeOf is the number of fields of a struct, with those of structs of its package that are
// embedded in it.
func sizeOf(pkg *types.Package, st *types.Struct) int {
	n := 0
	for f := range st.Fields() {
		t := f.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		inner, ok := t.Underlying().(*types.Struct)
		if named, is := t.(*types.Named); f.Embedded() && ok && is && named.Obj().Pkg() == pkg {
			n += sizeOf(pkg, inner)
		} else {
			n++
		}
	}
	return n
}

// checkFields refuses structs with more fields than they may have.
func checkFields(name string, fset *token.FileSet, files []*ast.File) (wrong []string) {
	conf := types.Config{Importer: noImports{}, Error: func(error) {}}
	pkg, _ := conf.Check("p", fset, files, nil)
	for _, typ := range pkg.Scope().Names() {
		st, ok := pkg.Scope().Lookup(typ).Type().Underlying().(*types.Struct)
		if !ok || records[typ] {
			continue
		}
		most := max(mostFields, largeStructs[name+"."+typ])
		if n := sizeOf(pkg, st); n > most {
			wrong = append(wrong, fmt.Sprintf("%s.%s has %d fields, at most %d may be", name, typ, n, most))
		}
	}
	return wrong
}

// TestStructs counts the fields of structs, and of one with another in it.
func TestStructs(t *testing.T) {
	seen := map[string]bool{}
	walk(t, func(name string, _ bool) {
		pkg := path.Dir(name)
		if path.Ext(name) != ".go" || seen[pkg] || pkg != "ccp" && !strings.HasPrefix(pkg, "ccp/") {
			return
		}
		seen[pkg] = true
		fset := token.NewFileSet()
		for _, wrong := range checkFields(pkg, fset, parsed(t, fset, pkg)) {
			t.Error(wrong)
		}
	})
	if !seen["ccp/internal/subproblem"] {
		t.Error("no package below ccp is found")
	}
	fset := token.NewFileSet()
	code := "package p; type t struct { a, b, c, d, e, f, g, h int; *u }; type u struct { a, b, c, d, e, f, g, h int }"
	f, err := parser.ParseFile(fset, "a.go", code, 0)
	if err != nil {
		t.Fatal(err)
	}
	if wrong := checkFields("p", fset, []*ast.File{f}); len(wrong) != 1 || !strings.Contains(wrong[0], "p.t has 16 fields") {
		t.Errorf("%q", wrong)
	}
}

// TestStateIsInPartsFires counts in structs with too many fields, whole and in parts.
func TestStateIsInPartsFires(t *testing.T) {
	fields := func(prefix string, n int) (decl, assign string) {
		for i := range n {
			decl += fmt.Sprintf("%s%d int; ", prefix, i)
			assign += fmt.Sprintf("x.%s%d++; ", prefix, i)
		}
		return decl, assign
	}
	decl, assign := fields("a", mostChanging)
	more, assignMore := fields("b", 1)
	for code, want := range map[string]int{
		"type t struct {" + decl + more + "}; func (x *t) f() {" + assign + assignMore + "}":                          1,
		"type t struct {" + decl + more + "}; func (x *t) f() {" + assign + "}":                                       0,
		"type t struct {" + decl + "p }; type p struct {" + more + "}; func (x *t) f() {" + assign + assignMore + "}": 0,
		"type t struct {" + decl + more + "}; func newRun(x *t) {" + assign + assignMore + "}":                        0,
	} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "a.go", "package p; "+code, 0)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := checkChanging("p", fset, []*ast.File{f}); len(wrong) != want {
			t.Errorf("%s: %q, want %d", code, wrong, want)
		}
	}
}

// mostPath bounds the lines of the straight path from ccp.Solve to the backend: the
// functions that are on the stack when the start is first evaluated, the convex problem
// compiled, a tangent taken, and the backend made, updated and asked to solve, in the
// first two iterations. What they ask on the way is beside the path, and so are the
// builder of the convex problem and package scaling, which is a backend's solver in other units.
const mostPath = 250

// straight collects the functions of a straight path, by file and name.
type straight struct {
	decls  map[string][]*ast.FuncDecl // by file, from the repository's top
	fset   *token.FileSet
	found  map[*ast.FuncDecl]string // their files
	solves int                      // of the backend so far
}

func pathIn(t *testing.T, dirs ...string) *straight {
	p := &straight{decls: map[string][]*ast.FuncDecl{}, fset: token.NewFileSet(), found: map[*ast.FuncDecl]string{}}
	for _, dir := range dirs {
		for _, f := range parsed(t, p.fset, dir) {
			name := filepath.ToSlash(p.fset.Position(f.Pos()).Filename)
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && !strings.Contains(types.ExprString(receiver(fn)), "Builder") {
					p.decls[name] = append(p.decls[name], fn)
				}
			}
		}
	}
	return p
}

// receiver is the type of a method's receiver, an empty name for a function.
func receiver(fn *ast.FuncDecl) ast.Expr {
	if fn.Recv == nil {
		return ast.NewIdent("")
	}
	return fn.Recv.List[0].Type
}

// note adds the functions that are on the stack.
func (p *straight) note() {
	if p.solves >= 2 {
		return
	}
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		for name, decls := range p.decls {
			if !strings.HasSuffix(f.File, "/"+name) {
				continue
			}
			for _, fn := range decls {
				if p.fset.Position(fn.Pos()).Line <= f.Line && f.Line <= p.fset.Position(fn.End()).Line {
					p.found[fn] = name
				}
			}
		}
	}
}

// within reports whether a method of that name is on the stack.
func (p *straight) within(name string) bool {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for more := true; more; {
		var f runtime.Frame
		if f, more = frames.Next(); strings.HasSuffix(f.Function, "."+name) {
			return true
		}
	}
	return false
}

// lines are those of the functions found; list has a line for each.
func (p *straight) lines() (sum int, list []string) {
	for fn, name := range p.found {
		n := p.fset.Position(fn.End()).Line - p.fset.Position(fn.Pos()).Line + 1
		sum += n
		list = append(list, fmt.Sprintf("%3d %s %s", n, name, fn.Name.Name))
	}
	slices.Sort(list)
	return sum, list
}

// seenSquare is ‖u‖², which notes where it is evaluated first, and linearised.
type seenSquare struct {
	p      *straight
	valued *bool
}

func (s seenSquare) Value(u []float64) float64 {
	if !*s.valued {
		*s.valued = true
		s.p.note()
	}
	sum := 0.0
	for _, v := range u {
		sum += v * v
	}
	return sum
}

func (s seenSquare) AddSubgrad(dst []float64, scale float64, u []float64) {
	if s.p.within("Linearise") {
		s.p.note()
	}
	for k, v := range u {
		dst[k] += 2 * scale * v
	}
}

// seenContext notes where it is first asked.
type seenContext struct {
	context.Context
	p     *straight
	asked *bool
}

func (c seenContext) Err() error {
	if !*c.asked {
		*c.asked = true
		c.p.note()
	}
	return nil
}

// seenBackend notes where a solver is made, updated and first asked.
type seenBackend struct {
	ipm.Backend
	p *straight
}

type seenSolver struct {
	qpbackend.Solver
	p *straight
}

func (b seenBackend) New(ctx context.Context, p *qpbackend.Problem, set qpbackend.Settings) (qpbackend.Solver, error) {
	b.p.note()
	s, err := b.Backend.New(ctx, p, set)
	return seenSolver{s, b.p}, err
}

func (s seenSolver) Update(u qpbackend.Update) error {
	s.p.note()
	return s.Solver.Update(u)
}

func (s seenSolver) Solve(ctx context.Context, dst *qpbackend.Result) error {
	s.p.note()
	s.p.solves++
	return s.Solver.Solve(ctx, dst)
}

// TestStraightPath counts the lines from Solve to the backend, with τ as in the paper.
func TestStraightPath(t *testing.T) {
	p := pathIn(t, "ccp", "ccp/internal/subproblem")
	m := dc.NewModel()
	x := m.Var("x", []int{2}, dc.StartAt(2, 1))
	m.Minimize(dc.SumSquares(x.Sub(dc.Vec([]float64{0.3, 0.2}))))
	m.SubjectTo(dc.GE(dc.BlackBox("square", seenSquare{p, new(bool)}, x), dc.Num(1)).Named("out"))
	problem, err := m.Problem(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	set := ccp.DefaultSettings()
	set.TauRelative, set.Backend = false, seenBackend{p: p}
	res, err := ccp.Solve(seenContext{context.Background(), p, new(bool)}, problem, []float64{2, 1}, set)
	if err != nil || res.Status != ccp.Converged {
		t.Fatalf("%v, %v", res, err)
	}
	sum, list := p.lines()
	if sum > mostPath {
		t.Errorf("the straight path has %d lines, at most %d may be:\n%s", sum, mostPath, strings.Join(list, "\n"))
	}
	for _, step := range []string{"ccp/ccp.go Solve", "ccp/internal/subproblem/subproblem.go compile", "ccp/ccp.go descend", "ccp/internal/subproblem/linearise.go tangent", "ccp/internal/subproblem/subproblem.go Open", "ccp/internal/subproblem/subproblem.go Solve"} {
		if !slices.ContainsFunc(list, func(l string) bool { return strings.HasSuffix(l, " "+step) }) {
			t.Errorf("the path does not lead through %s:\n%s", step, strings.Join(list, "\n"))
		}
	}
}

// wideCode and wideComments are how many lines of Go code, tests aside, are above 120 columns, and
// of comments above 100, tabs as 4. Lines are wrapped as they are touched, and the numbers only go
// down. Source: counts of the lines older than the rule.
const (
	wideCode     = 0
	wideComments = 14
)

// isWide reports whether a line has more columns than it may, and whether it is a comment.
func isWide(line string) (wide, comment bool) {
	columns := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
	comment = strings.HasPrefix(strings.TrimSpace(line), "//")
	return columns > 120 || comment && columns > 100, comment
}

// TestColumns: no more lines are wide than were.
func TestColumns(t *testing.T) {
	for line, want := range map[string]bool{
		strings.Repeat("x", 120): false, strings.Repeat("x", 121): true, "\t" + strings.Repeat("x", 117): true,
		"// " + strings.Repeat("x", 97): false, "// " + strings.Repeat("μ", 98): true,
	} {
		if wide, _ := isWide(line); wide != want {
			t.Errorf("%d bytes %.5q...: wide is %v", len(line), line, wide)
		}
	}
	count := map[bool]int{}
	walk(t, func(name string, _ bool) {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") {
			return
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if wide, comment := isWide(strings.TrimRight(line, "\n")); wide {
				count[comment]++
			}
		}
	})
	if count[false] > wideCode || count[true] > wideComments {
		t.Errorf("%d lines of code are wider than 120 columns and %d comments than 100, at most %d and %d may be: wrap those that you touch",
			count[false], count[true], wideCode, wideComments)
	}
	t.Logf("wide: %d lines of code, %d of comments", count[false], count[true])
}

// largestFile is the size of a file of the repository, test data aside. Source: the largest are
// documents and pictures of 200 kB; a program that was left in the folder has megabytes.
const largestFile = 1 << 18

// TestFilesAreSmall: no program or data set is among the sources.
func TestFilesAreSmall(t *testing.T) {
	text, err := os.ReadFile(".gitignore")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	walk(t, func(name string, _ bool) {
		info, err := os.Stat(name)
		if err != nil || slices.ContainsFunc(strings.Fields(string(text)), func(p string) bool { return ignores(p, name) }) {
			return
		}
		if seen++; info.Size() > largestFile {
			t.Errorf("%s has %d bytes, at most %d may be", name, info.Size(), largestFile)
		}
	})
	if seen < 500 {
		t.Errorf("%d files were looked at", seen)
	}
}

// ignores reports whether a line of .gitignore, of the forms that the file has, leaves a file out: a
// path from the root, with "/" at the end all in a folder, or the name of a file or a folder.
func ignores(pattern, name string) bool {
	of, folder := strings.CutSuffix(pattern, "/")
	if !strings.HasPrefix(of, "/") {
		parts := strings.Split(name, "/")
		return slices.ContainsFunc(parts, func(part string) bool { ok, _ := path.Match(of, part); return ok })
	}
	if of = of[1:]; folder {
		return strings.HasPrefix(name, of+"/")
	}
	ok, _ := path.Match(of, name)
	return ok
}
