package refit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/need"
)

func randomVec(rng *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for k := range v {
		v[k] = rng.NormFloat64()
	}
	return v
}

// fenced copies v to the place before numbers that must stay.
func fenced(v []float64) (inside, outside []float64) {
	out := append(slices.Clone(v), 7, 7, 7, 7, 7, 7, 7, 7)
	return out[:len(v):len(v)], out[len(v):]
}

// near compares what the two kinds of kernels give.
func near(t *testing.T, what string, got, want []float64, outside []float64) {
	t.Helper()
	for k, w := range want {
		if !(math.Abs(got[k]-w) <= 1e-11*(1+math.Abs(w))) {
			t.Fatalf("%s: number %d is %g, want %g", what, k, got[k], w)
		}
	}
	for _, v := range outside {
		if v != 7 {
			t.Fatalf("%s: writes beyond its end", what)
		}
	}
}

// testPanel is a panel of random rows and values.
func testPanel(rng *rand.Rand, n, pieces, rows int, hinge bool) *panel {
	d := sample(rng, rows, n, true)
	for i, y := range d.Y {
		if hinge {
			d.Y[i] = math.Copysign(1, y)
		}
	}
	var s panels
	s.set(d, pieces, rows)
	p := s.panel(&scratch{}, 0, rows)
	copy(p.v, randomVec(rng, len(p.v)))
	copy(p.c, randomVec(rng, len(p.c)))
	return &p
}

func TestPanelKernels(t *testing.T) {
	need.That(t, cpu.Wide(), need.AVX2)
	rng := rand.New(rand.NewPCG(8, 8))
	for c := range 200 {
		n, pieces, rows := 1+rng.IntN(9), 1+rng.IntN(9), 1+rng.IntN(50)
		r1, hinge := 1+rng.IntN(pieces), c%3 == 0
		p := testPanel(rng, n, pieces, rows, hinge)
		what := fmt.Sprintf("case %d, %d×%d, %d and %d pieces", c, rows, n, r1, pieces-r1+1)

		coef := randomVec(rng, pieces*n)
		got, outside := fenced(p.v)
		want := make([]float64, len(p.v))
		wide.products(got, coef, p)
		portable.products(want, coef, p)
		near(t, what+": products", got, want, outside)

		var g, w [len(steps)]float64
		wide.lossesAlong(p, r1, hinge, &g)
		portable.lossesAlong(p, r1, hinge, &w)
		near(t, what+": probe", g[:], w[:], nil)

		q := *p
		q.v, outside = fenced(p.v)
		q.region = slices.Repeat([]int32{77}, p.width+8)
		a, b := wide.regions(&q, .25, r1, hinge), portable.regions(p, .25, r1, hinge)
		near(t, what+": loss", []float64{a}, []float64{b}, nil)
		near(t, what+": values", q.v, p.v, outside)
		if !slices.Equal(q.region[:rows], p.region[:rows]) {
			t.Fatalf("%s: regions %d, want %d", what, q.region[:rows], p.region[:rows])
		}
		if slices.ContainsFunc(q.region[p.width:], func(k int32) bool { return k != 77 }) {
			t.Fatalf("%s: regions are written beyond their end", what)
		}
	}
}

// TestTies: the first of equal pieces is taken, the one that is 0 first of all.
func TestTies(t *testing.T) {
	eachKernels(t, func(t *testing.T, k kernels) {
		p := testPanel(rand.New(rand.NewPCG(8, 9)), 2, 5, 3, false)
		for _, c := range []struct {
			v      [5]float64 // three pieces of the first maximum, two of the second
			region int32
		}{
			{[5]float64{1, 1, 1, 0, 0}, 0},
			{[5]float64{1, 2, 2, -1, 0}, 3},
			{[5]float64{1, 2, 3, 1, 1}, 7},
			{[5]float64{-3, -3, -2, 1, 2}, 8},
		} {
			for j, v := range c.v {
				for i := range p.width {
					p.v[j*p.width+i] = v
				}
			}
			clear(p.c)
			k.regions(p, 1, 3, false)
			if got := p.region[:3]; !slices.Equal(got, slices.Repeat([]int32{c.region}, 3)) {
				t.Errorf("%v: regions %d, want %d", c.v, got, c.region)
			}
		}
	})
}

func TestSumKernels(t *testing.T) {
	need.That(t, cpu.Wide(), need.AVX2)
	rng := rand.New(rand.NewPCG(8, 10))
	const regions = 5
	for n := 1; n <= 21; n++ {
		what := fmt.Sprintf("%d entries", n)
		rows := 1 + rng.IntN(40)
		p := testPanel(rng, n, 1, rows, false)
		x := randomVec(rng, rows*n)
		var got, want grams
		got.reset(n, regions)
		want.reset(n, regions)
		g, outside := fenced(got.g)
		got.g = g
		old, same := make([]int32, rows), make([]int32, rows)
		for i := range rows {
			p.region[i] = int32(rng.IntN(regions+1)) - 1
			old[i] = int32(rng.IntN(regions+1)) - 1
		}
		copy(same, old)
		// What follows the last row in memory must not count.
		wide.moves(&got, old, p, append(x, math.NaN(), math.NaN(), math.NaN())[:rows*n])
		portable.moves(&want, same, p, x)
		near(t, what+": moves", got.g, want.g, outside)
		if !slices.Equal(old, p.region[:rows]) || !slices.Equal(same, old) {
			t.Fatalf("%s: regions %d and %d, want %d", what, old, same, p.region[:rows])
		}

		const ldd = 40
		block, src := randomVec(rng, (n-1)*ldd+want.ld), want.of(0)[:n*want.ld]
		g, outside = fenced(block)
		wide.addBlock(g, ldd, src, want.ld, -1)
		portable.addBlock(block, ldd, src, want.ld, -1)
		near(t, what+": addBlock", g, block, outside)
	}
}

// TestCholesky: the kernels solve systems of every size, and refuse those that
// are not positive definite.
func TestCholesky(t *testing.T) {
	eachKernels(t, func(t *testing.T, k kernels) {
		rng := rand.New(rand.NewPCG(8, 11))
		for size := 4; size <= 76; size += 4 {
			ld := size + 4
			root := randomVec(rng, size*size)
			u := make([]float64, size*ld)
			for i := range size {
				for j := range size {
					for t := range size {
						u[i*ld+j] += root[t*size+i] * root[t*size+j]
					}
				}
				u[i*ld+i]++
				u[i*ld+size] = rng.NormFloat64()
			}
			a := slices.Clone(u)
			u, outside := fenced(u)
			x := make([]float64, 2*ld)
			if !k.cholesky(u, size) {
				t.Fatalf("size %d: not positive definite", size)
			}
			k.back(x, u, size)
			product, rhs := make([]float64, size), make([]float64, size)
			for i := range size {
				for j, v := range x[:size] {
					product[i] += a[i*ld+j] * v
				}
				rhs[i] = a[i*ld+size]
			}
			near(t, fmt.Sprintf("size %d", size), product, rhs, outside)
			for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
				u := slices.Clone(a)
				at := rng.IntN(size)
				u[at*ld+at] = bad
				if k.cholesky(u, size) {
					t.Errorf("size %d: positive definite with %g at place %d", size, bad, at)
				}
			}
		}
	})
}

// TestKernelsAgree: whole fits come to the same function.
func TestKernelsAgree(t *testing.T) {
	need.That(t, cpu.Wide(), need.AVX2)
	rng := rand.New(rand.NewPCG(8, 12))
	for _, m := range []int{30, 70, 700, keptRows + 900} {
		d := sample(rng, m, 5, true)
		opt := Options{R1: 3, R2: 2, Penalty: Penalty{Linear: 1e-3, Pieces: 1e-2}, MaxIter: 10, Tol: 1e-6}
		var fits [2]Fitter
		for c, k := range []kernels{portable, wide} {
			f := &fits[c]
			f.kernels = k
			if err := f.Cold(context.Background(), d, opt, rand.New(rand.NewPCG(1, 2))); err != nil {
				t.Fatal(err)
			}
		}
		near(t, fmt.Sprintf("%d rows", m), fits[1].Pieces, fits[0].Pieces, nil)
	}
}

// BenchmarkFit has fits as boosting, the stacks and a million rows make them.
func BenchmarkFit(b *testing.B) {
	for _, c := range []struct {
		name            string
		m, n, r1, r2, k int
	}{
		{"boost", 150, 4, 3, 3, 6},
		{"small", 100, 4, 3, 2, 20},
		{"bag", 200, 9, 4, 4, 20},
		{"wide", 300, 16, 4, 4, 20},
		{"tall", 100_000, 11, 3, 2, 8},
	} {
		d := sample(rand.New(rand.NewPCG(8, 13)), c.m, c.n, false)
		opt := Options{R1: c.r1, R2: c.r2, Penalty: Penalty{Linear: 1e-3, Pieces: 1e-2}, MaxIter: c.k, Tol: 1e-9}
		for _, k := range []struct {
			name string
			kernels
		}{{"portable", portable}, {"wide", wide}} {
			b.Run(c.name+"/"+k.name, func(b *testing.B) {
				if k.kernels == wide {
					need.That(b, cpu.Wide(), need.AVX2)
				}
				f := Fitter{kernels: k.kernels}
				iters := 0
				for b.Loop() {
					if err := f.Cold(context.Background(), d, opt, rand.New(rand.NewPCG(8, 14))); err != nil {
						b.Fatal(err)
					}
					iters += f.Iterations
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(iters*c.m), "ns/row")
			})
		}
	}
}

// TestBatchKernels compares the kernels of batches, whose sums are also those of a fit.
func TestBatchKernels(t *testing.T) {
	need.That(t, cpu.Wide(), need.AVX2)
	rng := rand.New(rand.NewPCG(8, 10))
	for c := range 100 {
		n, rows := 1+rng.IntN(14), 8*(1+rng.IntN(6))
		ld := Stride(n)
		x := randomVec(rng, rows*ld)
		for k := range x {
			if rng.IntN(9) == 0 {
				x[k] = math.NaN()
			}
		}
		for i := range rows {
			clear(x[i*ld+n-1 : (i+1)*ld])
		}
		u := NewUnit(randomVec(rng, n-1), randomVec(rng, n-1), []float64{}, []float64{1, 2})
		for j := range n - 1 {
			u.inverse[j] = 1 + rng.Float64()
		}
		what := fmt.Sprintf("case %d, %d×%d", c, rows, n)
		z, outside := fenced(make([]float64, rows*ld))
		columns, behind := fenced(make([]float64, rows*ld))
		wantZ, wantColumns := make([]float64, rows*ld), make([]float64, rows*ld)
		wide.standardise(z, columns, x, u, ld)
		portable.standardise(wantZ, wantColumns, x, u, ld)
		near(t, what+": rows", z, wantZ, outside)
		near(t, what+": columns", columns, wantColumns, behind)

		w := randomVec(rng, rows)
		var order []int32
		for range rng.IntN(2 * rows) {
			order = append(order, int32(rng.IntN(rows)))
		}
		sums, outside := fenced(randomVec(rng, ld*ld))
		want := slices.Clone(sums)
		wide.gram(sums, z, w, order, ld)
		portable.gram(want, z, w, order, ld)
		near(t, what+": sums", sums, want, outside)
	}
}
