package lang

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
)

// writeCSV makes a file of r × c numbers.
func writeCSV(b testing.TB, path string, r, c int) {
	b.Helper()
	var buf bytes.Buffer
	x := 0.37
	for range r {
		for j := range c {
			if j > 0 {
				buf.WriteByte(',')
			}
			x = 3.99 * x * (1 - x) // the logistic map: any digits will do
			buf.Write(strconv.AppendFloat(buf.AvailableBuffer(), x, 'g', -1, 64))
		}
		buf.WriteByte('\n')
	}
	if err := os.WriteFile(path, buf.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
}

// mustCompile compiles a source that has no mistakes.
func mustCompile(t testing.TB, src string, opt Options) *Program {
	t.Helper()
	f, err := Parse("test.dc", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(context.Background(), f, opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// BenchmarkBigMatrix compiles a residual with a matrix of 10 million numbers.
func BenchmarkBigMatrix(b *testing.B) {
	dir := b.TempDir()
	writeCSV(b, filepath.Join(dir, "A.csv"), 2000, 5000)
	b.ReportAllocs()
	for b.Loop() {
		p := mustCompile(b, `
param A = csv("A.csv")
var x[cols(A)] in [-1, 1]
minimize norm1(A*x)
`, Options{Dir: dir})
		if p.Problem.NumVars() != 5000 {
			b.Fatal(p.Problem.NumVars())
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/(1<<20), "MiB-sys")
}

// BenchmarkBigFamilies compiles 100 000 constraints each of three kinds.
func BenchmarkBigFamilies(b *testing.B) {
	for _, k := range []struct{ name, body string }{
		{"affine", "x[i,1] + 2*x[i,2] <= x[i+1,1]"},
		{"norm", "norm2(x[i,:] - x[i+1,:]) >= r[i]"},
		{"condition", "x[i,1]^2 <= 4"},
	} {
		b.Run(k.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p := mustCompile(b, fmt.Sprintf(`
param n = 100000
param r[i in 1..n] = 1/sqrt(i)
var x[n+1, 2]
minimize sum(i in 1..n) abs(x[i,1])
subject to
  c[i in 1..n if i > 0 and not i == 7]: %s
`, k.body), Options{})
				if len(p.Problem.Program().Constraints) != 99999 {
					b.Fatal(len(p.Problem.Program().Constraints))
				}
			}
		})
	}
}

// TestCompiledSumIsSmall: of a sum of many minima the problem keeps the data alone, and the file
// nothing of its last statement; the exact problem has the members again.
func TestCompiledSumIsSmall(t *testing.T) {
	const points = 4000
	dir := t.TempDir()
	writeCSV(t, filepath.Join(dir, "P.csv"), points, 2)
	f, err := Parse("test.dc", []byte(`
param P = csv("P.csv")
var c[3,2] start [.1 .2; .3 .4; .5 .6]
minimize sum(i in 1..rows(P)) min(k in 1..3) (sumsq(c[k,:] - P[i,:]))
`))
	if err != nil {
		t.Fatal(err)
	}
	used := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := used()
	p, err := Compile(context.Background(), f, Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if each := (used() - before) / points; each > 200 { // with their functions 3,800
		t.Errorf("a point takes %d bytes", each)
	}
	x := p.Problem.Start(1)
	v, bound := p.Problem.Evaluate(x)
	exact := p.Problem.Exact()
	w, wide := exact.Evaluate(x)
	if diff := v - w; !(diff <= bound+wide && -diff <= bound+wide) {
		t.Errorf("the objective is %g within %g, that of the exact problem %g within %g", v, bound, w, wide)
	}
	if e := exact.Program().Objective; e.IsConvex() || e.IsConcave() {
		t.Error("the exact problem has no split into g and h")
	}
	g, h := exact.Program().Objective.G(), exact.Program().Objective.H()
	if w := g.Value(x) - h.Value(x); !(v-w <= 1e-9*g.Value(x) && w-v <= 1e-9*g.Value(x)) {
		t.Errorf("g - h is %g, and the objective %g", w, v)
	}
	runtime.KeepAlive(f)
}
