package elimination

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
)

// random draws data matrices of order n, from one entry to all, and a definite M.
func random(rng *rand.Rand, n, members int) (list [][]Entry, val []float64, m []float64) {
	full := n * (n + 1) / 2
	for range members {
		var entries []Entry
		share := math.Pow(rng.Float64(), 4)
		for r := range full {
			if rng.Float64() < share {
				entries = append(entries, Entry{Row: int32(r), Place: int32(len(val))})
				val = append(val, rng.NormFloat64())
			}
		}
		if len(entries) == 0 {
			entries = append(entries, Entry{Row: int32(rng.IntN(full)), Place: int32(len(val))})
			val = append(val, rng.NormFloat64())
		}
		list = append(list, entries)
	}
	a := make([]float64, n*n)
	for i := range a {
		a[i] = rng.NormFloat64()
	}
	m = make([]float64, n*n)
	for i := range n {
		for j := range n {
			for k := range n {
				m[i*n+j] += a[i*n+k] * a[j*n+k]
			}
		}
	}
	return list, val, m
}

// square is the matrix of a triangle.
func square(n int, entries []Entry, val []float64) []float64 {
	f := make([]float64, n*n)
	for _, e := range entries {
		r := 0
		for j := range n {
			for i := range j + 1 {
				if r == int(e.Row) {
					v := val[e.Place]
					if i < j {
						v /= math.Sqrt2
					}
					f[i*n+j], f[j*n+i] = v, v
				}
				r++
			}
		}
	}
	return f
}

func multiply(n int, a, b []float64) []float64 {
	c := make([]float64, n*n)
	for i := range n {
		for k := range n {
			for j := range n {
				c[i*n+j] += a[i*n+k] * b[k*n+j]
			}
		}
	}
	return c
}

// sumOf is room for the pairs of so many members.
func sumOf(members int) Sum {
	to := Sum{Factor: -2}
	for j := range members {
		to.Places = append(to.Places, nil)
		for range j + 1 {
			to.Places[j] = append(to.Places[j], int32(len(to.Val)))
			to.Val = append(to.Val, 0)
		}
	}
	return to
}

// entriesOf are the entries of so many members that add makes.
func entriesOf(t *testing.T, members int, add func(to Sum) error) map[[2]int]float64 {
	t.Helper()
	to, out := sumOf(members), map[[2]int]float64{}
	if err := add(to); err != nil {
		t.Fatal(err)
	}
	for j, places := range to.Places {
		for i, at := range places {
			out[[2]int{i, j}] = to.Val[at] / -2
		}
	}
	return out
}

// TestAdd compares each form with the definition.
func TestAdd(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	used, singles := map[form]int{}, 0
	for range 60 {
		n, members := 1+rng.IntN(24), 1+rng.IntN(9)
		list, val, m := random(rng, n, members)
		g := New(n, list)
		g.Load(val)
		singles += max(0, len(g.single)-1)
		for k := -1; k < 3; k++ { // as chosen, then each form for all
			for c := range g.columns {
				if k >= 0 {
					g.columns[c].form = form(k)
				}
				used[g.columns[c].form]++
			}
			seen := entriesOf(t, members, func(to Sum) error { return g.Add(context.Background(), m, to) })
			for j := range members {
				u := multiply(n, multiply(n, m, square(n, list[j], val)), m)
				for i := range j + 1 {
					want, size := 0.0, 0.0
					for e, v := range square(n, list[i], val) {
						want += v * u[e]
						size += math.Abs(v * u[e])
					}
					if got, ok := seen[[2]int{i, j}]; !ok || !(math.Abs(got-want) <= 1e-11*(1+size)) {
						t.Fatalf("order %d, form %d: entry (%d, %d) is %g, want %g", n, k, i, j, got, want)
					}
				}
			}
		}
	}
	if len(used) != 3 || singles == 0 {
		t.Errorf("forms %v, %d pairs of single entries", used, singles)
	}
}

// TestAddExact: the same entries for a factor of M.
func TestAddExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 40 {
		n, members := 1+rng.IntN(30), 1+rng.IntN(12)
		list, val, _ := random(rng, n, members)
		bt, b := make([]float64, n*n), make([]float64, n*n)
		for i := range n {
			for j := range n {
				bt[i*n+j] = rng.NormFloat64()
				b[j*n+i] = bt[i*n+j]
			}
		}
		m := multiply(n, bt, b)
		g := New(n, list)
		g.Load(val)
		want := entriesOf(t, members, func(to Sum) error { return g.Add(context.Background(), m, to) })
		got := entriesOf(t, members, func(to Sum) error { return g.AddExact(context.Background(), bt, to) })
		for ij, w := range want {
			size := 1 + math.Sqrt(want[[2]int{ij[0], ij[0]}]*want[[2]int{ij[1], ij[1]}])
			if v := got[ij]; !(math.Abs(v-w) <= 1e-9*size) {
				t.Fatalf("order %d: entry %v is %g, want %g", n, ij, v, w)
			}
		}
		if !(g.ExactWork() > 0) {
			t.Errorf("work %g", g.ExactWork())
		}
	}
}

// TestExactKeepsDigits: a matrix in directions that M all but takes away has a sum of small
// squares, where the terms of ⟨F, M·F·M⟩ cancel.
func TestExactKeepsDigits(t *testing.T) {
	const n, small = 6, 1e-6
	c, s := math.Cos(0.3), math.Sin(0.3)
	v := []float64{-s, c, 0, 0, 0, 0} // B has rows (c, s), (−s, c) and those of the identity, all but the first times small
	bt := make([]float64, n*n)
	bt[0*n], bt[1*n], bt[0*n+1], bt[1*n+1] = c, s, -s*small, c*small
	for i := 2; i < n; i++ {
		bt[i*n+i] = small
	}
	b := make([]float64, n*n)
	for i := range n {
		for j := range n {
			b[i*n+j] = bt[j*n+i]
		}
	}
	var entries []Entry
	var val []float64
	for j := range n { // F = vvᵀ, of which BFBᵀ is small² at (1, 1)
		for i := range j + 1 {
			f := math.Sqrt2
			if i == j {
				f = 1
			}
			if v[i]*v[j] != 0 {
				entries = append(entries, Entry{Row: int32(j*(j+1)/2 + i), Place: int32(len(val))})
				val = append(val, f*v[i]*v[j])
			}
		}
	}
	g := New(n, [][]Entry{entries})
	g.Load(val)
	want := math.Pow(small, 4)
	exact := entriesOf(t, 1, func(to Sum) error { return g.AddExact(context.Background(), bt, to) })
	if v := exact[[2]int{}]; !(math.Abs(v-want) <= 1e-3*want) {
		t.Errorf("the entry is %g, want %g", v, want)
	}
	plain := entriesOf(t, 1, func(to Sum) error { return g.Add(context.Background(), multiply(n, bt, b), to) })
	if v := plain[[2]int{}]; math.Abs(v-want) <= 1e-3*want {
		t.Errorf("the entry is %g without AddExact: the test shows nothing", v)
	}
}

// TestCancelled: the context is looked at.
func TestCancelled(t *testing.T) {
	list, val, m := random(rand.New(rand.NewPCG(3, 4)), 60, 120)
	g := New(60, list)
	g.Load(val)
	err := g.Add(shared.Countdown(1, context.Canceled), m, sumOf(120))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v after the end", err)
	}
	if !(g.Work() > 0) {
		t.Errorf("work %g", g.Work())
	}
}
