package problems

import (
	"fmt"
	"math"
	"strings"

	"github.com/dcopt/dcopt/internal/table"
	"github.com/dcopt/dcopt/qpbackend"
)

// written is a problem as text: P in full and A by rows, with ; between them, and behind the costs,
// after ;, the constant. Rows of a cone have its name in the place of their upper sides: soc, exp,
// psd, or pow with the exponent; a number behind the others tells cones apart that follow each
// other. A with "on" and a cone is a row for each variable, with the sides, and the variables in
// the cone. unique says whether x and y of an optimum are the only ones; the outcomes infeasible
// and unbounded stand in its place.
type written struct{ name, p, q, a, l, u, x, y, unique string }

// outcomes are those without an optimum.
var outcomes = map[string]qpbackend.Status{
	"infeasible": qpbackend.PrimalInfeasible, "unbounded": qpbackend.DualInfeasible,
}

// number reads a number, a root of one, or e.
func number(text string) float64 {
	if of, negative := strings.CutPrefix(text, "-"); negative {
		return -number(of)
	}
	if text == "e" {
		return math.E
	}
	of, root := strings.CutPrefix(text, "√")
	v, ok := table.Float(of)
	if !ok {
		panic(fmt.Sprintf("problems: %q is no number", text))
	}
	if root {
		v = math.Sqrt(v)
	}
	return v
}

// numbers reads a row of numbers and fractions, nil for none.
func numbers(text string) (v []float64) {
	for _, field := range strings.Fields(text) {
		of, by, fraction := strings.Cut(field, "/")
		v = append(v, number(of))
		if fraction {
			v[len(v)-1] /= number(by)
		}
	}
	return v
}

// sides reads numbers, n of them where there is none.
func sides(text string, n int, none float64) []float64 {
	if text == "" {
		return Filled(n, none)
	}
	return numbers(text)
}

// cone reads the name of a cone.
func cone(name string) (c qpbackend.Cone, ok bool) {
	for k, prefix := range [...]string{"soc", "exp", "pow", "psd"} {
		if rest, is := strings.CutPrefix(name, prefix); is {
			c.Kind = Kinds[k]
			if c.Kind == qpbackend.Power {
				c.Alpha = number(rest)
			}
			return c, true
		}
	}
	return c, false
}

// uppers sets the upper sides of p, and the cones that stand among them.
func uppers(p *qpbackend.Problem, text string) {
	last := ""
	for i, name := range strings.Fields(text) {
		c, ok := cone(name)
		switch {
		case !ok:
			p.U = append(p.U, number(name))
		case name != last:
			c.Start, c.Len = i, 1
			p.U, p.Cones = append(p.U, 0), append(p.Cones, c)
		default:
			p.U = append(p.U, 0)
			p.Cones[len(p.Cones)-1].Len++
		}
		last = name
	}
}

// byRows reads the rows of a matrix.
func byRows(text string) (rows [][]float64) {
	for _, row := range strings.Split(text, ";") {
		rows = append(rows, numbers(row))
	}
	return rows
}

// read makes the cases.
func read(list []written) (out []Case) {
	for _, w := range list {
		q := byRows(w.q)
		p := &qpbackend.Problem{Q: q[0]}
		if name, on := strings.CutPrefix(w.a, "on "); on {
			c, _ := cone(name)
			n := len(p.Q)
			p = OnCone(c.Kind, c.Alpha, p.Q, sides(w.l, n, -Inf()), sides(w.u, n, Inf()))
		} else {
			p.L = numbers(w.l)
			if uppers(p, w.u); w.a != "" {
				p.A = Matrix(len(p.Q), byRows(w.a)...)
			}
		}
		if len(q) > 1 {
			p.R = q[1][0]
		}
		if w.p != "" {
			p.P = Upper(byRows(w.p)...)
		}
		want, none := outcomes[w.unique]
		c := Case{Name: w.name, Problem: p, Want: want}
		if !none {
			c = Solved(w.name, p, numbers(w.x), numbers(w.y), strings.Contains(w.unique, "x"),
				strings.Contains(w.unique, "y"))
		}
		out = append(out, c)
	}
	return out
}
