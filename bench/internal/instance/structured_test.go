package instance_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/bench/internal/instance"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// structured are the problems of a set, by name.
func structured(t *testing.T, set string, draw int) (names []string, problems []*qpbackend.Problem) {
	t.Helper()
	all, err := instance.Structured([]string{set}, draw)
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range all {
		if want := fmt.Sprintf("structured-%s-%d", set, draw); in.Group != want {
			t.Fatalf("%s is in group %s, want %s", in.Name, in.Group, want)
		}
		names, problems = append(names, in.Name), append(problems, make1(t, in))
	}
	return names, problems
}

// fingerprint adds up all numbers of problems, each with a weight by its place, and their
// sizes: rounding changes it by little, another draw by much.
func fingerprint(problems []*qpbackend.Problem) (sum, size float64) {
	k := 0
	add := func(v float64) {
		if math.IsInf(v, 0) {
			v = math.Copysign(1e6, v)
		}
		w := float64(1+k%97) * math.Asinh(v)
		sum, size = sum+w, size+math.Abs(w)
		k++
	}
	for _, p := range problems {
		for _, v := range [][]float64{p.Q, p.Lo, p.Hi, p.L, p.U, p.P.Val, p.A.Val} {
			for _, x := range v {
				add(x)
			}
		}
		for _, v := range [][]int{p.P.ColPtr, p.P.RowIdx, p.A.ColPtr, p.A.RowIdx} {
			for _, x := range v {
				add(float64(x))
			}
		}
	}
	return sum, size
}

// TestStructuredDraws: the numbers of problems are those of docs/lab/bench.md, the first two
// draws are the ones that constants of ipm were chosen and tested on, by their
// fingerprints, and one draw is the same each time.
func TestStructuredDraws(t *testing.T) {
	for _, c := range []struct {
		set    string
		count  int
		prints [2]float64 // of draws 1 and 2
	}{
		{"squares", 91, [2]float64{216342716.240729, 217628486.918568}},
		{"linear", 69, [2]float64{69059252.6352862, 68176449.7859774}},
		{"few", 60, [2]float64{1152382865.70925, 1152394038.68737}},
	} {
		for k, want := range c.prints {
			names, problems := structured(t, c.set, k+1)
			seen := map[string]bool{}
			for _, name := range names {
				if seen[name] {
					t.Errorf("%s: two problems %s", c.set, name)
				}
				seen[name] = true
			}
			if len(names) != c.count {
				t.Errorf("%s: %d problems, want %d", c.set, len(names), c.count)
			}
			if sum, size := fingerprint(problems); !(math.Abs(sum-want) <= 1e-11*size) {
				t.Errorf("%s, draw %d: fingerprint %.15g of size %.3g, want %.15g", c.set, k+1, sum, size, want)
			}
		}
		_, third := structured(t, c.set, 3)
		_, again := structured(t, c.set, 3)
		if !reflect.DeepEqual(third, again) {
			t.Errorf("%s: draw 3 differs the second time", c.set)
		}
		if sum, size := fingerprint(third); math.Abs(sum-c.prints[0]) <= 1e-8*size || math.Abs(sum-c.prints[1]) <= 1e-8*size {
			t.Errorf("%s: draw 3 is draw 1 or 2", c.set)
		}
	}
}

// squaresOf counts variables with a square, and says whether P has no other entries.
func squaresOf(p *qpbackend.Problem) (count int, diagonal bool) {
	diagonal = true
	for j := range p.P.Cols {
		for k := p.P.ColPtr[j]; k < p.P.ColPtr[j+1]; k++ {
			if p.P.RowIdx[k] != j {
				diagonal = false
			} else if p.P.Val[k] > 0 {
				count++
			}
		}
	}
	return count, diagonal
}

// positive reports whether P has a Cholesky factor, with rounding of its diagonal.
func positive(p *qpbackend.Problem) bool {
	n := p.P.Cols
	full := mat.NewSymDense(n, nil)
	for j := range n {
		for k := p.P.ColPtr[j]; k < p.P.ColPtr[j+1]; k++ {
			full.SetSym(p.P.RowIdx[k], j, p.P.Val[k])
		}
	}
	for j := range n {
		full.SetSym(j, j, full.At(j, j)*(1+1e-12))
	}
	var factor mat.Cholesky
	return factor.Factorize(full)
}

// TestStructuredSquares: problems are convex, and have squares in as many variables as
// their set says.
func TestStructuredSquares(t *testing.T) {
	for _, c := range []struct {
		set         string
		least, most float64 // share of variables with squares
		full        int     // problems whose P has entries beside the diagonal
	}{
		{"squares", 1, 1, 24}, {"linear", 0, 0.9999, 0}, {"few", 1e-5, 0.3, 0},
	} {
		names, problems := structured(t, c.set, 3)
		full := 0
		for k, p := range problems {
			count, diagonal := squaresOf(p)
			if share := float64(count) / float64(p.P.Cols); share < c.least || share > c.most {
				t.Errorf("%s: a share of %g of the variables has squares, want %g to %g", names[k], share, c.least, c.most)
			}
			if diagonal && count == p.P.NNZ() {
				continue
			}
			full++
			if !positive(p) {
				t.Errorf("%s is not convex", names[k])
			}
		}
		if full != c.full {
			t.Errorf("%s: %d problems with a full P, want %d", c.set, full, c.full)
		}
	}
}

// TestStructuredOnesAreSolvable: the small problems of the first draw have solutions, but
// for one of which the sides of rows exclude each other.
func TestStructuredOnesAreSolvable(t *testing.T) {
	for set, want := range map[string]int{"squares": 49, "linear": 32, "few": 9} {
		names, problems := structured(t, set, 1)
		solved := 0
		for k, p := range problems {
			n, m := p.Dims()
			if n > 200 || m > 1000 {
				continue
			}
			if names[k] == "units-7" {
				infeasible(t, p)
				continue
			}
			solve(t, names[k], p)
			solved++
		}
		if solved != want {
			t.Errorf("%s: %d small problems, want %d", set, solved, want)
		}
	}
}

func infeasible(t *testing.T, p *qpbackend.Problem) {
	t.Helper()
	b := ipm.Backend{}
	s, err := b.New(context.Background(), p, b.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	var res qpbackend.Result
	if err := s.Solve(context.Background(), &res); err != nil || res.Status != qpbackend.PrimalInfeasible {
		t.Errorf("%v, %v; want a proof that there is no feasible point", res.Status, err)
	}
}

func TestStructuredNames(t *testing.T) {
	all, err := instance.Structured([]string{"all"}, instance.MostDraws)
	if err != nil || len(all) != 91+69+60 {
		t.Errorf("all: %d problems, %v", len(all), err)
	}
	if _, err := instance.Structured([]string{"cube"}, 1); err == nil || !strings.Contains(err.Error(), instance.StructuredNames()) {
		t.Errorf("an unknown set: %v", err)
	}
	for _, draw := range []int{0, -1, instance.MostDraws + 1} {
		if _, err := instance.Structured([]string{"few"}, draw); err == nil || !strings.Contains(err.Error(), "1 to 1000") {
			t.Errorf("draw %d: %v", draw, err)
		}
	}
}
