package problems

import (
	"fmt"
	"strings"

	"github.com/dcopt/dcopt/internal/table"
	"github.com/dcopt/dcopt/qpbackend"
)

// written is a problem as text: P in full and A by rows, with ; between them, and behind the costs,
// after ;, the constant. unique says whether x and y of an optimum are the only ones; the outcomes
// infeasible and unbounded stand in its place.
type written struct{ name, p, q, a, l, u, x, y, unique string }

// numbers reads a row of numbers and fractions, nil for none.
func numbers(text string) (v []float64) {
	for _, field := range strings.Fields(text) {
		of, by, fraction := strings.Cut(field, "/")
		e, ok := table.Float(of)
		if d, too := table.Float(by); fraction && too {
			e /= d
		} else if fraction || !ok {
			panic(fmt.Sprintf("problems: %q is no number", field))
		}
		v = append(v, e)
	}
	return v
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
		p := &qpbackend.Problem{Q: q[0], L: numbers(w.l), U: numbers(w.u)}
		if len(q) > 1 {
			p.R = q[1][0]
		}
		if w.p != "" {
			p.P = Upper(byRows(w.p)...)
		}
		if w.a != "" {
			p.A = Matrix(len(p.Q), byRows(w.a)...)
		}
		switch w.unique {
		case "infeasible":
			out = append(out, unfeasible(w.name, p))
		case "unbounded":
			out = append(out, unbounded(w.name, p))
		default:
			out = append(out, Solved(w.name, p, numbers(w.x), numbers(w.y), strings.Contains(w.unique, "x"),
				strings.Contains(w.unique, "y")))
		}
	}
	return out
}
