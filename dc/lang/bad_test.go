package lang

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// expectation is what a line of a bad file says about itself:
//
//	x^3 <= 1  # ERROR 3 "part of the message"  # HELP "part of the help"
//
// The column and the help may be left out. A line may have several.
type expectation struct {
	col           int
	message, help string
}

var expectationSyntax = regexp.MustCompile(`^(?:(\d+) )?"(.*?)"(?:  # HELP "(.*)")? *$`)

func expectations(t *testing.T, src, mark string) map[int][]expectation {
	t.Helper()
	out := map[int][]expectation{}
	for k, line := range strings.Split(src, "\n") {
		for _, part := range strings.Split(line, mark)[1:] {
			m := expectationSyntax.FindStringSubmatch(part)
			if m == nil {
				t.Fatalf("line %d: an expectation that is not understood", k+1)
			}
			col, _ := strconv.Atoi(m[1])
			out[k+1] = append(out[k+1], expectation{col, m[2], m[3]})
		}
	}
	return out
}

// diagnose is what is wrong with a file.
func diagnose(t *testing.T, name string, src []byte, opt Options) Diagnostics {
	t.Helper()
	f, syntax := Parse(name, src)
	_, err := Compile(context.Background(), f, opt)
	if syntax != nil && err == nil {
		t.Fatalf("%s: Compile forgets %v", name, syntax)
	}
	if err == nil {
		return nil
	}
	ds, ok := err.(Diagnostics)
	if !ok {
		t.Fatalf("%s: error of type %T: %v", name, err, err)
	}
	return ds
}

// TestBad holds every file of testdata/bad against the errors that it names.
func TestBad(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.dc")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 80 {
		t.Errorf("only %d bad files", len(files))
	}
	for _, path := range files {
		name := filepath.Base(path)
		t.Run(strings.TrimSuffix(name, ".dc"), func(t *testing.T) {
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want := expectations(t, string(src), "# ERROR ")
			if len(want) == 0 {
				t.Fatal("the file expects no error")
			}
			compareDiagnostics(t, diagnose(t, name, src, Options{Dir: "testdata/bad"}), want)
		})
	}
}

// compareDiagnostics demands one diagnostic for each expectation, in order.
func compareDiagnostics(t *testing.T, ds Diagnostics, want map[int][]expectation) {
	t.Helper()
	for _, d := range ds {
		if len(want[d.Line]) == 0 {
			t.Errorf("unexpected: %v", d)
			continue
		}
		w := want[d.Line][0]
		want[d.Line] = want[d.Line][1:]
		switch {
		case !strings.Contains(d.Message, w.message):
			t.Errorf("%v\nwant a message with %q", d, w.message)
		case w.col > 0 && d.Col != w.col:
			t.Errorf("%v\nwant column %d", d, w.col)
		case !strings.Contains(d.Help, w.help):
			t.Errorf("%v\nhelp %q, want one with %q", d, d.Help, w.help)
		}
	}
	for line, left := range want {
		for _, w := range left {
			t.Errorf("line %d: nothing; want %q", line, w.message)
		}
	}
}

// TestInfeasibleData: what holds nowhere is a warning, and a part of the problem
// that no point meets.
func TestInfeasibleData(t *testing.T) {
	files, err := filepath.Glob("testdata/infeasible/*.dc")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, path := range files {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p := mustCompile(t, string(src), Options{})
		want := expectations(t, string(src), "# WARNING ")
		if len(want) == 0 {
			t.Errorf("%s expects no warning", path)
		}
		lines := len(want)
		compareDiagnostics(t, p.Warnings, want)
		broken := map[string]bool{}
		for k := range p.Problem.Program().Constraints {
			c := &p.Problem.Program().Constraints[k]
			for _, x := range []float64{-3, 0, 1.5, 100} {
				at := make([]float64, p.Problem.NumVars())
				for j := range at {
					at[j] = x
				}
				values := c.A.Values(at)
				for i := range c.Lo {
					v := values.At(i)
					if !c.DC && !(v >= c.Lo[i] && v <= c.Hi[i]) {
						broken[fmt.Sprint(c.Family, x)] = true
					}
				}
			}
		}
		if len(broken) != 4*lines {
			t.Errorf("%s: of %d families these are broken: %v", path, lines, broken)
		}
		for _, f := range p.Families {
			if f.First+f.Count > len(p.Problem.Program().Constraints) || p.Problem.Program().Constraints[f.First].Family != f.Name {
				t.Errorf("%s: family %+v has other constraints", path, f)
			}
		}
	}
}
