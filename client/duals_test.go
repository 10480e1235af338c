package client_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/client"
)

// vars are scalar variables.
func vars(names ...string) []client.Variable {
	out := make([]client.Variable, len(names))
	for k, n := range names {
		out[k] = client.Variable{Name: n, Shape: []int{}}
	}
	return out
}

// entry is entry k of node id with n entries.
func entry(g *client.Graph, id, k int) int {
	return g.Add(client.Node{Op: "affine", Args: []int{id}, Shape: []int{}, Attrs: &client.Attrs{Indptr: client.I(0, 1), Indices: client.I(k), Data: client.F(1)}})
}

func value(g *client.Graph, shape []int, v ...float64) int {
	return g.Add(client.Node{Op: "const", Shape: shape, Attrs: &client.Attrs{Data: client.F(v...)}})
}

func minimise(g *client.Graph, node int) {
	g.Objective = &client.Objective{Sense: "minimize", Node: node}
}

// Multipliers of every kind of constraint, derived by hand from the Lagrange function.
func TestMultipliers(t *testing.T) {
	inf := math.Inf(1)
	geo := math.Pow(2, 0.4) * math.Pow(3, 0.6)
	mean := math.Pow(2, 0.5) * math.Pow(3, 0.25) * math.Pow(5, 0.25)
	const many = 150 // entries, so many that dc keeps them as one graph
	squares, slopes := 0.0, []float64(nil)
	for k := range many {
		x := 3 + float64(k)/10
		squares, slopes = squares+x*x, append(slopes, -2*x)
	}
	for _, tc := range []struct {
		name        string
		build       func() *client.Graph
		objective   float64
		multipliers []float64
		bounds      []float64
	}{
		{"le eq", func() *client.Graph { // min x^2 + y^2, x + y = 4, 3 <= x
			g := &client.Graph{Variables: []client.Variable{{Name: "x", Shape: []int{2}}}}
			sum := g.Add(client.Node{Op: "affine", Args: []int{0}, Shape: []int{}, Attrs: &client.Attrs{Indptr: client.I(0, 2), Indices: client.I(0, 1), Data: client.F(1, 1)}})
			c := value(g, []int{}, 4)
			three := value(g, []int{}, 3)
			x := entry(g, 0, 0)
			minimise(g, g.Add(client.Node{Op: "sumsq", Args: []int{0}, Shape: []int{}}))
			g.Constraints = []client.Constraint{{Kind: "eq", Args: []int{sum, c}}, {Kind: "le", Args: []int{three, x}}}
			return g
		}, 10, []float64{-2, 4}, []float64{0, 0}},
		{"le with infinite sides", func() *client.Graph { // min -x0 - x1 - x2, x <= (1, inf, 2), inf >= x
			g := &client.Graph{Variables: []client.Variable{{Name: "x", Shape: []int{3}, Lo: client.F(0), Hi: client.F(inf, 7, inf)}}}
			hi := value(g, []int{3}, 1, inf, 2)
			all := value(g, []int{}, inf)
			minimise(g, g.Add(client.Node{Op: "affine", Args: []int{0}, Shape: []int{}, Attrs: &client.Attrs{Indptr: client.I(0, 3), Indices: client.I(2, 1, 0), Data: client.F(-1, -1, -1)}}))
			g.Constraints = []client.Constraint{{Kind: "le", Args: []int{0, hi}}, {Kind: "le", Args: []int{0, all}}}
			return g
		}, -10, []float64{1, 0, 1, 0, 0, 0}, []float64{0, 1, 0}},
		{"between", func() *client.Graph { // min (x0 - 5)^2 + (x1 + 5)^2, -1 <= x <= 2
			g := &client.Graph{Variables: []client.Variable{{Name: "x", Shape: []int{2}}}}
			c := value(g, []int{2}, 5, -5)
			d := g.Add(client.Node{Op: "sum", Args: []int{0, c}, Shape: []int{2}, Attrs: &client.Attrs{Factors: []float64{1, -1}}})
			minimise(g, g.Add(client.Node{Op: "sumsq", Args: []int{d}, Shape: []int{}}))
			g.Constraints = []client.Constraint{{Kind: "between", Args: []int{0}, Lo: client.F(-1), Hi: client.F(2)}}
			return g
		}, 25, []float64{6, -8}, []float64{0, 0}},
		{"soc", func() *client.Graph { // min t0 + 2 t1, the groups of X are (3, 4) and (0, -5)
			g := &client.Graph{Variables: []client.Variable{{Name: "t", Shape: []int{2}}, {Name: "X", Shape: []int{2, 2}}}}
			c := value(g, []int{2, 2}, 3, 4, 0, -5)
			minimise(g, g.Add(client.Node{Op: "affine", Args: []int{0}, Shape: []int{}, Attrs: &client.Attrs{Indptr: client.I(0, 2), Indices: client.I(0, 1), Data: client.F(1, 2)}}))
			g.Constraints = []client.Constraint{{Kind: "soc", Args: []int{0, 1}, Groups: client.Ptr(2)}, {Kind: "eq", Args: []int{1, c}}}
			return g
		}, 15, []float64{1, 2, -.6, -.8, 0, 2, -.6, -.8, 0, 2}, make([]float64, 6)},
		{"soc of functions", func() *client.Graph { // min t, norm2(|x|, 2) <= t, x = -1.5
			g := &client.Graph{Variables: vars("t", "x")}
			a := g.Add(client.Node{Op: "abs", Args: []int{1}, Shape: []int{}})
			two := value(g, []int{}, 2)
			v := g.Add(client.Node{Op: "affine", Args: []int{a, two}, Shape: []int{2}, Attrs: &client.Attrs{Indptr: client.I(0, 1, 2), Indices: client.I(0, 1), Data: client.F(1, 1)}})
			c := value(g, []int{}, -1.5)
			minimise(g, 0)
			g.Constraints = []client.Constraint{{Kind: "soc", Args: []int{0, v}}, {Kind: "eq", Args: []int{1, c}}}
			return g
		}, 2.5, []float64{1, -.6, -.8, .6}, make([]float64, 2)},
		{"exp", func() *client.Graph { // min z - x, y = 1
			g := &client.Graph{Variables: vars("x", "y", "z")}
			one := value(g, []int{}, 1)
			minimise(g, g.Add(client.Node{Op: "sum", Args: []int{2, 0}, Shape: []int{}, Attrs: &client.Attrs{Factors: []float64{1, -1}}}))
			g.Constraints = []client.Constraint{{Kind: "exp", Args: []int{0, 1, 2}}, {Kind: "eq", Args: []int{1, one}}}
			return g
		}, 1, []float64{-1, -1, 1, -1}, make([]float64, 3)},
		{"pow", func() *client.Graph { // min -z, x = 2, y = 3
			g := &client.Graph{Variables: vars("x", "y", "z")}
			two, three := value(g, []int{}, 2), value(g, []int{}, 3)
			minimise(g, g.Add(client.Node{Op: "sum", Args: []int{2}, Shape: []int{}, Attrs: &client.Attrs{Factors: []float64{-1}}}))
			g.Constraints = []client.Constraint{
				{Kind: "pow", Args: []int{0, 1, 2}, Alpha: client.F(0.4)}, {Kind: "eq", Args: []int{0, two}}, {Kind: "eq", Args: []int{1, three}},
			}
			return g
		}, -geo, []float64{.4 * geo / 2, .6 * geo / 3, -1, .4 * geo / 2, .6 * geo / 3}, make([]float64, 3)},
		{"pownd", func() *client.Graph { // min z, W = (2, 3, 5)
			g := &client.Graph{Variables: []client.Variable{{Name: "W", Shape: []int{3}}, {Name: "z", Shape: []int{}}}}
			c := value(g, []int{3}, 2, 3, 5)
			minimise(g, 1)
			g.Constraints = []client.Constraint{{Kind: "pownd", Args: []int{0, 1}, Alpha: client.F(.5, .25, .25)}, {Kind: "eq", Args: []int{0, c}}}
			return g
		}, -mean, []float64{mean / 4, mean / 12, mean / 20, 1, mean / 4, mean / 12, mean / 20}, make([]float64, 4)},
		{"pownd at zero", func() *client.Graph { // min w0, W = (w0, 1, 1), z = 0: the price of w0 is 1
			g := &client.Graph{Variables: []client.Variable{{Name: "W", Shape: []int{3}}, {Name: "z", Shape: []int{}}}}
			first := g.Add(client.Node{Op: "affine", Args: []int{0}, Shape: []int{}, Attrs: &client.Attrs{Indptr: client.I(0, 1), Indices: client.I(0), Data: client.F(1)}})
			rest := g.Add(client.Node{Op: "affine", Args: []int{0}, Shape: []int{2}, Attrs: &client.Attrs{Indptr: client.I(0, 1, 2), Indices: client.I(1, 2), Data: client.F(1, 1)}})
			one, zero := value(g, []int{2}, 1, 1), value(g, []int{}, 0)
			minimise(g, first)
			g.Constraints = []client.Constraint{
				{Kind: "pownd", Args: []int{0, 1}, Alpha: client.F(.5, .25, .25)}, {Kind: "eq", Args: []int{rest, one}}, {Kind: "eq", Args: []int{1, zero}},
			}
			return g
		}, 0, []float64{1, 0, 0, 0, 0, 0, 0}, make([]float64, 4)},
		{"pownd of one entry", func() *client.Graph { // min w - 2 z, w <= 1
			g := &client.Graph{Variables: []client.Variable{{Name: "w", Shape: []int{1}, Hi: client.F(1)}, {Name: "z", Shape: []int{}}}}
			minimise(g, g.Add(client.Node{Op: "sum", Args: []int{0, 1}, Shape: []int{}, Attrs: &client.Attrs{Factors: []float64{1, -2}}}))
			g.Constraints = []client.Constraint{{Kind: "pownd", Args: []int{0, 1}, Alpha: client.F(1)}}
			return g
		}, -1, []float64{2, -2}, []float64{1, 0}},
		{"psd", func() *client.Graph { // min trace X, X - C psd
			g := &client.Graph{Variables: []client.Variable{{Name: "X", Shape: []int{3, 3}, Symmetric: true}}}
			c := value(g, []int{3, 3}, 2, 1, 0, 1, 3, 0, 0, 0, 1)
			d := g.Add(client.Node{Op: "sum", Args: []int{0, c}, Shape: []int{3, 3}, Attrs: &client.Attrs{Factors: []float64{1, -1}}})
			minimise(g, g.Add(client.Node{Op: "affine", Args: []int{0}, Shape: []int{}, Attrs: &client.Attrs{Indptr: client.I(0, 3), Indices: client.I(0, 4, 8), Data: client.F(1, 1, 1)}}))
			g.Constraints = []client.Constraint{{Kind: "psd", Args: []int{d}}}
			return g
		}, 6, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}, make([]float64, 9)},
		{"eq of functions", func() *client.Graph { // min y, y = x^2, x = 3: y - x^2 has the multiplier -1
			g := &client.Graph{Variables: vars("x", "y")}
			g.Variables[0].Start = client.F(3)
			sq := g.Add(client.Node{Op: "square", Args: []int{0}, Shape: []int{}})
			three := value(g, []int{}, 3)
			minimise(g, 1)
			g.Constraints = []client.Constraint{{Kind: "eq", Args: []int{1, sq}}, {Kind: "eq", Args: []int{0, three}}}
			return g
		}, 9, []float64{-1, -6}, make([]float64, 2)},
		{"le of many functions", func() *client.Graph { // min sum of u x^2, w |x - 2| + x^2 <= w + 1 of each: x = 1, the prices are 2u/(w - 2)
			g := &client.Graph{Variables: []client.Variable{{Name: "x", Shape: []int{many}, Start: client.F(1)}}}
			sq := g.Add(client.Node{Op: "square", Args: []int{0}, Shape: []int{many}})
			two := value(g, []int{}, 2)
			d := g.Add(client.Node{Op: "sum", Args: []int{0, two}, Shape: []int{many}, Attrs: &client.Attrs{Factors: []float64{1, -1}}})
			abs := g.Add(client.Node{Op: "abs", Args: []int{d}, Shape: []int{many}})
			ptr, idx, data, constant, sum, u := []int{0}, []int(nil), []float64(nil), []float64(nil), []int(nil), []float64(nil)
			for k := range many {
				w := 5 + float64(k)/many
				ptr, idx, data, constant = append(ptr, 2*k+2), append(idx, k, many+k), append(data, w, 1), append(constant, -w-1)
				sum, u = append(sum, k), append(u, (w-2)/2)
			}
			c := g.Add(client.Node{Op: "affine", Args: []int{abs, sq}, Shape: []int{many}, Attrs: &client.Attrs{Indptr: client.I(ptr...), Indices: client.I(idx...), Data: client.F(data...), Constant: client.F(constant...)}})
			minimise(g, g.Add(client.Node{Op: "affine", Args: []int{sq}, Shape: []int{}, Attrs: &client.Attrs{Indptr: client.I(0, many), Indices: client.I(sum...), Data: client.F(u...)}}))
			g.Constraints = []client.Constraint{{Kind: "le", Args: []int{c}}}
			return g
		}, float64(many-1)/4 + 1.5*many, slices.Repeat([]float64{1}, many), make([]float64, many)},
		{"eq of many functions", func() *client.Graph { // as eq of functions, x = 3 + k
			g := &client.Graph{Variables: []client.Variable{{Name: "x", Shape: []int{many}}, {Name: "y", Shape: []int{many}}}}
			sq := g.Add(client.Node{Op: "square", Args: []int{0}, Shape: []int{many}})
			var x, ones []float64
			var all []int
			for k := range many {
				x, ones, all = append(x, 3+float64(k)/10), append(ones, 1), append(all, k)
			}
			at := value(g, []int{many}, x...)
			g.Variables[0].Start = client.F(x...)
			minimise(g, g.Add(client.Node{Op: "affine", Args: []int{1}, Shape: []int{}, Attrs: &client.Attrs{Indptr: client.I(0, many), Indices: client.I(all...), Data: client.F(ones...)}}))
			g.Constraints = []client.Constraint{{Kind: "eq", Args: []int{1, sq}}, {Kind: "eq", Args: []int{0, at}}}
			return g
		}, squares, append(slices.Repeat([]float64{-1}, many), slopes...), make([]float64, 2*many)},
		{"nothing", func() *client.Graph { // arrays without entries
			g := &client.Graph{Variables: []client.Variable{{Name: "x", Shape: []int{0, 3}}, {Name: "y", Shape: []int{}, Lo: client.F(1)}}}
			s := g.Add(client.Node{Op: "norm1", Args: []int{0}, Shape: []int{}})
			minimise(g, g.Add(client.Node{Op: "sum", Args: []int{s, 1}, Shape: []int{}}))
			g.Constraints = []client.Constraint{{Kind: "le", Args: []int{0}}, {Kind: "eq", Args: []int{0}}, {Kind: "le", Args: []int{1, value(g, []int{}, 4)}}}
			return g
		}, 1, []float64{0}, []float64{-1}},
	} {
		c := worker(t)
		p, err := c.Load(context.Background(), tc.build(), nil)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		res, err := p.Solve(context.Background(), client.Options{})
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if res.Status != "converged" || math.Abs(float64(res.Objective)-tc.objective) > 1e-6 {
			t.Errorf("%s: %s with %g, want %g; %s", tc.name, res.Status, res.Objective, tc.objective, res.Message)
		}
		if p.Multipliers != len(tc.multipliers) {
			t.Errorf("%s: %d multipliers, want %d", tc.name, p.Multipliers, len(tc.multipliers))
		}
		near(t, tc.name+": multipliers", res.Multipliers.V, tc.multipliers, 1e-5)
		near(t, tc.name+": bounds", res.BoundMultipliers.V, tc.bounds, 1e-5)
	}
}

// A psd variable has a multiplier of its own: C - λ I for the least trace(C X) with
// trace X = 1.
func TestSemidefiniteVariable(t *testing.T) {
	g := &client.Graph{Variables: []client.Variable{{Name: "X", Shape: []int{2, 2}, PSD: true}}}
	one := value(g, []int{}, 1)
	trace := g.Add(client.Node{Op: "affine", Args: []int{0}, Shape: []int{}, Attrs: &client.Attrs{Indptr: client.I(0, 2), Indices: client.I(0, 3), Data: client.F(1, 1)}})
	minimise(g, g.Add(client.Node{Op: "affine", Args: []int{0}, Shape: []int{}, Attrs: &client.Attrs{Indptr: client.I(0, 4), Indices: client.I(0, 1, 2, 3), Data: client.F(2, 1, 1, 2)}}))
	g.Constraints = []client.Constraint{{Kind: "eq", Args: []int{trace, one}}}
	p, err := worker(t).Load(context.Background(), g, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := p.Solve(context.Background(), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "x", res.X.V, []float64{.5, -.5, -.5, .5}, 1e-6)
	near(t, "the multiplier of the trace", res.Multipliers.V, []float64{-1}, 1e-6)
	near(t, "the multiplier of psd", res.PSDMultipliers["X"].V, []float64{1, 1, 1, 1}, 1e-6)
}

func TestCertificates(t *testing.T) {
	ctx := context.Background()
	c := worker(t)
	g := &client.Graph{Variables: []client.Variable{{Name: "x", Shape: []int{2}, Lo: client.F(0)}, {Name: "free", Shape: []int{}}}}
	sum := g.Add(client.Node{Op: "affine", Args: []int{0}, Shape: []int{}, Attrs: &client.Attrs{Indptr: client.I(0, 2), Indices: client.I(0, 1), Data: client.F(1, 1)}})
	less, any := value(g, []int{}, -1), value(g, []int{}, 5)
	minimise(g, 1)
	g.Constraints = []client.Constraint{{Kind: "le", Args: []int{1, any}, Name: "loose"}, {Kind: "le", Args: []int{sum, less}, Name: "tight"}}
	p, err := c.Load(ctx, g, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := p.Solve(ctx, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != "infeasible" || res.Certificate != "infeasible" || !math.IsInf(float64(res.Objective), 1) {
		t.Fatalf("%+v", res)
	}
	y, z := res.Multipliers.V, res.BoundMultipliers.V // y (x0 + x1 + 1) + z x has no x in it, and its bound is 1
	near(t, "certificate", []float64{y[0], y[1] + z[0], y[1] + z[1], z[2], y[1]}, []float64{0, 0, 0, 0, 1}, 1e-6)
	tight, bound := 0, 0
	for _, place := range res.Conflict {
		if place.Constraint != nil && *place.Constraint == 1 {
			tight++
		}
		if place.Variable != nil && *place.Variable == 0 {
			bound++
		}
	}
	if tight != 1 || bound != 1 || len(res.Conflict) != 2 {
		t.Errorf("conflict %+v", res.Conflict)
	}
	g.Constraints = g.Constraints[:1]
	if p, err = c.Load(ctx, g, nil); err != nil {
		t.Fatal(err)
	}
	if res, err = p.Solve(ctx, client.Options{}); err != nil {
		t.Fatal(err)
	}
	if res.Status != "unbounded" || res.Certificate != "unbounded" || !(res.Ray.V[2] < 0) || res.Ray.V[0] < 0 || res.Ray.V[1] < 0 {
		t.Fatalf("%+v, ray %v", res, res.Ray.V)
	}
}
