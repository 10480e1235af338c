package cbf_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/cbf"
	"github.com/dcopt/dcopt/qpbackend/ipm"
	"github.com/dcopt/dcopt/qpbackend/problemfile"
)

func read(t *testing.T, text string) *problemfile.File {
	t.Helper()
	f, err := cbf.Read(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return f
}

// solve is the optimal value, of the sense of the file.
func solve(t *testing.T, f *problemfile.File) float64 {
	t.Helper()
	b := ipm.Backend{}
	s, err := b.New(context.Background(), f.Problem, b.DefaultSettings())
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
	if f.Maximize {
		return -res.Objective
	}
	return res.Objective
}

// semidefinite is the first example of the format's reference: matrix variables and rows.
const semidefinite = `# a comment
VER
1

OBJSENSE
MIN

PSDVAR
1
3

VAR
3 1
F 3

CON
5 2
L= 2
Q 3

OBJFCOORD
5
0 0 0 2.0
0 1 0 1.0
0 1 1 2.0
0 2 1 1.0
0 2 2 2.0

OBJACOORD
1
1 1.0

FCOORD
9
0 0 0 0 1.0
0 0 1 1 1.0
0 0 2 2 1.0
1 0 0 0 1.0
1 0 1 0 1.0
1 0 2 0 1.0
1 0 1 1 1.0
1 0 2 1 1.0
1 0 2 2 1.0

ACOORD
6
0 1 1.0
1 0 1.0
1 2 1.0
2 1 1.0
3 0 1.0
4 2 1.0

BCOORD
2
0 -1.0
1 -0.5
`

// program is a file with one cone over the variables x0, ..., of which the first is
// minimised and the others have the given values.
func program(cone, pow string, values ...float64) string {
	n := len(values) + 1
	var b strings.Builder
	fmt.Fprintf(&b, "VER\n3\n%sOBJSENSE\nMIN\nVAR\n%d 1\n%s %d\nCON\n%d 1\nL= %d\nOBJACOORD\n1\n0 1\nACOORD\n%d\n", pow, n, cone, n, n-1, n-1, n-1)
	for k := range values {
		fmt.Fprintf(&b, "%d %d 1\n", k, k+1)
	}
	fmt.Fprintf(&b, "BCOORD\n%d\n", n-1)
	for k, v := range values {
		fmt.Fprintf(&b, "%d %g\n", k, -v)
	}
	return b.String()
}

// rows states the same with the cone over rows.
func rows(cone, pow string, values ...float64) string {
	n := len(values) + 1
	var b strings.Builder
	fmt.Fprintf(&b, "VER\n3\n%sOBJSENSE\nMAX\nVAR\n1 1\nF 1\nCON\n%d 1\n%s %d\nOBJACOORD\n1\n0 -1\nACOORD\n1\n0 0 1\nBCOORD\n%d\n", pow, n, cone, n, n-1)
	for k, v := range values {
		fmt.Fprintf(&b, "%d %g\n", k+1, v)
	}
	return b.String()
}

// TestCones: the least first entry of each cone, given the others.
func TestCones(t *testing.T) {
	pow := func(section string, alpha ...float64) string {
		s := fmt.Sprintf("%s\n1 %d\n%d\n", section, len(alpha), len(alpha))
		for _, a := range alpha {
			s += fmt.Sprintln(a)
		}
		return s
	}
	for _, c := range []struct {
		cone, pow string
		values    []float64
		want      float64
	}{
		{"Q", "", []float64{3, -4}, 5},
		{"QR", "", []float64{2, 3, -1}, 2.5},
		{"EXP", "", []float64{2, 3}, 2 * math.Exp(1.5)},
		{"EXP*", "", []float64{1, -2}, 2 * math.Exp(-0.5-1)},
		{"@0:POW", pow("POWCONES", 1, 3), []float64{16, -8}, math.Pow(8/math.Pow(16, 0.75), 4)},
		{"@0:POW", pow("POWCONES", 2, 2), []float64{16, 3, 4}, 25.0 / 16},
		{"@0:POW", pow("POWCONES", 1, 1, 2), []float64{4, 9, 6}, math.Pow(6/(math.Pow(4, .25)*3), 4)},
		{"@0:POW", pow("POWCONES", 1, 1, 1, 1), []float64{2, 4, 8, 3, 4}, 625.0 / 64},
		{"@0:POW", pow("POWCONES", 5), []float64{3, 4}, 5},
		{"@0:POW*", pow("POW*CONES", 1, 3), []float64{16, -8}, math.Pow(8/math.Pow(16/0.75, 0.75), 4) / 4},
		{"@0:POW*", pow("POW*CONES", 1, 1), []float64{16, 3, 4}, 25.0 / 16 / 4},
		{"@0:POW", pow("POWCONES", 1, 1), []float64{2}, 0},
	} {
		for _, text := range []string{program(c.cone, c.pow, c.values...), rows(c.cone, c.pow, c.values...)} {
			f := read(t, text)
			got := solve(t, f)
			if f.Maximize {
				got = -got
			}
			if math.Abs(got-c.want) > 1e-5*(1+c.want) {
				t.Errorf("%s %v: the least entry is %g, want %g", c.cone, c.values, got, c.want)
			}
		}
	}
}

func TestSemidefinite(t *testing.T) {
	f := read(t, semidefinite)
	if v := solve(t, f); math.Abs(v-0.705710) > 1e-5 { // of the format's reference
		t.Errorf("optimum %g, want 0.70571", v)
	}
	if want := []string{"x0", "x1", "x2", "X0[0,0]", "X0[0,1]", "X0[1,1]", "X0[0,2]", "X0[1,2]", "X0[2,2]"}; !slices.Equal(f.ColNames, want) {
		t.Errorf("columns %v", f.ColNames)
	}
	if len(f.RowNames) != len(f.Problem.L) || f.RowNames[0] != "c0" || f.RowNames[2] != "c2[0]" || f.RowNames[5] != "K0[0,0]" {
		t.Errorf("rows %v", f.RowNames)
	}
}

// matrixRows is the second example of the reference, with matrix rows.
const matrixRows = `VER
1
OBJSENSE
MIN
PSDVAR
1
2
VAR
2 1
F 2
PSDCON
1
2
CON
1 1
L+ 1
OBJFCOORD
2
0 0 0 1.0
0 1 1 1.0
OBJACOORD
2
0 1.0
1 1.0
OBJBCOORD
1.0
FCOORD
1
0 0 1 0 1.0
ACOORD
2
0 0 -1.0
0 1 -1.0
HCOORD
4
0 0 1 0 1.0
0 0 1 1 3.0
0 1 0 0 3.0
0 1 1 0 1.0
DCOORD
2
0 0 0 -1.0
0 1 1 -1.0
`

func TestMatrixRows(t *testing.T) {
	f := read(t, matrixRows)
	// H₀x₀ + H₁x₁ + D = [3x₁−1 x₀+x₁; x₀+x₁ 3x₀−1]: by symmetry 3x−1 = 2x at x = 1, and
	// 2X₁₀ ≥ x₀ + x₁ with X₀₀ = X₁₁ = X₁₀ = 1.
	if v := solve(t, f); math.Abs(v-5) > 1e-5 {
		t.Errorf("optimum %g, want 5", v)
	}
}

func TestErrorsHaveLines(t *testing.T) {
	const head = "VER\n1\nOBJSENSE\nMIN\nPSDVAR\n1\n2\nVAR\n2 1\nF 2\nCON\n1 1\nL+ 1\n" // 13 lines
	for _, c := range []struct {
		text string
		line int
		want string
	}{
		{"OBJSENSE\nMIN\n", 1, "where VER is expected"},
		{"VER\n9\n", 2, "the version"},
		{"VER\n1\nVER\n1\n", 3, "comes twice"},
		{"VER\n1\nOBJSENSE\nUP\n", 4, "want MIN or MAX"},
		{"VER\n1\nVAR\n2 1\nF 3\n", 5, "the size of a cone"},
		{"VER\n1\nVAR\n2 1\nF 1\n", 5, "1 variables, 2 are announced"},
		{"VER\n1\nVAR\n3 1\nEXP 3 3\n", 5, "has 3 fields, want 2"},
		{"VER\n1\nVAR\n4 1\nEXP 4\n", 5, "has 3 entries, not 4"},
		{"VER\n1\nVAR\n1 1\nQR 1\n", 5, "at least 2"},
		{"VER\n1\nVAR\n3 1\nGMEANABS 3\n", 5, `the cone "GMEANABS" is not read`},
		{"VER\n3\nVAR\n3 1\n@0:POW 3\n", 5, "the number of the exponents"},
		{"VER\n3\nPOWCONES\n1 2\n2\n1\n-1\n", 7, "not positive"},
		{"VER\n1\nVAR\n2", 4, "has 1 fields"},
		{"VER\n1\nPSDVAR\n1\n100000\n", 5, "variables, rows and coefficients"},
		{"VER\n1\nCON\n1 1\nF 1\n", 5, ""},
		{head + "INT\n1\n0\n", 14, "integer variables"},
		{head + "CHANGE\n", 14, "several instances"},
		{head + "ODD\n1\n", 14, `"ODD" is not known`},
		{head + "a b\n", 14, "keyword"},
		{head + "ACOORD\n1\n0 2 1\n", 16, "the number of a variable"},
		{head + "ACOORD\n1\n1 0 1\n", 16, "the number of a row"},
		{head + "ACOORD\n1\n0 0 x\n", 16, "want a number"},
		{head + "ACOORD\n2\n0 0 1\n", 16, "ends inside a section"},
		{head + "ACOORD\n2\n0 0 1\n0 0 1\n", 17, "stated twice"},
		{head + "BCOORD\n2\n0 1\n0 1\n", 17, "stated twice"},
		{head + "OBJFCOORD\n2\n0 1 0 1\n0 0 1 1\n", 17, "stated twice"},
		{head + "FCOORD\n1\n0 0 2 0 1\n", 16, "the row"},
		{head + "FCOORD\n1\n0 1 0 0 1\n", 16, "a matrix variable"},
		{head + "HCOORD\n1\n0 0 0 0 1\n", 16, "of which there is none"},
		{head + "OBJBCOORD\nx\n", 15, "the constant"},
		{head + "ACOORD\n0\nVAR\n1 1\nF 1\n", 16, "comes twice"},
		{head + "ACOORD\n0\nPSDCON\n0\n", 16, "behind coefficients"},
	} {
		_, err := cbf.Read(strings.NewReader(c.text))
		var e *problemfile.Error
		if c.want == "" {
			if err == nil || !strings.Contains(err.Error(), "no variables") {
				t.Errorf("%q: %v", c.text, err)
			}
			continue
		}
		if !errors.As(err, &e) || e.Line != c.line || !strings.Contains(e.Error(), c.want) {
			t.Errorf("%q: %v; want line %d, %q", c.text, err, c.line, c.want)
		}
	}
	for _, text := range []string{"", "\n# nothing\n", "# only\n"} {
		if _, err := cbf.Read(strings.NewReader(text)); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(semidefinite)
	f.Add(matrixRows)
	f.Add(rows("@0:POW", "POWCONES\n1 3\n3\n1\n1\n2\n", 1, 2, 3, 4))
	f.Add(program("EXP*", "", 1, -2))
	f.Fuzz(func(t *testing.T, text string) {
		digits := 0
		for _, c := range text { // sizes that take memory for nothing
			if digits++; c < '0' || c > '9' {
				digits = 0
			}
			if digits > 3 {
				return
			}
		}
		file, err := cbf.Read(strings.NewReader(text))
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

func ExampleRead() {
	f, err := cbf.Read(strings.NewReader(program("EXP", "", 2, 3)))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.ColNames, f.Problem.Cones[0].Kind)
	_, err = cbf.Read(strings.NewReader("VER\n1\nVAR\n1 1\nF 1\nINT\n1\n0\n"))
	fmt.Println(err)
	// Output:
	// [x0 x1 x2] exponential
	// line 6: integer variables are not solved for; without the section INT the problem is its continuous relaxation
}
