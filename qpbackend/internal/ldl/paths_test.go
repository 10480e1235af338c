package ldl

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/internal/amd"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// denseQuasi is a full quasi-definite matrix, which needs several supernodes of
// the greatest width.
func denseQuasi(rng *rand.Rand, n, m int) (*sparse.CSC, []int8) {
	var t sparse.Triplets
	sign := make([]int8, n+m)
	for j := range n + m {
		for i := range j {
			if i < n == (j < n) {
				t.Add(i, j, 0.1*rng.NormFloat64())
			} else {
				t.Add(i, j, rng.NormFloat64())
			}
		}
		sign[j] = 1
		v := float64(n)
		if j >= n {
			sign[j], v = -1, -float64(m)
		}
		t.Add(j, j, v)
	}
	k, _ := t.CSC(n+m, n+m)
	return k, sign
}

// relativeResidual is ‖Kx − b‖∞ / (‖K‖max ‖x‖∞ + ‖b‖∞).
func relativeResidual(k *sparse.CSC, x, b []float64) float64 {
	r := append([]float64(nil), b...)
	k.AddSymMulVec(r, -1, x)
	worst, size, kMax, bMax := 0.0, 0.0, 0.0, 0.0
	for i := range r {
		worst, size, bMax = max(worst, math.Abs(r[i])), max(size, math.Abs(x[i])), max(bMax, math.Abs(b[i]))
	}
	for _, v := range k.Val {
		kMax = max(kMax, math.Abs(v))
	}
	return worst / (kMax*size + bMax)
}

func TestPathsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	var cases []*sparse.CSC
	var signs [][]int8
	for _, size := range [][2]int{{70, 0}, {100, 60}, {200, 71}, {3, 1}} {
		k, sign := denseQuasi(rng, size[0], size[1])
		cases, signs = append(cases, k), append(signs, sign)
	}
	for range 20 {
		k, sign := quasiDefinite(rng, 100+rng.IntN(300), rng.IntN(200), 4)
		cases, signs = append(cases, k), append(signs, sign)
	}
	grid := laplacian(9)
	cases, signs = append(cases, grid, chain(50)), append(signs, nil, nil)
	led, left := 0, 0
	for c, k := range cases {
		b := randomVec(rng, k.Cols)
		var x, d [4][]float64
		for p, path := range paths {
			f := mustAnalyse(t, k, path)
			replaced, err := f.Factorise(context.Background(), k.Val, signs[c], Regularisation{1e-14, 1e-8})
			if err != nil || replaced != 0 {
				t.Fatalf("case %d, %s: %d pivots replaced, error %v", c, path, replaced, err)
			}
			x[p] = append([]float64(nil), b...)
			f.solve(x[p])
			if r := relativeResidual(k, x[p], b); !(r < 1e-12) {
				t.Errorf("case %d, %s: residual %g", c, path, r)
			}
			piv, perm := f.Pivots()
			d[p] = make([]float64, len(piv))
			for k, i := range perm {
				d[p][i] = piv[k]
			}
			if f.sup.base > 0 {
				if led++; f.sup.base < f.n {
					left++
				}
			}
		}
		for p, path := range paths[1:] {
			for i, want := range d[0] {
				if !(math.Abs(d[p+1][i]-want) <= 1e-9*math.Abs(want)) {
					t.Fatalf("case %d, %s: the pivot of row %d is %g, by %s %g", c, path, i, d[p+1][i], paths[0], want)
				}
			}
		}
	}
	if led < 10 || left < 4 || left == led {
		t.Errorf("columns led in %d factors, others were left in %d", led, left)
	}
}

// TestRepeatsAreIdentical asks for the same bits from a second factorisation and
// from a second analysis.
func TestRepeatsAreIdentical(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 3))
	for _, k := range []*sparse.CSC{laplacian(8), chain(40)} {
		b := randomVec(rng, k.Cols)
		for _, path := range paths {
			var first []float64
			for range 3 {
				f := mustAnalyse(t, k, path)
				for range 2 {
					if _, err := f.Factorise(context.Background(), k.Val, nil, Regularisation{}); err != nil {
						t.Fatal(err)
					}
					x := slices.Clone(b)
					f.solve(x)
					if first == nil {
						first = x
					}
					if !slices.Equal(x, first) {
						t.Fatalf("%s: two solutions of the same system differ", path)
					}
				}
			}
		}
	}
}

// TestEveryWidth factors dense matrices of all orders up to past the greatest
// width, so that every remainder of the blocking is met.
func TestEveryWidth(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for n := 1; n <= 2*maxWidth+9; n++ {
		k, sign := denseQuasi(rng, n, n/3)
		b := randomVec(rng, k.Cols)
		for _, path := range paths {
			f := mustAnalyse(t, k, path)
			if _, err := f.Factorise(context.Background(), k.Val, sign, Regularisation{}); err != nil {
				t.Fatal(err)
			}
			x := append([]float64(nil), b...)
			f.solve(x)
			if r := relativeResidual(k, x, b); !(r < 1e-12) {
				t.Fatalf("%s, order %d: residual %g", path, k.Cols, r)
			}
		}
	}
}

// TestReplacedPivots: a matrix with pivots of the wrong sign is factored as the
// one that has ±Delta added where they were met.
func TestReplacedPivots(t *testing.T) {
	reg := Regularisation{Eps: 1e-10, Delta: 1e-3}
	for _, path := range paths {
		// diag(1, 0, −2, 1) expected to be (+, −, +, +): two pivots replaced.
		k := sparse.Identity(4)
		copy(k.Val, []float64{1, 0, -2, 1})
		f := mustAnalyse(t, k, path)
		replaced, err := f.Factorise(context.Background(), k.Val, []int8{1, -1, 1, 1}, reg)
		if err != nil || replaced != 2 {
			t.Errorf("%s: %d pivots replaced, error %v; want 2", path, replaced, err)
		}
		d, perm := f.Pivots()
		want := []float64{1, -1e-3, 1e-3, 1}
		for i, p := range perm {
			if d[i] != want[p] {
				t.Errorf("%s: pivot of row %d is %g, want %g", path, p, d[i], want[p])
			}
		}
		// Without signs a pivot keeps its own; the small ones grow.
		copy(k.Val, []float64{1, -1e-11, -2, 1e-11})
		for _, sign := range [][]int8{nil, make([]int8, 4)} {
			replaced, err = f.Factorise(context.Background(), k.Val, sign, reg)
			want = []float64{1, -1e-3, -2, 1e-3}
			for i, p := range perm {
				if d[i] != want[p] {
					t.Errorf("%s, signs %v: pivot of row %d is %g, want %g", path, sign, p, d[i], want[p])
				}
			}
			if err != nil || replaced != 2 {
				t.Errorf("%s, signs %v: %d pivots replaced, error %v; want 2", path, sign, replaced, err)
			}
		}
		// The zero Regularisation replaces nothing.
		copy(k.Val, []float64{1, -1e-11, -2, 1e-11})
		replaced, err = f.Factorise(context.Background(), k.Val, []int8{1, 1, 1, 1}, Regularisation{})
		if err != nil || replaced != 0 {
			t.Errorf("%s: %d pivots replaced, error %v; want none", path, replaced, err)
		}
	}
}

// TestReplacementInsidePanels: singular dense matrices of rank one less lose
// their last pivot, and the factor is that of K plus what was replaced.
func TestReplacementInsidePanels(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 9))
	for _, path := range paths {
		for _, n := range []int{2, 5, 40, 100} {
			// K = BᵀB with n−1 rows.
			var tr sparse.Triplets
			for range n - 1 {
				b := randomVec(rng, n)
				for j := range n {
					for i := range j + 1 {
						tr.Add(i, j, b[i]*b[j])
					}
				}
			}
			k, _ := tr.CSC(n, n)
			f := mustAnalyse(t, k, path)
			sign := make([]int8, n)
			for i := range sign {
				sign[i] = 1
			}
			δ := 1e-2
			replaced, err := f.Factorise(context.Background(), k.Val, sign, Regularisation{Eps: 1e-8, Delta: δ})
			if err != nil || replaced != 1 {
				t.Errorf("%s, order %d: %d pivots replaced, error %v; want 1", path, n, replaced, err)
				continue
			}
			d, perm := f.Pivots()
			at := slices.Index(d, δ)
			if at < 0 {
				t.Errorf("%s, order %d: no pivot is Delta", path, n)
				continue
			}
			shifted := k.Clone()
			shifted.Val[shifted.ColPtr[perm[at]+1]-1] += δ
			b := randomVec(rng, n)
			x := append([]float64(nil), b...)
			f.solve(x)
			if r := relativeResidual(shifted, x, b); !(r < 1e-9) {
				t.Errorf("%s, order %d: residual %g", path, n, r)
			}
		}
	}
}

func TestBadPivotsAreErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 9))
	for _, path := range paths {
		k, sign := quasiDefinite(rng, 60, 30, 3)
		f := mustAnalyse(t, k, path)
		want := append([]float64(nil), k.Val...)
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			for _, at := range []int{0, 17, len(want) - 1} {
				bad := append([]float64(nil), want...)
				bad[at] = v
				for _, reg := range []Regularisation{{}, {1e-8, 1e-7}} {
					_, err := f.Factorise(context.Background(), bad, sign, reg)
					if err == nil || !strings.Contains(err.Error(), "ldl: pivot") {
						t.Errorf("%s: entry %d is %g: error %v", path, at, v, err)
					}
				}
			}
		}
		// The factor works again after an error.
		if _, err := f.Factorise(context.Background(), want, sign, Regularisation{}); err != nil {
			t.Fatal(err)
		}
		b := randomVec(rng, k.Cols)
		x := append([]float64(nil), b...)
		f.solve(x)
		if r := relativeResidual(k, x, b); !(r < 1e-13) {
			t.Errorf("%s: residual %g after an error", path, r)
		}
		zero := sparse.Identity(3)
		zero.Val[1] = 0
		f = mustAnalyse(t, zero, path)
		if _, err := f.Factorise(context.Background(), zero.Val, nil, Regularisation{}); err == nil || !strings.Contains(err.Error(), "row 1 of the matrix, is 0") {
			t.Errorf("%s: a zero pivot gives the error %v", path, err)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 9))
	k, sign := quasiDefinite(rng, 300, 200, 5)
	b := randomVec(rng, k.Cols)
	for _, path := range paths {
		f := mustAnalyse(t, k, path)
		reg := Regularisation{1e-13, 1e-7}
		if a := testing.AllocsPerRun(10, func() {
			if _, err := f.Factorise(context.Background(), k.Val, sign, reg); err != nil {
				t.Error(err)
			}
		}); a != 0 {
			t.Errorf("%s: Factorise allocates %g times", path, a)
		}
		if a := testing.AllocsPerRun(10, func() { f.solve(b) }); a != 0 {
			t.Errorf("%s: Solve allocates %g times", path, a)
		}
	}
}

// TestMergedSupernodes: a star of short chains has many narrow supernodes that
// merge; values of structural zeros must not stay from an earlier call.
func TestMergedSupernodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	var tr sparse.Triplets
	const n = 400
	for i := range n {
		tr.Add(i, i, 9)
		if i%7 != 0 {
			tr.Add(i-1, i, rng.NormFloat64())
		}
		if i < n-5 {
			tr.Add(i, n-1-rng.IntN(5), rng.NormFloat64())
		}
	}
	k, _ := tr.CSC(n, n)
	f := mustAnalyse(t, k, "supernodal")
	if narrow, now := countSupernodes(f), f.sup.count(); now >= narrow {
		t.Errorf("%d supernodes, %d without merging", now, narrow)
	}
	for _, scale := range []float64{3, 1e-3, 1} {
		val := append([]float64(nil), k.Val...)
		for i := range val {
			val[i] *= scale
		}
		if _, err := f.Factorise(context.Background(), val, nil, Regularisation{}); err != nil {
			t.Fatal(err)
		}
		b := randomVec(rng, n)
		x := append([]float64(nil), b...)
		f.solve(x)
		scaled := *k
		scaled.Val = val
		if r := relativeResidual(&scaled, x, b); !(r < 1e-13) {
			t.Errorf("scale %g: residual %g", scale, r)
		}
	}
}

// countSupernodes is the number of fundamental supernodes.
func countSupernodes(f *Factor) int {
	count := 1
	for j := 1; j < f.n; j++ {
		if int(f.parent[j-1]) != j || f.count[j-1] != f.count[j]+1 {
			count++
		}
	}
	return count
}

// TestCancellation: behind each variable with a small diagonal comes an equation, whose terms in
// the last pivot take the variable's back. Where those of all variables come first, the pivot has
// an error of 6e-2, else of 6e-4.
func TestCancellation(t *testing.T) {
	const pairs, small = 5000, 1e-9
	rng := rand.New(rand.NewPCG(3, 1))
	var m sparse.Triplets
	sign := make([]int8, 2*pairs+1)
	last, want := 2*pairs, 1.0
	for k := range pairs {
		v, row, a := 2*k, 2*k+1, 1+rng.Float64()
		m.Add(v, v, small)
		m.Add(v, row, 1)
		m.Add(row, row, -small)
		m.Add(v, last, a)
		want -= a * a * small / (1 + small*small)
		sign[v], sign[row] = 1, -1
	}
	m.Add(last, last, 1)
	sign[last] = 1
	k, _ := m.CSC(last+1, last+1)
	for _, path := range paths {
		f := mustAnalyseAs(t, k, nil, path)
		if _, err := f.Factorise(context.Background(), k.Val, sign, Regularisation{1e-14, 1e-8}); err != nil {
			t.Fatal(err)
		}
		d, perm := f.Pivots()
		if got := d[last]; perm[last] != last || !(math.Abs(got-want) <= 5e-3) {
			t.Errorf("%s: the last pivot is %g, of row %d, want %g", path, got, perm[last], want)
		}
	}
}

// TestChainsTakeTurns: a band is eliminated from both ends, a column of one after one of the other.
func TestChainsTakeTurns(t *testing.T) {
	const n = 1001
	rng := rand.New(rand.NewPCG(4, 1))
	var m sparse.Triplets
	for i := range n {
		m.Add(i, i, 5)
		for j := max(i-2, 0); j < i; j++ {
			m.Add(j, i, rng.NormFloat64())
		}
	}
	k, _ := m.CSC(n, n)
	f := mustAnalyse(t, k, "leading")
	_, perm := f.Pivots()
	turns := 0
	for i := 1; i < n; i++ {
		if (perm[i-1] < n/2) != (perm[i] < n/2) {
			turns++
		}
	}
	if turns < n-10 {
		t.Errorf("%d turns of %d columns", turns, n)
	}
	b := randomVec(rng, n)
	x := append([]float64(nil), b...)
	if _, err := f.Factorise(context.Background(), k.Val, nil, Regularisation{}); err != nil {
		t.Fatal(err)
	}
	f.solve(x)
	if r := relativeResidual(k, x, b); !(r < 1e-13) {
		t.Errorf("residual %g", r)
	}
	// Pivots in the middle of long runs.
	sign := make([]int8, n)
	for i := range sign {
		sign[i] = 1
	}
	at := k.ColPtr[301] - 1
	k.Val[at] = -50
	if replaced, err := f.Factorise(context.Background(), k.Val, sign, Regularisation{1e-14, 1e8}); err != nil || replaced != 1 {
		t.Errorf("%d pivots replaced: %v", replaced, err)
	}
	k.Val[at] = math.Inf(1)
	if _, err := f.Factorise(context.Background(), k.Val, sign, Regularisation{}); err == nil || !strings.Contains(err.Error(), "row 300 of the matrix") {
		t.Errorf("an infinite pivot gives the error %v", err)
	}
}

// TestChainsOfTwoLengths: all columns of both have their turn, also where one ends first.
func TestChainsOfTwoLengths(t *testing.T) {
	for _, lengths := range [][2]int32{{200, 200}, {201, 777}, {903, 250}} {
		top := lengths[0] + lengths[1]
		f := &Factor{n: int(top) + 1, parent: make([]int32, top+1), sym: analysis{room: make([]int32, 4*top+5)}}
		for j := range top {
			f.parent[j] = j + 1
		}
		f.parent[lengths[0]-1], f.parent[top] = top, -1
		a, b := f.chains()
		if a != (stretch{0, lengths[0]}) || b != (stretch{lengths[0], top}) {
			t.Fatalf("%v: chains %v and %v", lengths, a, b)
		}
		last := [2]int32{-1, lengths[0] - 1}
		for k := range top {
			j, of := a.alternate(b, k), 0
			if j >= b.from {
				of = 1
			}
			if j != last[of]+1 {
				t.Fatalf("%v: column %d after %d", lengths, j, last[of])
			}
			last[of] = j
		}
		if last != [2]int32{a.to - 1, b.to - 1} {
			t.Errorf("%v: the last columns are %v", lengths, last)
		}
	}
	short := &Factor{n: 5, parent: []int32{4, 2, 3, 4, -1}, sym: analysis{room: make([]int32, 21)}}
	if a, b := short.chains(); a != b {
		t.Errorf("short chains %v and %v", a, b)
	}
}

// TestRefactor: with the diagonal apart and a right-hand side on the way, factor and solution have
// the bits of Factorise and Solve, also after another diagonal, other values and a pivot that
// fails.
func TestRefactor(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	ctx, reg := context.Background(), Regularisation{1e-13, 1e-7}
	for _, perCol := range []float64{1.5, 4, 9} {
		k, sign := quasiDefinite(rng, 300, 200, perCol)
		n := k.Cols
		order, _ := amd.Order(ctx, n, k.ColPtr, k.RowIdx)
		x, diag := make([]float64, n), make([]float64, n)
		for _, path := range paths {
			f, same := mustAnalyseAs(t, k, order, path), mustAnalyseAs(t, k, order, path)
			own := make([]float64, len(k.Val))
			for round := range 4 {
				val := append([]float64(nil), k.Val...)
				if round == 2 {
					for e := range val {
						val[e] *= 1 + rng.Float64()
					}
				}
				for j := range diag {
					e := k.ColPtr[j+1] - 1
					val[e] *= 1 + rng.Float64()
					diag[j] = val[e]
				}
				if round == 0 || round == 2 {
					copy(own, val)
					f.Load(own, sign)
				} else {
					for j, end := range k.ColPtr[1:] {
						own[end-1] = diag[j] * 3
						for e := k.ColPtr[j]; e < end-1; e++ {
							val[e] = own[e]
						}
					}
				}
				if round == 3 {
					diag[n/2] = math.NaN()
					if _, err := f.Refactor(ctx, diag, reg, nil); err == nil {
						t.Errorf("%s: no error", path)
					}
					diag[n/2] = val[k.ColPtr[n/2+1]-1]
				}
				b := randomVec(rng, n)
				replaced, err := f.Refactor(ctx, diag, reg, b)
				if err != nil {
					t.Fatal(err)
				}
				f.SolveAhead(x)
				want, err := same.Factorise(ctx, val, sign, reg)
				if err != nil || replaced != want {
					t.Fatalf("%s: %d pivots replaced, want %d: %v", path, replaced, want, err)
				}
				again := append([]float64(nil), b...)
				f.solve(again)
				same.solve(b)
				for i := range b {
					if x[i] != b[i] || again[i] != b[i] {
						t.Fatalf("%s, round %d: entry %d is %g, and %g once more, want %g", path, round, i, x[i], again[i], b[i])
					}
				}
			}
			if a := testing.AllocsPerRun(10, func() {
				if _, err := f.Refactor(ctx, diag, reg, x); err != nil {
					t.Error(err)
				}
				f.SolveAhead(x)
			}); a != 0 {
				t.Errorf("%s: %g allocations", path, a)
			}
		}
	}
}
