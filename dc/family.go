package dc

import (
	"slices"
	"sync"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/graph/pass"
	"github.com/dcopt/dcopt/internal/interval"
)

// family is a weighted sum of convex functions that differ in numbers alone: Σ w[i]·f(i), of which
// a graph has all f.
type family struct {
	plan    *pass.Plan
	w       []float64 // a column
	of      *convex.Space
	indices []int
	recent  recent
}

// mixedFamily is such a sum of functions some of which are not convex, or have a weight below 0.
type mixedFamily struct {
	*family
	once sync.Once
	s    split
}

func newFamily(g *graph.Graph, w []float64, of *convex.Space) *family {
	f := &family{plan: pass.NewPlan(g), w: w, of: of}
	f.indices = f.plan.Support()
	return f
}

// familyTerm is the sum of the members of a graph, with the weights in a column, above 0. ok is
// false where some have another form by the bounds of the variables.
func familyTerm(g *graph.Graph, w []float64, of *convex.Space) (e scalar, ok bool) {
	f := newFamily(g, w, of)
	if !f.plan.Finite() || !f.plan.Kept(of.Ends) {
		return e, false
	}
	t := term{1, f.function()}
	if _, isMixed := t.f.(*mixedFamily); isMixed {
		return scalar{terms: []term{t}, lazy: &lazySplit{}, composite: true, of: of}, true
	}
	return scalar{terms: []term{t}, of: of}, true
}

// function is the family as a function: itself where it is convex.
func (f *family) function() convex.Func {
	if f.plan.Convex() && slices.Min(f.w) >= 0 {
		return f
	}
	return &mixedFamily{family: f}
}

// gathers is implemented by functions that a family computes.
type gathers interface{ members() *family }

func (f *family) members() *family { return f }

// familyIn is the family that computes f, nil where none does.
func familyIn(f convex.Func) *family {
	if g, ok := f.(gathers); ok {
		return g.members()
	}
	return nil
}

func (f *family) sameMembers(o convex.Func) bool {
	g := familyIn(o)
	if g == nil || nodeOf(o).op != "family" {
		return false
	}
	return f == g || slices.Equal(f.w, g.w) && slices.Equal(f.indices, g.indices) && f.plan.Equal(g.plan.Graph)
}

// oneByOne are the members as expressions, with their weights; the members of a sum of several
// functions are the members of each, one function after the other.
func (f *family) oneByOne() []scalar {
	top := f.plan.Last()
	parts := 1
	if top.Op == graph.Sum && len(top.Rows) == 0 {
		parts = len(top.Args)
	}
	out := make([]scalar, 0, parts*f.plan.N)
	for k := range parts {
		for i := range f.plan.N {
			out = append(out, f.part(i, k))
		}
	}
	return out
}

// part is member i, or of a sum of several functions number k of it, with its weight.
func (f *family) part(i, k int) scalar {
	top, w := f.plan.Last(), graph.At(f.w, i)
	if top.Op != graph.Sum || len(top.Rows) > 0 {
		return memberOf(f.plan.Graph, f.plan.Top(), f.of, i).Scale(w)
	}
	return memberOf(f.plan.Graph, top.Args[k], f.of, i).Scale(w * graph.At(top.Weights[k], i))
}

// split of the sum of the members.
func (f *mixedFamily) split() *split {
	f.once.Do(func() {
		e := sumExprs(f.oneByOne())
		f.s = *e.split()
	})
	return &f.s
}

// lessSquares: see late. Of the least of sums of squares the split is a maximum less squares.
func (f *mixedFamily) lessSquares() bool { return f.plan.Last().Is(atom.Min) }

// isGap reports whether each member is |e| for an e with a maximum that is subtracted.
func (f *mixedFamily) isGap() bool { return f.plan.Last().Is(atom.Norm1) }

func (f *family) Smooth() bool   { return f.plan.Smooth() }
func (f *family) Support() []int { return f.indices }
func (f *family) node() Node     { return Node{op: "family", nums: []float64{float64(f.plan.N)}} }
func (f *family) String() string { return "sum of many" }

func (f *family) Over() interval.Interval {
	i := interval.Point(0)
	for k := range f.plan.N {
		i = i.Add(f.weighted(k).Range())
	}
	return i
}

// weighted is member i with its weight.
func (f *family) weighted(i int) scalar {
	return memberOf(f.plan.Graph, f.plan.Top(), f.of, i).Scale(graph.At(f.w, i))
}

// wider is for isWider. Source: derived: a sixteenth of the members takes a sixteenth of the time
// of the range of all. Where variables are small beside their bounds, one member is enough; of
// fit_20000 (docs/lab/large.md) sixteen are not, and a sixteenth is.
func (f *family) wider(than float64) bool {
	sum := 0.0
	for i := range min(max(16, f.plan.N/16), f.plan.N) {
		e := f.weighted(i)
		if sum += interval.Width(e.Range()); sum > than {
			return true
		}
	}
	return false
}

// Represent adds the forms of the members, which are made one after the other: no object of them
// remains.
func (f *family) Represent(c convex.Canon) convex.Form {
	out, lins, top := convex.Form{}, make([]convex.Linear, 0, f.plan.N), f.plan.Last()
	weights := make([]float64, 0, f.plan.N)
	var pieces []convex.Linear
	bent := func(a int) bool { return f.plan.Nodes[a].Op != graph.Affine }
	plain := top.Is(atom.Max) && !slices.ContainsFunc(top.Args, bent)
	if r, ok := c.(convex.Roomy); ok && plain {
		r.Room(f.plan.N*top.Group, 0)
	}
	for i := range f.plan.N {
		form, w := convex.Form{}, graph.At(f.w, i)
		if plain {
			pieces = f.pieces(pieces, top, i)
			form = (&maxOf{pieces: pieces}).Represent(c)
		} else {
			e := memberOf(f.plan.Graph, f.plan.Top(), f.of, i)
			form = e.G().Represent(c)
		}
		lins, weights, form.Linear = append(lins, form.Linear), append(weights, w), convex.Linear{}
		out = out.AddScaled(w, form)
	}
	out.Linear = convex.SumLinear(lins, weights)
	return out
}

// pieces are the affine functions that node n is of, of member i, in the room of the pieces of
// another member; nil: in their own.
func (f *family) pieces(room []convex.Linear, n *graph.Node, i int) []convex.Linear {
	count := n.W * n.Group
	if room == nil {
		room = make([]convex.Linear, count)
	}
	at := 0
	for _, a := range n.Args {
		rows := f.plan.Nodes[a].Rows
		for e := range rows {
			l := &room[at]
			if l.Idx == nil {
				*l = linearOf(&rows[e], i, f.of)
			} else {
				*l = appendRow(convex.Linear{Idx: l.Idx[:0], Val: l.Val[:0]}, &rows[e], i, f.of)
			}
			at++
		}
	}
	return room
}

// evaluate is the sum at x, with the parts that are wanted.
func (f *family) evaluate(x []float64, want asked) evaluation {
	keep := f.coefficients() >= leastRecent*len(f.indices)
	if keep {
		if e, ok := f.recent.find(f.indices, x, want); ok {
			return e
		}
	}
	e := f.compute(x, want)
	if keep {
		f.recent.add(f.indices, x, e)
	}
	return e
}

// compute is evaluate by the members. With the error come the sizes: they cost little beside it.
func (f *family) compute(x []float64, want asked) evaluation {
	if want.error {
		want.sizes = true
	}
	if f.plan.Parts() < 2 {
		return f.computeOf(0, f.plan.N, x, want)
	}
	parts := make([]evaluation, f.plan.Parts())
	f.plan.EachPart(func(k, lo, hi int) { parts[k] = f.computeOf(lo, hi, x, want) })
	e := evaluation{asked: want}
	var s convex.Total
	for k := range parts {
		s.Add(convex.Approx{V: parts[k].value, E: parts[k].bound})
		e.sum, e.most = e.sum+parts[k].sum, max(e.most, parts[k].most)
	}
	e.value, e.bound = s.V, s.E
	return e
}

// computeOf is compute of the members from one to another.
func (f *family) computeOf(from, to int, x []float64, want asked) evaluation {
	e := evaluation{asked: want}
	add := func(b *pass.Block) {
		value := e.value
		for i, u := range b.Values {
			value += graph.At(f.w, b.Lo+i) * u
		}
		e.value = value
		if !want.sizes {
			return
		}
		b.Terms(func(weights, v []float64) {
			for i, u := range v {
				size := convex.FiniteSize(graph.At(f.w, b.Lo+i) * graph.At(weights, b.Lo+i) * u)
				e.sum, e.most = e.sum+size, max(e.most, size)
			}
		})
	}
	if !want.error {
		f.plan.ValuesOf(from, to, x, add)
		return e
	}
	var s convex.Total
	f.plan.ErrorsOf(from, to, x, func(b *pass.Block) {
		add(b)
		for i, u := range b.Values {
			s.AddScaled(graph.At(f.w, b.Lo+i), convex.Approx{V: u, E: b.Errors[i]})
		}
	})
	e.bound = s.E
	return e
}

func (f *family) Value(x []float64) float64 { return f.evaluate(x, asked{}).value }

// Sizes are the sum of the sizes of the weighted members, and the largest; sizes that are not
// finite do not count.
func (f *family) Sizes(x []float64) (sum, most float64) {
	e := f.evaluate(x, asked{sizes: true})
	return e.sum, e.most
}

// Approx is the value with its error.
func (f *family) Approx(x []float64) convex.Approx {
	e := f.evaluate(x, asked{error: true})
	return convex.Approx{V: e.value, E: e.bound}
}

func (f *family) AddSubgrad(dst []float64, scale float64, x []float64) { f.AddGradient(dst, scale, x) }

// AddGradient is AddSubgrad, and returns Value.
func (f *family) AddGradient(dst []float64, scale float64, x []float64) float64 {
	return f.plan.AddGradient(dst, scale, f.w, x, nil)
}

// coefficients is how many of them a value visits.
func (f *family) coefficients() int { return f.plan.Coefficients() }

// take has the members of a list, in its order, with weights that are larger by a factor.
func (f *family) take(list []int32, factor float64) *family {
	w := make([]float64, len(list))
	for i, k := range list {
		w[i] = factor * graph.At(f.w, int(k))
	}
	return newFamily(f.plan.Take(list), graph.Pack(w), f.of)
}
