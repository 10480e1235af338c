package sdpa_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/problemfile"
	"github.com/dcopt/dcopt/qpbackend/sdpa"
)

// example is the second one of SDPA's manual, with a diagonal block more: optimum −41.9.
const example = `"Example 1: mDim = 3, nBLOCK = 1, {2}
   3  =  mDIM
   1  =  nBLOCK
   2  =  bLOCKsTRUCT
{48, -8, 20}
0 1 1 1 -11
0 1 2 2 23
1 1 1 1 10
1 1 1 2 4
2 1 2 2 -8
3 1 1 2 -8
3 1 2 2 -2
`

func read(t *testing.T, text string) *problemfile.File {
	t.Helper()
	f, err := sdpa.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// solve is the optimal value.
func solve(t *testing.T, p *qpbackend.Problem) float64 {
	t.Helper()
	b := ipm.Backend{}
	s, err := b.New(context.Background(), p, b.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var res qpbackend.Result
	if err := s.Solve(context.Background(), &res); err != nil {
		t.Fatal(err)
	}
	if res.Status != qpbackend.Solved {
		t.Fatalf("%v: %s", res.Status, res.Message)
	}
	return res.Objective
}

func TestExample(t *testing.T) {
	f := read(t, example)
	p := f.Problem
	if want := []float64{48, -8, 20}; !slices.Equal(p.Q, want) {
		t.Errorf("q = %v, want %v", p.Q, want)
	}
	if want := []float64{-11, 0, 23}; !slices.Equal(p.L, want) {
		t.Errorf("l = %v, want %v", p.L, want)
	}
	if want := []qpbackend.Cone{{Kind: qpbackend.Semidefinite, Len: 3}}; !slices.Equal(p.Cones, want) {
		t.Errorf("cones %v, want %v", p.Cones, want)
	}
	for _, e := range []struct {
		i, j int
		v    float64
	}{{0, 0, 10}, {1, 0, 4 * math.Sqrt2}, {2, 1, -8}, {1, 2, -8 * math.Sqrt2}, {2, 2, -2}} {
		k := slices.Index(p.A.RowIdx[p.A.ColPtr[e.j]:p.A.ColPtr[e.j+1]], e.i)
		if k < 0 || p.A.Val[p.A.ColPtr[e.j]+k] != e.v {
			t.Errorf("entry (%d, %d) is not %g", e.i, e.j, e.v)
		}
	}
	if want := []string{"b1[1,1]", "b1[1,2]", "b1[2,2]"}; !slices.Equal(f.RowNames, want) {
		t.Errorf("rows %v", f.RowNames)
	}
	if v := solve(t, p); math.Abs(v+41.9) > 1e-5 {
		t.Errorf("optimum %g, want -41.9", v)
	}
}

// blocks has a diagonal block, one of order one and entries of both triangles.
const blocks = `* x1 >= 1, 2 x2 >= 3, [x1 1; 1 x2] psd
2
3
(-1, 1, 2)
1 1
0 1 1 1 1.0
1 1 1 1 1
0 2 1 1 3
2 2 1 1 2
1 3 1 1 1
2 3 2 2 1
0 3 2 1 -1   0 3 1 2 -1
`

func TestBlocks(t *testing.T) {
	f := read(t, blocks)
	if want := []float64{1, 3, 0, -math.Sqrt2, 0}; !slices.Equal(f.Problem.L, want) {
		t.Errorf("l = %v, want %v", f.Problem.L, want)
	}
	if want := []string{"b1[1]", "b2[1]", "b3[1,1]", "b3[1,2]", "b3[2,2]"}; !slices.Equal(f.RowNames, want) {
		t.Errorf("rows %v", f.RowNames)
	}
	if v := solve(t, f.Problem); math.Abs(v-2.5) > 1e-6 {
		t.Errorf("optimum %g, want 2.5", v)
	}
}

func TestErrorsHaveLines(t *testing.T) {
	for _, c := range []struct {
		text string
		line int
		want string
	}{
		{"x\n", 1, `the number of variables is "x"`},
		{"0\n", 1, "from 1"},
		{"1\n", 1, "ends before the number of blocks"},
		{"1\n0\n", 2, "the number of blocks"},
		{"1\n1\n0\n", 3, "block 1 is 0"},
		{"1\n1\n99999\n", 3, "more than"},
		{"1\n2\n2\n", 3, "ends before the sizes"},
		{"2\n1\n2\n1\n", 4, "ends before the 2 coefficients"},
		{"1\n1\n2\n1 2\n", 4, "more than 1 coefficients"},
		{"1\n1\n2\nabc\n", 4, `"abc", want a number`},
		{"1\n1\n2\n1e999\n", 4, "want a number"},
		{"1\n1\n2\n1\n1 1 1 1\n", 5, "five per entry"},
		{"1\n1\n2\n1\n2 1 1 1 1\n", 5, "the matrix"},
		{"1\n1\n2\n1\n1 2 1 1 1\n", 5, "the block"},
		{"1\n1\n2\n1\n1 1 3 1 1\n", 5, "the row"},
		{"1\n1\n2\n1\n1 1 1 0 1\n", 5, "the column"},
		{"1\n1\n2\n1\n1 1 1 1 nan\n", 5, "the value"},
		{"1\n1\n-2\n1\n1 1 1 2 1\n", 5, "which is diagonal"},
		{"1\n1\n2\n1\n1 1 1 1 1\n1 1 1 1 1\n", 6, "stated twice"},
		{"1\n1\n2\n1\n0 1 1 1 1\n0 1 1 1 2\n", 6, "stated twice"},
		{"1\n1\n2\n1\n1 1 2 1 1\n1 1 2 1 1\n", 6, "stated twice"},
		{"1\n1\n2\n1\n1 1 1 2 1\n1 1 2 1 3\n", 6, "matrix 1 is not symmetric"},
		{"1\n1\n2\n1\n*comment\nx\n", 6, "five per entry"},
		{"1\n1\n2\n1\n1 1 1 1 1\n*INTEGER\n*1\n", 6, "without the section *INTEGER"},
		{"1\n1\n2\n1\n1 1 1 1 1\n*RANK1\n*1\n", 6, "without the section *RANK1"},
		{"1\n1\n2\n1\n\x00\n", 5, "compressed"},
	} {
		_, err := sdpa.Read(strings.NewReader(c.text))
		var e *problemfile.Error
		if !errors.As(err, &e) || e.Line != c.line || !strings.Contains(e.Error(), c.want) {
			t.Errorf("%q: %v; want line %d, %q", c.text, err, c.line, c.want)
		}
	}
	if _, err := sdpa.Read(strings.NewReader("\n\n")); err == nil {
		t.Error("an empty file is read")
	}
}

func FuzzRead(f *testing.F) {
	f.Add(example)
	f.Add(blocks)
	f.Fuzz(func(t *testing.T, text string) {
		if longNumber(text) {
			return
		}
		file, err := sdpa.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		if err := file.Problem.Validate(); err != nil {
			t.Error(err)
		}
		n, m := file.Problem.Dims()
		if len(file.ColNames) != n || len(file.RowNames) != m {
			t.Errorf("%d names for %d columns, %d for %d rows", len(file.ColNames), n, len(file.RowNames), m)
		}
	})
}

// longNumber: the text states a size that takes memory for nothing.
func longNumber(text string) bool {
	digits := 0
	for _, c := range text {
		if digits++; c < '0' || c > '9' {
			digits = 0
		}
		if digits > 3 {
			return true
		}
	}
	return false
}

func ExampleRead() {
	f, err := sdpa.Read(strings.NewReader(blocks))
	if err != nil {
		fmt.Println(err)
		return
	}
	n, m := f.Problem.Dims()
	fmt.Println(n, "variables,", m, "rows,", f.Problem.Cones[0].Kind)
	_, err = sdpa.Read(strings.NewReader("2\n1\n2\n1 1\n1 1 3 1 5\n"))
	fmt.Println(err)
	// Output:
	// 2 variables, 5 rows, semidefinite
	// line 5: the row is "3", want a whole number from 1 to 2
}
