package amd_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/amd"
	"github.com/dcopt/dcopt/qpbackend/internal/ldl"
	"github.com/dcopt/dcopt/qpbackend/qps"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// program is the pattern of a quadratic program: Hessian and rows of A, each
// given by its variables.
type program struct {
	n       int
	hessian [][2]int
	rows    [][]int
}

// row adds a row with the entries start, start+1, …, start+count−1, each with
// the given probability, and the entries of more.
func (p *program) row(rng *rand.Rand, start, count int, density float64, more ...int) {
	var r []int
	for j := start; j < start+count; j++ {
		if rng.Float64() < density {
			r = append(r, j)
		}
	}
	p.rows = append(p.rows, append(r, more...))
}

func (p *program) denseHessian(start, count int) {
	for j := start; j < start+count; j++ {
		for i := start; i < j; i++ {
			p.hessian = append(p.hessian, [2]int{i, j})
		}
	}
}

// kkt is the pattern of [H Aᵀ; A −D]. Rows of one variable belong to H.
func (p *program) kkt() *pattern {
	k := newPattern(p.n)
	for j := range p.n {
		k.add(j, j)
	}
	for _, h := range p.hessian {
		k.add(h[0], h[1])
	}
	for _, r := range p.rows {
		if len(r) < 2 {
			continue
		}
		k.cols = append(k.cols, append(slices.Clone(r), k.n))
		k.n++
	}
	for _, c := range k.cols {
		slices.Sort(c)
	}
	return k
}

// The classes of random programs of the OSQP paper.
func classes() map[string]*pattern {
	rng := rand.New(rand.NewPCG(4, 9))
	// A literal is evaluated in order, so the patterns are always the same.
	all := map[string]*pattern{
		"random150": randomClass(rng, 150, 1500), "random400": randomClass(rng, 400, 4000),
		"eqqp300": randomClass(rng, 300, 150), "lasso40": lasso(rng, 40, 4000), "control60": control(rng, 60, 30, 10),
	}
	svm := &program{n: 4040}
	for i := range 4000 {
		svm.row(rng, 0, 40, 0.15, 40+i)
	}
	all["svm40"] = svm.kkt()
	huber := &program{n: 12040}
	for i := range 4000 {
		huber.row(rng, 0, 40, 0.15, 40+i, 4040+i, 8040+i)
	}
	all["huber40"] = huber.kkt()
	portfolio := &program{n: 2525}
	for i := range 25 {
		portfolio.row(rng, 0, 2500, 0.5, 2500+i)
	}
	portfolio.row(rng, 0, 2500, 1)
	all["portfolio25"] = portfolio.kkt()
	return all
}

func randomClass(rng *rand.Rand, n, m int) *pattern {
	p := &program{n: n}
	p.denseHessian(0, n)
	for range m {
		p.row(rng, 0, n, 0.15)
	}
	return p.kkt()
}

func lasso(rng *rand.Rand, n, m int) *pattern {
	p := &program{n: 2*n + m}
	for i := range m {
		p.row(rng, 0, n, 0.15, n+i)
	}
	for j := range n {
		p.rows = append(p.rows, []int{j, n + m + j}, []int{j, n + m + j})
	}
	return p.kkt()
}

func control(rng *rand.Rand, states, inputs, stages int) *pattern {
	width := states + inputs
	p := &program{n: stages*width + states}
	for t := range stages {
		for j := range states {
			p.row(rng, t*width, width, 1, (t+1)*width+j)
		}
	}
	p.denseHessian(stages*width, states)
	return p.kkt()
}

// maros are the KKT patterns of the Maros-Meszaros problems at hand.
func maros(t testing.TB) map[string]*pattern {
	t.Helper()
	root := os.Getenv("DCOPT_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "..", "shared") // beside the repository
	}
	files, err := filepath.Glob(filepath.Join(root, "data", "maros_meszaros", "*.SIF.gz"))
	if err != nil || len(files) == 0 {
		t.Skip("SKIPPED: no Maros-Meszaros problems; set DCOPT_SHARED")
	}
	all := map[string]*pattern{}
	for _, path := range files {
		f, err := qps.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(path), ".SIF.gz")] = programOf(f.Problem).kkt()
	}
	return all
}

func programOf(q *qpbackend.Problem) *program {
	p := &program{n: q.A.Cols, rows: make([][]int, q.A.Rows)}
	for j := range q.A.Cols {
		if q.P != nil {
			for _, i := range q.P.RowIdx[q.P.ColPtr[j]:q.P.ColPtr[j+1]] {
				if i != j {
					p.hessian = append(p.hessian, [2]int{i, j})
				}
			}
		}
		for _, i := range q.A.RowIdx[q.A.ColPtr[j]:q.A.ColPtr[j+1]] {
			p.rows[i] = append(p.rows[i], j)
		}
	}
	return p
}

// matrix has the pattern and values that make it quasi-definite or not, but
// regular.
func (p *pattern) matrix() *sparse.CSC {
	k := &sparse.CSC{Rows: p.n, Cols: p.n}
	k.ColPtr, k.RowIdx = p.csc()
	k.Val = make([]float64, len(k.RowIdx))
	rng := rand.New(rand.NewPCG(1, 1))
	for j := range p.n {
		for e := k.ColPtr[j]; e < k.ColPtr[j+1]; e++ {
			k.Val[e] = rng.Float64()
			if k.RowIdx[e] == j {
				k.Val[e] = float64(p.n)
			}
		}
	}
	return k
}

// TestPrograms compares small programs of the classes, in which many lists are
// long and deferred, with exact minimum degree.
func TestPrograms(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 5))
	for range 6 {
		for name, p := range map[string]*pattern{
			"random": randomClass(rng, 20+rng.IntN(20), 300), "lasso": lasso(rng, 15, 300),
			"control": control(rng, 12, 6, 8), "few rows": randomClass(rng, 120, 60),
		} {
			got, md := p.fill(p.order(t)), p.fill(p.minimumDegree())
			if float64(got) > 1.02*float64(md) {
				t.Errorf("%s, %d rows: fill %d, exact minimum degree %d", name, p.n, got, md)
			}
		}
	}
}

// BenchmarkClasses and BenchmarkMaros report the least times of ordering,
// analysis, factorisation and solution, and the fill.
func BenchmarkClasses(b *testing.B) { benchPatterns(b, classes()) }
func BenchmarkMaros(b *testing.B)   { benchPatterns(b, maros(b)) }

func benchPatterns(b *testing.B, all map[string]*pattern) {
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			k := all[name].matrix()
			rhs := make([]float64, k.Cols)
			const far = time.Hour
			order, analyse, factorise, solve := far, far, far, far
			nnz := 0
			for b.Loop() {
				start := time.Now()
				perm, _ := amd.Order(context.Background(), k.Cols, k.ColPtr, k.RowIdx)
				order = min(order, time.Since(start))
				start = time.Now()
				f, err := ldl.Analyse(context.Background(), k, perm)
				analyse = min(analyse, time.Since(start))
				if err != nil {
					b.Fatal(err)
				}
				for range 3 {
					start = time.Now()
					if _, err := f.Factorise(context.Background(), k.Val, nil, ldl.Regularisation{}); err != nil {
						b.Fatal(err)
					}
					factorise = min(factorise, time.Since(start))
					rhs[0] = 1
					start = time.Now()
					f.Solve(rhs)
					solve = min(solve, time.Since(start))
				}
				nnz = f.NNZ()
			}
			ms := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
			b.ReportMetric(ms(order), "order-ms")
			b.ReportMetric(ms(analyse), "analyse-ms")
			b.ReportMetric(ms(factorise), "factorise-ms")
			b.ReportMetric(ms(solve), "solve-ms")
			b.ReportMetric(float64(nnz), "fill")
			b.ReportMetric(0, "ns/op")
		})
	}
}
