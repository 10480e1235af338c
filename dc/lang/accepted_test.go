package lang_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/heuristic"
)

// accepted is an expression of problem files that has a split, of the variables x, y, z
// and w or of an array v, and the same in plain Go.
type accepted struct {
	box  string // of each variable, "" for [-2, 2]
	n    int    // variables; as an array where there are more than four
	expr string
	f    func(v []float64) float64
	// declared: the split needs the box as bounds of the variables; others take it as
	// constraints too, which say nothing about signs.
	declared bool
}

const (
	around   = ""           // 0
	positive = "[0.25, 3]"  // and away from 0
	fromZero = "[0, 2]"     // with 0
	below    = "[-3, -0.5]" // negative
)

func (a accepted) ends() (lo, hi float64) {
	box := a.box
	if box == "" {
		box = "[-2, 2]"
	}
	if _, err := fmt.Sscanf(box, "[%g, %g]", &lo, &hi); err != nil {
		panic(err)
	}
	return lo, hi
}

// source is a problem with the expression as its objective. Without declared the box is
// stated by rows.
func (a accepted) source(objective string, declared bool) string {
	names := []string{"x", "y", "z", "w"}[:min(a.n, 4)]
	if a.n > 4 {
		names = []string{fmt.Sprintf("v[%d]", a.n)}
	}
	lo, hi := a.ends()
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "var %s", name)
		if declared {
			fmt.Fprintf(&b, " in [%g, %g]", lo, hi)
		}
		fmt.Fprintf(&b, " start uniform(%g, %g)\n", lo, hi)
	}
	fmt.Fprintf(&b, "%s\n", objective)
	if !declared {
		b.WriteString("subject to\n")
		for _, name := range names {
			fmt.Fprintf(&b, "  %g <= %s <= %g\n", lo, strings.Split(name, "[")[0], hi)
		}
	}
	return b.String()
}

func compiled(src string) (*dc.Problem, error) {
	f, err := lang.Parse("p.dc", []byte(src))
	if err != nil {
		return nil, err
	}
	p, err := lang.Compile(context.Background(), f, lang.Options{})
	if err != nil {
		return nil, err
	}
	return p.Problem, nil
}

// draw is a point of the box.
func (a accepted) draw(rng *rand.Rand) []float64 {
	lo, hi := a.ends()
	x := make([]float64, a.n)
	for j := range x {
		x[j] = lo + (hi-lo)*rng.Float64()
	}
	return x
}

func sq(v float64) float64 { return v * v }

func hypot(v ...float64) float64 {
	s := 0.0
	for _, e := range v {
		s += e * e
	}
	return math.Sqrt(s)
}

// acceptedList are expressions that programs which look for one convex or concave rule
// refuse, and their relatives.
func acceptedList() []accepted {
	abs, exp, log, sqrt, pow := math.Abs, math.Exp, math.Log, math.Sqrt, math.Pow
	return []accepted{
		// Squares of DC functions.
		{around, 2, "(norm2([x, y]) - 1.5)^2", func(v []float64) float64 { return sq(hypot(v...) - 1.5) }, false},
		{around, 2, "square(1.5 - norm2([x - 1, y + 1]))", func(v []float64) float64 { return sq(1.5 - hypot(v[0]-1, v[1]+1)) }, false},
		{around, 4, "(norm2([x - z, y - w]) - 1)^2 + (norm2([x, y]) - 2)^2", func(v []float64) float64 { return sq(hypot(v[0]-v[2], v[1]-v[3])-1) + sq(hypot(v[0], v[1])-2) }, false},
		{around, 4, "(sumsq([x - z, y - w]) - 1)^2 + 0.1*x", func(v []float64) float64 { return sq(sq(v[0]-v[2])+sq(v[1]-v[3])-1) + .1*v[0] }, false},
		{around, 2, "(x*y - 3)^2", func(v []float64) float64 { return sq(v[0]*v[1] - 3) }, false},
		{around, 2, "(3 - x*y)^2", func(v []float64) float64 { return sq(3 - v[0]*v[1]) }, false},
		{around, 2, "(x*y + 3)^2", func(v []float64) float64 { return sq(v[0]*v[1] + 3) }, false},
		{around, 3, "(x*y*z - 1)^2", func(v []float64) float64 { return sq(v[0]*v[1]*v[2] - 1) }, false},
		{around, 2, "(norm1([x, y]) - norm2([x, y]))^2", func(v []float64) float64 { return sq(abs(v[0]) + abs(v[1]) - hypot(v...)) }, false},
		{around, 2, "(max(x, y) - abs(x + y))^2", func(v []float64) float64 { return sq(max(v[0], v[1]) - abs(v[0]+v[1])) }, false},
		{around, 2, "(min(x^2, y + 1) - 0.5)^2", func(v []float64) float64 { return sq(min(sq(v[0]), v[1]+1) - .5) }, false},
		{around, 2, "(exp(x) - exp(y) - 1)^2", func(v []float64) float64 { return sq(exp(v[0]) - exp(v[1]) - 1) }, false},
		{positive, 2, "(log(x) - y + 1)^2", func(v []float64) float64 { return sq(log(v[0]) - v[1] + 1) }, false},
		{positive, 2, "(sqrt(x) - y^2)^2", func(v []float64) float64 { return sq(sqrt(v[0]) - sq(v[1])) }, false},
		{positive, 2, "(x/y - 2)^2", func(v []float64) float64 { return sq(v[0]/v[1] - 2) }, true},
		{positive, 3, "(invpos(x) + y*z - 2)^2", func(v []float64) float64 { return sq(1/v[0] + v[1]*v[2] - 2) }, false},
		{around, 3, "(x^2 + y*z - y^3)^2", func(v []float64) float64 { return sq(sq(v[0]) + v[1]*v[2] - pow(v[1], 3)) }, false},
		{around, 2, "(x^2 + y)^2 - x", func(v []float64) float64 { return sq(sq(v[0])+v[1]) - v[0] }, false},
		{around, 2, "((x^2 + y - 1)^2 - 1)^2", func(v []float64) float64 { return sq(sq(sq(v[0])+v[1]-1) - 1) }, false},
		// Himmelblau, Beale, Booth, Goldstein and Price's quadratics, Matyas.
		{"[-5, 5]", 2, "(x^2 + y - 11)^2 + (x + y^2 - 7)^2", func(v []float64) float64 { return sq(sq(v[0])+v[1]-11) + sq(v[0]+sq(v[1])-7) }, false},
		{around, 2, "(1.5 - x + x*y)^2 + (2.25 - x + x*y^2)^2 + (2.625 - x + x*y^3)^2", func(v []float64) float64 {
			x, y := v[0], v[1]
			return sq(1.5-x+x*y) + sq(2.25-x+x*y*y) + sq(2.625-x+x*y*y*y)
		}, false},
		{around, 2, "(4 - 2.1*x^2 + x^4/3)*x^2 + x*y + (-4 + 4*y^2)*y^2", func(v []float64) float64 {
			x, y := v[0], v[1]
			return (4-2.1*x*x+pow(x, 4)/3)*x*x + x*y + (-4+4*y*y)*y*y
		}, false},
		// Products.
		{around, 2, "x*y", func(v []float64) float64 { return v[0] * v[1] }, false},
		{around, 3, "x*y*z", func(v []float64) float64 { return v[0] * v[1] * v[2] }, false},
		{around, 4, "x*y*z*w", func(v []float64) float64 { return v[0] * v[1] * v[2] * v[3] }, false},
		{around, 3, "x*y*z + x*y - z^2", func(v []float64) float64 { return v[0]*v[1]*v[2] + v[0]*v[1] - sq(v[2]) }, false},
		{around, 3, "x*y^2*z^3", func(v []float64) float64 { return v[0] * sq(v[1]) * pow(v[2], 3) }, false},
		{around, 2, "(abs(x) - abs(y))*(norm2([x, y]) - 1)", func(v []float64) float64 { return (abs(v[0]) - abs(v[1])) * (hypot(v...) - 1) }, false},
		{around, 2, "(x^2 - y^2)*(x^2 - y)", func(v []float64) float64 { return (sq(v[0]) - sq(v[1])) * (sq(v[0]) - v[1]) }, false},
		{around, 2, "max(x, y)*min(x, y)", func(v []float64) float64 { return max(v[0], v[1]) * min(v[0], v[1]) }, false},
		{around, 2, "x*exp(y)", func(v []float64) float64 { return v[0] * exp(v[1]) }, false},
		{positive, 2, "x*log(y)", func(v []float64) float64 { return v[0] * log(v[1]) }, false},
		{positive, 2, "log(x)*log(y)", func(v []float64) float64 { return log(v[0]) * log(v[1]) }, true},
		{positive, 2, "sqrt(x)*y", func(v []float64) float64 { return sqrt(v[0]) * v[1] }, false},
		{positive, 2, "sqrt(x)*sqrt(y) - x", func(v []float64) float64 { return sqrt(v[0])*sqrt(v[1]) - v[0] }, false},
		{around, 2, "x*abs(y) - abs(x)*y", func(v []float64) float64 { return v[0]*abs(v[1]) - abs(v[0])*v[1] }, false},
		{around, 2, "x*norm2([x, y, 1])", func(v []float64) float64 { return v[0] * hypot(v[0], v[1], 1) }, false},
		{around, 2, "exp(x)*exp(-y)", func(v []float64) float64 { return exp(v[0] - v[1]) }, false},
		{around, 2, "exp(x)*(y^2 - 1)", func(v []float64) float64 { return exp(v[0]) * (sq(v[1]) - 1) }, false},
		{fromZero, 2, "x*(x^2 + y^2) - x*y", func(v []float64) float64 { return v[0]*(sq(v[0])+sq(v[1])) - v[0]*v[1] }, false},
		// Roots of sums of squares, and of forms.
		{around, 2, "sqrt(sumsq([x - 1, y - 2]))", func(v []float64) float64 { return hypot(v[0]-1, v[1]-2) }, false},
		{around, 2, "sqrt((x - 1)^2 + y^2) + sqrt(x^2 + (y + 1)^2)", func(v []float64) float64 { return hypot(v[0]-1, v[1]) + hypot(v[0], v[1]+1) }, false},
		{around, 1, "sqrt(x^2 + 1)", func(v []float64) float64 { return hypot(v[0], 1) }, false},
		{around, 1, "-sqrt(x^2 + 1)", func(v []float64) float64 { return -hypot(v[0], 1) }, false},
		{around, 2, "sqrt(2*x^2 + 2*x*y + 3*y^2)", func(v []float64) float64 { return sqrt(2*sq(v[0]) + 2*v[0]*v[1] + 3*sq(v[1])) }, false},
		{around, 2, "sqrt([x, y]'*[2 1; 1 3]*[x, y])", func(v []float64) float64 { return sqrt(2*sq(v[0]) + 2*v[0]*v[1] + 3*sq(v[1])) }, false},
		{around, 2, "sqrt(quad([x, y], [2 1; 1 3]) + 0.5) - x", func(v []float64) float64 { return sqrt(2*sq(v[0])+2*v[0]*v[1]+3*sq(v[1])+.5) - v[0] }, false},
		{around, 2, "sqrt(1 + x^4)", func(v []float64) float64 { return sqrt(1 + pow(v[0], 4)) }, false},
		{around, 2, "sqrt(1 + x^2*y^2)", func(v []float64) float64 { return sqrt(1 + sq(v[0]*v[1])) }, false},
		{around, 2, "sqrt(1 + exp(x) + y^2)", func(v []float64) float64 { return sqrt(1 + exp(v[0]) + sq(v[1])) }, false},
		{around, 2, "sqrt(1 + abs(x) - 0.1*abs(y))", func(v []float64) float64 { return sqrt(1 + abs(v[0]) - .1*abs(v[1])) }, true},
		{around, 2, "norm2([x^2 - y, x - 1])", func(v []float64) float64 { return hypot(sq(v[0])-v[1], v[0]-1) }, false},
		{around, 2, "norm2([x*y - 1, abs(x) - 1])", func(v []float64) float64 { return hypot(v[0]*v[1]-1, abs(v[0])-1) }, false},
		{around, 2, "norm1([x^2 - y, x*y - 1])", func(v []float64) float64 { return abs(sq(v[0])-v[1]) + abs(v[0]*v[1]-1) }, false},
		{around, 2, "norminf([x^2 - y, x*y - 1])", func(v []float64) float64 { return max(abs(sq(v[0])-v[1]), abs(v[0]*v[1]-1)) }, false},
		{around, 2, "huber(x*y - 1, 1)", func(v []float64) float64 { return huberOf(v[0]*v[1]-1, 1) }, false},
		{around, 2, "huber(norm2([x, y]) - 1.5, 0.5)", func(v []float64) float64 { return huberOf(hypot(v...)-1.5, .5) }, false},
		{around, 2, "logistic(x*y - 1)", func(v []float64) float64 { return log(1 + exp(v[0]*v[1]-1)) }, false},
		// Logarithms.
		{positive, 1, "log(invpos(x))", func(v []float64) float64 { return -log(v[0]) }, false},
		{positive, 1, "-log(invpos(x)) + x^2", func(v []float64) float64 { return log(v[0]) + sq(v[0]) }, false},
		{around, 1, "log(1 + x^2)", func(v []float64) float64 { return log(1 + sq(v[0])) }, false},
		{around, 2, "-log(1 + (x - y)^2) + 0.1*x^2", func(v []float64) float64 { return -log(1+sq(v[0]-v[1])) + .1*sq(v[0]) }, false},
		{around, 2, "log(1 + (x*y - 1)^2)", func(v []float64) float64 { return log(1 + sq(v[0]*v[1]-1)) }, false},
		{around, 2, "log(1 + abs(x)) + log(1 + abs(y)) + (x + y - 1)^2", func(v []float64) float64 { return log(1+abs(v[0])) + log(1+abs(v[1])) + sq(v[0]+v[1]-1) }, false},
		{around, 2, "log(exp(x) + exp(y))", func(v []float64) float64 { return log(exp(v[0]) + exp(v[1])) }, false},
		{around, 2, "log(8 + x*y - 0.5*abs(x))", func(v []float64) float64 { return log(8 + v[0]*v[1] - .5*abs(v[0])) }, true},
		{positive, 2, "log(x*y)", func(v []float64) float64 { return log(v[0] * v[1]) }, true},
		{positive, 2, "log(x/y)", func(v []float64) float64 { return log(v[0] / v[1]) }, true},
		{positive, 2, "log(sqrt(x)*y)", func(v []float64) float64 { return log(sqrt(v[0]) * v[1]) }, true},
		{positive, 2, "entr(x*y)", func(v []float64) float64 { return -v[0] * v[1] * log(v[0]*v[1]) }, true},
		{positive, 1, "log(x)^2", func(v []float64) float64 { return sq(log(v[0])) }, true},
		// Exponential functions.
		{around, 2, "exp(x*y)", func(v []float64) float64 { return exp(v[0] * v[1]) }, true},
		{around, 2, "exp(-x^2 - y^2)", func(v []float64) float64 { return exp(-sq(v[0]) - sq(v[1])) }, false},
		{around, 2, "-exp(-(x - 1)^2 - (y + 1)^2)", func(v []float64) float64 { return -exp(-sq(v[0]-1) - sq(v[1]+1)) }, false},
		{around, 2, "exp(x^2 - y^2)", func(v []float64) float64 { return exp(sq(v[0]) - sq(v[1])) }, true},
		{around, 2, "exp(abs(x) - abs(y))", func(v []float64) float64 { return exp(abs(v[0]) - abs(v[1])) }, true},
		{around, 2, "exp(-abs(x)) + exp(-abs(y)) + 0.2*(x - y)^2", func(v []float64) float64 { return exp(-abs(v[0])) + exp(-abs(v[1])) + .2*sq(v[0]-v[1]) }, false},
		{around, 1, "x*exp(-x^2)", func(v []float64) float64 { return v[0] * exp(-sq(v[0])) }, false},
		{around, 2, "1 - exp(-(x*y - 1)^2)", func(v []float64) float64 { return 1 - exp(-sq(v[0]*v[1]-1)) }, true},
		// Quotients.
		{positive, 2, "x/y", func(v []float64) float64 { return v[0] / v[1] }, true},
		{positive, 3, "x*z/y", func(v []float64) float64 { return v[0] * v[2] / v[1] }, true},
		{positive, 2, "(x - 1)/(x + y)", func(v []float64) float64 { return (v[0] - 1) / (v[0] + v[1]) }, true},
		{positive, 2, "-(x + 2*y)^2/(x^2 + y^2)", func(v []float64) float64 { return -sq(v[0]+2*v[1]) / (sq(v[0]) + sq(v[1])) }, true},
		{positive, 2, "(x^2 + y^2)/(x + y)", func(v []float64) float64 { return (sq(v[0]) + sq(v[1])) / (v[0] + v[1]) }, true},
		{positive, 2, "x/(1 + y^2)", func(v []float64) float64 { return v[0] / (1 + sq(v[1])) }, true},
		{around, 2, "x/(1 + y^2)", func(v []float64) float64 { return v[0] / (1 + sq(v[1])) }, false},
		{around, 2, "(x^2 - y)/(1 + x^2 + y^2)", func(v []float64) float64 { return (sq(v[0]) - v[1]) / (1 + sq(v[0]) + sq(v[1])) }, false},
		{around, 2, "x^2/(1 + x^2) + y^2/(1 + y^2) + (x + y - 1)^2", func(v []float64) float64 {
			return sq(v[0])/(1+sq(v[0])) + sq(v[1])/(1+sq(v[1])) + sq(v[0]+v[1]-1)
		}, false},
		{around, 2, "x/norm2([x, y, 1])", func(v []float64) float64 { return v[0] / hypot(v[0], v[1], 1) }, false},
		{around, 2, "abs(x)/(abs(x) + 1) - y/(2 + y^2)", func(v []float64) float64 { return abs(v[0])/(abs(v[0])+1) - v[1]/(2+sq(v[1])) }, false},
		{positive, 2, "invpos(x*y)", func(v []float64) float64 { return 1 / (v[0] * v[1]) }, true},
		{positive, 2, "1/x - 1/y", func(v []float64) float64 { return 1/v[0] - 1/v[1] }, true},
		{below, 2, "x/y", func(v []float64) float64 { return v[0] / v[1] }, true},
		{below, 2, "1/(x*y)", func(v []float64) float64 { return 1 / (v[0] * v[1]) }, true},
		{positive, 2, "x/y + y/x", func(v []float64) float64 { return v[0]/v[1] + v[1]/v[0] }, true},
		{positive, 2, "(x - y)/x^2", func(v []float64) float64 { return (v[0] - v[1]) / sq(v[0]) }, true},
		{positive, 2, "log(x)/y", func(v []float64) float64 { return log(v[0]) / v[1] }, true},
		{positive, 2, "exp(x)/(x + y)", func(v []float64) float64 { return exp(v[0]) / (v[0] + v[1]) }, true},
		{positive, 2, "sqrt(x)/(1 + x) - y/(1 + x*y)", func(v []float64) float64 { return sqrt(v[0])/(1+v[0]) - v[1]/(1+v[0]*v[1]) }, true},
		// Powers.
		{around, 1, "x^3", func(v []float64) float64 { return pow(v[0], 3) }, false},
		{around, 1, "x^4 - x^2 + 0.1*x", func(v []float64) float64 { return pow(v[0], 4) - sq(v[0]) + .1*v[0] }, false},
		{around, 1, "x^6 - 2*x^4 + 0.3*x", func(v []float64) float64 { return pow(v[0], 6) - 2*pow(v[0], 4) + .3*v[0] }, false},
		{around, 1, "x^5 - x^3", func(v []float64) float64 { return pow(v[0], 5) - pow(v[0], 3) }, false},
		{positive, 2, "x^1.5 - y^2.5", func(v []float64) float64 { return pow(v[0], 1.5) - pow(v[1], 2.5) }, false},
		{positive, 2, "x^0.3 - y^0.7 + (x - y)^2", func(v []float64) float64 { return pow(v[0], .3) - pow(v[1], .7) + sq(v[0]-v[1]) }, false},
		{positive, 2, "x^-1.5 - y^-0.5", func(v []float64) float64 { return pow(v[0], -1.5) - pow(v[1], -.5) }, true},
		{positive, 2, "(x*y)^1.5", func(v []float64) float64 { return pow(v[0]*v[1], 1.5) }, true},
		{positive, 2, "(x*y)^0.5 - x", func(v []float64) float64 { return pow(v[0]*v[1], .5) - v[0] }, true},
		{positive, 2, "x^1.5*y^-0.5", func(v []float64) float64 { return pow(v[0], 1.5) * pow(v[1], -.5) }, true},
		{positive, 3, "x^0.3*y^0.4*z^-0.7", func(v []float64) float64 { return pow(v[0], .3) * pow(v[1], .4) * pow(v[2], -.7) }, true},
		{around, 2, "(x^2 + y^2 + 1)^1.5 - 4*x", func(v []float64) float64 { return pow(sq(v[0])+sq(v[1])+1, 1.5) - 4*v[0] }, false},
		{around, 2, "(x^2 + y^2 + 1)^0.25", func(v []float64) float64 { return pow(sq(v[0])+sq(v[1])+1, .25) }, false},
		{around, 2, "(x^2 + y^2 + 1)^-2", func(v []float64) float64 { return pow(sq(v[0])+sq(v[1])+1, -2) }, false},
		{around, 2, "(x*y - 1)^3", func(v []float64) float64 { return pow(v[0]*v[1]-1, 3) }, false},
		{around, 2, "(abs(x) - abs(y))^3", func(v []float64) float64 { return pow(abs(v[0])-abs(v[1]), 3) }, false},
		{around, 2, "(abs(x) - abs(y))^4 - x", func(v []float64) float64 { return pow(abs(v[0])-abs(v[1]), 4) - v[0] }, false},
		{around, 2, "abs(x*y)^1.5", func(v []float64) float64 { return pow(abs(v[0]*v[1]), 1.5) }, true},
		// Maxima, minima and absolute values, nested.
		{around, 2, "max(x*y, x - y, abs(x) - abs(y))", func(v []float64) float64 { return max(v[0]*v[1], v[0]-v[1], abs(v[0])-abs(v[1])) }, false},
		{around, 2, "min(max(x, y), abs(x - y), 1)", func(v []float64) float64 { return min(max(v[0], v[1]), abs(v[0]-v[1]), 1) }, false},
		{around, 2, "abs(abs(abs(x) - 1) - 0.5) + 0.1*(x - y)^2", func(v []float64) float64 { return abs(abs(abs(v[0])-1)-.5) + .1*sq(v[0]-v[1]) }, false},
		{around, 2, "abs(min(x, y)*max(x, y) - 1)", func(v []float64) float64 { return abs(min(v[0], v[1])*max(v[0], v[1]) - 1) }, false},
		{around, 2, "pos(x*y - 1) - pos(x^2 - y^2)", func(v []float64) float64 { return max(v[0]*v[1]-1, 0) - max(sq(v[0])-sq(v[1]), 0) }, false},
		{around, 2, "max(min(x, y^2), min(y, x^2))", func(v []float64) float64 { return max(min(v[0], sq(v[1])), min(v[1], sq(v[0]))) }, false},
		{around, 3, "sumlargest([x*y, y - z, abs(z) - 1], 2)", func(v []float64) float64 {
			a := []float64{v[0] * v[1], v[1] - v[2], abs(v[2]) - 1}
			return a[0] + a[1] + a[2] - min(a[0], a[1], a[2])
		}, false},
		{around, 3, "min(x^2, 1) + min(y^2, 1) + min(abs(z), 1) + 0.5*(x + y + z - 3)^2", func(v []float64) float64 {
			return min(sq(v[0]), 1) + min(sq(v[1]), 1) + min(abs(v[2]), 1) + .5*sq(v[0]+v[1]+v[2]-3)
		}, false},
		{around, 2, "exp(min(x, y)) - max(exp(x), 1 + y)", func(v []float64) float64 { return exp(min(v[0], v[1])) - max(exp(v[0]), 1+v[1]) }, true},
		{around, 2, "log(1 + max(x*y, x^2))", func(v []float64) float64 { return log(1 + max(v[0]*v[1], sq(v[0]))) }, true},
		{positive, 2, "max(x/y, y/x) - min(x, y)", func(v []float64) float64 { return max(v[0]/v[1], v[1]/v[0]) - min(v[0], v[1]) }, true},
		{positive, 2, "kl(x, y) - x*y", func(v []float64) float64 { return v[0]*log(v[0]/v[1]) - v[0] + v[1] - v[0]*v[1] }, false},
		{fromZero, 2, "xexp(x) - xexp(y) + x*y", func(v []float64) float64 { return v[0]*exp(v[0]) - v[1]*exp(v[1]) + v[0]*v[1] }, false},
		{positive, 3, "geomean(x, y, z) - x*y*z", func(v []float64) float64 { return math.Cbrt(v[0]*v[1]*v[2]) - v[0]*v[1]*v[2] }, false},
		{positive, 2, "geomean(x, y)*x", func(v []float64) float64 { return sqrt(v[0]*v[1]) * v[0] }, false},
		{positive, 2, "quadoverlin(x, y) - x*y", func(v []float64) float64 { return sq(v[0])/v[1] - v[0]*v[1] }, false},
		{positive, 2, "sqrt(quadoverlin(x, y))", func(v []float64) float64 { return v[0] / sqrt(v[1]) }, true},
	}
}

func huberOf(u, m float64) float64 {
	if math.Abs(u) <= m {
		return u * u
	}
	return 2*m*math.Abs(u) - m*m
}

// drawnPolynomials are polynomials of all degrees to 6 in one to four variables, and
// Rosenbrock's function of two to ten.
func drawnPolynomials() []accepted {
	var out []accepted
	for n := 2; n <= 10; n++ {
		name := func(k int) string {
			if n > 4 {
				return fmt.Sprintf("v[%d]", k+1)
			}
			return []string{"x", "y", "z", "w"}[k]
		}
		var terms []string
		for k := range n - 1 {
			terms = append(terms, fmt.Sprintf("100*(%s - %s^2)^2 + (1 - %s)^2", name(k+1), name(k), name(k)))
		}
		out = append(out, accepted{around, n, strings.Join(terms, " + "), func(v []float64) float64 {
			s := 0.0
			for k := range n - 1 {
				s += 100*sq(v[k+1]-sq(v[k])) + sq(1-v[k])
			}
			return s
		}, false})
	}
	rng := rand.New(rand.NewPCG(1, 15))
	for n := 1; n <= 4; n++ {
		for degree := 2; degree <= 6; degree++ {
			type monomial struct {
				c float64
				p []int
			}
			var list []monomial
			var terms []string
			for range 3 + n {
				m := monomial{math.Round(rng.NormFloat64()*8) / 8, make([]int, n)}
				for range degree - rng.IntN(2) {
					m.p[rng.IntN(n)]++
				}
				var factors []string
				for j, p := range m.p {
					if p > 0 {
						factors = append(factors, fmt.Sprintf("%s^%d", []string{"x", "y", "z", "w"}[j], p))
					}
				}
				if len(factors) == 0 || m.c == 0 {
					continue
				}
				list, terms = append(list, m), append(terms, fmt.Sprintf("(%g)*%s", m.c, strings.Join(factors, "*")))
			}
			out = append(out, accepted{around, n, strings.Join(terms, " + "), func(v []float64) float64 {
				s := 0.0
				for _, m := range list {
					t := m.c
					for j, p := range m.p {
						t *= math.Pow(v[j], float64(p))
					}
					s += t
				}
				return s
			}, false})
		}
	}
	return out
}

// TestAccepted: each expression of the list has a split whichever side it stands on, its
// value is that of plain Go, its range holds the values, and it lies below the function
// that CCP minimises in its place: g less the tangent of h.
func TestAccepted(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 15))
	for _, a := range append(acceptedList(), drawnPolynomials()...) {
		for _, objective := range []string{"minimize ", "maximize "} {
			p, err := compiled(a.source(objective+a.expr, a.declared))
			if err != nil {
				t.Errorf("%s%s: %v", objective, a.expr, err)
				continue
			}
			if err := a.majorised(p, rng); err != nil {
				t.Errorf("%s%s: %v", objective, a.expr, err)
			}
		}
		for _, sign := range []string{"<=", ">="} {
			if _, err := compiled(a.source("minimize 0", a.declared) + subjectTo(a) + "  " + a.expr + " " + sign + " 0.5\n"); err != nil {
				t.Errorf("%s %s 0.5: %v", a.expr, sign, err)
			}
		}
	}
}

func subjectTo(a accepted) string {
	if a.declared {
		return "subject to\n"
	}
	return ""
}

// majorised compares the objective of p, exact, with a at random points.
func (a accepted) majorised(p *dc.Problem, rng *rand.Rand) error {
	e := p.Exact().Program().Objective
	sign := 1.0
	if p.Program().Maximize {
		sign = -1
	}
	g, h, r := e.G(), e.H(), e.Over()
	grad := make([]float64, p.NumVars())
	for range 60 {
		z, x := a.draw(rng), a.draw(rng)
		want := sign * a.f(x)
		v, bound := e.Evaluate(x)
		if math.Abs(v-want) > bound+1e-12*(1+math.Abs(want)) {
			return fmt.Errorf("%.17g at %v, want %.17g", v, x, want)
		}
		if v < r.Lo || v > r.Hi {
			return fmt.Errorf("%g at %v is outside of the range %v", v, x, r)
		}
		hz := h.Value(z)
		clear(grad)
		h.AddSubgrad(grad, 1, z)
		tangent := hz
		for j := range x {
			tangent += grad[j] * (x[j] - z[j])
		}
		size := 1 + math.Abs(g.Value(x)) + math.Abs(tangent)
		if above := g.Value(x) - tangent; above < want-1e-9*size {
			return fmt.Errorf("g less the tangent of h at %v is %g at %v, below %g", z, above, x, want)
		}
		if at := g.Value(z) - hz - sign*a.f(z); math.Abs(at) > 1e-9*size+bound {
			return fmt.Errorf("the split is off by %g at %v", at, z)
		}
	}
	return nil
}

// TestAcceptedConverge: the descent, with jumps along the coordinates, goes to a point from which
// no direction into the box leads down, and no iteration leads up, with the box as bounds and as
// rows.
func TestAcceptedConverge(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 15))
	set := ccp.DefaultSettings()
	set.Heuristics.Search = heuristic.Search{Coordinates: 10}
	solves := 0
	for _, a := range append(acceptedList(), drawnPolynomials()...) {
		for _, objective := range []string{"minimize ", "maximize "} {
			for _, declared := range []bool{true, false} {
				if a.declared && !declared {
					continue
				}
				p, err := compiled(a.source(objective+a.expr, declared))
				if err != nil {
					continue // TestAccepted says so
				}
				set.Seed = uint64(solves)
				res, err := ccp.Solve(context.Background(), p, nil, set)
				if err != nil {
					t.Errorf("%s%s: %v", objective, a.expr, err)
					continue
				}
				solves++
				if res.Status != ccp.Converged || !res.Feasible {
					t.Errorf("%s%s, declared %v: %v after %d iterations at %v with %g; %s", objective, a.expr, declared, res.Status, res.Iterations, res.X, res.Objective, res.Message)
					continue
				}
				if err := a.stationary(p, res, rng); err != nil {
					t.Errorf("%s%s, declared %v, %d iterations: %v", objective, a.expr, declared, res.Iterations, err)
				}
			}
		}
	}
	t.Logf("%d descents", solves)
}

// stationary looks for a direction of descent at the result, to points of the box.
func (a accepted) stationary(p *dc.Problem, res *ccp.Result, rng *rand.Rand) error {
	sign := 1.0
	if p.Program().Maximize {
		sign = -1
	}
	lo, hi := a.ends()
	x := res.X
	for j := range x {
		x[j] = min(max(x[j], lo), hi)
	}
	at := sign * a.f(x)
	least, most := at, at
	for range 200 {
		v := sign * a.f(a.draw(rng))
		least, most = min(least, v), max(most, v)
	}
	const step = 1e-3
	steepest, to := 0.0, []float64(nil)
	look := func(y []float64) {
		z := make([]float64, len(x))
		for j := range z {
			z[j] = x[j] + step*(y[j]-x[j])
		}
		if d := (at - sign*a.f(z)) / step; d > steepest {
			steepest, to = d, y
		}
	}
	for j := range x {
		for _, end := range []float64{lo, hi} {
			y := append([]float64(nil), x...)
			y[j] = end
			look(y)
		}
	}
	for range 40 {
		look(a.draw(rng))
	}
	if steepest > 5e-3*(most-least) {
		return fmt.Errorf("at %v with %g, range %g to %g, the slope towards %v is %g", x, sign*at, least, most, to, -steepest)
	}
	return nil
}
