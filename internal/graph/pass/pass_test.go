package pass_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/graph"
	"github.com/dcopt/dcopt/internal/graph/atom"
	"github.com/dcopt/dcopt/internal/graph/pass"
)

const variables = 9

// column draws n numbers, or one for all.
func column(r *rand.Rand, n int) []float64 {
	if r.IntN(3) == 0 {
		n = 1
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(r.IntN(17)-8) / 4
	}
	return out
}

// row draws a row of a few coefficients.
func row(r *rand.Rand, n int) graph.Row {
	out := graph.Row{C: column(r, n), Lost: float64(r.IntN(2))}
	for t := range r.IntN(4) {
		idx := []int32{int32(2*t + 1)}
		if r.IntN(2) == 0 {
			idx = make([]int32, n)
			for i := range idx {
				idx[i] = int32(2*t + r.IntN(2))
			}
		}
		out.Idx, out.Val = append(out.Idx, idx), append(out.Val, column(r, n))
	}
	return out
}

// random draws a graph of n members with about so many nodes.
func random(r *rand.Rand, n, nodes int) *graph.Graph {
	g := &graph.Graph{N: n}
	affine := func(w int) int {
		rows := make([]graph.Row, w)
		for e := range rows {
			if rows[e] = row(r, n); e > 0 && r.IntN(3) == 0 { // the coefficients of the one before
				rows[e].Idx, rows[e].Val = rows[e-1].Idx, rows[e-1].Val
			}
		}
		return g.Add(graph.Node{Op: graph.Affine, Rows: rows})
	}
	for range nodes {
		group := 1 + r.IntN(3)
		args := []int{affine(group * (1 + r.IntN(2)))}
		if len(g.Nodes) > 1 && r.IntN(2) == 0 { // entries of nodes before
			args = append(args, slices.Repeat([]int{r.IntN(len(g.Nodes))}, group)...)
		}
		functions := append([]*atom.Reduce{nil, nil, atom.Huber, atom.NormP}, total...)
		f := functions[r.IntN(len(functions))]
		switch op := graph.Op(1 + r.IntN(2)); {
		case f != nil && f == atom.Inner:
			g.Add(graph.Reduced(f, 2*group, affine(2*group)))
		case f != nil:
			n := graph.Reduced(f, group, args...)
			n.P = parameters(f, group)
			g.Add(n)
		case op == graph.Sum:
			a := r.IntN(len(g.Nodes))
			b := affine(g.Nodes[a].W)
			n := graph.Node{Op: op, Args: []int{a, b}, Weights: [][]float64{column(r, n), column(r, n)}}
			if r.IntN(2) == 0 {
				for range g.Nodes[a].W {
					n.Rows = append(n.Rows, row(r, g.N))
				}
			}
			g.Add(n)
		default:
			g.Add(graph.Node{Op: op, Args: args[:1], Curve: atom.Find([]string{"tanh", "logistic", "sin"}[r.IntN(3)])})
		}
	}
	g.Add(graph.Reduced(atom.Norm1, g.Last().W, g.Top()))
	return g
}

// total are the functions of several numbers that have a value everywhere.
var total = slices.DeleteFunc(atom.Reduces(), (*atom.Reduce).Restricted)

// parameters are some of a function of n numbers.
func parameters(f *atom.Reduce, n int) []float64 {
	switch f {
	case atom.Huber:
		return []float64{0.75}
	case atom.NormP:
		return []float64{3}
	case atom.SumLargest, atom.SumSmallest:
		return []float64{float64(1 + n/2)}
	}
	return nil
}

// value computes node k of member i by the definitions, entry by entry.
func value(g *graph.Graph, k, i int, x []float64) []float64 {
	n := &g.Nodes[k]
	var in []float64
	for _, a := range n.Args {
		in = append(in, value(g, a, i, x)...)
	}
	out := make([]float64, n.W)
	for e := range out {
		switch n.Op {
		case graph.Affine, graph.Sum:
			if len(n.Rows) > 0 {
				r := &n.Rows[e]
				out[e] = graph.At(r.C, i)
				for t := range r.Idx {
					out[e] += graph.At(r.Val[t], i) * x[graph.At(r.Idx[t], i)]
				}
			}
			for a := range n.Args {
				out[e] += graph.At(n.Weights[a], i) * in[a*n.W+e]
			}
		case graph.Apply:
			out[e] = n.Curve.Value.At(in[e], n.Parameter())
		default:
			out[e] = reduced(n, in[e*n.Group:(e+1)*n.Group])
		}
	}
	return out
}

func reduced(n *graph.Node, in []float64) (v float64) {
	sum := func(f func(k int, u float64) float64) (s float64) {
		for k, u := range in {
			s += f(k, u)
		}
		return s
	}
	ordered, half := slices.Sorted(slices.Values(in)), len(in)/2
	switch n.Function {
	case atom.Norm1:
		return sum(func(_ int, u float64) float64 { return math.Abs(u) })
	case atom.SumSquares:
		return sum(func(_ int, u float64) float64 { return u * u })
	case atom.Norm2:
		return math.Sqrt(sum(func(_ int, u float64) float64 { return u * u }))
	case atom.NormP:
		return math.Cbrt(sum(func(_ int, u float64) float64 { return math.Abs(u * u * u) }))
	case atom.Huber:
		return sum(func(_ int, u float64) float64 {
			a := min(math.Abs(u), n.P[0])
			return a * (2*math.Abs(u) - a)
		})
	case atom.Inner:
		for k := range half {
			v += in[k] * in[k+half]
		}
		return v
	case atom.LogSumExp:
		top := slices.Max(in)
		return top + math.Log(sum(func(_ int, u float64) float64 { return math.Exp(u - top) }))
	case atom.Max:
		return ordered[len(in)-1]
	case atom.Min:
		return ordered[0]
	case atom.SumLargest:
		ordered = ordered[len(in)-int(n.P[0]):]
	case atom.SumSmallest:
		ordered = ordered[:int(n.P[0])]
	}
	for _, u := range ordered {
		v += u
	}
	return v
}

func point(r *rand.Rand) []float64 {
	x := make([]float64, variables)
	for j := range x {
		x[j] = 2 * r.NormFloat64()
	}
	return x
}

// TestValues: values and errors of all members are those by the definitions, and values are the
// same with and without errors.
func TestValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := 1 + r.IntN(300)
		g := random(r, n, 1+r.IntN(4))
		p := pass.NewPlan(g)
		x := point(r)
		values := make([]float64, 0, n)
		p.Values(x, func(b *pass.Block) { values = append(values, b.Values...) })
		p.ErrorsOf(0, n, x, func(b *pass.Block) {
			for k, v := range b.Values {
				i := b.Lo + k
				want := value(g, g.Top(), i, x)[0]
				e := b.Errors[k]
				if v != values[i] || math.Abs(v-want) > 4*e || !(e <= 1e-9*(1+v*v)) {
					t.Fatalf("member %d is %v, then %v ± %v; by the definitions %v", i, values[i], v, e, want)
				}
			}
		})
		if i := r.IntN(n); p.Member(i, x) != values[i] {
			t.Fatalf("member %d alone is %v, not %v", i, p.Member(i, x), values[i])
		}
	}
}

// TestGradient: the gradient of a weighted sum is that of differences of values, and the value is
// the sum.
func TestGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		n := 1 + r.IntN(200)
		g := random(r, n, 1+r.IntN(3))
		p := pass.NewPlan(g)
		x, w := point(r), column(r, n)
		except := make([]bool, n)
		for i := range except {
			except[i] = r.IntN(4) == 0
		}
		sum := func(x []float64) (s float64) {
			p.Values(x, func(b *pass.Block) {
				for k, v := range b.Values {
					if !except[b.Lo+k] {
						s += graph.At(w, b.Lo+k) * v
					}
				}
			})
			return s
		}
		grad := make([]float64, variables)
		v := p.AddGradient(grad, 2, w, x, except)
		if s := sum(x); math.Abs(v-s) > 1e-9*(1+math.Abs(s)) {
			t.Fatalf("the sum is %v, not %v", v, s)
		}
		const h = 1e-7
		wrong := 0
		for j := range x {
			y := slices.Clone(x)
			y[j] += h
			up := sum(y)
			y[j] -= 2 * h
			down := sum(y)
			if d := (up - down) / h; math.Abs(d-grad[j]) > 1e-3*(1+math.Abs(d)) {
				wrong++
			}
		}
		if wrong > 1 { // a kink is within h of some points
			t.Fatalf("%d of %d entries of the gradient are not those of differences", wrong, variables)
		}
	}
}

// TestKinked: members that are not marked are affine in the box.
func TestKinked(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	free := 0
	for range 200 {
		n := 1 + r.IntN(60)
		g := &graph.Graph{N: n}
		rows := []graph.Row{row(r, n), row(r, n), row(r, n), row(r, n)}
		a := g.Add(graph.Node{Op: graph.Affine, Rows: rows})
		g.Add(graph.Reduced(atom.Norm1, 2, g.Add(graph.Reduced(atom.Max, 2, a))))
		p := pass.NewPlan(g)
		x, radius := point(r), make([]float64, variables)
		for j := range radius {
			radius[j] = 0.05
		}
		kinked, count := p.Kinked(x, radius)
		if free += n - count; !p.Piecewise() {
			t.Fatal("a maximum of affine functions is not piecewise affine")
		}
		for i, k := range kinked {
			if k {
				continue
			}
			y, z := slices.Clone(x), slices.Clone(x)
			for j := range x {
				d := radius[j] * (2*r.Float64() - 1)
				y[j], z[j] = x[j]+d, x[j]-d
			}
			if mid := p.Member(i, x); math.Abs(p.Member(i, y)+p.Member(i, z)-2*mid) > 1e-12*(1+math.Abs(mid)) {
				t.Fatalf("member %d has a kink in the box", i)
			}
		}
	}
	if free < 500 {
		t.Errorf("only %d members are affine", free)
	}
}

// TestKept: a member that is simpler by the bounds of the variables is found.
func TestKept(t *testing.T) {
	one := func(c float64) graph.Row {
		return graph.Row{Idx: [][]int32{{0}}, Val: [][]float64{{1}}, C: []float64{c}}
	}
	bounds := func(int32) (lo, hi float64) { return 0, 1 }
	for _, c := range []struct {
		f    *atom.Reduce
		rows []graph.Row
		kept bool
	}{
		{atom.Norm1, []graph.Row{one(-0.5)}, true},
		{atom.Norm1, []graph.Row{one(0)}, false},
		{atom.Norm1, []graph.Row{{Idx: [][]int32{{0}}, Val: [][]float64{{1}}, C: []float64{-0.5, -0.5, -2}}}, false},
		{atom.Max, []graph.Row{one(0), graph.Number([]float64{0.5})}, true},
		{atom.Max, []graph.Row{one(0), graph.Number([]float64{0.5, 0.5, -0.5})}, false},
		{atom.Min, []graph.Row{one(0), graph.Number([]float64{0.5, 0.5, 1.5})}, false},
		{atom.Norm2, []graph.Row{one(0), one(3)}, true},
	} {
		g := &graph.Graph{N: 3}
		a := g.Add(graph.Node{Op: graph.Affine, Rows: c.rows})
		g.Add(graph.Reduced(c.f, len(c.rows), a))
		if kept := pass.NewPlan(g).Kept(bounds); kept != c.kept {
			t.Errorf("%s of %+v: %v", c.f.Name, c.rows, kept)
		}
	}
}

// TestTake: members of a list, sums of several graphs and repeated members have the values of the
// members that they are.
func TestTake(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 100 {
		n := 2 + r.IntN(300)
		g, o := random(r, n, 2), random(r, n, 1)
		x, list := point(r), []int32{}
		for i := range n {
			if r.IntN(2) == 0 {
				list = append(list, int32(n-1-i))
			}
		}
		all := pass.NewPlan(g)
		if len(list) > 0 {
			some := pass.NewPlan(g.Take(list))
			for k, i := range list {
				if a, b := some.Member(k, x), all.Member(int(i), x); a != b {
					t.Fatalf("member %d is %v, not %v", i, a, b)
				}
			}
		}
		w := [][]float64{column(r, n), column(r, n)}
		both := pass.NewPlan(graph.Together([]*graph.Graph{g, o}, w))
		i := r.IntN(n)
		want := graph.At(w[0], i)*all.Member(i, x) + graph.At(w[1], i)*pass.NewPlan(o).Member(i, x)
		if v := both.Member(i, x); math.Abs(v-want) > 1e-9*(1+math.Abs(want)) {
			t.Fatalf("the sum is %v, not %v", v, want)
		}
	}
}

// TestParts: sums over many members have the same bits whatever the number of processors, and are
// those of the parts.
func TestParts(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	const n = 20_001
	g := random(r, n, 3)
	p := pass.NewPlan(g)
	x, w := point(r), column(r, n)
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	var first []float64
	for _, processors := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(processors)
		grad := make([]float64, variables)
		v := p.AddGradient(grad, 1, w, x, nil)
		if grad = append(grad, v); first == nil {
			first = grad
		}
		if !slices.Equal(grad, first) {
			t.Errorf("with %d processors %v, with one %v", processors, grad, first)
		}
		sum, seen := 0.0, make([]bool, p.Parts())
		p.EachPart(func(k, lo, hi int) { seen[k] = hi > lo })
		p.Values(x, func(b *pass.Block) {
			for k, u := range b.Values {
				sum += graph.At(w, b.Lo+k) * u
			}
		})
		if p.Parts() != 3 || slices.Contains(seen, false) || math.Abs(sum-v) > 1e-9*(1+math.Abs(v)) {
			t.Errorf("%d parts, %v: %v in place of %v", p.Parts(), seen, v, sum)
		}
	}
}

// TestProducts: products with Hessians are differences of gradients.
func TestProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	tried := 0
	for range 600 {
		n := 1 + r.IntN(300)
		g := random(r, n, 1+r.IntN(2))
		p := pass.NewPlan(g.Of(g.Top() - 1)) // without the kinks of the norm on top
		if p.Last().W != 1 || !p.Twice() {
			continue
		}
		x, v, w := point(r), point(r), column(r, n)
		gradient := func(h float64) []float64 {
			y, out := slices.Clone(x), make([]float64, variables)
			for j := range y {
				y[j] += h * v[j]
			}
			p.AddGradient(out, 0.5, w, y, nil)
			return out
		}
		const h = 1e-5
		got := make([]float64, variables)
		along := p.AddProduct(got, 0.5, w, x, v)
		up, down, slope := gradient(h), gradient(-h), 0.0
		for j, u := range gradient(0) {
			slope += 2 * u * v[j]
			if want := (up[j] - down[j]) / (2 * h); math.Abs(got[j]-want) > 1e-4*(1+math.Abs(want)+math.Abs(u)) {
				t.Fatalf("entry %d of the product is %g, want %g", j, got[j], want)
			}
		}
		if math.Abs(along-slope) > 1e-9*(1+math.Abs(slope)) {
			t.Fatalf("the derivative is %g, want %g", along, slope)
		}
		tried++
	}
	if tried < 30 {
		t.Errorf("only %d graphs have second derivatives", tried)
	}
}
