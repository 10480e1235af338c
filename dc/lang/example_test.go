package lang_test

import (
	"context"
	"fmt"
	"os"
	"testing/fstest"

	"github.com/dcopt/dcopt/dc/lang"
)

func ExampleCompile() {
	src := []byte(`
param r = csv("r.csv"), n = len(r)
var   c[n,2]  start normal(0, 10)
minimize  max(i in 1..n) ( norminf(c[i,:]) + r[i] )
subject to
  apart[i in 1..n, j in i+1..n]:  norm2(c[i,:] - c[j,:]) >= r[i] + r[j]
`)
	f, err := lang.Parse("circles.dc", src)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := lang.Compile(context.Background(), f, lang.Options{FS: fstest.MapFS{"r.csv": {Data: []byte("1,2,1.5\n")}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Problem.NumVars(), "variables, the objective is", p.Objective.Curvature)
	for _, f := range p.Families {
		fmt.Printf("%s: %d %v, linearised %v\n", f.Name, f.Members, f.Curvature, f.Linearised)
	}
	fmt.Println(p.Problem.Program().Constraints[2].Name())
	// Output:
	// 6 variables, the objective is convex
	// apart: 3 DC, linearised [norm2(c[i,:] - c[j,:])]
	// apart[2,3]
}

func ExampleDiagnostics_Render() {
	src := []byte("var x, y\nminimize sqrt(x*abs(y))\noption maxiter = 3\n")
	f, _ := lang.Parse("m.dc", src)
	_, err := lang.Compile(context.Background(), f, lang.Options{})
	if ds, ok := err.(lang.Diagnostics); ok {
		ds.Render(os.Stdout, func(string) []byte { return src }, false)
	}
	// Output:
	// m.dc:2:10: error: no DC split for sqrt(x*abs(y)): sqrt needs a concave argument, x*abs(y) is neither convex nor concave
	//   2 | minimize sqrt(x*abs(y))
	//     |               ^~~~~~~~ neither convex nor concave
	//   help: use geomean(x, abs(y)) for factors >= 0, or dc(g, h)
	// m.dc:3:8: error: unknown option "maxiter"; did you mean "max_iter"?
	//   3 | option maxiter = 3
	//     |        ^~~~~~~
}

func ExampleFormat() {
	out, err := lang.Format("ball.dc", []byte("param n=3\nvar x[n]>=0 start 1 # not 0\nminimize x[1]-norm2( x )\nsubject to ball:sumsq(x)<=4\n  row [ i in 2 .. n ]:x[i-1]<=x[ i ]"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(out))
	// Output:
	// param n = 3
	// var   x[n] >= 0  start 1  # not 0
	// minimize  x[1] - norm2(x)
	// subject to
	//   ball:            sumsq(x) <= 4
	//   row[i in 2..n]:  x[i-1] <= x[i]
}
