package wire_test

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/wire"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

func sample() *qpbackend.Problem {
	var p, a sparse.Triplets
	p.Add(0, 0, 1./3)
	p.Add(0, 1, -math.Pi)
	p.Add(1, 1, 1e300)
	a.Add(1, 0, 5e-324)
	a.Add(0, 2, 0)
	a.Add(1, 2, -7)
	prob := &qpbackend.Problem{
		Q: []float64{0.1, math.Copysign(0, -1), -2}, R: 1e-17,
		L: []float64{math.Inf(-1), 0.1 + 0.2}, U: []float64{1e20, math.Inf(1)},
	}
	prob.P, _ = p.CSC(3, 3)
	prob.A, _ = a.CSC(2, 3)
	return prob
}

// cones has one of each kind.
func cones() *qpbackend.Problem {
	nan := math.NaN()
	p := &qpbackend.Problem{
		P: sparse.Zero(1, 1), A: sparse.Zero(11, 1), Q: []float64{1}, L: make([]float64, 11),
		U: []float64{0, nan, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		Cones: []qpbackend.Cone{
			{Kind: qpbackend.SecondOrder, Start: 1, Len: 1}, {Kind: qpbackend.Exponential, Start: 2, Len: 3},
			{Kind: qpbackend.Power, Start: 5, Len: 3, Alpha: 1. / 3}, {Kind: qpbackend.Semidefinite, Start: 8, Len: 3},
		},
	}
	return p
}

func TestProblemRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p")
	for name, p := range map[string]*qpbackend.Problem{
		"sample":       sample(),
		"cones":        cones(),
		"bounds":       bounded(),
		"no variables": {P: sparse.Zero(0, 0), A: sparse.Zero(1, 0), Q: []float64{}, L: []float64{-1}, U: []float64{1}},
	} {
		if err := wire.WriteProblem(path, p); err != nil {
			t.Fatal(err)
		}
		got, err := wire.ReadProblem(path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, c := range []struct {
			what      string
			got, want any
		}{
			{"q", bits(got.Q), bits(p.Q)}, {"l", bits(got.L), bits(p.L)}, {"u", bits(got.U), bits(p.U)}, {"r", got.R, p.R},
			{"P", bits(got.P.Val), bits(p.P.Val)}, {"A", bits(got.A.Val), bits(p.A.Val)},
			{"cones", got.Cones, p.Cones}, {"lo", got.Lo, p.Lo}, {"hi", got.Hi, p.Hi},
			{"columns of P", got.P.ColPtr, p.P.ColPtr}, {"columns of A", got.A.ColPtr, p.A.ColPtr},
			{"rows of A", append([]int{}, got.A.RowIdx...), append([]int{}, p.A.RowIdx...)},
		} {
			if !reflect.DeepEqual(c.got, c.want) {
				t.Errorf("%s: %s is %v, want %v", name, c.what, c.got, c.want)
			}
		}
	}
	// Matrices that are not there are zero.
	if err := wire.WriteProblem(path, &qpbackend.Problem{Q: []float64{1, 2}}); err != nil {
		t.Fatal(err)
	}
	if p, err := wire.ReadProblem(path); err != nil || p.P.NNZ() != 0 || p.P.Cols != 2 || p.A.Rows != 0 {
		t.Errorf("without matrices: %+v, %v", p, err)
	}
}

// bounded has a row and a variable with a bound.
func bounded() *qpbackend.Problem {
	return &qpbackend.Problem{
		P: sparse.Identity(2), Q: []float64{1, 2}, Lo: []float64{math.Inf(-1), -1}, Hi: []float64{math.Inf(1), 4},
		A: &sparse.CSC{Rows: 1, Cols: 2, ColPtr: []int{0, 1, 2}, RowIdx: []int{0, 0}, Val: []float64{1, -1}}, L: []float64{0}, U: []float64{5},
	}
}

func bits(v []float64) []uint64 {
	b := make([]uint64, len(v))
	for i, e := range v {
		b[i] = math.Float64bits(e)
	}
	return b
}

// Every file that is cut off, and every one with a wild number in its head, is
// refused; none makes the reader allocate what the head says.
func TestBrokenProblemsAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p")
	if err := wire.WriteProblem(path, cones()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if p, err := wire.ReadProblem(path); err == nil {
			t.Errorf("%s is read as %+v", what, p)
		}
	}
	for n := range data {
		refused("a part", data[:n])
	}
	refused("too much", append(append([]byte{}, data...), 0, 0, 0, 0, 0, 0, 0, 0))
	for k := 1; k <= 5; k++ {
		for _, b := range []byte{0x7f, 0xff} {
			bad := append([]byte{}, data...)
			bad[8*k+7] = b
			refused("a wild head", bad)
		}
	}
	refused("another file", []byte(strings.Repeat("x", 200)))
}

func TestAnswerRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	x, y, z := []float64{1, math.NaN()}, []float64{math.Inf(-1)}, []float64{0, 3}
	p := bounded()
	if err := wire.WriteAnswer(path, p, x, y, z); err != nil {
		t.Fatal(err)
	}
	gx, gy, gz, err := wire.ReadAnswer(path, p)
	if err != nil || !reflect.DeepEqual(bits(gx), bits(x)) || !reflect.DeepEqual(bits(gy), bits(y)) || !reflect.DeepEqual(gz, z) {
		t.Errorf("%v, %v, %v, %v", gx, gy, gz, err)
	}
	p.Lo[0] = 0
	if _, _, _, err := wire.ReadAnswer(path, p); err == nil || !strings.Contains(err.Error(), "32 bytes, want 40") {
		t.Errorf("an answer of another size: %v", err)
	}
}
