package lang

import (
	"testing"
	"testing/fstest"
)

// TestLinesGoOn: an operator that leads a line goes on with the line before, except a minus after a
// whole constraint; the formatter keeps the lines, and the words have two spellings.
func TestLinesGoOn(t *testing.T) {
	const src = `var   x[3] in [-1, 1]
maximise  x[1]
    - x[2]
subject to
  -x[1] >= -0.5
  x[1]
      - x[2] <= 9
  -x[3] <= 1
  x[3]  # a comment

      + x[2]
      <= 3
`
	p := mustCompile(t, src, Options{})
	if n := len(p.Problem.Program().Constraints); n != 4 {
		t.Errorf("%d constraints, want 4", n)
	}
	if got := p.Problem.Value([]float64{0.25, 0.5, 1}); got != -0.25 {
		t.Errorf("objective %g, want -0.25", got)
	}
	out, err := Format("p.dc", []byte(src))
	if err != nil || string(out) != src {
		t.Errorf("formatted\n%s\nwant\n%s (%v)", out, src, err)
	}
}

// TestHeader: the columns of a table but some, and the set of their names, index variables.
func TestHeader(t *testing.T) {
	files := fstest.MapFS{"p.csv": &fstest.MapFile{Data: []byte("date,a,b,c\nmon,1,2,3\ntue,4,5,6\n")}}
	p := mustCompile(t, `
set   A = header("p.csv", not "date", not "b")
param R[:,A] = csv("p.csv", not "date", not "b")
set   all = header("p.csv"), two = header("p.csv", "b", "a")
param m[A] = mean(R, 1), k[two] = [7, 8]
var   w[A]
minimize  100*m["c"] + sum(R*w) + w["c"] + 0.5*R[2,"c"] + 1000*len(all) + 10000*k["a"]
`, Options{FS: files})
	if got, want := p.Problem.Value([]float64{1, 2}), 450.0+1+6+4+12+2+3+4000+80000; got != want {
		t.Errorf("objective %g, want %g", got, want)
	}
	if axes := p.Axes["w"]; len(axes) != 1 || len(axes[0]) != 2 || axes[0][1][0] != "c" {
		t.Errorf("the axes of w are %v", axes)
	}
}
