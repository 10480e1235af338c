package family

import (
	"slices"
	"sync"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/expr"
	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/graph/pass"
	"github.com/dcopt/dcopt/internal/interval"
)

// Family is a weighted sum of convex functions that differ in numbers alone: Σ w[i]·f(i), of which
// a graph has all f.
type Family struct {
	Plan    *pass.Plan
	w       []float64 // a column
	of      *convex.Space
	Indices []int
	Recent  recent
}

// mixedFamily is such a sum of functions some of which are not convex, or have a weight below 0.
type mixedFamily struct {
	*Family
	once sync.Once
	s    expr.Split
}

func newFamily(g *graph.Graph, w []float64, of *convex.Space) *Family {
	f := &Family{Plan: pass.NewPlan(g), w: w, of: of}
	f.Indices = f.Plan.Support()
	return f
}

// FamilyTerm is the sum of the members of a graph, with the weights in a column, above 0. ok is
// false where some have another form by the bounds of the variables.
func FamilyTerm(g *graph.Graph, w []float64, of *convex.Space) (e expr.Scalar, ok bool) {
	f := newFamily(g, w, of)
	if !f.Plan.Finite() || !f.Plan.Kept(of.Ends) {
		return e, false
	}
	t := expr.Term{W: 1, F: f.function()}
	if _, isMixed := t.F.(*mixedFamily); isMixed {
		return expr.Scalar{Terms: []expr.Term{t}, Lazy: &expr.LazySplit{}, Composite: true, Of: of}, true
	}
	return expr.Scalar{Terms: []expr.Term{t}, Of: of}, true
}

// function is the family as a function: itself where it is convex.
func (f *Family) function() convex.Func {
	if f.Plan.Convex() && slices.Min(f.w) >= 0 {
		return f
	}
	return &mixedFamily{Family: f}
}

// Gathers is implemented by functions that a family computes.
type Gathers interface{ members() *Family }

func (f *Family) members() *Family { return f }

// FamilyIn is the family that computes f, nil where none does.
func FamilyIn(f convex.Func) *Family {
	if g, ok := f.(Gathers); ok {
		return g.members()
	}
	return nil
}

func (f *Family) SameMembers(o convex.Func) bool {
	g := FamilyIn(o)
	if g == nil || expr.NodeOf(o).Name != "family" {
		return false
	}
	return f == g || slices.Equal(f.w, g.w) && slices.Equal(f.Indices, g.Indices) && f.Plan.Equal(g.Plan.Graph)
}

// OneByOne are the members as expressions, with their weights; the members of a sum of several
// functions are the members of each, one function after the other.
func (f *Family) OneByOne() []expr.Scalar {
	top := f.Plan.Last()
	parts := 1
	if top.Op == graph.Sum && len(top.Rows) == 0 {
		parts = len(top.Args)
	}
	out := make([]expr.Scalar, 0, parts*f.Plan.N)
	for k := range parts {
		for i := range f.Plan.N {
			out = append(out, f.part(i, k))
		}
	}
	return out
}

// part is member i, or of a sum of several functions number k of it, with its weight.
func (f *Family) part(i, k int) expr.Scalar {
	top, w := f.Plan.Last(), graph.At(f.w, i)
	if top.Op != graph.Sum || len(top.Rows) > 0 {
		return MemberOf(f.Plan.Graph, f.Plan.Top(), f.of, i).Scale(w)
	}
	return MemberOf(f.Plan.Graph, top.Args[k], f.of, i).Scale(w * graph.At(top.Weights[k], i))
}

// Split of the sum of the members.
func (f *mixedFamily) Split() *expr.Split {
	f.once.Do(func() {
		e := expr.SumOf(f.OneByOne())
		f.s = *e.Split()
	})
	return &f.s
}

// LessSquares: see late. Of the least of sums of squares the split is a maximum less squares.
func (f *mixedFamily) LessSquares() bool { return f.Plan.Last().Is(atom.Min) }

// IsGap reports whether each member is |e| for an e with a maximum that is subtracted.
func (f *mixedFamily) IsGap() bool { return f.Plan.Last().Is(atom.Norm1) }

func (f *Family) Smooth() bool   { return f.Plan.Smooth() }
func (f *Family) Support() []int { return f.Indices }
func (f *Family) Node() expr.Node {
	return expr.Node{Name: "family", Nums: []float64{float64(f.Plan.N)}}
}
func (f *Family) String() string { return "sum of many" }

func (f *Family) Over() interval.Interval {
	i := interval.Point(0)
	for k := range f.Plan.N {
		i = i.Add(f.weighted(k).Over())
	}
	return i
}

// weighted is member i with its weight.
func (f *Family) weighted(i int) expr.Scalar {
	return MemberOf(f.Plan.Graph, f.Plan.Top(), f.of, i).Scale(graph.At(f.w, i))
}

// Wider is for isWider. Source: derived: a sixteenth of the members takes a sixteenth of the time
// of the range of all. Where variables are small beside their bounds, one member is enough; of
// fit_20000 (docs/lab/large.md) sixteen are not, and a sixteenth is.
func (f *Family) Wider(than float64) bool {
	sum := 0.0
	for i := range min(max(16, f.Plan.N/16), f.Plan.N) {
		e := f.weighted(i)
		if sum += interval.Width(e.Over()); sum > than {
			return true
		}
	}
	return false
}

// Represent adds the forms of the members, which are made one after the other: no object of them
// remains.
func (f *Family) Represent(c convex.Canon) convex.Form {
	out, lins, top := convex.Form{}, make([]convex.Linear, 0, f.Plan.N), f.Plan.Last()
	weights := make([]float64, 0, f.Plan.N)
	var pieces []convex.Linear
	bent := func(a int) bool { return f.Plan.Nodes[a].Op != graph.Affine }
	plain := top.Is(atom.Max) && !slices.ContainsFunc(top.Args, bent)
	if r, ok := c.(convex.Roomy); ok && plain {
		r.Room(f.Plan.N*top.Group, 0)
	}
	for i := range f.Plan.N {
		form, w := convex.Form{}, graph.At(f.w, i)
		if plain {
			pieces = f.pieces(pieces, top, i)
			form = expr.MaxForm(c, pieces)
		} else {
			e := MemberOf(f.Plan.Graph, f.Plan.Top(), f.of, i)
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
func (f *Family) pieces(room []convex.Linear, n *graph.Node, i int) []convex.Linear {
	count := n.W * n.Group
	if room == nil {
		room = make([]convex.Linear, count)
	}
	at := 0
	for _, a := range n.Args {
		rows := f.Plan.Nodes[a].Rows
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
func (f *Family) evaluate(x []float64, want Asked) Evaluation {
	keep := f.Coefficients() >= LeastRecent*len(f.Indices)
	if keep {
		if e, ok := f.Recent.find(f.Indices, x, want); ok {
			return e
		}
	}
	e := f.Compute(x, want)
	if keep {
		f.Recent.add(f.Indices, x, e)
	}
	return e
}

// Compute is evaluate by the members. With the error come the sizes: they cost little beside it.
func (f *Family) Compute(x []float64, want Asked) Evaluation {
	if want.Error {
		want.Sizes = true
	}
	if f.Plan.Parts() < 2 {
		return f.computeOf(0, f.Plan.N, x, want)
	}
	parts := make([]Evaluation, f.Plan.Parts())
	f.Plan.EachPart(func(k, lo, hi int) { parts[k] = f.computeOf(lo, hi, x, want) })
	e := Evaluation{Asked: want}
	var s convex.Total
	for k := range parts {
		s.Add(convex.Approx{V: parts[k].Value, E: parts[k].Bound})
		e.Sum, e.Most = e.Sum+parts[k].Sum, max(e.Most, parts[k].Most)
	}
	e.Value, e.Bound = s.V, s.E
	return e
}

// computeOf is compute of the members from one to another.
func (f *Family) computeOf(from, to int, x []float64, want Asked) Evaluation {
	e := Evaluation{Asked: want}
	add := func(b *pass.Block) {
		value := e.Value
		for i, u := range b.Values {
			value += graph.At(f.w, b.Lo+i) * u
		}
		e.Value = value
		if !want.Sizes {
			return
		}
		b.Terms(func(weights, v []float64) {
			for i, u := range v {
				size := convex.FiniteSize(graph.At(f.w, b.Lo+i) * graph.At(weights, b.Lo+i) * u)
				e.Sum, e.Most = e.Sum+size, max(e.Most, size)
			}
		})
	}
	if !want.Error {
		f.Plan.ValuesOf(from, to, x, add)
		return e
	}
	var s convex.Total
	f.Plan.ErrorsOf(from, to, x, func(b *pass.Block) {
		add(b)
		for i, u := range b.Values {
			s.AddScaled(graph.At(f.w, b.Lo+i), convex.Approx{V: u, E: b.Errors[i]})
		}
	})
	e.Bound = s.E
	return e
}

func (f *Family) Value(x []float64) float64 { return f.evaluate(x, Asked{}).Value }

// Sizes are the sum of the sizes of the weighted members, and the largest; sizes that are not
// finite do not count.
func (f *Family) Sizes(x []float64) (sum, most float64) {
	e := f.evaluate(x, Asked{Sizes: true})
	return e.Sum, e.Most
}

// Approx is the value with its error.
func (f *Family) Approx(x []float64) convex.Approx {
	e := f.evaluate(x, Asked{Error: true})
	return convex.Approx{V: e.Value, E: e.Bound}
}

func (f *Family) AddSubgrad(dst []float64, scale float64, x []float64) { f.AddGradient(dst, scale, x) }

// AddGradient is AddSubgrad, and returns Value.
func (f *Family) AddGradient(dst []float64, scale float64, x []float64) float64 {
	return f.Plan.AddGradient(dst, scale, f.w, x, nil)
}

// Coefficients is how many of them a value visits.
func (f *Family) Coefficients() int { return f.Plan.Coefficients() }

// take has the members of a list, in its order, with weights that are larger by a factor.
func (f *Family) take(list []int32, factor float64) *Family {
	w := make([]float64, len(list))
	for i, k := range list {
		w[i] = factor * graph.At(f.w, int(k))
	}
	return newFamily(f.Plan.Take(list), graph.Pack(w), f.of)
}

func (f *Family) Twice() bool { return f.Plan.Twice() }
func (f *Family) Directional(x, v []float64) float64 {
	return f.Plan.AddProduct(make([]float64, len(x)), 1, f.w, x, v)
}
func (f *Family) AddProduct(dst []float64, scale float64, x, v []float64) {
	f.Plan.AddProduct(dst, scale, f.w, x, v)
}
