package qps

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/problemfile"
)

// Write writes f in free format, so that Read gives the same problem back to
// the last bit. A name that is missing, occurs twice or holds white space is replaced by C
// or R and its number from 1. Quadratic programs with cones have no QPS form
// and are refused.
func Write(w io.Writer, f *File) error {
	if err := writable(f); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	wr := &writer{Writer: b, f: f, p: f.Problem, sign: 1}
	if f.Maximize {
		wr.sign = -1
	}
	n, m := f.Problem.Dims()
	wr.rows = uniqueNames(f.RowNames, m, "R")
	wr.cols = uniqueNames(f.ColNames, n, "C")
	wr.obj = "OBJ"
	for k := 1; slices.Contains(wr.rows, wr.obj); k++ {
		wr.obj = fmt.Sprint("OBJ", k)
	}
	wr.head()
	wr.columns()
	wr.sides()
	wr.bounds()
	wr.hessian()
	fmt.Fprintln(b, "ENDATA")
	return b.Flush()
}

func writable(f *File) error {
	p := f.Problem
	if p == nil {
		return fmt.Errorf("qps: the file holds no problem")
	}
	if err := p.Validate(); err != nil {
		return err
	}
	n, _ := p.Dims()
	switch {
	case n == 0:
		return fmt.Errorf("qps: a problem without variables has no QPS form")
	case len(p.Cones) > 0:
		return fmt.Errorf("qps: cones (%s) have no QPS form", qpbackend.ConeNames(p))
	}
	return nil
}

// writer holds the state that the sections share.
type writer struct {
	*bufio.Writer
	f          *File
	p          *qpbackend.Problem
	sign       float64 // −1: the objective is written negated, for OBJSENSE MAX
	rows, cols []string
	obj        string
}

func (w *writer) head() {
	name := strings.Join(strings.Fields(w.f.Name), "_")
	if name == "" {
		name = "PROBLEM"
	}
	fmt.Fprintf(w, "NAME %s\n", name)
	if w.f.Maximize {
		fmt.Fprint(w, "OBJSENSE\n MAX\n")
	}
	fmt.Fprintf(w, "ROWS\n N %s\n", w.obj)
	for i, name := range w.rows {
		kind, _, _ := rowForm(w.p.L[i], w.p.U[i])
		fmt.Fprintf(w, " %c %s\n", kind, name)
	}
}

// columns writes every column, one without entries by a zero cost.
func (w *writer) columns() {
	fmt.Fprintln(w, "COLUMNS")
	for j, name := range w.cols {
		entries := 0
		if a := w.p.A; a != nil {
			for k := a.ColPtr[j]; k < a.ColPtr[j+1]; k++ {
				fmt.Fprintf(w, " %s %s %s\n", name, w.rows[a.RowIdx[k]], exact(a.Val[k]))
				entries++
			}
		}
		if q := w.p.Q[j]; q != 0 || entries == 0 {
			fmt.Fprintf(w, " %s %s %s\n", name, w.obj, exact(w.sign*q))
		}
	}
}

// sides writes RHS and RANGES.
func (w *writer) sides() {
	fmt.Fprintln(w, "RHS")
	if w.p.R != 0 { // by custom, minus the constant
		fmt.Fprintf(w, " RHS %s %s\n", w.obj, exact(-w.sign*w.p.R))
	}
	ranges := false
	for i, name := range w.rows {
		_, rhs, span := rowForm(w.p.L[i], w.p.U[i])
		if rhs != 0 {
			fmt.Fprintf(w, " RHS %s %s\n", name, exact(rhs))
		}
		ranges = ranges || span != 0
	}
	if !ranges {
		return
	}
	fmt.Fprintln(w, "RANGES")
	for i, name := range w.rows {
		if _, _, span := rowForm(w.p.L[i], w.p.U[i]); span != 0 {
			fmt.Fprintf(w, " RNG %s %s\n", name, exact(span))
		}
	}
}

// rowForm is the type of a row, its right-hand side and its range, 0 for none.
func rowForm(l, u float64) (kind byte, rhs, span float64) {
	switch below, above := l > -qpbackend.Infinity, u < qpbackend.Infinity; {
	case l == u:
		return 'E', l, 0
	case below && above:
		span := u - l
		// Rounding: the one of three neighbours that gives the other side back.
		for _, s := range []float64{span, math.Nextafter(span, 0), math.Nextafter(span, math.Inf(1))} {
			if l+s == u {
				return 'G', l, s
			}
			if u-s == l {
				return 'L', u, s
			}
		}
		return 'G', l, span
	case below:
		return 'G', l, 0
	case above:
		return 'L', u, 0
	}
	return 'L', 1e30, 0 // free
}

// bounds writes those that are not the customary 0 ≤ x.
func (w *writer) bounds() {
	fmt.Fprintln(w, "BOUNDS")
	for j, name := range w.cols {
		l, u := w.p.Bounds(j)
		below, above := !math.IsInf(l, -1), !math.IsInf(u, 1)
		switch {
		case l == u:
			fmt.Fprintf(w, " FX BND %s %s\n", name, exact(l))
			continue
		case !below && !above:
			fmt.Fprintf(w, " FR BND %s\n", name)
			continue
		case !below:
			fmt.Fprintf(w, " MI BND %s\n", name)
		case l != 0 || above:
			fmt.Fprintf(w, " LO BND %s %s\n", name, exact(l))
		}
		if above {
			fmt.Fprintf(w, " UP BND %s %s\n", name, exact(u))
		}
	}
}

func (w *writer) hessian() {
	if w.p.P == nil || w.p.P.NNZ() == 0 {
		return
	}
	fmt.Fprintln(w, "QUADOBJ")
	for j := range w.p.P.Cols {
		for k := w.p.P.ColPtr[j]; k < w.p.P.ColPtr[j+1]; k++ {
			fmt.Fprintf(w, " %s %s %s\n", w.cols[w.p.P.RowIdx[k]], w.cols[j], exact(w.sign*w.p.P.Val[k]))
		}
	}
}

func exact(v float64) string { return problemfile.Exact(v) }

// uniqueNames replaces those that free format cannot hold.
func uniqueNames(names []string, n int, prefix string) []string {
	out := make([]string, n)
	taken := map[string]bool{}
	fit := func(s string) bool {
		return s != "" && !taken[s] && !strings.ContainsAny(s, " \t\r\n\v\f\x00") && s[0] != '*' && s[0] != '$'
	}
	for k := range out {
		if k < len(names) && fit(names[k]) {
			out[k] = names[k]
			taken[names[k]] = true
		}
	}
	for k := range out {
		for try := k + 1; out[k] == ""; try += n {
			if s := fmt.Sprint(prefix, try); fit(s) {
				out[k] = s
				taken[s] = true
			}
		}
	}
	return out
}
