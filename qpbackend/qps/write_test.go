package qps_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/qps"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// again writes f and reads it back.
func again(t *testing.T, f *qps.File) *qps.File {
	t.Helper()
	var b bytes.Buffer
	if err := qps.Write(&b, f); err != nil {
		t.Fatal(err)
	}
	g, err := qps.Read(&b, qps.Options{Format: qps.Free})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestWriteGivesTheSameProblemBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	for seed := range 200 {
		f := randomFile(rng)
		g := again(t, f)
		if !reflect.DeepEqual(f.Problem, g.Problem) || !reflect.DeepEqual(f.ColNames, g.ColNames) ||
			!reflect.DeepEqual(f.RowNames, g.RowNames) || f.Maximize != g.Maximize || f.Name != g.Name {
			t.Fatalf("problem %d: wrote\n%+v\nread\n%+v", seed, f.Problem, g.Problem)
		}
	}
}

// randomFile has all kinds of rows and bounds.
func randomFile(rng *rand.Rand) *qps.File {
	n, m := 1+rng.IntN(6), rng.IntN(6)
	f := &qps.File{Name: "RANDOM", Maximize: rng.IntN(2) == 0}
	p := &qpbackend.Problem{Q: make([]float64, n), R: rng.NormFloat64()}
	var a, h sparse.Triplets
	for j := range n {
		f.ColNames = append(f.ColNames, fmt.Sprint("x", j))
		if rng.IntN(3) > 0 {
			p.Q[j] = rng.NormFloat64()
		}
		if rng.IntN(2) == 0 {
			h.Add(j, j, rng.Float64())
		}
		for i := range m {
			if rng.IntN(2) == 0 {
				a.Add(i, j, rng.NormFloat64())
			}
		}
	}
	interval := func() (l, u float64) {
		v := rng.NormFloat64()
		switch rng.IntN(5) {
		case 0:
			return v, v
		case 1:
			return v, math.Inf(1)
		case 2:
			return math.Inf(-1), v
		case 3:
			return v, v + rng.Float64()
		}
		return math.Inf(-1), math.Inf(1)
	}
	for i := range m {
		f.RowNames = append(f.RowNames, fmt.Sprint("row", i))
		l, u := interval()
		p.L, p.U = append(p.L, l), append(p.U, u)
	}
	for range n {
		l, u := interval()
		if rng.IntN(4) == 0 {
			l, u = 0, 1e6*rng.Float64()
		}
		p.Lo, p.Hi = append(p.Lo, l), append(p.Hi, u)
	}
	p.A, _ = a.CSC(len(p.L), n)
	p.P, _ = h.CSC(n, n)
	f.Problem = p
	return f
}

func TestWriteTheMarosFiles(t *testing.T) {
	for _, program := range shared.Sample(t, 12, shared.MarosMeszaros(t)) {
		path := program.Path
		f, err := qps.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		g := again(t, f)
		if !reflect.DeepEqual(f.Problem, g.Problem) {
			t.Errorf("%s: another problem comes back", path)
		}
	}
}

func TestWriteMendsNames(t *testing.T) {
	p := &qpbackend.Problem{Q: []float64{1, 2, 3, 0}, L: []float64{1, 2}, U: []float64{1, 2}}
	var a sparse.Triplets
	a.Add(0, 0, 1)
	a.Add(1, 2, 1)
	p.A, _ = a.CSC(2, 4)
	f := &qps.File{Problem: p, ColNames: []string{"a b", "C1", "C1", "*x"}, RowNames: []string{"OBJ", "r 2"}}
	g := again(t, f)
	if got := strings.Join(g.ColNames, " ") + " / " + strings.Join(g.RowNames, " "); got != "C5 C1 C3 C4 / OBJ R2" {
		t.Errorf("names %s", got)
	}
	if q := g.Problem; !reflect.DeepEqual(q.A, p.A) || !reflect.DeepEqual([][]float64{q.Q, q.L, q.U}, [][]float64{p.Q, p.L, p.U}) {
		t.Errorf("read %+v", q)
	}
	g = again(t, &qps.File{Problem: p}) // no names at all
	if got := strings.Join(g.ColNames, " "); got != "C1 C2 C3 C4" {
		t.Errorf("names %s", got)
	}
}

func TestWriteRefuses(t *testing.T) {
	cone := &qpbackend.Problem{Q: []float64{1}, A: sparse.Identity(1), L: []float64{0}, U: []float64{0}, Cones: []qpbackend.Cone{{Kind: qpbackend.SecondOrder, Start: 0, Len: 1}}}
	for want, f := range map[string]*qps.File{
		"no problem":        {},
		"without variables": {Problem: &qpbackend.Problem{}},
		"second-order":      {Problem: cone},
		"q[0] is NaN":       {Problem: &qpbackend.Problem{Q: []float64{math.NaN()}}},
	} {
		if err := qps.Write(&bytes.Buffer{}, f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
