package main

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/report"
	"github.com/dcopt/dcopt/dc/lang"
)

// complexProblem has complex variables, lets, a family of equations and a Hermitian matrix.
const complexProblem = `var z[2] complex, H[2,2] hermitian psd, w complex
let d = z + 1i
minimize sumsq(z - [3 + 4i, -1i]) + abs(w)^2 + trace(H)
subject to
  s: z[1] == 1 + 1i
  f[k in 1..2]: H[k,k] + w == 1 + 0.5i*w
  m: H[1,2] == 0.25i
`

// TestComplexJSON: values, lets and multipliers of complex numbers in JSON and as a table.
func TestComplexJSON(t *testing.T) {
	f, err := lang.Parse("c.dc", []byte(complexProblem))
	if err != nil {
		t.Fatal(err)
	}
	prog, err := lang.Compile(context.Background(), f, lang.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := prog.Problem
	x := make([]float64, p.NumVars())
	for k := range x {
		x[k] = float64(k + 1)
	}
	var table strings.Builder
	var got report.Object
	for _, b := range report.Blocks(p, x) {
		b.Text(&table, false)
		got = append(got, report.Member{Name: b.Name, Value: b.JSON()})
	}
	text, err := report.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"z":{"re":[1,2],"im":[3,4]},"H":{"re":[[5,6],[6,7]],"im":[[0,8],[-8,0]]},"w":{"re":9,"im":10}}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	const wantTable = "z[1..2] = 1+3i 2+4i\nH[1,:] = 5+0i 6+8i\nH[2,:] = 6-8i 7+0i\nw = 9+10i\n"
	if table.String() != wantTable {
		t.Errorf("got\n%swant\n%s", table.String(), wantTable)
	}
	var duals [][]float64
	next := 0.0
	for i := range p.Constraints {
		c := &p.Constraints[i]
		n := 1
		if !c.DC {
			n = c.A.Len()
		} else if d := c.Order(); d > 0 {
			n = d * d
		}
		y := make([]float64, n)
		for k := range y {
			next++
			y[k] = next
		}
		duals = append(duals, y)
	}
	text, err = report.Marshal(dcDuals(p, duals))
	if err != nil {
		t.Fatal(err)
	}
	// The multiplier of psd(H) is made Hermitian: that of 1 to 16 has the real part [1+11, 2+12; 5+15, 6+16], made
	// symmetric, and the imaginary one [9-3, 10-4; 13-7, 14-8], made skew.
	const wantDuals = `{"psd(H)":{"re":[[12,17],[17,22]],"im":[[0,0],[0,0]]},"s":{"re":17,"im":18},"f":{"re":[19,21],"im":[20,22]},"m":{"re":23,"im":24}}`
	if string(text) != wantDuals {
		t.Errorf("got  %s\nwant %s", text, wantDuals)
	}
}

// TestComplexStart: results in JSON and CSV are starts for the next run, which is where the
// first one ended.
func TestComplexStart(t *testing.T) {
	dir := t.TempDir()
	file, result := filepath.Join(dir, "c.dc"), filepath.Join(dir, "c.json")
	if err := os.WriteFile(file, []byte(complexProblem), 0o666); err != nil {
		t.Fatal(err)
	}
	read := func(text string) (r struct {
		Status, Message string
		Objective       float64
		Variables, Lets map[string]struct{ Re, Im any }
	}) {
		t.Helper()
		if err := json.Unmarshal([]byte(text), &r); err != nil || r.Status != "converged" {
			t.Fatalf("%v\n%s", err, text)
		}
		return r
	}
	if code, out, errs := tell(t, "solve", file, "-o", result); code != 0 {
		t.Fatalf("%d %s %s", code, out, errs)
	}
	text, err := os.ReadFile(result)
	if err != nil {
		t.Fatal(err)
	}
	first := read(string(text))
	if z := first.Variables["z"].Im.([]any)[0].(float64); math.Abs(z-1) > 1e-6 {
		t.Errorf("im(z[1]) = %g, want 1", z)
	}
	if d := first.Lets["d"].Im.([]any)[0].(float64); math.Abs(d-2) > 1e-6 {
		t.Errorf("im(d[1]) = %g, want 2", d)
	}
	table := filepath.Join(dir, "c.csv")
	if code, out, errs := tell(t, "solve", file, "-o", table); code != 0 {
		t.Fatalf("%d %s %s", code, out, errs)
	}
	for _, start := range []string{result, table} {
		code, out, errs := tell(t, "solve", file, "--start", start, "--json")
		if code != 0 {
			t.Fatalf("%s: %d %s %s", start, code, out, errs)
		}
		if again := read(out); math.Abs(again.Objective-first.Objective) > 1e-7 {
			t.Errorf("%s: %g, then %g", start, first.Objective, again.Objective)
		}
	}
	if err := os.WriteFile(result, []byte(`{"variables": {"z": {"re": [1, 2]}}}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := tell(t, "solve", file, "--start", result); code == 0 || !strings.Contains(errs, `the members "re" and "im"`) {
		t.Errorf("%d %s", code, errs)
	}
	for _, args := range [][]string{{"check", file}, {"expand", file}, {"fmt", file}} {
		code, out, errs := tell(t, args...)
		if code != 0 || !strings.Contains(out, "hermitian") || !strings.Contains(out, "z[2] complex") {
			t.Errorf("%v: %d %s %s", args, code, out, errs)
		}
	}
}
