package dcset_test

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/dcset"
	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/shared"
)

// folder is that of the reference problems; the largest is not in the part of the
// data that the repository has.
func folder(t *testing.T) string {
	shared.Path(t, "data", "dccp", "phase_retrieval")
	return filepath.Dir(shared.Path(t, "data"))
}

func small(t *testing.T) []dcset.Instance {
	all, err := dcset.Families([]string{"all"}, []string{"12"}, 1)
	if err != nil || len(all) != 5 {
		t.Fatalf("%d families, %v", len(all), err)
	}
	return all
}

// pointOf has the variables of p by name at x, matrices whole.
func pointOf(p *dc.Problem, x []float64) dcset.Point {
	at := dcset.Point{}
	for _, v := range p.Program().Vars {
		part := x[v.Offset : v.Offset+v.Len()]
		if !v.Symmetric {
			at[v.Name] = part
			continue
		}
		n := v.Shape[0]
		whole := make([]float64, n*n)
		for j := range n {
			for i := range j + 1 {
				whole[i*n+j] = part[j*(j+1)/2+i]
				whole[j*n+i] = whole[i*n+j]
			}
		}
		at[v.Name] = whole
	}
	return at
}

// TestMeasure: the formulas here and those of the .dc file agree, at the start
// and around it.
func TestMeasure(t *testing.T) {
	for _, in := range small(t) {
		t.Run(in.Problem, func(t *testing.T) { agree(t, in) })
	}
}

func TestMeasureReference(t *testing.T) {
	all, err := dcset.References(folder(t), []string{"all"})
	if err != nil {
		t.Fatal(err)
	}
	if want := 8 + 3 + 1 + 1 + 1 + 1 + 1 + 36 + 50; len(all) != want {
		t.Errorf("%d instances, want %d", len(all), want)
	}
	seen := map[string]bool{}
	for _, in := range all {
		if !seen[in.Problem] { // one part of each
			seen[in.Problem] = true
			t.Run(in.Name(), func(t *testing.T) { agree(t, in) })
		}
	}
}

func agree(t *testing.T, in dcset.Instance) {
	p, err := in.Make()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := p.Write(dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, dcset.SourceFile)
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := lang.Parse(path, src)
	if err != nil {
		t.Fatal(err)
	}
	prog, err := lang.Compile(context.Background(), file, lang.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	x := prog.Problem.Start(1)
	for range 5 {
		m, err := p.Measure(pointOf(prog.Problem, x))
		if err != nil {
			t.Fatal(err)
		}
		violation, where := prog.Problem.Violation(x)
		if want := prog.Problem.Value(x); !(math.Abs(m.Objective-want) <= 1e-9*max(1, math.Abs(want))) {
			t.Errorf("objective %g, that of the file is %g", m.Objective, want)
		}
		if !(math.Abs(m.Violation-violation) <= 1e-9*max(1, violation)) {
			t.Errorf("violation %g, that of the file is %g, of %s", m.Violation, violation, where)
		}
		// Signs and zeros stay, so that domains are not left.
		for j := range x {
			x[j] *= 1 + 0.1*rng.Float64()
		}
	}
}

func TestSpec(t *testing.T) {
	for _, in := range small(t) {
		p, err := in.Make()
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := p.Write(dir); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(filepath.Join(dir, dcset.SpecFile))
		if err != nil {
			t.Fatal(err)
		}
		var spec struct {
			Model string
			Files []string
		}
		if err := json.Unmarshal(raw, &spec); err != nil || !strings.HasPrefix(in.Problem, spec.Model) || len(spec.Files) != len(p.Files) {
			t.Errorf("%s: %s, %v", in.Problem, raw, err)
		}
		if _, err := p.Measure(dcset.Point{"x": {math.NaN()}}); err == nil {
			t.Errorf("%s: a point of something else is measured", in.Problem)
		}
	}
}
