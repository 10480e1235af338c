package judge

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/judge/exact"
)

var judgeSmall = flag.Bool("judge.minimise", false, "with -judge.out: write a problem as small as possible with the same kind of failure beside each")

// minimise makes p smaller while one finding of the kind stays: it drops rows and
// terms, puts arguments in the place of functions, and shortens numbers. What is
// known of p must hold for what remains: the planted point stays feasible, and
// an expression of a convex problem is only cut at its sums.
func minimise(p *Problem, a *Arith, kind Kind) *Problem {
	fails := func(q *Problem) bool {
		if q.Planted != nil {
			if at := q.At(a, q.Planted); at.Least > 0 || at.Outside != nil {
				return false
			}
		}
		o := solve(q.Text())
		return slices.ContainsFunc(o.findings(q, a), func(f Finding) bool { return f.Kind == kind })
	}
	for smaller := true; smaller; {
		smaller = false
		for _, step := range []func(*Problem) []*Problem{plainTexts, fewerRows, lessStart, smallerObjective, smallerRows, shorterBounds} {
			for again := true; again; {
				again = false
				for _, q := range step(p) {
					if fails(q) {
						p, again, smaller = q, true, true
						break
					}
				}
			}
		}
	}
	return p
}

// plainTexts writes trees instead of texts.
func plainTexts(p *Problem) []*Problem {
	q := *p
	q.Params, q.Objective, q.Constraints = nil, plain(p.Objective), nil
	for _, c := range p.Constraints {
		for _, r := range c.Rows {
			r.E = plain(r.E)
			q.Constraints = append(q.Constraints, Constraint{Rows: []Row{r}})
		}
	}
	if q.Text() == p.Text() {
		return nil
	}
	return []*Problem{&q}
}

func plain(n *exact.Node) *exact.Node {
	m := *n
	m.Text, m.Args = "", nil
	for _, a := range n.Args {
		m.Args = append(m.Args, plain(a))
	}
	return &m
}

func fewerRows(p *Problem) (out []*Problem) {
	if p.Infeasible {
		return nil
	}
	for i := range p.Constraints {
		q := *p
		q.Constraints = slices.Delete(slices.Clone(p.Constraints), i, i+1)
		out = append(out, &q)
	}
	return out
}

func lessStart(p *Problem) []*Problem {
	if p.Start == nil {
		return nil
	}
	q := *p
	q.Start = nil
	return []*Problem{&q}
}

func smallerObjective(p *Problem) (out []*Problem) {
	if p.Objective.Text != "" || p.Unbounded {
		return nil
	}
	for _, n := range smallerNodes(p.Objective, p.Convex) {
		q := *p
		q.Objective = n
		out = append(out, &q)
	}
	return out
}

func smallerRows(p *Problem) (out []*Problem) {
	if p.Infeasible {
		return nil
	}
	for i, c := range p.Constraints {
		if c.Text != "" {
			continue
		}
		change := func(r Row) {
			q := *p
			q.Constraints = slices.Clone(p.Constraints)
			q.Constraints[i] = Constraint{Rows: []Row{r}}
			out = append(out, &q)
		}
		r := c.Rows[0]
		for _, n := range smallerNodes(r.E, p.Convex) {
			change(Row{n, r.Rel, r.B})
		}
		for _, b := range shorter(r.B) {
			change(Row{r.E, r.Rel, b})
		}
	}
	return out
}

func shorterBounds(p *Problem) (out []*Problem) {
	change := func(v []float64, k int, w float64) []float64 {
		v = slices.Clone(v)
		v[k] = w
		return v
	}
	for k := range p.Lo {
		for _, w := range shorter(p.Lo[k]) {
			q := *p
			if q.Lo = change(p.Lo, k, w); w <= p.Hi[k] && inBox(&q) {
				out = append(out, &q)
			}
		}
		for _, w := range shorter(p.Hi[k]) {
			q := *p
			if q.Hi = change(p.Hi, k, w); w >= p.Lo[k] && inBox(&q) {
				out = append(out, &q)
			}
		}
	}
	return out
}

func inBox(p *Problem) bool {
	for k, v := range p.Planted {
		if v < p.Lo[k] || v > p.Hi[k] {
			return false
		}
	}
	return true
}

// shorter are numbers of fewer digits near v.
func shorter(v float64) (out []float64) {
	if math.IsInf(v, 0) {
		return nil
	}
	for n := 1; n < 8; n++ {
		if w := digits(v, n); w != v && len(exact.Number(w)) < len(exact.Number(v)) {
			out = append(out, w)
		}
	}
	return out
}

// smallerNodes are expressions with one thing less than n, somewhere in it.
func smallerNodes(n *exact.Node, convex bool) (out []*exact.Node) {
	if n.Op == exact.OpAdd && len(n.Args) > 1 {
		for i := range n.Args {
			m := *n
			m.Args = slices.Delete(slices.Clone(n.Args), i, i+1)
			out = append(out, &m)
		}
	}
	if n.Op >= exact.OpLogDet { // entries must stay mirrored
		return n.Args[:1]
	}
	if !convex && n.Op != exact.OpAdd || n.Op == exact.OpAdd && len(n.Args) == 1 {
		out = append(out, n.Args...)
	}
	if n.Op == exact.OpConst {
		for _, v := range shorter(n.Num) {
			if v != 0 {
				out = append(out, exact.Const(v))
			}
		}
	}
	for i, a := range n.Args {
		for _, b := range smallerNodes(a, convex) {
			m := *n
			m.Args = slices.Clone(n.Args)
			m.Args[i] = b
			out = append(out, &m)
		}
	}
	return out
}

// keepSmall writes the smallest problem that it finds for each kind of failure of
// p.
func keepSmall(t *testing.T, a *Arith, p *Problem, found []Finding) {
	for _, f := range found {
		if f.Kind == NotConverged || f.Kind == Differs {
			continue
		}
		q := minimise(p, a, f.Kind)
		o := solve(q.Text())
		about := ""
		for _, g := range o.findings(q, a) {
			about += "# " + string(g.Kind) + ": " + strings.ReplaceAll(g.Text, "\n", " ") + "\n"
		}
		name := strings.Map(func(r rune) rune {
			if r == ' ' || r == ',' || r == '/' {
				return '_'
			}
			return r
		}, string(f.Kind)+" "+p.name()) + ".dc"
		if err := os.WriteFile(filepath.Join(*judgeOut, name), []byte(about+q.Text()), 0o600); err != nil {
			t.Error(err)
		}
	}
}
