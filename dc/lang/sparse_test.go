package lang

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"
)

// sparseFiles are a random matrix of r x c with some entries, as a table and as
// coordinates.
func sparseFiles(r, c, entries int, seed uint64) fstest.MapFS {
	rng := rand.New(rand.NewPCG(seed, 1))
	dense := make([]float64, r*c)
	for range entries {
		dense[rng.IntN(r*c)] = float64(rng.IntN(19)) - 9
	}
	var csv, mtx bytes.Buffer
	some := 0
	for k, v := range dense {
		fmt.Fprint(&csv, v, map[bool]string{true: "\n", false: ","}[k%c == c-1])
		if v != 0 {
			some++
			fmt.Fprintln(&mtx, 1+k/c, 1+k%c, v)
		}
	}
	head := fmt.Sprintf("%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", r, c, some)
	return fstest.MapFS{"S.csv": {Data: csv.Bytes()}, "S.mtx": {Data: append([]byte(head), mtx.Bytes()...)}}
}

// TestSparseIsDense: whatever is done with a sparse matrix, the result is that of the
// same numbers in a table.
func TestSparseIsDense(t *testing.T) {
	files := sparseFiles(4, 3, 5, 7)
	for _, e := range []string{
		"norm2(S*x - [1, 2, 3, 4])", "norm1(S'*y)", "y'*S*x", "y*S*x", "(y*S)*x", "sum(S*X)", "norm2(Y*S)", "sum(-S*x) + sum(S*x/2) - sum(2*S*x)",
		"S[2,:]*x", "S[:,3]*y", "x*S[4,:]", "S[4,3]*x[1] + S[1,1]", "sum(i in 1..4, j in 1..3 if S[i,j] != 0) S[i,j]*x[j]^2", "max(S*x)", "sum(S[2,:]) + x[1]",
		"sum(S .* X') + x[1]", "rows(S) + cols(S)*x[1]", "sum(S'*S*x)", "x'*(S'*S)*x", "quad(x, S'*S)", "sum(S + S)*x[1]", "norminf((S - 1)*x)", "sum(S*(x^2 - abs(x)))", "sum(S*[1, 2, 3])*x[1]",
		"sum(S[1..2,:]*x)", "sum(S[[1, 3],2])*x[1]", "norm2(P*x - [1, 2, 3, 4])", "sum(S[2,:]*S')*x[1]", "sum(abs(S))*x[1]", "sum(S./2)*x[1] + sum(1 - S)*x[2]", "S[1,:]*S[2,:]*x[1] + S[1,:]*[1, 2, 3]", "sum(ones(2, 4)*S)*x[1]", "sum([S; x])",
		"x*(S[3,:])[:] + sum(Q*y)", "sum(i in 1..4) square(S[i,:]*x)", "(S[2,:] + x)*x", "if(S[1,2] > 0, 1, 2)*x[1]", "norm1(S*[1 2; 3 4; 5 6])*x[2]",
	} {
		var values [2][]float64
		for k, read := range []string{"csv(\"S.csv\")", "mtx(\"S.mtx\")"} {
			src := "param S = " + read + ", P[4,3] = S, Q = -S'\nvar x[3], y[4], X[3,4], Y[2,4]\nlet all = S\nminimize " + e + "\n"
			f, err := Parse("p.dc", []byte(src))
			if err != nil {
				t.Fatal(err)
			}
			p, err := Compile(t.Context(), f, Options{FS: files})
			if err != nil {
				t.Errorf("%s of %s: %v", e, read, err)
				continue
			}
			rng := rand.New(rand.NewPCG(3, 4))
			for range 5 {
				point := make([]float64, p.Problem.NumVars())
				for j := range point {
					point[j] = rng.NormFloat64()
				}
				values[k] = append(values[k], p.Problem.Value(point))
			}
		}
		for k := range values[0] {
			if a, b := values[0][k], values[1][k]; !(math.Abs(a-b) <= 1e-12*max(1, math.Abs(a))) {
				t.Errorf("%s: %v of the table, %v of the sparse matrix", e, a, b)
			}
		}
	}
}

// bigSparse is an n x n matrix with five entries in each row, by hand.
func bigSparse(n int) fstest.MapFS {
	rng := rand.New(rand.NewPCG(1, 2))
	var mtx bytes.Buffer
	fmt.Fprintf(&mtx, "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", n, n, 5*n)
	for i := range n {
		for range 5 {
			fmt.Fprintln(&mtx, i+1, 1+rng.IntN(n), rng.NormFloat64())
		}
	}
	return fstest.MapFS{"A.mtx": {Data: mtx.Bytes()}}
}

// TestSparseStaysSparse: a matrix with more entries than an array may have is used in
// products; elsewhere a message says that it is too large.
func TestSparseStaysSparse(t *testing.T) {
	files := bigSparse(6000)
	for e, want := range map[string]string{
		"norm1(A*x - 1)": "", "norm2(A'*x)": "", "sum(i in 1..n) abs(A[i,:]*x)": "", "A[17,23] + x*A*x[1..n]": "", "sum(2*B*x)": "", "norm1(A'*A*x)": "",
		"sum(A) + x[1]": "an array of shape 6000 x 6000 is too large", "sum((A + 1)*x)": "an array of shape 6000 x 6000 is too large",
	} {
		f, err := Parse("p.dc", []byte("param A = mtx(\"A.mtx\"), n = cols(A), B = -A'\nvar x[n]\nminimize "+e+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Compile(t.Context(), f, Options{FS: files}); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", e, err, want)
		}
	}
}

// BenchmarkSparse compiles a product with a sparse matrix of order 100,000.
func BenchmarkSparse(b *testing.B) {
	files := bigSparse(100_000)
	b.SetBytes(int64(len(files["A.mtx"].Data)))
	for b.Loop() {
		p := mustCompile(b, "param A = mtx(\"A.mtx\")\nvar x[cols(A)]\nminimize norm1(A*x - 1)\n", Options{FS: files})
		if p.Problem.NumVars() != 100_000 {
			b.Fatal(p.Problem.NumVars())
		}
	}
}

// TestSparseEmpty: a sparse matrix may have no rows, no columns or no entries.
func TestSparseEmpty(t *testing.T) {
	for size, e := range map[string]string{
		"0 3 0": "sum(S*x) + sum(S'*r) + sum(S*ones(3, 2)) + x[1]", "3 0 0": "sum(S'*x) + sum(S*r) + x[1]", "2 3 0": "sum(S*x) + sum(S*S'*[1, 2]) + S[2,3] + sum(S[1,:]*x) + x[1]", "0 0 0": "sum(S*r) + x[1]",
	} {
		files := fstest.MapFS{"S.mtx": {Data: []byte("%%MatrixMarket matrix coordinate real general\n" + size + "\n")}}
		p := mustCompile(t, "param S = mtx(\"S.mtx\")\nvar x[3], r[0]\nminimize "+e+"\n", Options{FS: files})
		if v := p.Problem.Value([]float64{7, 1, 2}); v != 7 {
			t.Errorf("%s: %v, want 7", size, v)
		}
	}
}
