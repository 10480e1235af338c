package lang

import (
	"strings"
	"testing"
	"testing/fstest"
)

// TestCSVWords: columns with words are sets, in the order of the file and each
// member once; several columns are sets of pairs, or a matrix if all are numbers.
func TestCSVWords(t *testing.T) {
	const arcs = "from,to,km,day\n\"Bad, Ems\",oslo,1.5,1\n7,rome,2,1\noslo,\"Bad, Ems\",3,2\n"
	const src = `
set   from = csv("arcs.csv", "from"), E = csv("arcs.csv", "from", "to"), D = csv("arcs.csv", "day", "to")
set   V = {csv("arcs.csv", "from"), csv("arcs.csv", "to")}
param km[E] = csv("arcs.csv", "km"), m = csv("arcs.csv", "km", "day")
var   f[E], x[V]
minimize f["Bad, Ems","oslo"] + 10*f["7","rome"] + 100*x["rome"] + 1000*km["oslo","Bad, Ems"] + 10000*m[2,1] + 0.5*len(D) + 0.25*len(from) + sum((d, v) in D if v == "rome") 1000000*d
`
	// The tables of both compilations have the words, of which the second takes
	// those that the cache has.
	cache := &Cache{}
	f, err := Parse("p.dc", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		p, err := Compile(t.Context(), f, Options{Cache: cache, FS: fstest.MapFS{"arcs.csv": &fstest.MapFile{Data: []byte(arcs)}}})
		if err != nil {
			t.Fatal(err)
		}
		at := []float64{1, 2, 3, 4, 5, 6, 7} // f, then x of Bad Ems, 7, oslo, rome
		const want = 1 + 10*2 + 100*7 + 1000*3 + 10000*2 + .5*3 + .25*3 + 1000000
		if got := p.Problem.Value(at); got != want {
			t.Errorf("objective %g, want %g", got, want)
		}
		if len(p.Data) != 1 || p.Data[0].Rows != 3 || p.Data[0].Cols != 4 {
			t.Errorf("data %+v", p.Data)
		}
	}
}

// TestConstraintsOfOneName: a constraint with the name of another one has a
// number behind it, and a warning says so.
func TestConstraintsOfOneName(t *testing.T) {
	p := mustCompile(t, "var x[2]\nminimize sum(x)\nsubject to\n  a[i in 1..2]: x[i] >= i\n  a: x <= 9\n  a_2: x[1] <= 8\n  a: x[2] >= 0\n", Options{})
	var names []string
	for k := range p.Families {
		f := &p.Families[k]
		names = append(names, f.Name)
		if f.Count < 1 || p.Problem.Program().Constraints[f.First].Family != f.Name {
			t.Errorf("family %+v begins at %s", f, p.Problem.Program().Constraints[f.First].Name())
		}
	}
	if got := strings.Join(names, " "); got != "a a_3 a_2 a_4" {
		t.Errorf("names %s", got)
	}
	if len(p.Warnings) != 2 || !strings.Contains(p.Warnings[0].Message, "two constraints are called a; the first is in line 4, this one is a_3") {
		t.Errorf("warnings %v", p.Warnings)
	}
}
