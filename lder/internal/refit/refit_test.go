package refit

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/need"
)

func sample(rng *rand.Rand, m, n int, weighted bool) *Data {
	d := &Data{M: m, N: n}
	for range m {
		s := 0.0
		for range n - 1 {
			v := rng.NormFloat64()
			d.X = append(d.X, v)
			s += math.Abs(v) - max(v, .3)
		}
		d.X = append(d.X, 1)
		d.Y = append(d.Y, s+.3*rng.NormFloat64())
	}
	if weighted {
		sum := 0.0
		for range m {
			d.W = append(d.W, rng.Float64())
			sum += d.W[len(d.W)-1]
		}
		for i := range d.W {
			d.W[i] /= sum
		}
	}
	return d
}

// loss is the weighted mean of squared errors, plainly.
func loss(d *Data, pieces []float64, r1 int) float64 {
	sum := 0.0
	for i := range d.M {
		e := d.Y[i] - Eval(pieces, r1, d.Row(i))
		sum += d.Weight(i) * e * e
	}
	return sum
}

// eachKernels runs a test with the portable kernels and with those of this
// processor.
func eachKernels(t *testing.T, test func(t *testing.T, k kernels)) {
	t.Run("portable", func(t *testing.T) { test(t, portable) })
	t.Run("wide", func(t *testing.T) {
		need.That(t, cpu.Wide(), need.AVX2)
		test(t, wide)
	})
}

// TestStep: each least squares solution is that of the dense penalised problem
// with the present regions, each trial step has the loss that a plain
// evaluation gives, and the objective falls.
func TestStep(t *testing.T) { eachKernels(t, testStep) }

func testStep(t *testing.T, k kernels) {
	rng := rand.New(rand.NewPCG(8, 1))
	for c := range 40 {
		m, n := 20+rng.IntN(80), 2+rng.IntN(5)
		r1, r2 := 1+rng.IntN(4), 1+rng.IntN(3)
		d := sample(rng, m, n, c%2 == 0)
		opt := Options{R1: r1, R2: r2, Penalty: Penalty{Linear: 1e-3, Pieces: math.Pow(10, -3*rng.Float64())}, MaxIter: 1 + rng.IntN(6), Tol: 1e-9}
		f := Fitter{kernels: k}
		if err := f.Cold(context.Background(), d, opt, rng); err != nil {
			t.Fatal(err)
		}
		if want := loss(d, f.Pieces, r1) + f.pen.value(f.θ, n); math.Abs(want-f.Objective) > 1e-9*want {
			t.Errorf("case %d: objective %g, want %g", c, f.Objective, want)
		}
		f.place(0, opt.Hinge)
		if !f.solve() {
			t.Fatal("no solution")
		}
		checkNormal(t, &f)
		before := f.Objective
		trial := slices.Clone(f.trial)
		p := make([]float64, len(f.Pieces))
		f.search()
		losses := f.lossesAlong()
		for s, step := range steps {
			θ := slices.Clone(f.θ)
			for k := range θ {
				θ[k] += step * (trial[k] - θ[k])
			}
			f.join(p, θ)
			if want := loss(d, p, r1); math.Abs(losses[s]-want) > 1e-10*(1+want) {
				t.Errorf("case %d: loss %g at step %g, want %g", c, losses[s], step, want)
			}
		}
		if f.Objective > before {
			t.Errorf("case %d: the objective rises", c)
		}
	}
}

// checkNormal compares trial with the solution of the dense normal equations.
func checkNormal(t *testing.T, f *Fitter) {
	t.Helper()
	d, r1, r2, n := f.d, f.opt.R1, f.opt.R2, f.d.N
	k := r1 + r2 - 1
	h, b := mat.NewSymDense(k*n, nil), mat.NewVecDense(k*n, nil)
	for i := range d.M {
		row := mat.NewVecDense(k*n, nil)
		u, v, _ := EvalArgs(f.Pieces, r1, d.Row(i))
		for j, e := range d.Row(i) {
			row.SetVec(u*n+j, e)
			if v > 0 {
				row.SetVec((r1+v-1)*n+j, -e)
			}
		}
		h.SymRankOne(h, d.Weight(i), row)
		b.AddScaledVec(b, d.Weight(i)*d.Y[i], row)
	}
	for i := range k {
		for j := range k {
			if i < j {
				continue
			}
			for e := range n {
				q := f.pen.slope[i*k+j]
				if e == n-1 {
					q = f.pen.constant[i*k+j]
				}
				h.SetSym(i*n+e, j*n+e, h.At(i*n+e, j*n+e)+q)
			}
		}
	}
	var sol mat.VecDense
	if err := sol.SolveVec(h, b); err != nil {
		t.Fatal(err)
	}
	for j := range k * n {
		if math.Abs(sol.AtVec(j)-f.trial[j]) > 1e-6*(1+mat.Norm(&sol, math.Inf(1))) {
			t.Fatalf("coefficient %d is %g, want %g", j, f.trial[j], sol.AtVec(j))
		}
	}
}

// TestPenaltyEliminates: θᵀQθ is the least of a‖b‖² + b Σ‖u_l‖² + b Σ‖v_j‖²
// over splits w_l = b + u_l − s, v_j = v'_j − s, v'_1 = s.
func TestPenaltyEliminates(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	const a, b = .3, .05
	for range 20 {
		r1, r2 := 1+rng.IntN(4), 1+rng.IntN(4)
		k := r1 + r2 - 1
		q := make([]float64, k*k)
		precision(q, r1, r2, a, b)
		θ := make([]float64, k)
		for i := range θ {
			θ[i] = rng.NormFloat64()
		}
		// Minimise over (b, s): a two-by-two least squares problem.
		rows, rhs := mat.NewDense(r1+r2+1, 2, nil), mat.NewVecDense(r1+r2+1, nil)
		rows.Set(0, 0, math.Sqrt(a))
		for l := range r1 { // u = w − b + s
			rows.Set(1+l, 0, math.Sqrt(b))
			rows.Set(1+l, 1, -math.Sqrt(b))
			rhs.SetVec(1+l, math.Sqrt(b)*θ[l])
		}
		for j := range r2 { // v' = v + s
			rows.Set(1+r1+j, 1, -math.Sqrt(b))
			if j > 0 {
				rhs.SetVec(1+r1+j, math.Sqrt(b)*θ[r1+j-1])
			}
		}
		var sol, res mat.VecDense
		if err := sol.SolveVec(rows, rhs); err != nil {
			t.Fatal(err)
		}
		res.MulVec(rows, &sol)
		res.SubVec(&res, rhs)
		want, got := mat.Dot(&res, &res), 0.0
		for i := range k {
			for j := range k {
				got += θ[i] * q[i*k+j] * θ[j]
			}
		}
		if math.Abs(got-want) > 1e-10*(1+want) {
			t.Errorf("(%d, %d): %g, want %g", r1, r2, got, want)
		}
	}
}

// TestWorkers: any number of goroutines gives the same bits, over several
// blocks.
func TestWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 3))
	d := sample(rng, 3*blockRows+17, 4, false)
	var want []float64
	for _, workers := range []int{1, 2, 5} {
		var f Fitter
		opt := Options{R1: 3, R2: 2, Penalty: Penalty{Linear: 1e-3, Pieces: 1e-2}, MaxIter: 8, Tol: 1e-6, Workers: workers}
		if err := f.Cold(context.Background(), d, opt, rand.New(rand.NewPCG(1, 1))); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = slices.Clone(f.Pieces)
		}
		if !slices.Equal(f.Pieces, want) {
			t.Errorf("%d workers: other coefficients", workers)
		}
	}
}

// TestWarmAndAgain: a warm start from a fit does not rise above it, whatever is
// added to both maxima, and going on equals starting warm.
func TestWarmAndAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 4))
	d := sample(rng, 90, 4, true)
	ctx := context.Background()
	opt := Options{R1: 3, R2: 3, Penalty: Penalty{Linear: 1e-3, Pieces: 1e-3}, MaxIter: 20, Tol: 1e-8}
	var f, g Fitter
	if err := f.Cold(ctx, d, opt, rng); err != nil {
		t.Fatal(err)
	}
	shifted := slices.Clone(f.Pieces)
	for k := range shifted {
		shifted[k] += []float64{.5, -1, 2, 7}[k%4]
	}
	if err := g.Warm(ctx, d, opt, shifted); err != nil || g.Objective > f.Objective*(1+1e-9) {
		t.Errorf("from %g to %g, %v", f.Objective, g.Objective, err)
	}
	opt.Penalty.Pieces = .1
	if err := g.Warm(ctx, d, opt, f.Pieces); err != nil {
		t.Fatal(err)
	}
	if err := f.Again(ctx, opt); err != nil {
		t.Fatal(err)
	}
	if math.Abs(f.Objective-g.Objective) > 1e-9*g.Objective {
		t.Errorf("again %g, warm %g", f.Objective, g.Objective)
	}
}

func TestEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 5))
	d := sample(rng, 60, 3, false)
	ctx, cancel := context.WithCancel(context.Background())
	opt := Options{R1: 3, R2: 2, Penalty: Penalty{Linear: 1e-3, Pieces: 1e-2}, MaxIter: 50, Tol: 1e-12}
	opt.Record = func(k int, obj float64) error { cancel(); return nil }
	var f Fitter
	if err := f.Cold(ctx, d, opt, rng); !errors.Is(err, context.Canceled) || f.Iterations != 1 || f.Converged {
		t.Errorf("cancelled: %v after %d", err, f.Iterations)
	}
	stop := errors.New("stop")
	opt.Record = func(int, float64) error { return stop }
	if err := f.Cold(context.Background(), d, opt, rng); err != stop {
		t.Errorf("recorder: %v", err)
	}
	opt.Record = nil
	if err := f.Cold(context.Background(), d, opt, rng); err != nil || !f.Converged {
		t.Errorf("%v, converged %v", err, f.Converged)
	}
	// One row, equal rows, more pieces than rows.
	for _, m := range []int{1, 2} {
		one := &Data{M: m, N: 2, X: []float64{3, 1, 3, 1}[:2*m], Y: []float64{5, 5}[:m]}
		if err := f.Cold(context.Background(), one, opt, rng); err != nil || math.Abs(Eval(f.Pieces, 3, one.Row(0))-5) > .2 {
			t.Errorf("%d rows: %v, %g", m, err, Eval(f.Pieces, 3, one.Row(0)))
		}
	}
}

// TestHardData: what has no scale, no weight or no variety gives finite numbers
// and an objective that falls.
func TestHardData(t *testing.T) {
	eachKernels(t, func(t *testing.T, k kernels) {
		for name, spoil := range map[string]func(d *Data){
			"large targets": func(d *Data) {
				for i := range d.Y {
					d.Y[i] *= 1e90
				}
			},
			"small targets": func(d *Data) {
				for i := range d.Y {
					d.Y[i] *= 1e-90
				}
			},
			"few weights": func(d *Data) {
				clear(d.W[3:])
			},
			"no target": func(d *Data) { clear(d.Y) },
			"no features": func(d *Data) {
				for i := range d.M {
					clear(d.Row(i)[:d.N-1])
				}
			},
			"equal rows": func(d *Data) {
				for i := range d.M {
					copy(d.Row(i), d.Row(i%2))
				}
			},
			"a column like another": func(d *Data) {
				for i := range d.M {
					d.Row(i)[1] = d.Row(i)[0]
				}
			},
		} {
			rng := rand.New(rand.NewPCG(8, 15))
			d := sample(rng, 50, 5, true)
			spoil(d)
			last := math.Inf(1)
			opt := Options{R1: 4, R2: 3, Penalty: Penalty{Linear: 1e-3, Pieces: 1e-3}, MaxIter: 20, Tol: 1e-12}
			opt.Record = func(_ int, objective float64) error {
				if !(objective <= last) {
					t.Errorf("%s: the objective rises from %g to %g", name, last, objective)
				}
				last = objective
				return nil
			}
			f := Fitter{kernels: k}
			if err := f.Cold(context.Background(), d, opt, rng); err != nil {
				t.Fatal(err)
			}
			for _, v := range f.Pieces {
				if v-v != 0 {
					t.Fatalf("%s: coefficients %g", name, f.Pieces)
				}
			}
			if want := loss(d, f.Pieces, 4) + f.pen.value(f.θ, 5); !(math.Abs(want-f.Objective) <= 1e-9*want+1e-200) {
				t.Errorf("%s: objective %g, want %g", name, f.Objective, want)
			}
		}
	})
}

func TestNoAllocation(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 6))
	d := sample(rng, 300, 6, false)
	opt := Options{R1: 3, R2: 2, Penalty: Penalty{Linear: 1e-3, Pieces: 1e-2}, MaxIter: 3, Tol: 1e-12}
	var f Fitter
	if err := f.Cold(context.Background(), d, opt, rng); err != nil {
		t.Fatal(err)
	}
	// One closure a pass over the rows.
	if n := testing.AllocsPerRun(20, func() { f.solve(); f.search(); f.place(0, opt.Hinge) }); n > 2 {
		t.Errorf("%g allocations an iteration", n)
	}
}

// TestHinge: the losses at the steps are those of a plain evaluation, the
// regions hold just the rows within their margin, and the objective falls.
func TestHinge(t *testing.T) { eachKernels(t, testHinge) }

func testHinge(t *testing.T, k kernels) {
	rng := rand.New(rand.NewPCG(8, 7))
	for c := range 20 {
		d := sample(rng, 30+rng.IntN(60), 4, c%2 == 0)
		for i, y := range d.Y {
			d.Y[i] = -1
			if y > 0 {
				d.Y[i] = 1
			}
		}
		hinge := func(pieces []float64, r1 int) float64 {
			sum := 0.0
			for i := range d.M {
				e := max(0, 1-d.Y[i]*Eval(pieces, r1, d.Row(i)))
				sum += d.Weight(i) * e * e
			}
			return sum
		}
		r1, r2 := 1+rng.IntN(4), 1+rng.IntN(3)
		opt := Options{R1: r1, R2: r2, Penalty: Penalty{Linear: 1e-3, Pieces: 1e-2}, MaxIter: 1 + rng.IntN(8), Tol: 1e-9, Hinge: true}
		last := math.Inf(1)
		opt.Record = func(_ int, objective float64) error {
			if objective > last {
				t.Errorf("case %d: the objective rises from %g to %g", c, last, objective)
			}
			last = objective
			return nil
		}
		f := Fitter{kernels: k}
		if err := f.Cold(context.Background(), d, opt, rng); err != nil {
			t.Fatal(err)
		}
		if want := hinge(f.Pieces, r1) + f.pen.value(f.θ, 4); math.Abs(want-f.Objective) > 1e-9*want {
			t.Errorf("case %d: objective %g, want %g", c, f.Objective, want)
		}
		f.place(0, opt.Hinge)
		for i, at := range f.region {
			if within := d.Y[i]*Eval(f.Pieces, r1, d.Row(i)) < 1; within != (at != nowhere) {
				t.Errorf("case %d: row %d is in region %d", c, i, at)
			}
		}
		if !f.solve() {
			t.Fatal("no solution")
		}
		trial, p := slices.Clone(f.trial), make([]float64, len(f.Pieces))
		f.search()
		losses := f.lossesAlong()
		for s, step := range steps {
			θ := slices.Clone(f.θ)
			for k := range θ {
				θ[k] += step * (trial[k] - θ[k])
			}
			f.join(p, θ)
			if want := hinge(p, r1); math.Abs(losses[s]-want) > 1e-10*(1+want) {
				t.Errorf("case %d: loss %g at step %g, want %g", c, losses[s], step, want)
			}
		}
	}
}
