package lang

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/syntax"
)

// seeds adds every problem file of the tests.
func seeds(f *testing.F) {
	for _, pattern := range []string{"testdata/nine/*.dc", "testdata/bad/*.dc"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, name := range files {
			src, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
		}
	}
	f.Add([]byte(setSeed))
	f.Add([]byte("param S = mtx(\"S.mtx\"), B = -S', C[2,3] = S\nvar x[3], y[2], Y[2,2]\nminimize norm2(S*x - y) + y*S*x + S[1,:]*x + sum(Y*S) + sum(S*(x^2)) + sum(B*S*x) + S[2,3]*x[1] + sum(S[:,2] + y) + max(S .* C)\n"))
	f.Add([]byte("param n = 3, A = csv(\"A.csv\"), J = json(\"j.json\", \"A\")\nset I = {i in 1..n if i != 2}\nvar x[0..n], S[n,n] symmetric, P[n,n] psd start eye(n)\n" +
		"let h[i in I] = x[i]*x[i-1]\nmaximize quad(x, eye(4)) - sum(huber(x)) + x'*eye(4)*x\nsubject to\n" +
		"  a[i in I, j in 1..i if not i == j]: 1 <= norm2([x; h]) <= 2\n  b: max(h) == min(i in I) dc(h[i]^2, abs(x[i]))\nc: logdet(P) + lambda_sumlargest(S, 2) >= matfrac([1, 2, 3], P) + normnuc([S P])\noption backend = \"ipm\", mu = 1.5\n"))
}

// setSeed is a problem with sets of all kinds.
const setSeed = "set C = {\"a\", \"b\"}, E = {(1, 2), (2, 3)}, G = {2, 5}, P = {i in 1..3, j in 1..3 if (i, j) in E or i == j}\nparam w[C] = [1, inf], e = [], d[(i, j) in P] = i + j\n" +
	"var x[C], f[E] >= 0, g[G]\nminimize sum(f[1,:]) + x[\"a\"] + sum((i, j) in E) f[i,j] + sum(k in G if k in 1..3) g[k]\nsubject to\n  n[c in C if c == \"a\"]: x[c] <= if(c == \"b\", 1, w[c])\n"

// fuzzLimits are small, so that a run takes no time.
var fuzzLimits = eval.Limits{Entries: 1 << 12, Vars: 1 << 11, Work: 1 << 19, Pieces: 1 << 8, Parts: 1 << 9}

// checkPlaces demands that every diagnostic lies in the source.
func checkPlaces(t *testing.T, f *File, err error) {
	t.Helper()
	if err == nil {
		return
	}
	ds, ok := err.(Diagnostics)
	if !ok || len(ds) == 0 || len(ds) > syntax.MaxErrors {
		t.Fatalf("error of type %T: %v", err, err)
	}
	for _, d := range ds {
		if d.Message == "" || d.Line < 1 || d.Line > 1+strings.Count(f.Source(), "\n") || d.Col < 1 || d.EndCol <= d.Col {
			t.Fatalf("diagnostic without a place: %+v", d)
		}
	}
	if err := ds.Render(discard{}, func(string) []byte { return []byte(f.Source()) }, true); err != nil {
		t.Fatal(err)
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		file, err := Parse("fuzz.dc", src)
		checkPlaces(t, file, err)
	})
}

// fuzzFiles are small data for the seeds.
func fuzzFiles() fstest.MapFS {
	files := fstest.MapFS{"j.json": {Data: []byte(`{"A": [[1, 2], [3, 4]]}`)}, "S.mtx": {Data: []byte("%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 2\n1 3 -1\n2 2 3\n")}}
	for data, names := range map[string]string{
		"1,2,3\n4,5,6\n":         "A.csv E/sparse_recovery/A_k30_m74.csv E/gaussian_covariance/Y.csv",
		"2,1,0\n1,-2,1\n0,1,1\n": "E/boolean_least_squares/A.csv E/sparse_singular_vectors/A.csv",
		"1,0\n0,1\n":             "E/gaussian_covariance/sign.csv",
		"1\n2\n":                 "E/sparse_recovery/y_k30_m74.csv",
		"1\n2\n3\n":              "E/boolean_least_squares/y4.csv E/boolean_least_squares/xinit4.csv E/circle_packing/r.csv E/phase_retrieval/y.csv",
		"1,2\n0,1\n1,1\n":        "E/phase_retrieval/Ar.csv E/phase_retrieval/Ai.csv E/phase_retrieval/zinit.csv",
	} {
		for _, name := range strings.Fields(names) {
			files[name] = &fstest.MapFile{Data: []byte(data)}
		}
	}
	return files
}

func FuzzCompile(f *testing.F) {
	seeds(f)
	r := randomExpr{rand.New(rand.NewPCG(1, 2))}
	for range 60 {
		f.Add([]byte("param q = [1 2 0; 2 -3 1; 0 1 0.5]\nvar y, x[3], z[2,3], w[2,2] symmetric\nminimize " + r.scalar(4) + "\nsubject to\n  " + r.vector(3) + " <= " + r.scalar(3)))
	}
	files := fuzzFiles()
	f.Fuzz(func(t *testing.T, src []byte) {
		file, _ := Parse("fuzz.dc", src)
		p, err := compile(context.Background(), file, Options{FS: files}, fuzzLimits)
		checkPlaces(t, file, err)
		if err != nil {
			return
		}
		x := p.Problem.Start(1)
		p.Problem.Value(x)
		p.Problem.Violation(x)
		for _, fam := range p.Families {
			if fam.First+fam.Count > len(p.Problem.Program().Constraints) {
				t.Fatalf("family %+v of %d constraints", fam, len(p.Problem.Program().Constraints))
			}
		}
	})
}

// FuzzFormat: what can be parsed can be formatted, and says the same then.
func FuzzFormat(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		if _, err := Parse("fuzz.dc", src); err == nil {
			checkFormat(t, "fuzz.dc", src)
		}
	})
}
