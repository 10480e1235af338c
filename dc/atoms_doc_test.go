//go:build !race

package dc_test

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/interval"
)

var update = flag.Bool("update", false, "rewrite docs/atoms.md")

// atomKeys are the properties of an atom, in order. They stand in one place: in the comment of the
// atom, or follow from its row in the table of functions of one number. docs/atoms.md is made of
// them, and TestAtomComments compares them with samples.
var atomKeys = []string{"arguments", "curvature", "sign", "monotone", "domain", "takes", "refuses", "form", "source"}

// atomDoc is the comment of an atom: a text, and its properties.
type atomDoc struct {
	name, signature, text string
	has                   map[string]string
}

// makers return expressions and are no atoms.
var makers = map[string]bool{
	"Apply": true, "Num": true, "Vec": true, "Const": true, "Mat": true, "FromAffine": true, "FromLinear": true,
	"Stack": true, "MatMul": true,
}

// byRows are the functions of one number, by their names in package dc or else their own.
func byRows() map[string]*atom.Curve {
	out := map[string]*atom.Curve{}
	for _, c := range atom.Curves() {
		if !c.HasParameter {
			out[cmp.Or(c.Doc.Go, c.Name)] = c
		}
	}
	return out
}

// fill adds what the row of an atom says.
func (d *atomDoc) fill(c *atom.Curve, argument string) {
	w, signs := c.Words(argument), strings.NewReplacer("<=", "≤", ">=", "≥", "-", "−")
	d.has = map[string]string{
		"arguments": argument + ": an array, entry by entry", "curvature": w.Curvature, "sign": w.Sign,
		"monotone": argument + ": " + w.Monotone,
		"domain":   cmp.Or(signs.Replace(w.Domain), "all"),
		"takes":    w.Takes, "refuses": w.Refuses, "form": w.Form, "source": w.Source,
	}
}

// atomDocs reads the comments of all exported functions that return an Expr, and the rows of
// functions of one number.
func atomDocs(t *testing.T) map[string]*atomDoc {
	t.Helper()
	rows := byRows()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*atomDoc{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() || makers[fn.Name.Name] || !returnsExpr(fn) {
				continue
			}
			d, err := readAtomDoc(fn.Doc.Text())
			if c := rows[fn.Name.Name]; c != nil && len(d.has) == 0 {
				d.fill(c, fn.Type.Params.List[0].Names[0].Name)
			} else if err != nil {
				t.Errorf("%s: %s: %v", name, fn.Name.Name, err)
			}
			d.name, d.signature = fn.Name.Name, signature(fn)
			out[d.name] = d
		}
	}
	for name, c := range rows {
		if out[name] == nil && c.Doc.Go == "" {
			d := &atomDoc{name: name, text: name + " is " + c.Doc.Means + "."}
			d.signature = fmt.Sprintf("Apply(%q, nil, x)", name)
			d.fill(c, "x")
			out[name] = d
		}
	}
	return out
}

func returnsExpr(fn *ast.FuncDecl) bool {
	r := fn.Type.Results
	if r == nil || len(r.List) != 1 {
		return false
	}
	id, ok := r.List[0].Type.(*ast.Ident)
	return ok && id.Name == "Expr"
}

// signature is the name with those of the arguments.
func signature(fn *ast.FuncDecl) string {
	var args []string
	for _, f := range fn.Type.Params.List {
		for _, n := range f.Names {
			arg := n.Name
			if _, ok := f.Type.(*ast.Ellipsis); ok {
				arg += "..."
			}
			args = append(args, arg)
		}
	}
	return fn.Name.Name + "(" + strings.Join(args, ", ") + ")"
}

// readAtomDoc takes a comment apart. It must have every key.
func readAtomDoc(comment string) (*atomDoc, error) {
	d := &atomDoc{has: map[string]string{}}
	var text []string
	for _, line := range strings.Split(comment, "\n") {
		rest, ok := strings.CutPrefix(line, "\t")
		if !ok {
			text = append(text, line)
			continue
		}
		key, value, _ := strings.Cut(rest, " ")
		value = strings.TrimSpace(value)
		switch {
		case value == "":
			return d, fmt.Errorf("%q has no value", key)
		case !slices.Contains(atomKeys, key) || d.has[key] != "":
			return d, fmt.Errorf("%q is no property, or stands there twice", key)
		default:
			d.has[key] = value
		}
	}
	d.text = strings.TrimSpace(strings.Join(text, "\n"))
	for _, k := range atomKeys {
		if d.has[k] == "" {
			return d, fmt.Errorf("the comment has no %s", k)
		}
	}
	return d, nil
}

// words are those of the vocabulary that occur in a property.
func words(text string, vocabulary ...string) map[string]bool {
	out := map[string]bool{}
	for _, v := range vocabulary {
		if strings.Contains(" "+text, " "+v) {
			out[v] = true
		}
	}
	return out
}

// docSample shows the properties of an atom: its arguments are the entries of u.
type docSample struct {
	args    string // for each entry of u a letter: which argument it belongs to
	make    func(u dc.Expr) dc.Expr
	above   bool                           // arguments > 0
	outside []float64                      // a point outside the domain
	draw    func(rng *rand.Rand) []float64 // a point of the domain; nil: normal deviates
	box     [2]float64                     // bounds of all arguments, from which points are drawn
	matrix  int                            // the order of the symmetric matrix that the last argument is, by its upper triangle
}

// triangleOf is the matrix of order n whose upper triangle are the entries of u.
func triangleOf(u dc.Expr, n int) dc.Expr {
	flat := make([]int, n*n)
	k := 0
	for i := range n {
		for j := i; j < n; j++ {
			flat[i*n+j], flat[j*n+i] = k, k
			k++
		}
	}
	return u.Select([]int{n, n}, flat)
}

// positiveDefinite draws vectors of front normal deviates and the upper triangle
// of a positive definite matrix of order n.
func positiveDefinite(front, n int) func(*rand.Rand) []float64 {
	return func(rng *rand.Rand) []float64 {
		var x []float64
		for range front {
			x = append(x, rng.NormFloat64())
		}
		b := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				b.Set(i, j, rng.NormFloat64())
			}
		}
		var a mat.Dense
		a.Mul(b, b.T())
		for i := range n {
			for j := i; j < n; j++ {
				v := a.At(i, j)
				if i == j {
					v += 0.1
				}
				x = append(x, v)
			}
		}
		return x
	}
}

func docSamples() map[string][]docSample {
	e := func(f func(dc.Expr) dc.Expr) func(dc.Expr) dc.Expr {
		return func(u dc.Expr) dc.Expr { return f(u.At(0)) }
	}
	sym := func(n int, f func(dc.Expr) dc.Expr) func(dc.Expr) dc.Expr {
		return func(u dc.Expr) dc.Expr { return f(triangleOf(u, n)) }
	}
	norms := func(f func(dc.Expr) dc.Expr) []docSample {
		return []docSample{
			{args: "aaaaaa", make: func(u dc.Expr) dc.Expr { return f(u.Reshape(3, 2)) }},
			{args: "aaa", make: sym(2, f)},
			{args: "aaa", make: f},
		}
	}
	power := func(p float64) func(dc.Expr) dc.Expr {
		return func(u dc.Expr) dc.Expr { return dc.Power(u.At(0), p) }
	}
	return map[string][]docSample{
		"Max":     {{args: "uuu", make: func(u dc.Expr) dc.Expr { return dc.Max(u) }}},
		"Min":     {{args: "uuu", make: func(u dc.Expr) dc.Expr { return dc.Min(u) }}},
		"Sum":     {{args: "uuu", make: func(u dc.Expr) dc.Expr { return dc.Sum(u) }}},
		"NormInf": {{args: "aaa", make: dc.NormInf}},
		"Norm1":   {{args: "aaa", make: dc.Norm1}},
		"Norm2":   {{args: "aaa", make: dc.Norm2}},
		"NormP": {
			{args: "aaa", make: func(u dc.Expr) dc.Expr { return dc.NormP(u, 1.5) }},
			{args: "aaa", make: func(u dc.Expr) dc.Expr { return dc.NormP(u, 2) }},
		},
		"Huber":      {{args: "aaa", make: func(u dc.Expr) dc.Expr { return dc.Huber(u, 0.7) }}},
		"DotSort":    {{args: "aaa", make: func(u dc.Expr) dc.Expr { return dc.DotSort(u, []float64{0, 1, 3}) }}},
		"SumSquares": {{args: "aaa", make: dc.SumSquares}},
		"Quad": {
			{args: "aaaa", make: func(u dc.Expr) dc.Expr { return dc.Quad(context.Background(), u, definite) }},
			{args: "aaaa", make: func(u dc.Expr) dc.Expr { return dc.Quad(context.Background(), u, indefinite) }},
			{args: "aaaa", make: func(u dc.Expr) dc.Expr {
				var minus mat.SymDense
				minus.ScaleSym(-1, definite)
				return dc.Quad(context.Background(), u, &minus)
			}},
		},
		"QuadOverLin": {{args: "aay", make: func(u dc.Expr) dc.Expr { return dc.QuadOverLin(u.Slice(0, 2), u.At(2)) },
			draw: func(rng *rand.Rand) []float64 {
				return []float64{rng.NormFloat64(), rng.NormFloat64(), 0.1 + rng.ExpFloat64()}
			}, outside: []float64{1, 1, -1}}},
		"LogSumExp": {{args: "aaa", make: dc.LogSumExp}},
		"KL":        {{args: "uv", make: func(u dc.Expr) dc.Expr { return dc.KL(u.At(0), u.At(1)) }, above: true, outside: []float64{1, -1}}},
		"Sqrt":      {{args: "u", make: e(dc.Sqrt), above: true, outside: []float64{-1}}},
		"Quotient": {
			{args: "uv", make: func(u dc.Expr) dc.Expr { return dc.Quotient(u.At(0), u.At(1)) },
				outside: []float64{1, 0}},
		},
		"Pow": {
			{args: "v", make: func(u dc.Expr) dc.Expr { return dc.Pow(dc.Num(1.5), u.At(0)) }},
			{args: "uv", make: func(u dc.Expr) dc.Expr { return dc.Pow(u.At(0), u.At(1)) }, box: [2]float64{0.5, 2}, outside: []float64{-1, -1}},
		},
		"InvPos": {{args: "u", make: e(dc.InvPos), above: true, outside: []float64{-1}}},
		"Power": {
			{args: "o", make: power(3)},
			{args: "o", make: power(4)},
			{args: "o", make: power(2)},
			{args: "o", make: power(-1), above: true, outside: []float64{-1}},
			{args: "o", make: power(-2.5), above: true, outside: []float64{-1}},
			{args: "o", make: power(0.5), above: true, outside: []float64{-1}},
			{args: "o", make: power(0.3), above: true, outside: []float64{-1}},
			{args: "o", make: power(1.5), above: true, outside: []float64{-1}},
		},
		"GeoMean": {
			{args: "aaa", make: dc.GeoMean, above: true, outside: []float64{1, -1, 1}},
			{args: "aaaa", make: dc.GeoMean, above: true, outside: []float64{1, -1, 1, 1}},
		},
		"WeightedGeoMean": {{args: "aaa", make: func(u dc.Expr) dc.Expr { return dc.WeightedGeoMean(u, []float64{1, 2, 0.5}) }, above: true, outside: []float64{1, -1, 1}}},
		"SumLargest":      {{args: "aaa", make: func(u dc.Expr) dc.Expr { return dc.SumLargest(u, 2) }}},
		"LambdaMax":       {{args: "aaaaaa", make: sym(3, dc.LambdaMax), matrix: 3}},
		"LambdaMin":       {{args: "aaaaaa", make: sym(3, dc.LambdaMin), matrix: 3}},
		"LambdaSumLargest": {
			{args: "aaaaaa", make: sym(3, func(a dc.Expr) dc.Expr { return dc.LambdaSumLargest(a, 2) }), matrix: 3},
			{args: "aaaaaa", make: sym(3, func(a dc.Expr) dc.Expr { return dc.LambdaSumLargest(a, 3) }), matrix: 3},
		},
		"SpectralNorm": norms(dc.SpectralNorm),
		"NuclearNorm":  norms(dc.NuclearNorm),
		"LogDet":       {{args: "aaa", make: sym(2, dc.LogDet), matrix: 2, draw: positiveDefinite(0, 2), outside: []float64{1, 2, 1}}},
		"MatFrac": {
			{args: "xxppp", make: func(u dc.Expr) dc.Expr { return dc.MatFrac(u.Slice(0, 2), triangleOf(u.Slice(2, 5), 2)) },
				matrix: 2, draw: positiveDefinite(2, 2), outside: []float64{1, 1, 1, 2, 1}},
			{args: "xxxx", make: func(u dc.Expr) dc.Expr { return dc.MatFrac(u, dc.Mat(definite)) }},
		},
		"BlackBox": {{args: "aaaa", make: func(u dc.Expr) dc.Expr { return dc.BlackBox("cubes", cubes{}, u) }}},
		"Mul": {
			{args: "xy", make: func(u dc.Expr) dc.Expr { return dc.Mul(u.At(0), u.At(1)) }},
			{args: "x", make: func(u dc.Expr) dc.Expr { return dc.Mul(u.At(0), u.At(0).Scale(2)) }},
			{args: "x", make: func(u dc.Expr) dc.Expr { return dc.Mul(u.At(0), u.At(0).Scale(-2)) }},
		},
		"Inner": {{args: "uuvv", make: func(u dc.Expr) dc.Expr { return dc.Inner(u.Slice(0, 2), u.Slice(2, 4)) }}},
	}
}

// rowSample shows a function of one number where its graph does, and outside its domain.
func rowSample(c *atom.Curve, argument string) docSample {
	s := docSample{args: argument, box: c.Doc.Shown, make: func(u dc.Expr) dc.Expr {
		return dc.Apply(c.Name, nil, u.At(0))
	}}
	if i := c.In(interval.Whole, 0); i.Lo > math.Inf(-1) {
		s.outside = []float64{i.Lo - 1}
	} else if i.Hi < math.Inf(1) {
		s.outside = []float64{i.Hi + 1}
	}
	return s
}

// refused are calls that the atoms refuse; for all others the comment says
// "nothing".
func refused(m *dc.Model) map[string]dc.Expr {
	x := m.Var("refused", []int{3})
	wavy := dc.Abs(x.At(0)).Sub(dc.Abs(x.At(1)))
	square, endless := x.Select([]int{2, 2}, []int{0, 1, 2, 0}), dc.LogDet(symmetricOf(x))
	return map[string]dc.Expr{
		"Max": dc.Max(), "Min": dc.Min(), "NormP": dc.NormP(x, 0.5),
		"DotSort": dc.DotSort(x, nil), "Huber": dc.Huber(x, 0), "Quad": dc.Quad(context.Background(), x, definite),
		"QuadOverLin": dc.QuadOverLin(x, x), "Exp": dc.Exp(wavy), "SumLargest": dc.SumLargest(x, 4),
		"LogSumExp": dc.LogSumExp(dc.Vec(nil)), "Log": dc.Log(dc.Num(0)), "Entropy": dc.Entropy(dc.Abs(x.At(0))),
		"Tan": dc.Tan(x.At(0)), "SumSquares": dc.SumSquares(dc.Stack(x, endless)),
		"Atan": dc.Atan(dc.LambdaMax(square)), "Cosh": dc.Cosh(wavy),
		"Atanh": dc.Atanh(dc.Num(2)), "Log1p": dc.Log1p(dc.Num(-2)), "Log2": dc.Log2(dc.Num(-1)), "Pow": dc.Pow(x.At(0), wavy),
		"KL": dc.KL(wavy, x.At(0)), "Sqrt": dc.Sqrt(dc.Num(-1)), "InvPos": dc.InvPos(dc.Num(0)),
		"Quotient": dc.Quotient(x.At(0), dc.Num(0)), "Power": dc.Power(x.At(0), math.NaN()),
		"GeoMean": dc.GeoMean(dc.Vec(nil)), "WeightedGeoMean": dc.WeightedGeoMean(x, []float64{1}),
		"LambdaMax": dc.LambdaMax(square), "LambdaMin": dc.LambdaMin(square), "LambdaSumLargest": dc.LambdaSumLargest(square, 1),
		"SpectralNorm": dc.SpectralNorm(x.Reshape(1, 1, 3)), "NuclearNorm": dc.NuclearNorm(x.Reshape(1, 1, 3)), "LogDet": dc.LogDet(square),
		"MatFrac": dc.MatFrac(x, square), "BlackBox": dc.BlackBox("f", nil, x), "Mul": dc.Mul(endless, x.At(0)), "Inner": dc.Inner(x, x.At(0)),
	}
}

// shown are the words for what samples of an atom do.
type shown struct {
	curvature, sign, form map[string]bool
	monotone              map[byte]map[string]bool
	bounded               bool // there is a point outside the domain
}

// TestAtomComments compares the properties in the comments with samples:
// curvature by the split and by midpoints, sign by values, direction by steps in
// every entry, the domain by a point outside, the form by what the
// representation is made of.
func TestAtomComments(t *testing.T) {
	samples, bad, docs := docSamples(), refused(dc.NewModel()), atomDocs(t)
	vector := dc.NewModel().Var("x", []int{3})
	for name, c := range byRows() {
		if d := docs[name]; samples[name] == nil && d != nil {
			samples[name] = []docSample{rowSample(c, d.has["arguments"][:1])}
		}
		if _, ok := bad[name]; !ok {
			switch x := vector.At(0); {
			case c.Domain != nil:
				bad[name] = dc.Apply(c.Name, nil, dc.Num(-3))
			case c.ByBounds():
				bad[name] = dc.Apply(c.Name, nil, dc.LambdaMax(symmetricOf(vector)))
			case c.Doc.Takes != "any":
				bad[name] = dc.Apply(c.Name, nil, dc.Abs(x).Sub(dc.Exp(x)))
			}
		}
	}
	for name, d := range docs {
		list := samples[name]
		if len(list) == 0 {
			t.Errorf("%s has no sample in atoms_doc_test.go", name)
			continue
		}
		s := shown{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[byte]map[string]bool{}, false}
		for k := range list {
			s.observe(t, fmt.Sprintf("%s, sample %d", name, k+1), &list[k], name == "BlackBox" || name == "Quotient")
		}
		same := func(what string, said, seen map[string]bool) {
			if !maps.Equal(said, seen) && !said["that of f"] {
				t.Errorf("%s: the comment says of %s %q, the samples show %q", name, what, slices.Sorted(maps.Keys(said)), slices.Sorted(maps.Keys(seen)))
			}
		}
		same("its curvature", words(d.has["curvature"], "convex", "concave", "affine", "DC"), s.curvature)
		same("its sign", words(d.has["sign"], "nonnegative", "nonpositive", "any", "that of f"), s.sign)
		same("its form", words(d.has["form"], "rows", "quadratic", "second-order", "exponential", "power", "semidefinite"), s.form)
		for _, part := range strings.Split(d.has["monotone"], "; ") {
			arg, says, ok := strings.Cut(part, ": ")
			seen := s.monotone[arg[0]]
			if !ok || seen == nil {
				t.Errorf("%s: monotone %q is not of the form argument: direction, or no sample has the argument", name, part)
				continue
			}
			same("the direction of "+arg, words(says, "nondecreasing", "nonincreasing", "by sign", "none", "that of f"), seen)
			delete(s.monotone, arg[0])
			for _, n := range strings.Split(arg, ", ") {
				if !strings.Contains(strings.ReplaceAll(d.signature, "(", " "), " "+n) {
					t.Errorf("%s: the argument %s is not in %s", name, n, d.signature)
				}
			}
		}
		for arg := range s.monotone {
			t.Errorf("%s: the comment does not say how it grows with %c", name, arg)
		}
		if all := d.has["domain"] == "all"; all == s.bounded {
			t.Errorf("%s: the domain is %q, a point outside is known: %v", name, d.has["domain"], s.bounded)
		}
		if e, ok := bad[name]; ok == (d.has["refuses"] == "nothing") || ok && e.Err() == nil {
			t.Errorf("%s: refuses %s; the sample is in the table: %v, with error %v", name, d.has["refuses"], ok, e.Err())
		}
	}
	for name := range samples {
		if docs[name] == nil {
			t.Errorf("a sample of %s, which is no atom", name)
		}
	}
}

// observe adds the properties of a sample.
func (s *shown) observe(t *testing.T, name string, sample *docSample, oracle bool) {
	m := dc.NewModel()
	bottom, top := math.Inf(-1), math.Inf(1)
	if boxed := sample.box != [2]float64{}; boxed {
		bottom, top = sample.box[0], sample.box[1]
		sample.draw = func(rng *rand.Rand) []float64 {
			x := make([]float64, len(sample.args))
			for k := range x {
				x[k] = bottom + rng.Float64()*(top-bottom)
			}
			return x
		}
	}
	u := m.Var("u", []int{len(sample.args)}, dc.AtLeast(bottom), dc.AtMost(top))
	e := sample.make(u)
	if err := e.Err(); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	class := "DC"
	switch {
	case e.IsAffine():
		class = "affine"
	case e.IsConvex():
		class = "convex"
	case e.IsConcave():
		class = "concave"
	}
	s.curvature[class] = true
	if !oracle {
		s.represent(e, class, len(sample.args))
	}
	if sample.outside != nil {
		s.bounded = true
		if v := e.Value(sample.outside); !math.IsInf(v, 0) && !math.IsNaN(v) {
			t.Errorf("%s: the value outside the domain is %g", name, v)
		}
	}
	rng := rand.New(rand.NewPCG(15, 2))
	draw := func() []float64 {
		if sample.draw != nil {
			return sample.draw(rng)
		}
		x := make([]float64, len(sample.args))
		for k := range x {
			if x[k] = 2 * rng.NormFloat64(); sample.above {
				x[k] = math.Abs(x[k]) + 1e-3
			}
		}
		return x
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	steps := map[byte]*directions{}
	for range 400 {
		x, y := draw(), draw()
		fx, fy := e.Value(x), e.Value(y)
		lo, hi = min(lo, fx, fy), max(hi, fx, fy)
		mid := make([]float64, len(x))
		for k := range mid {
			mid[k] = (x[k] + y[k]) / 2
		}
		gap := (fx+fy)/2 - e.Value(mid)
		if tol := 1e-9 * (1 + math.Abs(fx) + math.Abs(fy)); class != "DC" && (class != "concave" && gap < -tol || class != "convex" && gap > tol) {
			t.Errorf("%s is not %s between %g and %g", name, class, x, y)
			return
		}
		for k := range x {
			arg := sample.args[k]
			if steps[arg] == nil {
				steps[arg] = &directions{}
			}
			to := slices.Clone(x)
			if from := len(x) - sample.matrix*(sample.matrix+1)/2; sample.matrix > 0 && k >= from {
				addRankOne(to[from:], sample.matrix, rng)
			} else {
				to[k] = min(to[k]+rng.ExpFloat64(), top)
			}
			steps[arg].add(x[k], to[k], e.Value(to)-fx, 1e-9*(1+math.Abs(fx)))
		}
	}
	switch {
	case lo >= -1e-12:
		s.sign["nonnegative"] = true
	case hi <= 1e-12:
		s.sign["nonpositive"] = true
	default:
		s.sign["any"] = true
	}
	for arg, d := range steps {
		if s.monotone[arg] == nil {
			s.monotone[arg] = map[string]bool{}
		}
		s.monotone[arg][d.word()] = true
	}
}

// addRankOne adds vvᵀ to a symmetric matrix of order n, given by its upper
// triangle.
func addRankOne(triangle []float64, n int, rng *rand.Rand) {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	k := 0
	for i := range n {
		for j := i; j < n; j++ {
			triangle[k] += v[i] * v[j]
			k++
		}
	}
}

// directions are the changes of a function by steps upward in an argument: above
// zero, below zero, and anywhere.
type directions struct{ up, down, wrong bool }

func (d *directions) add(from, to, change, tol float64) {
	up, down := change > tol, change < -tol
	d.up, d.down = d.up || up, d.down || down
	if from >= 0 && down || to <= 0 && up {
		d.wrong = true // not by the sign
	}
}

func (d *directions) word() string {
	switch {
	case !d.down:
		return "nondecreasing"
	case !d.up:
		return "nonincreasing"
	case !d.wrong:
		return "by sign"
	}
	return "none"
}

// represent adds what the representation of e, of its negative or of both parts
// is made of.
func (s *shown) represent(e dc.Expr, class string, n int) {
	gs := []convex.Representer{}
	switch class {
	case "affine":
		return
	case "concave":
		gs = append(gs, e.Neg().Scalar().G())
	case "convex":
		gs = append(gs, e.Scalar().G())
	default:
		gs = append(gs, e.Scalar().G(), e.Neg().Scalar().G())
	}
	for _, g := range gs {
		c := &collector{cols: n, forms: map[convex.Representer]convex.Form{}}
		if len(c.Form(g).Quad) > 0 {
			s.form["quadratic"] = true
		}
		inCones := 0
		for _, k := range c.cones {
			inCones += k.Len
			s.form[k.Kind.String()] = true
		}
		if len(c.rows) > inCones {
			s.form["rows"] = true
		}
	}
}

// TestAtomsPage compares docs/atoms.md with the comments and the table; -update rewrites it.
func TestAtomsPage(t *testing.T) {
	docs := atomDocs(t)
	var b bytes.Buffer
	b.WriteString(`# Atoms

The functions of package dc, from their comments and a table, which a test compares with samples: curvature, sign and direction
are those of affine arguments, "by sign" is nondecreasing where an entry is ≥ 0 and nonincreasing where it is ≤ 0. "Takes" says which other functions may stand for an
argument, *any* those with a split; the answer is then convex, concave or a difference by the rules of the composition. [The language](language.md#functions) has the functions of
problem files, [From Go](go.md#names) the names of both. Functions of a number are
applied entry by entry, functions of an array to all entries, or along an axis: see Expr.Along.

| function | curvature | sign | direction | domain |
|---|---|---|---|---|
`)
	names := slices.Sorted(maps.Keys(docs))
	for _, n := range names {
		d := docs[n]
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s | %s | %s |\n", d.signature, strings.ToLower(n), d.has["curvature"],
			d.has["sign"], d.has["monotone"], d.has["domain"])
	}
	for _, n := range names {
		d := docs[n]
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| | |\n|---|---|\n", n, strings.ReplaceAll(d.text, "\n", " "))
		for _, k := range atomKeys {
			fmt.Fprintf(&b, "| %s | %s |\n", k, strings.ReplaceAll(d.has[k], "|", `\|`))
		}
	}
	path := filepath.Join("..", "docs", "atoms.md")
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	old, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(old, b.Bytes()) {
		t.Errorf("docs/atoms.md is not what the comments and the table say (%v); go test ./dc -update rewrites it", err)
	}
}

// TestAtomCommentsAreRead: a comment that lacks a property, or has an unknown one,
// is refused.
func TestAtomCommentsAreRead(t *testing.T) {
	whole := "F is f.\n\n"
	for _, k := range atomKeys {
		whole += "\t" + k + "  something\n"
	}
	if d, err := readAtomDoc(whole); err != nil || d.text != "F is f." || d.has["form"] != "something" {
		t.Errorf("%+v, %v", d, err)
	}
	for _, bad := range []string{"F is f.\n", strings.Replace(whole, "\tsign  something\n", "", 1), whole + "\tcolour  red\n", whole + "\tsign  any\n", "F.\n\n\tas \n"} {
		if _, err := readAtomDoc(bad); err == nil {
			t.Errorf("taken: %q", bad)
		}
	}
}
