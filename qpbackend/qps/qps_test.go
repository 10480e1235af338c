package qps_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/qpbackend/formats"
	"github.com/dcopt/dcopt/qpbackend/qps"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

var inf = math.Inf(1)

func read(t *testing.T, opt qps.Options, text string) *qps.File {
	t.Helper()
	f, err := qps.Read(strings.NewReader(text), opt)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return f
}

// dense is a matrix by rows.
func dense(m *sparse.CSC) [][]float64 {
	rows := make([][]float64, m.Rows)
	for i := range rows {
		rows[i] = make([]float64, m.Cols)
		for j := range rows[i] {
			rows[i][j] = m.At(i, j)
		}
	}
	return rows
}

func expect(t *testing.T, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		t.Errorf("%s is %s, want %s", what, g, w)
	}
}

const everything = `* a comment
NAME          SAMPLE
ROWS
 N  COST
 L  R1
 G  R2
 E  R3
 N  OTHER
 E  R4
COLUMNS
    X         COST               1.5   R1                  2.
    X         R2                 1D0   OTHER               7.
    Y         COST                -2   R1                 -1.
    Y         R3                  3.   R4                  1.
    Z         R2                  4.
RHS
    RHS       COST              -10.   R1                  8.
    RHS       R2                  1.   R3                  5.
    RHS2      R1                 99.
RANGES
    RNG       R1                  3.   R2                 -2.
    RNG       R3                  1.   R4                -.5
BOUNDS
 UP BND       X                   4.
 LO BND       Y                  -1.
 UP BND       Y                   6.
QUADOBJ
    X         X                   8.   Y                   2.
    Y         Y                  10.
ENDATA
what follows is not read
`

func TestEverything(t *testing.T) {
	f := read(t, qps.Options{}, everything)
	p := f.Problem
	expect(t, "the name", f.Name, "SAMPLE")
	expect(t, "columns", f.ColNames, "[X Y Z]")
	expect(t, "rows", f.RowNames, "[R1 R2 R3 R4]")
	expect(t, "q", p.Q, "[1.5 -2 0]")
	expect(t, "r", p.R, "10")
	expect(t, "P", dense(p.P), "[[8 2 0] [0 10 0] [0 0 0]]")
	expect(t, "A", dense(p.A), "[[2 -1 0] [1 0 4] [0 3 0] [0 1 0]]")
	expect(t, "l", p.L, "[5 1 5 -0.5]")
	expect(t, "u", p.U, "[8 3 6 0]")
	expect(t, "lo", p.Lo, "[0 -1 0]")
	expect(t, "hi", p.Hi, "[4 6 +Inf]")
	expect(t, "notes", len(f.Notes), 2)
	for k, want := range []string{"1 further N rows with 1 coefficients", `RHS: the set "RHS2"`} {
		if k >= len(f.Notes) || !strings.Contains(f.Notes[k], want) {
			t.Errorf("notes %q, want %q", f.Notes, want)
		}
	}
}

// small is a file of two columns with one E row and what is put behind it.
func small(rest string) string {
	return "NAME T\nROWS\n N obj\n E c1\n L c2\nCOLUMNS\n x obj 1 c1 1\n x c2 1\n y obj 2 c1 1\nRHS\n RHS c1 4\n" + rest + "ENDATA\n"
}

func TestBounds(t *testing.T) {
	for _, c := range []struct {
		bounds string
		sif    bool
		l, u   float64
		note   string
	}{
		{"", false, 0, inf, ""},
		{" UP B x 4\n", false, 0, 4, ""},
		{" LO B x -3\n", false, -3, inf, ""},
		{" LO B x -3\n UP B x 4\n", false, -3, 4, ""},
		{" UP B x -1\n", false, -inf, -1, "unbounded below"},
		{" UP B x 0\n", false, 0, 0, ""},
		{" UP B x 0\n", true, -inf, 0, "unbounded below"},
		{" UP B x -1\n", true, -inf, -1, "unbounded below"},
		{" LO B x 0\n UP B x 0\n", true, 0, 0, ""},
		{" UP B x 0\n LO B x -2\n", true, -2, 0, ""},
		{" LO B x -7\n UP B x -1\n", false, -7, -1, ""},
		{" MI B x\n", false, -inf, inf, ""},
		{" MI B x\n UP B x 3\n", false, -inf, 3, ""},
		{" UP B x 3\n PL B x\n", false, 0, inf, ""},
		{" FR B x\n", false, -inf, inf, ""},
		{" FR B x 0\n", false, -inf, inf, ""},
		{" FR x\n", false, -inf, inf, ""},
		{" FX B x 2.5\n", false, 2.5, 2.5, ""},
		{" FX x 2.5\n", false, 2.5, 2.5, ""},
		{" BV B x\n", false, 0, 1, "1 integer columns"},
		{" LI B x 2\n", false, 2, inf, "1 integer columns"},
		{" UI B x 9\n", false, 0, 9, "1 integer columns"},
		{" UP B x 1e20\n", false, 0, inf, ""},
		{" UP B x 1e30\n LO B x -1e31\n", false, -inf, inf, ""},
		{" UP B x inf\n", false, 0, inf, ""},
		{" UP B x 3\n UP OTHER x 2\n", false, 0, 3, `the set "OTHER" is left out`},
	} {
		f := read(t, qps.Options{SIF: c.sif}, small("BOUNDS\n"+c.bounds))
		l, u := f.Problem.Lo[0], f.Problem.Hi[0]
		if l != c.l || u != c.u {
			t.Errorf("%q, SIF %v: bounds %g and %g, want %g and %g", c.bounds, c.sif, l, u, c.l, c.u)
		}
		if notes := strings.Join(f.Notes, "; "); c.note == "" && notes != "" || !strings.Contains(notes, c.note) {
			t.Errorf("%q: notes %q, want %q", c.bounds, notes, c.note)
		}
	}
}

func TestQuadraticSections(t *testing.T) {
	for _, c := range []struct{ section, want string }{
		{"QUADOBJ\n x x 2\n x y 1\n y y 3\n", "[[2 1] [0 3]]"},
		{"QUADOBJ\n x x 2\n y x 1\n y y 3\n", "[[2 1] [0 3]]"},
		{"QSECTION obj\n x x 2 y 1\n y y 3\n", "[[2 1] [0 3]]"},
		{"QMATRIX\n x x 2\n x y 1\n y x 1\n y y 3\n", "[[2 1] [0 3]]"},
		{"QMATRIX\n y x 1 y 3\n x y 1\n", "[[0 1] [0 3]]"},
		{"HESSIAN\n", "[[0 0] [0 0]]"},
	} {
		f := read(t, qps.Options{}, small(c.section))
		expect(t, "P of "+c.section, dense(f.Problem.P), c.want)
	}
}

func TestObjectiveSense(t *testing.T) {
	for _, head := range []string{"OBJSENSE\n    MAX\n", "OBJSENSE MAXIMIZE\n", "OBJSENSE\n maximise\n"} {
		f := read(t, qps.Options{}, strings.Replace(small("QUADOBJ\n x x -2\n"), "ROWS", head+"ROWS", 1))
		if !f.Maximize {
			t.Errorf("%q: Maximize is not set", head)
		}
		expect(t, "q", f.Problem.Q, "[-1 -2]")
		expect(t, "P", dense(f.Problem.P), "[[2 0] [0 0]]")
		expect(t, "r", f.Problem.R == 0, true)
	}
	f := read(t, qps.Options{}, strings.Replace(small(""), "ROWS", "OBJSENSE\n MIN\nROWS", 1))
	expect(t, "Maximize", f.Maximize, false)
}

func TestObjectiveName(t *testing.T) {
	text := strings.Replace(small(""), "ROWS\n", "OBJNAME\n two\nROWS\n", 1)
	text = strings.Replace(text, " E c1\n", " E c1\n N two\n", 1)
	text = strings.Replace(text, " x c2 1\n", " x c2 1 two 5\n", 1)
	f := read(t, qps.Options{}, text)
	expect(t, "q", f.Problem.Q, "[5 0]")
}

func TestIntegerMarkers(t *testing.T) {
	text := strings.Replace(small(""), " y obj", " M 'MARKER' 'INTORG'\n y obj", 1)
	text = strings.Replace(text, "RHS\n", " M 'MARKER' 'INTEND'\nRHS\n", 1)
	f := read(t, qps.Options{}, text)
	expect(t, "notes", f.Notes, "[1 integer columns are read as continuous]")
	expect(t, "columns", f.ColNames, "[x y]")
	fixed := strings.Replace(everything, "    Z         R2", "    M1        'MARKER'                 'INTORG'\n    Z         R2", 1)
	f = read(t, qps.Options{}, fixed)
	if !strings.Contains(f.Notes[0], "1 integer columns") {
		t.Errorf("notes %q", f.Notes)
	}
}

// TestNamesWithSpaces: fixed columns hold names that free format would cut.
func TestNamesWithSpaces(t *testing.T) {
	text := strings.NewReplacer(
		" L  R1", " L  ROW 1 A", "R1                  2.", "ROW 1 A             2.",
		"R1                 -1.", "ROW 1 A            -1.", "R1                  8.", "ROW 1 A             8.",
		"R1                 99.", "ROW 1 A            99.", "R1                  3.", "ROW 1 A             3.",
	).Replace(everything)
	f := read(t, qps.Options{}, text)
	expect(t, "the first row", f.RowNames[0], "ROW 1 A")
	expect(t, "u", f.Problem.U, "[8 3 6 0]")
	expect(t, "hi", f.Problem.Hi, "[4 6 +Inf]")
}

func TestFormats(t *testing.T) {
	want := fmt.Sprint(read(t, qps.Options{}, everything).Problem.L)
	squeezed := ""
	for _, line := range strings.Split(everything, "\n") {
		if strings.HasPrefix(line, " ") {
			line = "\t" + strings.Join(strings.Fields(line), " ")
		}
		squeezed += line + "\r\n"
	}
	expect(t, "l", read(t, qps.Options{}, squeezed).Problem.L, want)
	f := read(t, qps.Options{}, strings.Replace(everything, "NAME          SAMPLE", "NAME SAMPLE FREE", 1))
	expect(t, "the name", f.Name, "SAMPLE")
}

// TestSetsMayBeMissing: the names of sets are left out in both formats.
func TestSetsMayBeMissing(t *testing.T) {
	f := read(t, qps.Options{}, strings.Replace(small("RANGES\n c1 2 c2 3\nBOUNDS\n UP x 5\n"), " RHS c1 4", " c1 4 c2 6", 1))
	expect(t, "l", f.Problem.L, "[4 3]")
	expect(t, "u", f.Problem.U, "[6 6]")
	expect(t, "lo", f.Problem.Lo, "[0 0]")
	expect(t, "hi", f.Problem.Hi, "[5 +Inf]")
	fixed := strings.NewReplacer("    RHS  ", "         ", " BND ", "     ").Replace(everything)
	f = read(t, qps.Options{}, fixed)
	expect(t, "u", f.Problem.U, "[8 3 6 0]")
	expect(t, "hi", f.Problem.Hi, "[4 6 +Inf]")
}

func TestErrorsAreLocated(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "the file is empty"},
		{"NAME x\nROWS\n N o\n", "line 3: the file ends without ENDATA"},
		{"\x1f\x8b\x00abc\n", "damaged gzip file"},
		{"BZh\x00abc\n", "line 1: holds a zero byte; is the file compressed?"},
		{"NAME x\nENDATA\n", "the file has no columns"},
		{"NAME x\n something\nENDATA\n", "line 2: data before the section ROWS"},
		{"NAME x\nROWS\n N o\nCOLUMMS\nENDATA\n", `line 4: unknown section "COLUMMS"`},
		{"NAME x\nROWS\n Q o\nENDATA\n", `line 3: row "o" has type "Q"`},
		{"NAME x\nROWS\n E o\n L o\nENDATA\n", `line 4: row "o" is stated twice`},
		{"NAME x\nROWS\n E\nENDATA\n", "line 3: want a type and the name of a row"},
		{small("RHS\n RHS nope 1\n"), `line 13: unknown row "nope"`},
		{small("RHS\n RHS c1 1\n"), `line 13: the right-hand side of row "c1" is stated twice`},
		{small("RHS\n RHS c2 1 obj 2 c2 3\n"), "line 13: want one or two pairs"},
		{small("RHS\n RHS c2 1 obj\n"), `line 13: "c2" is not a number`},
		{small("RHS\n RHS c2 1.2.3\n"), `line 13: "1.2.3" is not a number`},
		{small("RHS\n RHS c2 nan\n"), `line 13: "nan" is not a number`},
		{small("RHS\n RHS c2 0x10\n"), `line 13: "0x10" is not a number`},
		{small("RHS\n RHS obj 1e25\n"), "line 13: the constant of the objective"},
		{strings.Replace(small(""), " RHS c1 4", " RHS c1 1e21", 1), `line 11: row "c1" has the sides +Inf and +Inf`},
		{small("RANGES\n RNG c1 1\n RNG c1 2\n"), `line 14: the range of row "c1" is stated twice`},
		{small("BOUNDS\n UP BND w 1\n"), `line 13: unknown column "w"`},
		{small("BOUNDS\n SC BND x 1\n"), `line 13: bound of type "SC" on column "x"`},
		{small("BOUNDS\n UP BND x\n"), `line 13: "x" is not a number`},
		{small("BOUNDS\n UP\n"), "line 13: a bound UP with 0 fields"},
		{small("BOUNDS\n UP BND x 1\n LO BND x 2\n"), `line 14: column "x" has the bounds 2 and 1`},
		{small("BOUNDS\n LO BND x 1e20\n"), `line 13: column "x" has the bounds +Inf and +Inf`},
		{small("QUADOBJ\n x w 1\n"), `line 13: unknown column "w"`},
		{small("QUADOBJ\n w x 1\n"), `line 13: unknown column "w"`},
		{small("QUADOBJ\n x y 1\n y x 1\n"), "line 14: a quadratic coefficient is stated twice; a file with both triangles has them under QMATRIX"},
		{small("QMATRIX\n x y 1\n x y 1\n"), "line 14: a quadratic coefficient is stated twice"},
		{small("QMATRIX\n x y 1\n"), `QMATRIX is not symmetric at column "x"`},
		{small("QMATRIX\n x y 1\n y x 2\n"), `QMATRIX is not symmetric at column "x"`},
		{small("QUADOBJ\n x x 1e999\n"), "line 13: coefficient of columns"},
		{small("QUADOBJ\n x x 1\nQMATRIX\n x x 1\n"), "line 14: section QMATRIX: the quadratic objective has been given before"},
		{small("QSECTION c1\n x x 1\n"), "line 12: section QSECTION for row \"c1\": quadratic constraints"},
		{small("QCMATRIX c1\n x x 1\n"), "line 12: section QCMATRIX: quadratic constraints are not supported"},
		{small("SOS\n"), "line 12: section SOS: special ordered sets"},
		{small("OBJSENSE\n SIDEWAYS\n"), `line 13: OBJSENSE is "SIDEWAYS"`},
		{small("OBJNAME\n gain\nROWS\n N loss\n"), ""},
		{strings.Replace(small(""), " x c2 1", " x c2 1 c2 2", 1), "line 8: a coefficient of this line is stated twice"},
		{strings.Replace(small(""), " x c2 1", " x obj 1", 1), `line 8: the objective of column "x" is stated twice`},
		{strings.Replace(small(""), " x c2 1", " x c2 inf", 1), `line 8: coefficient of column "x"`},
		{strings.Replace(small(""), " x c2 1", " M 'MARKER' 'SOSORG'", 1), `line 8: marker "SOSORG"`},
		{strings.Replace(small(""), "ROWS\n", "OBJNAME\n gain\nROWS\n", 1), `OBJNAME names "gain", which is no N row`},
		{strings.Replace(everything, "X         R2                 1D0", "X         R9                 1D0", 1), `line 12: unknown row "R9"`},
		{strings.Replace(everything, " UP BND       X  ", " UP BND   X  ", 1), ""}, // misplaced, so free
	} {
		_, err := qps.Read(strings.NewReader(c.text), qps.Options{})
		if c.want == "" {
			if err != nil {
				t.Errorf("%v\n%s", err, c.text)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	_, err := qps.Read(strings.NewReader(strings.Replace(everything, "R2                 1D0", "R 2         1D0", 1)), qps.Options{})
	if err == nil || !strings.Contains(err.Error(), "line 12 does not fit the columns") {
		t.Errorf("error %v does not say why the file is read as free format", err)
	}
}

func TestNoObjectiveIsNoted(t *testing.T) {
	f := read(t, qps.Options{}, "NAME\nROWS\n E c\nCOLUMNS\n x c 1\nRHS\nENDATA\n")
	if len(f.Notes) != 1 || !strings.Contains(f.Notes[0], "no N row") {
		t.Errorf("notes %q", f.Notes)
	}
	expect(t, "q", f.Problem.Q, "[0]")
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	if _, err := w.Write([]byte(small("BOUNDS\n UP B x 0\n"))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	plain := []byte(small("BOUNDS\n UP B x 0\n"))
	for _, c := range []struct {
		name  string
		data  []byte
		lower float64
		want  string
	}{
		{"a.qps", plain, 0, ""},
		{"a.MPS", plain, 0, ""},
		{"a.sif", plain, -inf, ""},
		{"a.SIF.gz", z.Bytes(), -inf, ""},
		{"a.mps.gz", z.Bytes(), 0, ""},
		{"b.qps.gz", plain, 0, ""},
		{"c.qps.gz", nil, 0, "c.qps.gz: the file is empty"},
		{"d.qps.gz", z.Bytes()[:z.Len()-12], 0, "d.qps.gz: damaged gzip file: unexpected EOF"},
		{"b.qps", z.Bytes(), 0, ""},
		{"c.qps", []byte("NAME\nENDATA\n"), 0, "c.qps: the file has no columns"},
	} {
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := formats.ReadFile(path)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if f.Problem.Lo[0] != c.lower {
			t.Errorf("%s: lower bound %g, want %g", c.name, f.Problem.Lo[0], c.lower)
		}
	}
	if _, err := formats.ReadFile(filepath.Join(dir, "absent.qps")); err == nil {
		t.Error("a file that is not there is read")
	}
}

// FuzzRead: no panic, and what is read is a valid problem.
func FuzzRead(f *testing.F) {
	f.Add(everything)
	f.Add(small("QUADOBJ\n x x 1\nBOUNDS\n FR B x\n"))
	f.Add(small("RANGES\n RNG c1 -2\nQMATRIX\n x y 1\n y x 1\n"))
	f.Fuzz(func(t *testing.T, text string) {
		for _, opt := range []qps.Options{{}, {SIF: true}} {
			file, err := qps.Read(strings.NewReader(text), opt)
			if err != nil {
				continue
			}
			if err := file.Problem.Validate(); err != nil {
				t.Error(err)
			}
			n, m := file.Problem.Dims()
			if len(file.ColNames) != n || len(file.RowNames) != m {
				t.Errorf("%d names for %d columns, %d for %d rows", len(file.ColNames), n, len(file.RowNames), m)
			}
		}
	})
}
