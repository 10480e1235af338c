package amd_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/dcopt/dcopt/internal/classes"
	"github.com/dcopt/dcopt/internal/shared"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/formats"
	"github.com/dcopt/dcopt/qpbackend/internal/amd"
	"github.com/dcopt/dcopt/qpbackend/internal/ldl"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// program is the pattern of a quadratic program: Hessian and rows of A, each
// given by its variables.
type program struct {
	n       int
	hessian [][2]int
	rows    [][]int
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

// programs are the classes of random programs of the OSQP paper.
func programs() map[string]*pattern {
	all := map[string]*pattern{}
	for _, c := range classes.All() {
		size := map[string]int{"eqqp": 300, "random": 150, "portfolio": 25, "control": 60}[c.Name]
		if size == 0 {
			size = 40
		}
		all[fmt.Sprintf("%s%d", c.Name, size)] = drawn(c.Draw, size, rand.New(rand.NewPCG(4, 9)))
	}
	all["random400"] = drawn(classes.Inequalities, 400, rand.New(rand.NewPCG(4, 9)))
	return all
}

func drawn(draw func(*rand.Rand, int) *qpbackend.Problem, size int, rng *rand.Rand) *pattern {
	return programOf(draw(rng, size)).kkt()
}

// maros are the KKT patterns of the Maros-Meszaros problems at hand.
func maros(t testing.TB) map[string]*pattern {
	t.Helper()
	all := map[string]*pattern{}
	for _, program := range shared.MarosMeszaros(t) {
		f, err := formats.ReadFile(program.Path)
		if err != nil {
			t.Fatal(err)
		}
		all[program.Name] = programOf(f.Problem).kkt()
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
			"random": drawn(classes.Inequalities, 20+rng.IntN(20), rng), "lasso": drawn(classes.Lasso, 4, rng),
			"control": drawn(classes.Control, 12, rng), "few rows": drawn(classes.Equalities, 120, rng),
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
func BenchmarkClasses(b *testing.B) { benchPatterns(b, programs()) }
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
				f, err := ldl.Count(context.Background(), k, perm)
				if err == nil {
					err = f.Store(context.Background())
				}
				if analyse = min(analyse, time.Since(start)); err != nil {
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
					f.SolveTo(rhs, rhs)
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
