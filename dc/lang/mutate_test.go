package lang

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// pieces cuts the test sources into tokens with the space before them.
func pieces(t *testing.T) (sources [][]string, pool []string) {
	t.Helper()
	var texts []string
	names, _ := filepath.Glob("testdata/*/*.dc")
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(src) < 2000 {
			texts = append(texts, string(src))
		}
	}
	r := randomExpr{rand.New(rand.NewPCG(3, 4))}
	for range 200 {
		pool = append(pool, r.scalar(2), r.vector(2), r.matrix(2))
		texts = append(texts, "param q = [1 2 0; 2 -3 1; 0 1 0.5]\nvar y >= -1 start 2, x[3], z[2,3] in [0, 1]\nlet a[i in 1..3] = x[i] + y^2\nminimize "+
			r.scalar(2)+"\nsubject to\n  c[i in 1..3 if i != 2]: "+r.scalar(1)+" <= y + i\n  x == "+r.vector(1)+"\n")
	}
	for _, text := range texts {
		var parts []string
		at := 0
		toks, _ := syntax.Scan(text)
		for _, tok := range toks {
			if tok.End > at {
				parts = append(parts, text[at:tok.End])
				at = tok.End
			}
		}
		sources, pool = append(sources, parts), append(pool, parts...)
	}
	return sources, pool
}

// TestMutations compiles sources with tokens taken out, put in, doubled and
// exchanged: whatever they say, there is a problem or a located message.
func TestMutations(t *testing.T) {
	sources, pool := pieces(t)
	if len(sources) < 260 {
		t.Fatalf("only %d sources", len(sources))
	}
	r := rand.New(rand.NewPCG(11, 12))
	files := fuzzFiles()
	good := 0
	for range 5000 {
		parts := append([]string(nil), sources[r.IntN(len(sources))]...)
		for range 1 + r.IntN(3) {
			k := r.IntN(len(parts))
			switch r.IntN(4) {
			case 0:
				parts[k] = ""
			case 1:
				parts[k] = pool[r.IntN(len(pool))]
			case 2:
				parts[k] += " " + pool[r.IntN(len(pool))]
			default:
				j := r.IntN(len(parts))
				parts[k], parts[j] = parts[j], parts[k]
			}
		}
		src := strings.Join(parts, "")
		f, _ := Parse("mutant.dc", []byte(src))
		p, err := compile(context.Background(), f, Options{FS: files}, fuzzLimits)
		checkPlaces(t, f, err)
		if err == nil {
			good++
			x := p.Problem.Start(1)
			p.Problem.Value(x)
			p.Problem.Violation(x)
		}
	}
	if good < 50 {
		t.Errorf("only %d of 5000 mutants compile", good)
	}
}
