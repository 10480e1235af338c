package verify_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp/global/prooffile"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/ccp/global"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/dc/lang/reader"
	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/verify"
)

var (
	soundness = flag.Int("soundness", 100, "random problems of TestBoundsAreSound")
	free      = flag.Int("free", 15, "random problems of TestBoundsOfFreeVariables")
	first     = flag.Uint64("first", 0, "the number of the first of them")
)

// rounding are problems on which rounding errors made proofs weaker than their results: those of
// the first line have coefficients that are rounding errors, those of the second narrow boxes
// through roots of rounding errors. The last has a convex constraint that no point meets.
var rounding = []uint64{
	671, 696, 949, 2337, 3074, 3780,
	5978, 9881, 10758, 17942, 110364, 961045,
}

// drawer writes random problems over n variables in boxes.
type drawer struct {
	*rand.Rand
	n      int
	lo, hi []float64
	smooth bool // with functions of either curvature
}

// number has few digits.
func (d *drawer) number(scale float64) float64 {
	return math.Round(100*scale*(2*d.Float64()-1)) / 100
}

// affine is an affine function and its range over the box.
func (d *drawer) affine() (text string, lo, hi float64) {
	var b strings.Builder
	for j := range d.n {
		if d.IntN(d.n) > 1 {
			continue
		}
		w := d.number(1)
		fmt.Fprintf(&b, "%+.2f*x[%d] ", w, j+1)
		lo, hi = lo+min(w*d.lo[j], w*d.hi[j]), hi+max(w*d.lo[j], w*d.hi[j])
	}
	c := d.number(1)
	fmt.Fprintf(&b, "%+.2f", c)
	return strings.TrimPrefix(b.String(), "+"), lo + c, hi + c
}

func (d *drawer) any() string {
	a, _, _ := d.affine()
	return a
}

// positive is an affine function that is positive on the box.
func (d *drawer) positive() string {
	a, lo, _ := d.affine()
	return fmt.Sprintf("%s %+.2f", a, math.Ceil(-lo*100)/100+0.05+math.Round(100*d.Float64())/100)
}

// atom is a function.
func (d *drawer) atom() string {
	a, b, c := d.any(), d.any(), d.any()
	p, q := d.positive(), d.positive()
	kinds := []string{
		"(" + a + ")^2", "abs(" + a + ")", "pos(" + a + ")", "exp(" + a + ")", "log(" + p + ")", "entr(" + p + ")",
		"logistic(" + a + ")", "xexp(" + p + ")", "sqrt(" + p + ")", "invpos(" + p + ")", "(" + a + ")^3", "(" + a + ")^4",
		"(" + p + ")^1.5", "(" + p + ")^0.3", "(" + p + ")^-0.5", "huber(" + a + ", 0.5)", "norm2([" + a + ", " + b + "])",
		"lse([" + a + ", " + b + "])", "max(" + a + ", " + b + ", " + c + ")", "min(" + a + ", " + b + ")",
		"(" + a + ")*(" + b + ")", "quadoverlin([" + a + ", " + b + "], " + p + ")", "kl(" + p + ", " + q + ")",
		"geomean([" + p + ", " + q + "])", "sumlargest([" + a + ", " + b + ", " + c + "], 2)", "norminf([" + a + ", " + b + "])",
		"norm1([" + a + ", " + b + "])", "sumsq([" + a + ", " + b + "])", "quad([" + a + ", " + b + "], [1 2; 2 -1])",
		"square(norm2([" + a + ", " + b + "]))", "exp(-abs(" + a + "))", "x[1]*x[2]", "x[1]^2", "max(abs(" + a + "), (" + b + ")^2)",
	}
	if d.smooth && d.IntN(3) > 0 {
		u := fmt.Sprintf("(%.2f)*(%s)", 0.2+4*d.Float64(), a)
		kinds = []string{
			"sin(" + u + ")", "cos(" + u + ")", "tan(0.15*(" + a + "))", "atan(" + u + ")", "sinh(" + a + ")", "cosh(" + a + ")",
			"tanh(" + u + ")", "asinh(" + u + ")", "atanh(0.1*(" + a + "))", "sigmoid(" + u + ")", "erf(" + u + ")", "normcdf(" + u + ")",
			"log1p(" + p + ")", "expm1(" + a + ")", "log2(" + p + ")", "log10(" + p + ")", "(" + p + ")^(" + a + ")", "1.7^(" + a + ")",
			"sin(" + u + ")*(" + b + ")", "sin(" + a + ")*cos(" + b + ")", "exp(sin(" + a + "))", "tanh(" + u + ")^2", "abs(sin(" + u + "))",
			"sin((" + a + ")^2)", "max(tanh(" + a + "), " + b + ")", "cos(" + a + ")/(" + p + ")", "cos(" + a + ")*invpos(" + p + ")", "tanh(" + a + " + 0.5*sin(" + b + "))",
		}
	}
	return kinds[d.IntN(len(kinds))]
}

func (d *drawer) sum(terms int) string {
	parts := []string{d.any()}
	for range terms {
		w := d.number(2)
		if w == 0 {
			w = 1
		}
		parts = append(parts, fmt.Sprintf("(%.2f)*%s", w, d.atom()))
	}
	return strings.Join(parts, " + ")
}

// drawProblem is a random problem file over 2 to 4 variables.
func drawProblem(seed uint64, smooth bool) string {
	d := &drawer{Rand: rand.New(rand.NewPCG(seed, 0x736f756e64)), smooth: smooth}
	d.n = 2 + d.IntN(3)
	var b strings.Builder
	lo, hi := make([]string, d.n), make([]string, d.n)
	for j := range d.n {
		l := d.number(1)
		w := 0.25 + math.Round(100*1.5*d.Float64())/100
		d.lo, d.hi = append(d.lo, l), append(d.hi, l+w)
		lo[j], hi[j] = fmt.Sprintf("%.2f", l), fmt.Sprintf("%.2f", l+w)
	}
	fmt.Fprintf(&b, "var x[%d] in [[%s], [%s]]\n", d.n, strings.Join(lo, ", "), strings.Join(hi, ", "))
	verb := "minimize"
	if d.IntN(3) == 0 {
		verb = "maximize"
	}
	fmt.Fprintf(&b, "%s %s\n", verb, d.sum(1+d.IntN(4)))
	if m := d.IntN(3); m > 0 {
		b.WriteString("subject to\n")
		for i := range m {
			fmt.Fprintf(&b, "  c%d: %s <= %.2f\n", i+1, d.sum(1+d.IntN(2)), d.number(2)+0.5)
		}
	}
	return b.String()
}

// onGrid calls f for the points of a grid in the bounds of p.
func onGrid(p *dc.Problem, f func(x []float64)) {
	n := p.NumVars()
	steps := map[int]int{2: 40, 3: 14, 4: 8}[n]
	x, k := make([]float64, n), make([]int, n)
	for {
		for _, v := range p.Program().Vars {
			for j := range v.Len() {
				lo, hi := v.Bounds(j)
				x[v.Offset+j] = min(lo+(hi-lo)*float64(k[v.Offset+j])/float64(steps), hi)
			}
		}
		f(x)
		j := 0
		for ; j < n; j++ {
			if k[j]++; k[j] <= steps {
				break
			}
			k[j] = 0
		}
		if j == n {
			return
		}
	}
}

// accepted: the proof of res shows its bound.
func accepted(t *testing.T, src string, res *global.Result) bool {
	t.Helper()
	p, err := verify.Read(context.Background(), src, reader.NewData(nil, "."), nil)
	if err != nil {
		t.Error(err)
		return false
	}
	var file bytes.Buffer
	if err := prooffile.Write(&file, res.Proof); err != nil {
		t.Error(err)
		return false
	}
	out, err := p.Proof(context.Background(), &file)
	if err != nil {
		t.Error(err)
		return false
	}
	bound := res.Bound
	slack := 1e-9 * max(1, math.Abs(bound))
	if math.IsInf(bound, 0) {
		slack = 0
	}
	if p.Maximize && out.Lower <= bound+slack || !p.Maximize && out.Lower >= bound-slack {
		return true
	}
	t.Errorf("the proof shows %.12g, the result claims %.12g", out.Lower, bound)
	return false
}

// TestPowers: proofs of problems with powers show their bounds, whatever the signs of arguments.
func TestPowers(t *testing.T) {
	for _, objective := range []string{
		"4*x^2 - 2.1*x^4 + x^6/3 + x*y - 4*y^2 + 4*y^4", "x^8 - 3*x^4 + x*y + y^2", "(x + y)^6 - 3*x^2*y^2 + x",
		"x^5 - 3*x^3 + x*y + y^2", "(x^2 + 1)^4 - 3*x*y", "(x^2 - y)^3 - 3*x*y", "(x^2 - y)^6 - 3*x*y", "(x^2 - y)^7 - 3*x*y",
		"(-x^2 - 1)^4 - 3*x*y", "(exp(x) - y^2)^8 - 3*x*y", "x^10*y - x^2", "(x*y)^4 - x", "norm([x, y], 3)^4 - x*y",
	} {
		for _, bounds := range []string{"[-1.3, 1.7]", "[0.2, 1.9]", "[-2, -0.3]"} {
			src := fmt.Sprintf("var x in %s\nvar y in [-1.5, 1.2]\nminimize %s\n", bounds, objective)
			set := ccp.DefaultSettings()
			set.Global.MaxNodes, set.Global.Proof = 300, true
			res, err := global.Solve(context.Background(), compiled(t, src), nil, 1, set)
			if err != nil || !accepted(t, src, res) {
				t.Errorf("%v\n%s", err, src)
			}
		}
	}
}

// TestLogarithms: proofs of problems whose products with logarithms, powers of powers, roots and
// squares that are 0 the search reads in other ways show their bounds.
func TestLogarithms(t *testing.T) {
	for _, objective := range []string{
		"x*log(x) - 2*y*log(y)", "x*log(x/y) - y*log(x)", "x*(log(x) - log(x + y)) + 3*log(y/(x + y))*y - 4*y*log(y)",
		"-log(2*x/y)*x - x*log(3*x)", "(2*x + y)*log(4*x + 2*y) - x*log(y)", "(0.3 - log(x^-0.5/y))*x",
		"log(1 + x/y)*x - log(x)*x", "-x*log(x*y) + log(x*(-y))*0 + y", "log((x + 2*y)/(3*x + y)) - log(x*y)*y",
		"(3/x)^0.6 - 2*(5/(x + y))^1.5", "-sqrt(x*y) + sqrt(2*x*(y + 1))*x", "x/(x - 2*y) - y*log(x)", "(x - 0.5)*log(x) - y^2",
	} {
		for _, bounds := range []string{"[0.3, 1.7]", "[1e-7, 2]", "[0, 1.9]"} {
			for _, also := range []string{"", "subject to\n  (x + y - 1.5)^2 == 0\n", "subject to\n  x + y == z\n  x*z + y*z <= 2\n"} {
				src := fmt.Sprintf("var x in %s\nvar y in [0.1, 1.2]\nvar z in [0, 3]\nminimize %s\n%s", bounds, objective, also)
				set := ccp.DefaultSettings()
				set.Global.MaxNodes, set.Global.Proof = 100, true
				p := compiled(t, src)
				if p == nil {
					continue
				}
				res, err := global.Solve(context.Background(), p, nil, 1, set)
				if err != nil || res.Proof != nil && !accepted(t, src, res) {
					t.Errorf("%v\n%s", err, src)
				}
			}
		}
	}
}

// bestOnGrid is the least cost of the points of a grid that are feasible, those of the largest
// negated.
func bestOnGrid(p *dc.Problem) float64 {
	best := math.Inf(1)
	onGrid(p, func(x []float64) {
		if v, e := p.Program().Objective.Evaluate(x); p.Feasible(x, 1e-13) {
			best = min(best, v+e)
		}
	})
	return best
}

// compiled is a problem, nil where a function of the text has no split.
func compiled(t testing.TB, src string) *dc.Problem {
	t.Helper()
	file, err := lang.Parse("random.dc", []byte(src))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	prog, err := lang.Compile(context.Background(), file, lang.Options{})
	if err != nil {
		if testing.Verbose() {
			t.Log(err)
		}
		return nil
	}
	return prog.Problem
}

// freed is a problem of drawProblem with its box in a ball as the only bound of the variables.
func freed(src string, p *dc.Problem) string {
	lo, hi := p.Box()
	var squares []string
	radius := 0.0
	for j := range lo {
		squares = append(squares, fmt.Sprintf("(x[%d] - %v)^2", j+1, (lo[j]+hi[j])/2))
		radius += (hi[j] - lo[j]) * (hi[j] - lo[j]) / 4
	}
	_, rest, _ := strings.Cut(src, "\n")
	if !strings.Contains(rest, "subject to") {
		rest += "subject to\n"
	}
	return fmt.Sprintf("var x[%d]\n%s  ball: %s <= %v\n", len(lo), rest, strings.Join(squares, " + "), 1.0001*radius)
}

// TestBoundsOfFreeVariables: problems whose variables have no bounds but by a constraint. Their
// regions have those of the problems in boxes within.
func TestBoundsOfFreeVariables(t *testing.T) {
	bounded := 0
	for seed := range uint64(*free) {
		src := drawProblem(*first+seed, seed%2 == 1)
		p := compiled(t, src)
		if p == nil {
			continue
		}
		ball := freed(src, p)
		q := compiled(t, ball)
		if q == nil {
			continue
		}
		set := ccp.DefaultSettings()
		set.Global.MaxNodes = 200
		set.Global.Proof = true
		set.Heuristics.Search.Hops = 2
		res, err := global.Solve(context.Background(), q, nil, 1, set)
		if err != nil {
			continue // bounds are asked for
		}
		bounded++
		if res.Proof != nil && !accepted(t, ball, res) {
			t.Errorf("seed %d\n%s", seed, ball)
		}
		bound := res.Bound
		if p.Program().Maximize {
			bound = -bound
		}
		if res.Status == ccp.Infeasible {
			bound = math.Inf(1)
		}
		if best := bestOnGrid(p); bound > best+1e-12*math.Abs(best) {
			t.Errorf("seed %d: %v, the bound %.12g is above the value %.12g of a feasible point\n%s", seed, res.Status, bound, best, ball)
		}
	}
	t.Logf("%d of %d problems have bounds", bounded, *free)
	if bounded < *free/2 {
		t.Errorf("only %d of %d problems have bounds", bounded, *free)
	}
}

// TestBoundsAreSound: no bound of a random problem over all functions is above a feasible value on
// a grid, and few are left without a proof. -soundness 20000 is the long run, -first 20000 begins
// with others.
func TestBoundsAreSound(t *testing.T) {
	refused, proved, infeasible := 0, 0, 0
	type draw struct {
		seed   uint64
		smooth bool
	}
	var draws []draw
	for _, seed := range rounding {
		draws = append(draws, draw{seed, false})
	}
	for k := range uint64(*soundness) {
		draws = append(draws, draw{*first + k, false}, draw{*first + k, true})
	}
	draws = shared.Sample(t, 5, draws)
	for _, at := range draws {
		src := drawProblem(at.seed, at.smooth)
		p := compiled(t, src)
		if p == nil {
			refused++
			continue
		}
		set := ccp.DefaultSettings()
		set.Global.MaxNodes = 3000
		set.Global.Proof = true
		set.Heuristics.Search.Hops = 2
		res, err := global.Solve(context.Background(), p, nil, 1, set)
		if err != nil {
			t.Errorf("%v: %v\n%s", at, err, src)
			continue
		}
		if res.Proved {
			proved++
		} else if testing.Verbose() {
			t.Logf("%v: %v %s %g %g\n%s", at, res.Status, res.Message, res.Objective, res.Bound, src)
		}
		if !accepted(t, src, res) {
			t.Errorf("%v\n%s", at, src)
		}
		best := bestOnGrid(p)
		bound := res.Bound
		if p.Program().Maximize {
			bound = -bound
		}
		if res.Status == ccp.Infeasible {
			infeasible++
			bound = math.Inf(1)
		}
		if bound > best+1e-12*math.Abs(best) {
			t.Errorf("%v: %v, the bound %.12g is above the value %.12g of a feasible point\n%s", at, res.Status, bound, best, src)
		}
	}
	t.Logf("%d problems: %d proved, %d of them infeasible, %d no problems", len(draws), proved, infeasible, refused)
	if done := len(draws) - refused; refused > len(draws)/4 || proved < done-done/20 {
		t.Errorf("of %d problems %d are refused and %d proved", len(draws), refused, proved)
	}
}
