package kkt

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// samples is a problem in which each of a number of samples has two rows that are
// multiples of one vector over the first width variables, two that are multiples
// of another over the next, and a variable of its own. H has entries off the diagonal unless it
// is to be diagonal.
func samples(rng *rand.Rand, width, count int, diagonal bool) (h, at *sparse.CSC) {
	n := 2*width + count
	var th, ta sparse.Triplets
	for j := range n {
		th.Add(j, j, 1+rng.Float64())
	}
	if !diagonal {
		th.Add(0, 1, 0.3)
		th.Add(1, 2*width, 0.2)
	}
	for s := range count {
		var x [2][]float64
		for g := range x {
			for range width {
				x[g] = append(x[g], rng.NormFloat64())
			}
		}
		for r := range 4 {
			row, g, scale := 4*s+r, r%2, rng.NormFloat64()
			for k, v := range x[g] {
				ta.Add(g*width+k, row, scale*v)
			}
			ta.Add(2*width+s, row, rng.NormFloat64())
		}
	}
	h, _ = th.CSC(n, n)
	at, _ = ta.CSC(n, 4*count)
	return h, at
}

// Products by way of the vectors are those with the matrix, whatever is off, and
// are taken where the rows repeat themselves.
func TestProductsByVectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, diagonal := range []bool{true, false} {
		h, at := samples(rng, 10, 60, diagonal)
		n, m := h.Cols, at.Cols
		s, err := New(context.Background(), h, at, nil, Arrowhead, nil)
		if err != nil {
			t.Fatal(err)
		}
		off, d := make([]bool, n+m), make([]float64, n+m)
		for i := range d {
			d[i] = 1
			if i >= n {
				d[i] = -1
			}
		}
		for round, scramble := 0, false; round < 4; round++ {
			switch round {
			case 1: // a variable of the border and one of a component, a row
				off[3], off[n-2], off[n+7] = true, true, true
			case 2:
				clear(off)
				scramble = true
				for k := range at.Val {
					at.Val[k] = rng.NormFloat64()
				}
			case 3:
				scramble = false
				for k := range at.Val {
					at.Val[k] = 1
				}
			}
			s.Load(1, off)
			if _, err := s.Factorise(context.Background(), d); err != nil {
				t.Fatal(err)
			}
			if by, both := s.by.vectors != nil, s.by.both; by == scramble || both != (by && diagonal && round != 1) {
				t.Fatalf("diagonal %v, round %d: by vectors %v, for A alone %v", diagonal, round, by, both)
			}
			checkProducts(t, rng, s)
		}
	}
}

func checkProducts(t *testing.T, rng *rand.Rand, s *System) {
	t.Helper()
	n, m := s.n, s.m
	b, x := make([]float64, n+m), make([]float64, n+m)
	for i := range x {
		b[i], x[i] = rng.NormFloat64(), rng.NormFloat64()
	}
	s.residual(x, b, Accuracy{X: 1, Y: 1})
	res, ax := append([]float64(nil), s.ref.res...), append([]float64(nil), s.ref.ax...)
	wantRes, wantAx := stated(s, b, x)
	near(t, "residual", res, wantRes)
	near(t, "Ax of the residual", ax, wantAx)
	var got, want [2][]float64
	for _, v := range []*[2][]float64{&got, &want} {
		v[0], v[1] = append([]float64(nil), b[n:]...), append([]float64(nil), b[:n]...)
	}
	s.AddBoth(got[0], got[1], x[:n], x[n:])
	s.at.AddMulBoth(want[1], want[0], x[n:], x[:n])
	near(t, "Ax", got[0], want[0])
	near(t, "Aᵀy", got[1], want[1])
}

// stated are b − K·x and A·x by the matrix, A without rows and columns that are off.
func stated(s *System, b, x []float64) (res, ax []float64) {
	for i, e := range s.tri.diag { // the matrix may lack it
		s.tri.k.Val[e] = s.tri.d[i]
	}
	res, ax = append([]float64(nil), b...), make([]float64, s.m)
	s.tri.k.AddSymMulVec(res, -1, x)
	on := append([]float64(nil), x[:s.n]...)
	for j := range on {
		if s.tri.off[j] {
			on[j] = 0
		}
	}
	s.at.AddMulVecT(ax, 1, on)
	for i := range ax {
		if s.tri.off[s.n+i] {
			ax[i] = 0
		}
	}
	return res, ax
}

func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i, v := range got {
		if !(math.Abs(v-want[i]) <= 1e-12*(1+math.Abs(want[i]))) {
			t.Fatalf("%s: entry %d is %.16g, want %.16g", what, i, v, want[i])
		}
	}
}

// A arrowhead form gives the entries of the matrix back, however its stretches
// are broken.
func TestStretches(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 20 {
		n := 30 + rng.IntN(150)
		k := scattered(rng, n, 2+rng.IntN(8))
		p := findArrowhead(k, true)
		if p == nil {
			continue
		}
		f := newArrowhead(k, p)
		f.load(k.Val, nil)
		x, got, want := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		k.AddSymMulVec(want, 1, x)
		f.multiply(got, 1, x)
		for j := range n {
			got[j] += k.At(j, j) * x[j]
		}
		near(t, "Kx", got, want)
	}
}

func TestSetBits(t *testing.T) {
	for lo := range int32(130) {
		for hi := lo; hi <= 192; hi++ {
			var set [3]uint64
			setBits(set[:], lo, hi)
			count := 0
			for _, w := range set {
				count += bits.OnesCount64(w)
			}
			if count != int(hi-lo) || hi > lo && (set[lo>>6]>>(lo&63)&1 == 0 || set[(hi-1)>>6]>>((hi-1)&63)&1 == 0) {
				t.Fatalf("bits %d to %d: %x", lo, hi, set)
			}
		}
	}
}

// Blocks with the same data but for factors of rows and of columns have it once;
// one entry that differs, and they do not. Solutions are those of the whole
// matrix.
func TestScaledCopies(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const width, groups, count = 12, 4, 90
	n := groups*width + count
	var th, ta sparse.Triplets
	for j := range n {
		th.Add(j, j, 1+rng.Float64())
	}
	var factor [groups][width]float64
	for g := range factor {
		for k := range factor[g] {
			factor[g][k] = math.Exp(rng.NormFloat64())
		}
	}
	row := 0
	for s := range count {
		var x [width]float64
		for k := range x {
			if s%width != k || s < width && k > 0 { // column 0 begins with a zero
				x[k] = rng.NormFloat64()
			}
		}
		for g := range groups {
			e := math.Exp(rng.NormFloat64())
			for k, v := range x {
				ta.Add(g*width+k, row, e*v*factor[g][k])
				other := (g + 1) % groups
				ta.Add(other*width+k, row, -e*v*factor[other][k])
			}
			ta.Add(groups*width+s, row, rng.NormFloat64())
			row++
		}
	}
	h, _ := th.CSC(n, n)
	at, _ := ta.CSC(n, row)
	off, d, b := make([]bool, n+row), make([]float64, n+row), make([]float64, n+row)
	for i := range d {
		d[i], b[i] = .1+rng.Float64(), rng.NormFloat64()
		if i >= n {
			d[i] = -d[i]
		}
	}
	for _, change := range []bool{false, true} {
		if change {
			at.Val[at.ColPtr[row/2]] *= 1 + 1e-9
		}
		var x [2][]float64
		for k, how := range []Strategy{Sparse, Arrowhead} {
			s, err := New(context.Background(), h, at, nil, how, nil)
			if err != nil {
				t.Fatal(err)
			}
			s.Load(1, off)
			if f, ok := s.f.(*arrowhead); ok && f.groups() != map[bool]int{false: 1, true: 2}[change] {
				t.Errorf("changed %v: %d families of %d blocks", change, f.groups(), len(f.blocks))
			}
			if _, err := s.Factorise(context.Background(), d); err != nil {
				t.Fatal(err)
			}
			x[k] = make([]float64, n+row)
			s.Solve(context.Background(), x[k], b, Accuracy{X: 1e-13, Y: 1e-13})
			if how == Arrowhead {
				checkProducts(t, rng, s)
			}
		}
		near(t, "solution", x[1], x[0])
	}
}

// Products by rows agree with those with the matrix.
func TestProductsByRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	const n, m = 40, 60
	for _, diagonal := range []bool{true, false} {
		var h, a sparse.Triplets
		for j := range n {
			h.Add(j, j, 1+rng.Float64())
			if !diagonal && j > 0 {
				h.Add(j-1, j, 0.4*rng.Float64())
			}
		}
		for i := range m {
			from, step := rng.IntN(n-18), 1+i%2 // half of the rows are neighbours
			for j := range rng.IntN(9) {
				a.Add(from+j*step, i, rng.NormFloat64())
			}
		}
		p, _ := h.CSC(n, n)
		at, _ := a.CSC(n, m)
		s, err := New(context.Background(), p, at, nil, Sparse, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Load(1.5, make([]bool, n+m))
		d, x, b := make([]float64, n+m), make([]float64, n+m), make([]float64, n+m)
		for i := range d {
			d[i], x[i], b[i] = rng.Float64(), rng.NormFloat64(), rng.NormFloat64()
			if i >= n {
				d[i] -= 2
			}
		}
		if _, err := s.Factorise(context.Background(), d); err != nil {
			t.Fatal(err)
		}
		s.subtract(b, x)
		res, ax := stated(s, b, x)
		near(t, "residual", s.ref.res, res)
		near(t, "Ax of the residual", s.ref.ax, ax)
		var got, want [2][]float64
		for _, v := range []*[2][]float64{&got, &want} {
			v[0], v[1] = slices.Clone(b[n:]), slices.Clone(b[:n])
		}
		s.AddBoth(got[0], got[1], x[:n], x[n:])
		s.at.AddMulBoth(want[1], want[0], x[n:], x[:n])
		if !slices.Equal(got[0], want[0]) || !slices.Equal(got[1], want[1]) {
			t.Errorf("diagonal %v: Ax or Aᵀy is another", diagonal)
		}
	}
}
