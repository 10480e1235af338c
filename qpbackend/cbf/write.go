package cbf

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

// Write writes a problem with a linear objective; a quadratic one is refused. Variables and
// rows keep their order where the file is read again, but rows of semidefinite cones go
// behind the others, bounds that are not signs become rows of their own, and a row with two sides
// two rows.
func Write(w io.Writer, f *problemfile.File) error {
	p := f.Problem
	if p == nil {
		return fmt.Errorf("cbf: the file holds no problem")
	}
	if err := p.Validate(); err != nil {
		return err
	}
	switch {
	case p.P != nil && p.P.NNZ() > 0:
		return fmt.Errorf("cbf: a quadratic objective has no form in .cbf; state it by a second-order cone, or " +
			"write .qps")
	case len(p.Q) == 0:
		return fmt.Errorf("cbf: a problem without variables has no form in .cbf")
	}
	b := bufio.NewWriter(w)
	wr := &writer{Writer: b, p: p, sign: 1}
	if f.Maximize {
		wr.sign = -1
	}
	wr.plan()
	if name := strings.Join(strings.Fields(f.Name), " "); name != "" {
		fmt.Fprintf(b, "# %s\n", name)
	}
	wr.structure()
	wr.coefficients()
	return b.Flush()
}

// target is a row of the file that has a row of the problem, times factor; or an entry of a
// matrix of PSDCON.
type target struct {
	row       int
	factor, b float64
	psd       int // from 1; 0: a row of CON
	r, c      int
}

// writer holds the plan of the rows.
type writer struct {
	*bufio.Writer
	p       *qpbackend.Problem
	sign    float64
	targets [][]target // of each row, and behind them of each variable with bounds of its own
	cons    []domain
	m       int
	powers  []float64 // the first exponent of each cone
	orders  []int
	vars    []domain
}

// con adds rows of one domain.
func (w *writer) con(kind string, n int) (from int) {
	if last := len(w.cons) - 1; last >= 0 && w.cons[last].kind == kind && kind[0] == 'L' {
		w.cons[last].n += n
	} else {
		w.cons = append(w.cons, domain{kind: kind, n: n})
	}
	w.m += n
	return w.m - n
}

// sided are the targets of a row with sides.
func (w *writer) sided(lo, up float64) (out []target) {
	below, above := !math.IsInf(lo, -1), !math.IsInf(up, 1)
	switch {
	case below && lo == up:
		return []target{{row: w.con("L=", 1), factor: 1, b: -lo}}
	case !below && !above:
		return []target{{row: w.con("F", 1), factor: 1}}
	}
	if below {
		out = append(out, target{row: w.con("L+", 1), factor: 1, b: -lo})
	}
	if above {
		out = append(out, target{row: w.con("L-", 1), factor: 1, b: -up})
	}
	return out
}

func (w *writer) plan() {
	n, m := w.p.Dims()
	w.targets = make([][]target, m+n)
	next := 0
	for i := 0; i < m; i++ {
		if next == len(w.p.Cones) || i < w.p.Cones[next].Start {
			w.targets[i] = w.sided(w.p.Sides(i))
			continue
		}
		c := w.p.Cones[next]
		next++
		w.cone(c)
		i = c.Start + c.Len - 1
	}
	for j := range n {
		lo, up := w.p.Bounds(j)
		kind := ""
		for _, d := range []domain{{kind: "F"}, {kind: "L+"}, {kind: "L-"}, {kind: "L="}} {
			if l, u, _ := d.sides(); l == lo && u == up {
				kind = d.kind
			}
		}
		if kind == "" {
			kind = "F"
			w.targets[m+j] = w.sided(lo, up)
		}
		if last := len(w.vars) - 1; last >= 0 && w.vars[last].kind == kind {
			w.vars[last].n++
		} else {
			w.vars = append(w.vars, domain{kind: kind, n: 1})
		}
	}
}

// cone plans the rows of a cone.
func (w *writer) cone(c qpbackend.Cone) {
	l := w.p.L[c.Start:][:c.Len]
	targets := w.targets[c.Start:][:c.Len]
	rows := func(kind string, order func(k int) int) {
		from := w.con(kind, c.Len)
		for k := range targets {
			targets[k] = []target{{row: from + order(k), factor: 1, b: -l[k]}}
		}
	}
	same := func(k int) int { return k }
	switch c.Kind {
	case qpbackend.SecondOrder:
		rows("Q", same)
	case qpbackend.Exponential:
		rows("EXP", func(k int) int { return 2 - k })
	case qpbackend.Power:
		at := slices.Index(w.powers, c.Alpha)
		if at < 0 {
			at = len(w.powers)
			w.powers = append(w.powers, c.Alpha)
		}
		rows(fmt.Sprintf("@%d:POW", at), same)
	case qpbackend.Semidefinite:
		k := 0
		for j := 0; k < c.Len; j++ {
			for i := 0; i <= j; i++ {
				f := 1.0
				if i < j {
					f = math.Sqrt2
				}
				targets[k] = []target{{factor: 1 / f, b: -l[k] / f, psd: len(w.orders) + 1, r: j, c: i}}
				k++
			}
			if k == c.Len {
				w.orders = append(w.orders, j+1)
			}
		}
	}
}

func (w *writer) structure() {
	fmt.Fprint(w, "VER\n3\n\n")
	if len(w.powers) > 0 {
		fmt.Fprintf(w, "POWCONES\n%d %d\n", len(w.powers), 2*len(w.powers))
		for _, α := range w.powers {
			fmt.Fprintf(w, "2\n%s\n%s\n", problemfile.Exact(α), problemfile.Exact(1-α))
		}
		fmt.Fprintln(w)
	}
	sense := "MIN"
	if w.sign < 0 {
		sense = "MAX"
	}
	fmt.Fprintf(w, "OBJSENSE\n%s\n\n", sense)
	domains := func(key string, n int, list []domain) {
		if n == 0 {
			return
		}
		fmt.Fprintf(w, "%s\n%d %d\n", key, n, len(list))
		for _, d := range list {
			fmt.Fprintf(w, "%s %d\n", d.kind, d.n)
		}
		fmt.Fprintln(w)
	}
	domains("VAR", len(w.p.Q), w.vars)
	if len(w.orders) > 0 {
		fmt.Fprintf(w, "PSDCON\n%d\n", len(w.orders))
		for _, n := range w.orders {
			fmt.Fprintf(w, "%d\n", n)
		}
		fmt.Fprintln(w)
	}
	domains("CON", w.m, w.cons)
}

// list is a section of coefficients.
type list struct {
	key   string
	lines []string
}

func (l *list) add(v float64, place ...int) {
	if v == 0 {
		return
	}
	text := ""
	for _, k := range place {
		text += fmt.Sprint(k, " ")
	}
	l.lines = append(l.lines, text+problemfile.Exact(v))
}

func (w *writer) coefficients() {
	cost, a, b, h, d := list{key: "OBJACOORD"}, list{key: "ACOORD"}, list{key: "BCOORD"}, list{key: "HCOORD"},
		list{key: "DCOORD"}
	_, m := w.p.Dims()
	put := func(i, j int, v float64) {
		for _, t := range w.targets[i] {
			if t.psd > 0 {
				h.add(t.factor*v, t.psd-1, j, t.r, t.c)
			} else {
				a.add(t.factor*v, t.row, j)
			}
		}
	}
	for j, q := range w.p.Q {
		cost.add(w.sign*q, j)
		if w.p.A != nil {
			for k := w.p.A.ColPtr[j]; k < w.p.A.ColPtr[j+1]; k++ {
				put(w.p.A.RowIdx[k], j, w.p.A.Val[k])
			}
		}
		put(m+j, j, 1)
	}
	for _, ts := range w.targets {
		for _, t := range ts {
			if t.psd > 0 {
				d.add(t.b, t.psd-1, t.r, t.c)
			} else {
				b.add(t.b, t.row)
			}
		}
	}
	write := func(l list) {
		if len(l.lines) == 0 {
			return
		}
		fmt.Fprintf(w, "%s\n%d\n%s\n\n", l.key, len(l.lines), strings.Join(l.lines, "\n"))
	}
	write(cost)
	if w.p.R != 0 {
		fmt.Fprintf(w, "OBJBCOORD\n%s\n\n", problemfile.Exact(w.sign*w.p.R))
	}
	for _, l := range []list{a, b, h, d} {
		write(l)
	}
}
