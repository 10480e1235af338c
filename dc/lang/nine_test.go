package lang

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/dc/lang/internal/datafile"
	"github.com/dcopt/dcopt/internal/arrays"
	"github.com/dcopt/dcopt/internal/program"
	"github.com/dcopt/dcopt/internal/shared"
)

// sharedData is the folder with the data of the nine examples, with a slash at the end.
func sharedData(t testing.TB) string { return filepath.ToSlash(shared.Path(t, "data", "dccp")) + "/" }

// readNine is an example; its data folder E/ becomes data.
func readNine(t testing.TB, name, data string) []byte {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", "nine", name+".dc"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range bytes.Split(src, []byte(`"E/`))[1:] { // skipped without its data
		file, _, _ := bytes.Cut(part, []byte(`"`))
		shared.Path(t, "data", "dccp", string(file))
	}
	return bytes.ReplaceAll(src, []byte(`"E/`), []byte(`"`+data))
}

func compileNine(t *testing.T, name string) *Program {
	t.Helper()
	return mustCompile(t, string(readNine(t, name, sharedData(t))), Options{})
}

// TestNine checks what each example compiles to: variables, families, and what
// is linearised.
func TestNine(t *testing.T) {
	tests := []struct {
		name     string
		vars     int
		goal     Curvature
		families string // name, members, constraints, curvature, what is linearised
	}{
		{"boolean_ls", 100, Convex, "bit 100 200 DC x[i]^2"},
		{"circle_packing", 20, Convex, "apart 45 45 DC norm2(c[i,:] - c[j,:])"},
		{"control", 1200, Convex, "init 2 2 affine; goal 2 2 affine; dyn 198 198 affine; sep 100 100 DC norm2(C*x[i,t,:] - C*x[j,t,:])"},
		{"filter_design", 11, Affine, "pass 35 35 DC H[l]; peak 50 50 convex; stop 50 50 convex"},
		{"gaussian_covariance", 210, DC, "psd(Sigma) 1 1 convex; plus 48 48 affine; minus 34 34 affine; zero 318 318 affine"},
		{"path_planning", 103, Affine, "from 1 1 affine; to 1 1 affine; step 50 50 convex; out 250 250 DC norm2(x[i,:] - p[j,:])"},
		{"phase_retrieval", 1024, Constant, "re 1 1 affine; im 1 1 affine; mag 384 768 DC norm2(z[k,:])"},
		{"sparse_recovery", 100, Concave, "meas 1 1 affine"},
		{"sparse_singular", 10, Convex, "unit 1 2 DC norm2(x); sparse 1 1 convex"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := compileNine(t, tt.name)
			if p.Problem.NumVars() != tt.vars || p.Objective.Curvature != tt.goal {
				t.Errorf("%d variables, objective %v; want %d, %v", p.Problem.NumVars(), p.Objective.Curvature, tt.vars, tt.goal)
			}
			if got := familiesText(p); got != tt.families {
				t.Errorf("families\n%s\nwant\n%s", got, tt.families)
			}
			if len(p.Warnings) > 0 {
				t.Errorf("warnings: %v", p.Warnings)
			}
		})
	}
}

// familiesText is the families on one line.
func familiesText(p *Program) string {
	var parts []string
	for _, f := range p.Families {
		words := []any{f.Name, f.Members, f.Count, f.Curvature}
		for _, l := range f.Linearised {
			words = append(words, l)
		}
		parts = append(parts, strings.TrimSpace(strings.ReplaceAll(fmt.Sprintln(words...), "\n", "")))
	}
	return strings.Join(parts, "; ")
}

// TestNineOptions: options and starts.
func TestNineOptions(t *testing.T) {
	p := compileNine(t, "boolean_ls")
	o := p.Options
	if o.Tau0 == nil || *o.Tau0 != 0.005 || o.Mu == nil || *o.Mu != 1.2 || o.MaxIter == nil || *o.MaxIter != 100 || o.Seed == nil || *o.Seed != 0 {
		t.Errorf("options %+v", o)
	}
	if o.TauMax != nil || o.Tol != nil || o.FeasTol != nil || o.Starts != nil || o.Backend != nil {
		t.Errorf("options that the file does not set: %+v", o)
	}
	if p.Problem.Program().Random() {
		t.Error("the start is read from a file, so it is not random")
	}
	if len(p.Data) != 3 || p.Data[0].Rows != 100 || p.Data[0].Cols != 100 || p.Data[0].Bytes == 0 {
		t.Errorf("data files %+v", p.Data)
	}
	p = compileNine(t, "circle_packing")
	if o := p.Options; o.Starts == nil || *o.Starts != 3 || o.FeasTol == nil || *o.FeasTol != 1e-4 {
		t.Errorf("options %+v", o)
	}
	if v := p.Problem.Program().Vars[0]; v.Start.Kind != program.StartNormally || v.Start.B != 10 {
		t.Errorf("start %+v", v.Start)
	}
	p = compileNine(t, "control")
	if lo, hi := p.Problem.Program().Vars[1].Bounds(17); lo != -0.5 || hi != 0.5 {
		t.Errorf("bounds of u: %g, %g", lo, hi)
	}
	if p = compileNine(t, "phase_retrieval"); !p.Find || p.Problem.Value(make([]float64, 1024)) != 0 {
		t.Error("find has the objective 0")
	}
}

// point is a random point with coordinates of the order of size.
func point(n int, seed uint64, size float64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, n)
	for k := range x {
		x[k] = size * rng.NormFloat64()
	}
	return x
}

// near fails the test unless a and b agree but for rounding.
func near(t *testing.T, what string, a, b float64) {
	t.Helper()
	if !(math.Abs(a-b) <= 1e-11*max(1, math.Abs(a), math.Abs(b))) {
		t.Errorf("%s: %.15g, want %.15g", what, a, b)
	}
}

// sharedLoader reads the data of the problems.
func sharedLoader(t *testing.T) *datafile.Loader {
	return &datafile.Loader{Limits: arrays.Limits{Numbers: 1 << 20}, Cache: &datafile.Cache{}, Dir: sharedData(t)}
}

// lhs is the value of a DC constraint's e, where e ≤ 0 is stated.
func lhs(p *Program, k int, x []float64) float64 {
	return p.Problem.Program().Constraints[k].Value(x)
}

// TestCirclePackingValues compares with the formulas of the problem.
func TestCirclePackingValues(t *testing.T) {
	p := compileNine(t, "circle_packing")
	tab, err := sharedLoader(t).CSV("circle_packing/r.csv")
	if err != nil {
		t.Fatal(err)
	}
	r, n := tab.Num, len(tab.Num)
	for seed := range uint64(5) {
		c := point(2*n, seed, 8)
		goal := math.Inf(-1)
		for i := range n {
			goal = max(goal, max(math.Abs(c[2*i]), math.Abs(c[2*i+1]))+r[i])
		}
		near(t, "objective", p.Problem.Value(c), goal)
		k := 0
		for i := range n {
			for j := i + 1; j < n; j++ {
				want := r[i] + r[j] - math.Hypot(c[2*i]-c[2*j], c[2*i+1]-c[2*j+1])
				near(t, p.Problem.Program().Constraints[k].Name(), lhs(p, k, c), want)
				k++
			}
		}
		if k != len(p.Problem.Program().Constraints) {
			t.Errorf("%d constraints, want %d", len(p.Problem.Program().Constraints), k)
		}
	}
	if name := p.Problem.Program().Constraints[44].Name(); name != "apart[9,10]" {
		t.Errorf("the last constraint is called %s", name)
	}
}

// TestControlValues compares with the formulas of the problem.
func TestControlValues(t *testing.T) {
	p := compileNine(t, "control")
	const T = 100
	x := func(z []float64, i, t, d int) float64 { return z[(i*T+t)*4+d] }
	u := func(z []float64, i, t, d int) float64 { return z[2*T*4+(i*T+t)*2+d] }
	a := [4][4]float64{{1, 0, 0.1, 0}, {0, 1, 0, 0.1}, {0, 0, 0.95, 0}, {0, 0, 0, 0.95}}
	b := [4][2]float64{{0, 0}, {0, 0}, {0.1, 0}, {0, 0.1}}
	xi := [2][4]float64{{1, 4, 0.5, 0.5}, {3, 5, -0.5, 0}}
	xe := [2][4]float64{{3, 3, 0, -0.5}, {3.5, 3.5, 0.5, -0.5}}
	row := func(k, d int, z []float64) float64 {
		c := &p.Problem.Program().Constraints[k]
		return c.A.At(d, z) - c.Lo[d] // an equation's row, wherever the constant stands
	}
	for seed := range uint64(2) {
		z := point(1200, seed, 1)
		goal := 0.0
		for i := range 2 {
			for s := range T {
				goal += math.Abs(u(z, i, s, 0)) + math.Abs(u(z, i, s, 1))
			}
		}
		near(t, "objective", p.Problem.Value(z), goal)
		for i := range 2 {
			for d := range 4 {
				near(t, "init", row(i, d, z), x(z, i, 0, d)-xi[i][d])
				near(t, "goal", row(2+i, d, z), x(z, i, T-1, d)-xe[i][d])
				for s := range T - 1 {
					want := x(z, i, s+1, d)
					for e := range 4 {
						want -= a[d][e] * x(z, i, s, e)
					}
					for e := range 2 {
						want -= b[d][e] * u(z, i, s, e)
					}
					near(t, "dyn", row(4+i*(T-1)+s, d, z), want)
				}
			}
		}
		for s := range T {
			want := 0.6 - math.Hypot(x(z, 0, s, 0)-x(z, 1, s, 0), x(z, 0, s, 1)-x(z, 1, s, 1))
			near(t, "sep", lhs(p, 202+s, z), want)
		}
	}
}

// TestPathPlanningValues compares with the formulas of the problem.
func TestPathPlanningValues(t *testing.T) {
	p := compileNine(t, "path_planning")
	const n, m = 50, 5
	centre := [m][2]float64{{2, 2.2}, {4.5, 5}, {6, 8}, {7, 6}, {8.5, 9}}
	r := [m]float64{1, 0.8, 0.4, 1.4, 0.5}
	for seed := range uint64(4) {
		z := point(2*(n+1)+1, seed, 5)
		l := z[2*(n+1)]
		near(t, "objective", p.Problem.Value(z), l)
		for d := range 2 {
			from, to := &p.Problem.Program().Constraints[0], &p.Problem.Program().Constraints[1]
			near(t, "from", from.A.At(d, z)-from.Lo[d], z[d])
			near(t, "to", to.A.At(d, z)-to.Lo[d], z[2*n+d]-10)
		}
		for i := range n {
			near(t, "step", lhs(p, 2+i, z), math.Hypot(z[2*i]-z[2*i+2], z[2*i+1]-z[2*i+3])-l/n)
			for j := range m {
				near(t, "out", lhs(p, 2+n+i*m+j, z), r[j]-math.Hypot(z[2*i]-centre[j][0], z[2*i+1]-centre[j][1]))
			}
		}
	}
	if c := p.Problem.Program().Constraints[2].Name(); c != "step[0]" {
		t.Errorf("the first step is called %s", c)
	}
}

// TestGaussianCovarianceValues compares with the formulas of the problem.
func TestGaussianCovarianceValues(t *testing.T) {
	p := compileNine(t, "gaussian_covariance")
	v, _, err := sharedLoader(t).Matrix("gaussian_covariance/Y.csv")
	if err != nil {
		t.Fatal(err)
	}
	n, count := v.Shape[0], v.Shape[1]
	y := mat.NewDense(n, count, v.Values)
	start := p.Problem.Start(0)
	near(t, "objective at the start", p.Problem.Value(start), mat.Norm(y, 2)*mat.Norm(y, 2)/float64(count))
	x := point(p.Problem.NumVars(), 3, 0.1)
	for k := range x {
		x[k] += 2 * start[k]
	}
	var chol mat.Cholesky
	sigma := mat.NewSymDense(n, p.Problem.Program().Vars[0].Values(x))
	if !chol.Factorize(sigma) {
		t.Fatal("the point is not positive definite")
	}
	var inv, product mat.Dense
	if err := chol.SolveTo(&inv, y); err != nil {
		t.Fatal(err)
	}
	product.Mul(y.T(), &inv)
	near(t, "objective", p.Problem.Value(x), chol.LogDet()+mat.Trace(&product)/float64(count))
	if v, where := p.Problem.Violation(start); v != 0 {
		t.Errorf("the start breaks %s by %g", where, v)
	}
}

// TestSparseRecoveryValues: a sum of square roots is concave, the measurements
// are rows.
func TestSparseRecoveryValues(t *testing.T) {
	p := compileNine(t, "sparse_recovery")
	x := point(100, 3, 2)
	want := 0.0
	for k := range x {
		x[k] = math.Abs(x[k])
		want += math.Sqrt(x[k])
	}
	near(t, "objective", p.Problem.Value(x), want)
	if c := &p.Problem.Program().Constraints[0]; c.DC || c.A.Len() != 74 || c.A.NNZ() != 7400 {
		t.Errorf("measurements: DC %v, %d rows, %d coefficients", c.DC, c.A.Len(), c.A.NNZ())
	}
	if lo, _ := p.Problem.Program().Vars[0].Bounds(0); lo != 0 {
		t.Errorf("lower bound %g", lo)
	}
}
