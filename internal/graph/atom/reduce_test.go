package atom

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/interval"
	"github.com/dcopt/dcopt/internal/num"
)

// sampleOf draws parameters of a row for n numbers.
func sampleOf(f *Reduce, n int, r *rand.Rand) []float64 {
	switch f {
	case Huber:
		return []float64{0.1 + r.Float64()}
	case NormP:
		return []float64{[]float64{1.01, 1.5, 3, 7}[r.IntN(4)]}
	case SumLargest, SumSmallest:
		return []float64{float64(1 + r.IntN(n))}
	case KL:
		return make([]float64, r.IntN(2))
	case WeightedGeoMean:
		w, sum := make([]float64, n), 0.0
		for k := range w {
			w[k] = 0.1 + r.Float64()
			sum += w[k]
		}
		for k := range w {
			w[k] /= sum
		}
		return w
	}
	return nil
}

// countOf draws how many numbers a row is of.
func countOf(f *Reduce, r *rand.Rand) int {
	n := 1 + r.IntN(5)
	switch {
	case f == Inner:
		return 2 * n
	case f == KL:
		return 2
	case f == QuadOverLin:
		return 1 + n
	}
	return n
}

// drawn are numbers within the domain, and their columns.
func drawn(f *Reduce, n int, r *rand.Rand) []float64 {
	u := make([]float64, n)
	for k := range u {
		if u[k] = 2 * r.NormFloat64(); f.Entry(k).Nonnegative {
			u[k] = math.Abs(u[k]) + 0.01
		}
	}
	return u
}

func columns(u []float64) [][]float64 {
	out := make([][]float64, len(u))
	for k, v := range u {
		out[k] = []float64{v}
	}
	return out
}

func (f *Reduce) at(u, p []float64) float64 {
	v := []float64{0}
	f.Value(v, columns(u), p)
	return v[0]
}

func (f *Reduce) gradient(u, p []float64) []float64 {
	to := columns(make([]float64, len(u)))
	f.Slope(to, []float64{1}, columns(u), []float64{f.at(u, p)}, p)
	g := make([]float64, len(u))
	for k := range g {
		g[k] = to[k][0]
	}
	return g
}

// eachRow runs a test for many draws of all rows.
func eachRow(t *testing.T, test func(t *testing.T, f *Reduce, n int, p []float64, r *rand.Rand)) {
	for _, f := range Reduces() {
		t.Run(f.Name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(48, uint64(len(f.Name))))
			for range 400 {
				n := countOf(f, r)
				test(t, f, n, sampleOf(f, n, r), r)
			}
		})
	}
}

// TestReduceSlopes: slopes, and products with Hessians, agree with differences. At all points they
// are subgradients of convex and of concave functions, they have the direction and the bounds that
// the row states, and a member has the same of its own as in a block.
func TestReduceSlopes(t *testing.T) {
	eachRow(t, func(t *testing.T, f *Reduce, n int, p []float64, r *rand.Rand) {
		u := drawn(f, n, r)
		v, g := f.at(u, p), f.gradient(u, p)
		const h = 1e-6
		for k := range u {
			at := func(d float64) float64 { w := slices.Clone(u); w[k] += d; return f.at(w, p) }
			if d := (at(h) - at(-h)) / (2 * h); math.Abs(d-g[k]) > 1e-4*(1+math.Abs(d)) {
				t.Fatalf("at %g: slope %d is %g, want %g", u, k, g[k], d)
			}
			switch m := f.Entry(k).Monotone; {
			case m == Rising && g[k] < 0, m == Falling && g[k] > 0, m == Outward && g[k]*u[k] < 0:
				t.Fatalf("at %g: slope %d is %g", u, k, g[k])
			}
			if f.Slopes != nil {
				if a, b := f.Slopes(n, p); g[k] < -a-1e-12 || g[k] > b+1e-12 {
					t.Fatalf("at %g: slope %d is %g, not in [%g, %g]", u, k, g[k], -a, b)
				}
			}
		}
		if f.Second != nil {
			d := make([]float64, n)
			for k := range d {
				d[k] = r.NormFloat64()
			}
			to := columns(make([]float64, n))
			f.Second(to, []float64{1}, columns(u), columns(d), []float64{v}, p)
			at := func(h float64) []float64 {
				w := slices.Clone(u)
				for k := range w {
					w[k] += h * d[k]
				}
				return f.gradient(w, p)
			}
			up, down := at(h), at(-h)
			for k := range d {
				want := (up[k] - down[k]) / (2 * h)
				kink := f == Huber && math.Abs(math.Abs(u[k])-p[0]) < 1e-4 // of the slope
				if math.Abs(to[k][0]-want) > 1e-3*(1+math.Abs(want)) && !kink {
					t.Fatalf("at %g along %g: entry %d of the product is %g, want %g", u, d, k, to[k][0], want)
				}
			}
		}
		w := drawn(f, n, r)
		tangent := v
		for k := range w {
			tangent += g[k] * (w[k] - u[k])
		}
		if fw := f.at(w, p); float64(f.Curvature)*(fw-tangent) < -1e-9*(1+math.Abs(fw)+math.Abs(tangent)) {
			t.Fatalf("at %g the value is %g, on the other side of the tangent of %g, %g", w, fw, u, tangent)
		}
		block := make([][]float64, n)
		for k := range block {
			block[k] = []float64{w[k], u[k], w[k]}
		}
		both := make([]float64, 2)
		if f.Value(both, block, p); both[0] != f.at(w, p) || both[1] != v {
			t.Fatalf("the members are %g, alone %g and %g", both, f.at(w, p), v)
		}
	})
}

// TestReduceRanges: values lie within the ranges and the error bounds of numbers that are near, and
// changes are as small as the row states.
func TestReduceRanges(t *testing.T) {
	eachRow(t, func(t *testing.T, f *Reduce, n int, p []float64, r *rand.Rand) {
		u, e, near := drawn(f, n, r), make([]float64, n), make([]float64, n)
		box := make([]Interval, n)
		for k := range u {
			e[k] = 0.005 * r.Float64() * r.Float64()
			near[k] = u[k] + e[k]*(2*r.Float64()-1)
			box[k] = interval.New(u[k]-e[k], u[k]+e[k])
		}
		v, w := f.at(u, p), f.at(near, p)
		if i := f.Over(box, p); !i.Contains(v) || !i.Contains(w) {
			t.Fatalf("over %v: %g or %g is not in %v", box, v, w, i)
		}
		bound, room := []float64{0}, []float64{0}
		f.Error(bound, room, columns(u), columns(e), []float64{v}, p)
		if !(math.Abs(w-v) <= bound[0]) {
			t.Fatalf("at %g the value is %g, %g from that at %g, and the bound %g", near, w, math.Abs(w-v), u, bound[0])
		}
		far := make([]float64, n) // more than the numbers: they may be beyond a domain
		for k := range far {
			far[k] = 2*math.Abs(u[k]) + 1
		}
		f.Error(bound, room, columns(u), columns(far), []float64{v}, p)
		if !(bound[0] >= 0) {
			t.Fatalf("at %g with the errors %g the bound is %g", u, far, bound[0])
		}
		if f.Change != nil && math.Abs(w-v) > f.Change(e, p)*(1+1e-9)+1e-12 {
			t.Fatalf("from %g to %g the change is %g, and its bound %g", u, near, math.Abs(w-v), f.Change(e, p))
		}
		if f.Simpler != nil && f.Simpler(box) && f != Norm1 {
			g := f.gradient(u, p)
			if !slices.Contains(g, 0) {
				t.Fatalf("over %v all numbers count", box)
			}
		}
		if f.Reach != nil {
			f.Reach(bound, columns(u), columns(e), []float64{v})
			if !math.IsInf(bound[0], 1) && !slices.Equal(f.gradient(u, p), f.gradient(near, p)) {
				t.Fatalf("from %g to %g there is a kink", u, near)
			}
		}
	})
}

// TestProducts: the sums of products that rows state have their values.
func TestProducts(t *testing.T) {
	eachRow(t, func(t *testing.T, f *Reduce, n int, p []float64, r *rand.Rand) {
		if f.Products == nil {
			return
		}
		u, sum := drawn(f, n, r), 0.0
		for _, factors := range f.Products(n) {
			product := 1.0
			for _, c := range factors {
				product *= math.Pow(u[c.Entry], c.Power)
			}
			sum += product
		}
		if v := f.at(u, p); math.Abs(v-sum) > 1e-12*(1+math.Abs(v)) {
			t.Fatalf("at %g the value is %g, the sum of products %g", u, v, sum)
		}
	})
}

// TestConeOfRow: of rows that state one cone, the point (f(u), u) is on its boundary.
func TestConeOfRow(t *testing.T) {
	eachRow(t, func(t *testing.T, f *Reduce, n int, p []float64, r *rand.Rand) {
		if f.Cone == nil {
			return
		}
		u := drawn(f, n, r)
		lins := make([]Lin, n)
		for k := range lins {
			lins[k] = Lin{Idx: []int{k}, Val: []float64{1}}
		}
		cone := f.Cone(Lin{Idx: []int{n}, Val: []float64{1}}, lins, p)
		if cone.Kind != convex.SecondOrderCone {
			t.Fatal(fmt.Sprint("no test for the cone ", cone.Kind))
		}
		for _, d := range []float64{-1e-6, 1e-6} {
			v := f.at(u, p)
			at := append(slices.Clone(u), v+d*(1+v))
			s := 0.0
			for _, l := range cone.Rows[1:] {
				s = math.Hypot(s, l.Value(at))
			}
			if inside := cone.Rows[0].Value(at) >= s; inside != (d > 0) {
				t.Fatalf("at %g with the bound %g of the value %g: inside %v", u, at[n], v, inside)
			}
		}
	})
}

// values are Factors of numbers.
type values struct{}

func (values) Sum(f *Curve, p float64, u ...Lin) (sum Lin) {
	for _, l := range u {
		sum.Const += f.Value.At(l.Const, p)
	}
	return sum
}
func (values) Product(u, v Lin) Lin   { return fixed(u.Const * v.Const) }
func (values) Column(l Lin) Lin       { return l }
func (values) Total(parts ...Lin) Lin { return convex.SumLinear(parts, nil) }

// TestReduceFactored: each row is a sum of extremes, or functions of one number and products have
// its value.
func TestReduceFactored(t *testing.T) {
	eachRow(t, func(t *testing.T, f *Reduce, n int, p []float64, r *rand.Rand) {
		u := drawn(f, n, r)
		v, want := 0.0, f.at(u, p)
		if f.Extremes != nil {
			slices.Sort(u)
			for k := range f.Extremes(p) {
				if f.Curvature > 0 {
					k = n - 1 - k
				}
				v += u[k]
			}
		} else {
			lins := make([]Lin, n)
			for k := range lins {
				lins[k] = fixed(u[k])
			}
			v = f.Factored(values{}, lins, p).Const
		}
		if !(math.Abs(v-want) <= 1e-13*(1+num.Norm1(u)+math.Abs(want))) {
			t.Fatalf("at %v with %v: %g, want %g", u, p, v, want)
		}
	})
}
