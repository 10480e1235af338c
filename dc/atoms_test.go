package dc_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/shared"
)

const dim = 4

// sample is one use of an atom on a vector of dim affine functions.
type sample struct {
	atom string // the exported function of an atom_*.go file
	make func(a dc.Expr) dc.Expr
	// cone is set where the representation needs a cone: the solver without
	// cones must refuse it.
	cone bool
	// oracle: no representation at all.
	oracle bool
	// values: h has no representation.
	values bool
	// positive: the function wants entries ≥ 0.
	positive bool
}

func sym(rows ...[]float64) *mat.SymDense {
	s := mat.NewSymDense(len(rows), nil)
	for i, r := range rows {
		for j, v := range r {
			s.SetSym(i, j, v)
		}
	}
	return s
}

var (
	definite   = sym([]float64{4, 1, 0, 1}, []float64{1, 3, 1, 0}, []float64{0, 1, 5, 2}, []float64{1, 0, 2, 6})
	indefinite = sym([]float64{1, 2, 0, 0}, []float64{2, -3, 1, 0}, []float64{0, 1, 2, 4}, []float64{0, 0, 4, -1})
	diagonal   = sym([]float64{2, 0, 0, 0}, []float64{0, -3, 0, 0}, []float64{0, 0, 0, 0}, []float64{0, 0, 0, 1})
)

// twoByTwo is [a₀ a₁; a₁ a₂].
func twoByTwo(a dc.Expr) dc.Expr { return a.Select([]int{2, 2}, []int{0, 1, 1, 2}) }

// threeByThree has the diagonal a₀, a₁, a₂ and a₁, a₃ and 0 beside it.
func threeByThree(a dc.Expr) dc.Expr {
	z := dc.Num(0)
	at := func(k int) dc.Expr { return a.At(k) }
	return dc.Stack(at(0), at(1), at(3), at(1), at(1), z, at(3), z, at(2)).Reshape(3, 3)
}

// definiteOf is positive definite where a₀, a₁, a₃ ≥ 0.
func definiteOf(a dc.Expr) dc.Expr {
	at := func(k int, w float64) dc.Expr { return a.At(k).Scale(w) }
	one := dc.Num(1)
	return dc.Stack(
		at(0, 1).Add(at(1, 1)).Add(one), at(1, 0.5), at(0, -0.5),
		at(1, 0.5), at(1, 1).Add(at(3, 1)).Add(one), at(3, 0.5),
		at(0, -0.5), at(3, 0.5), at(0, 1).Add(at(3, 1)).Add(one)).Reshape(3, 3)
}

// cubes is a black box: the sum of |u|³.
type cubes struct{}

func (cubes) Value(u []float64) float64 {
	s := 0.0
	for _, v := range u {
		s += math.Abs(v) * v * v
	}
	return s
}

func (cubes) AddSubgrad(dst []float64, scale float64, u []float64) {
	for k, v := range u {
		dst[k] += 3 * scale * v * math.Abs(v)
	}
}

var samples = []sample{
	{atom: "Max", make: func(a dc.Expr) dc.Expr { return dc.Max(a.At(0), a.At(1), dc.Num(0.5)) }},
	{atom: "Max", make: func(a dc.Expr) dc.Expr { return dc.Max(dc.Norm1(a), dc.NormInf(a).Scale(2), a.At(0)) }},
	{atom: "Max", make: func(a dc.Expr) dc.Expr { // of DC functions
		return dc.Max(dc.Norm1(a.Slice(0, 2)).Sub(dc.Abs(a.At(2))), dc.Pos(a.At(3)).Sub(dc.Abs(a.At(1))))
	}},
	{atom: "Max", make: func(a dc.Expr) dc.Expr {
		return dc.Max([]dc.Expr{dc.Abs(a.At(0)), dc.Abs(a.At(1)).Neg()}...)
	}},
	{atom: "Max", make: func(a dc.Expr) dc.Expr { return dc.Max(a) }},
	{atom: "Min", make: func(a dc.Expr) dc.Expr { return dc.Min([]dc.Expr{a.At(0), dc.Abs(a.At(1)).Neg()}...).Neg() }},
	{atom: "Min", make: func(a dc.Expr) dc.Expr { return dc.Min(a.At(0), a.At(1), dc.Abs(a.At(2))) }},
	{atom: "Abs", make: func(a dc.Expr) dc.Expr { return dc.Abs(a.At(1)) }},
	{atom: "Abs", make: func(a dc.Expr) dc.Expr { return dc.Abs(dc.Norm1(a).Sub(dc.NormInf(a).Scale(2))) }},
	{atom: "Pos", make: func(a dc.Expr) dc.Expr { return dc.Pos(a.At(0)) }},
	{atom: "NormInf", make: dc.NormInf},
	{atom: "SumLargest", make: func(a dc.Expr) dc.Expr { return dc.SumLargest(a, 2) }},
	{atom: "Norm1", make: dc.Norm1},
	{atom: "Norm2", make: dc.Norm2, cone: true},
	{atom: "SumSquares", make: dc.SumSquares},
	{atom: "Square", make: func(a dc.Expr) dc.Expr { return dc.Square(a.At(2)) }},
	{atom: "Square", make: func(a dc.Expr) dc.Expr { return dc.Square(dc.Norm1(a)) }},
	{atom: "Square", make: func(a dc.Expr) dc.Expr { return dc.Square(dc.Norm1(a).Sub(dc.Pos(a.At(0)))) }},
	{atom: "Quad", make: func(a dc.Expr) dc.Expr { return dc.Quad(context.Background(), a, definite) }},
	{atom: "Quad", make: func(a dc.Expr) dc.Expr { return dc.Quad(context.Background(), a, indefinite) }},
	{atom: "Quad", make: func(a dc.Expr) dc.Expr { return dc.Quad(context.Background(), a, diagonal) }},
	{atom: "Huber", make: func(a dc.Expr) dc.Expr { return dc.Huber(a, 0.7) }},
	{atom: "Exp", make: func(a dc.Expr) dc.Expr { return dc.Exp(a.At(0)) }, cone: true},
	{atom: "Exp", make: func(a dc.Expr) dc.Expr { return dc.Exp(dc.Abs(a.At(0)).Add(a.At(1))) }, cone: true},
	{atom: "Logistic", make: func(a dc.Expr) dc.Expr { return dc.Logistic(a.At(1)) }, cone: true},
	{atom: "Logistic", make: func(a dc.Expr) dc.Expr { return dc.Logistic(dc.SumSquares(a)) }, cone: true},
	{atom: "LogSumExp", make: func(a dc.Expr) dc.Expr {
		return dc.LogSumExp(dc.Stack([]dc.Expr{a.At(0), dc.Abs(a.At(1)), dc.Norm1(a)}...))
	}, cone: true},
	{atom: "Log", make: func(a dc.Expr) dc.Expr { return dc.Log(a.At(0)).Neg() }, cone: true, positive: true},
	{atom: "Log", make: func(a dc.Expr) dc.Expr { return dc.Log(dc.Min(a.At(0), a.At(3))).Neg() }, cone: true, positive: true},
	{atom: "Entropy", make: func(a dc.Expr) dc.Expr { return dc.Entropy(a.At(0)).Neg() }, cone: true, positive: true},
	{atom: "XExp", make: func(a dc.Expr) dc.Expr { return dc.XExp(a.At(0)) }, cone: true, positive: true},
	{atom: "XExp", make: func(a dc.Expr) dc.Expr { return dc.XExp(dc.Abs(a.At(0)).Add(dc.Abs(a.At(2)))) }, cone: true, positive: true},
	{atom: "DotSort", make: func(a dc.Expr) dc.Expr { return dc.DotSort(a, []float64{2, -1, 0, 2}) }},
	{atom: "DotSort", make: func(a dc.Expr) dc.Expr {
		return dc.DotSort(dc.Stack([]dc.Expr{dc.Abs(a.At(0)), a.At(1), dc.Norm1(a)}...), []float64{0, 1, 3})
	}},
	{atom: "KL", make: func(a dc.Expr) dc.Expr { return dc.KL(a.At(0), a.At(3)) }, cone: true, positive: true},
	{atom: "InvPos", make: func(a dc.Expr) dc.Expr { return dc.InvPos(a.At(3)) }, cone: true, positive: true},
	{atom: "InvPos", make: func(a dc.Expr) dc.Expr { return dc.InvPos(dc.Sqrt(a.At(0))) }, cone: true, positive: true},
	{atom: "Power", make: func(a dc.Expr) dc.Expr { return dc.Power(a.At(0), 3) }, cone: true},
	{atom: "Power", make: func(a dc.Expr) dc.Expr { return dc.Power(dc.Norm1(a), 3) }, cone: true},
	{atom: "Power", make: func(a dc.Expr) dc.Expr { return dc.Power(a.At(0), 4) }, cone: true},
	{atom: "Power", make: func(a dc.Expr) dc.Expr { return dc.Power(a.At(0), 6) }, cone: true},
	{atom: "Power", make: func(a dc.Expr) dc.Expr { return dc.Power(a.At(0), 1.5) }, cone: true, positive: true},
	{atom: "Power", make: func(a dc.Expr) dc.Expr { return dc.Power(a.At(0), 0.3).Neg() }, cone: true, positive: true},
	{atom: "Power", make: func(a dc.Expr) dc.Expr { return dc.Power(a.At(0), -0.5) }, cone: true, positive: true},
	{atom: "QuadOverLin", make: func(a dc.Expr) dc.Expr { return dc.QuadOverLin(a.Slice(0, 3), a.At(3)) }, cone: true, positive: true},
	{atom: "GeoMean", make: func(a dc.Expr) dc.Expr { return dc.GeoMean(dc.Stack(a.At(0), a.At(3), a.At(0).Add(a.At(3)))).Neg() }, cone: true, positive: true},
	{atom: "GeoMean", make: func(a dc.Expr) dc.Expr { return dc.GeoMean(dc.Stack(a.At(0), a.At(3))).Neg() }, cone: true, positive: true},
	{atom: "GeoMean", make: func(a dc.Expr) dc.Expr { return dc.GeoMean(dc.Stack(a.Slice(0, 2), a.At(3), dc.Num(2))).Neg() }, cone: true, positive: true},
	{atom: "GeoMean", make: func(a dc.Expr) dc.Expr {
		return dc.GeoMean(dc.Stack([]dc.Expr{dc.Sqrt(a.At(0)), a.At(3), dc.Min(a.At(0), dc.Num(2))}...)).Neg()
	}, cone: true, positive: true},
	{atom: "QuadOverLin", make: func(a dc.Expr) dc.Expr {
		return dc.QuadOverLin(dc.Stack([]dc.Expr{dc.Abs(a.At(1)), a.At(2)}...), dc.Sqrt(a.At(3)))
	}, cone: true, positive: true},
	{atom: "Norm2", make: func(a dc.Expr) dc.Expr {
		return dc.Norm2(dc.Stack([]dc.Expr{dc.Abs(a.At(0)), dc.Norm1(a), dc.Num(2)}...))
	}, cone: true},
	{atom: "NormP", make: func(a dc.Expr) dc.Expr { return dc.NormP(a, 3) }, cone: true},
	{atom: "NormP", make: func(a dc.Expr) dc.Expr { return dc.NormP(a.Slice(0, 3), 1.3) }, cone: true},
	{atom: "NormP", make: func(a dc.Expr) dc.Expr {
		return dc.NormP(dc.Stack([]dc.Expr{dc.Abs(a.At(0)), dc.Norm1(a), a.At(2), dc.Num(2)}...), 2.5)
	}, cone: true},
	{atom: "WeightedGeoMean", make: func(a dc.Expr) dc.Expr {
		return dc.WeightedGeoMean(dc.Stack(a.At(0), a.At(1), a.At(3), a.At(0).Add(a.At(3))), []float64{1, 0, 2.5, 0.3}).Neg()
	}, cone: true, positive: true},
	{atom: "WeightedGeoMean", make: func(a dc.Expr) dc.Expr {
		return dc.WeightedGeoMean(dc.Stack([]dc.Expr{dc.Sqrt(a.At(0)), a.At(3), dc.Min(a.At(0), dc.Num(2))}...), []float64{3, 1, 2}).Neg()
	}, cone: true, positive: true},
	{atom: "Huber", make: func(a dc.Expr) dc.Expr {
		return dc.Huber(dc.Stack([]dc.Expr{dc.Abs(a.At(0)), dc.Pos(a.At(1))}...), 0.6)
	}},
	{atom: "SumLargest", make: func(a dc.Expr) dc.Expr {
		return dc.SumLargest(dc.Stack([]dc.Expr{dc.Abs(a.At(0)), dc.Norm1(a).Sub(dc.Abs(a.At(3))), a.At(1)}...), 2)
	}},
	{atom: "LogSumExp", make: dc.LogSumExp, cone: true},
	{atom: "Sqrt", make: func(a dc.Expr) dc.Expr { return dc.Sqrt(a.At(0)).Neg() }, cone: true, positive: true},
	{atom: "LambdaMax", make: func(a dc.Expr) dc.Expr { return dc.LambdaMax(twoByTwo(a)) }, cone: true},
	{atom: "LambdaMax", make: func(a dc.Expr) dc.Expr { return dc.LambdaMax(threeByThree(a)) }, cone: true},
	{atom: "LambdaMin", make: func(a dc.Expr) dc.Expr { return dc.LambdaMin(threeByThree(a)).Neg() }, cone: true},
	{atom: "LambdaSumLargest", make: func(a dc.Expr) dc.Expr { return dc.LambdaSumLargest(threeByThree(a), 2) }, cone: true},
	{atom: "SpectralNorm", make: func(a dc.Expr) dc.Expr { return dc.SpectralNorm(a.Reshape(2, 2)) }, cone: true},
	{atom: "SpectralNorm", make: func(a dc.Expr) dc.Expr { return dc.SpectralNorm(threeByThree(a)) }, cone: true},
	{atom: "NuclearNorm", make: func(a dc.Expr) dc.Expr {
		return dc.NuclearNorm(dc.Stack(a, a.Slice(1, 3)).Reshape(2, 3))
	}, cone: true},
	{atom: "NuclearNorm", make: func(a dc.Expr) dc.Expr { return dc.NuclearNorm(threeByThree(a)) }, cone: true},
	{atom: "NuclearNorm", make: func(a dc.Expr) dc.Expr {
		return dc.NuclearNorm(threeByThree(a).Add(dc.Const([]int{3, 3}, []float64{0, 1, 0, 0, 0, 2, 3, 0, 0})))
	}, cone: true},
	{atom: "LogDet", make: func(a dc.Expr) dc.Expr { return dc.LogDet(definiteOf(a)).Neg() }, cone: true, positive: true},
	{atom: "MatFrac", make: func(a dc.Expr) dc.Expr { return dc.MatFrac(a.Slice(1, 4), definiteOf(a)) }, cone: true, positive: true},
	{atom: "MatFrac", make: func(a dc.Expr) dc.Expr { // one cone of order six
		p := definiteOf(a)
		parts := []dc.Expr{dc.MatFrac(dc.Vec([]float64{1, 2, -1}), p)}
		for k := range 5 {
			parts = append(parts, dc.MatFrac(dc.Vec([]float64{float64(k), 1, -2}), p).Scale(0.5))
		}
		return dc.Sum(parts...)
	}, cone: true, positive: true},
	{atom: "MatFrac", make: func(a dc.Expr) dc.Expr { // data less a variable: of rank four
		var parts []dc.Expr
		for k := range 6 {
			parts = append(parts, dc.MatFrac(a.Slice(1, 4).Sub(dc.Vec([]float64{float64(k * k), 1 - float64(k), 2})), definiteOf(a)))
		}
		return dc.Sum(parts...)
	}, cone: true, positive: true},
	{atom: "MatFrac", make: func(a dc.Expr) dc.Expr { return dc.MatFrac(a.Slice(0, 3), dc.Mat(definite.SliceSym(0, 3))) }},
	{atom: "Semidefinite", make: func(a dc.Expr) dc.Expr { return dc.LambdaMin(threeByThree(a)).Neg() }, cone: true},
	{atom: "Sin", make: func(a dc.Expr) dc.Expr { return dc.Sin(a.At(1)) }, values: true},
	{atom: "Cos", make: func(a dc.Expr) dc.Expr { return dc.Cos(a.At(1)) }, values: true},
	{atom: "Atan", make: func(a dc.Expr) dc.Expr { return dc.Atan(a.At(1)) }, values: true},
	{atom: "Tanh", make: func(a dc.Expr) dc.Expr { return dc.Tanh(a.At(1)) }, values: true},
	{atom: "Asinh", make: func(a dc.Expr) dc.Expr { return dc.Asinh(a.At(1)) }, values: true},
	{atom: "Sigmoid", make: func(a dc.Expr) dc.Expr { return dc.Sigmoid(a.At(1)) }, values: true},
	{atom: "Erf", make: func(a dc.Expr) dc.Expr { return dc.Erf(a.At(1)) }, values: true},
	{atom: "NormCDF", make: func(a dc.Expr) dc.Expr { return dc.NormCDF(a.At(1)) }, values: true},
	{atom: "Tan", make: func(a dc.Expr) dc.Expr { return dc.Tan(dc.Sin(a.At(0))) }, values: true},
	{atom: "Sin", make: func(a dc.Expr) dc.Expr { return dc.Sin(dc.Sigmoid(a.At(1)).Scale(3)) }, values: true},
	{atom: "Cosh", make: func(a dc.Expr) dc.Expr { return dc.Cosh(a.At(1)) }, cone: true},
	{atom: "Sinh", make: func(a dc.Expr) dc.Expr { return dc.Sinh(a.At(1)) }, cone: true},
	{atom: "Atanh", make: func(a dc.Expr) dc.Expr { return dc.Atanh(dc.Sin(a.At(0)).Scale(0.9)) }, values: true},
	{atom: "Log1p", make: func(a dc.Expr) dc.Expr { return dc.Log1p(a.At(0)).Neg() }, cone: true, positive: true},
	{atom: "Log2", make: func(a dc.Expr) dc.Expr { return dc.Log2(a.At(0)).Neg() }, cone: true, positive: true},
	{atom: "Log10", make: func(a dc.Expr) dc.Expr { return dc.Log10(a.At(0)).Neg() }, cone: true, positive: true},
	{atom: "Expm1", make: func(a dc.Expr) dc.Expr { return dc.Expm1(a.At(0)) }, cone: true},
	{atom: "Pow", make: func(a dc.Expr) dc.Expr { return dc.Pow(dc.Num(1.5), a.At(0)) }, cone: true},
	{atom: "BlackBox", make: func(a dc.Expr) dc.Expr { return dc.BlackBox("cubes", cubes{}, a) }, oracle: true},
}

func TestEveryAtomIsListed(t *testing.T) {
	listed := map[string]bool{}
	for _, s := range samples {
		listed[s.atom] = true
	}
	files, err := filepath.Glob("atom_*.go")
	if err != nil || len(files) < 5 {
		t.Fatalf("atom files %v, error %v", files, err)
	}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() {
				continue
			}
			if !listed[fn.Name.Name] {
				t.Errorf("%s: atom %s has no sample in atoms_test.go", name, fn.Name.Name)
			}
			delete(listed, fn.Name.Name)
		}
	}
	for name := range listed {
		t.Errorf("sample of %s, which is no atom", name)
	}
}

// argument is a vector of dim affine functions of 5 variables; x[4] occurs in
// none, so it is off every support.
func argument(m *dc.Model) (dc.Expr, dc.Expr) {
	x := m.Var("x", []int{dim + 1})
	mix := mat.NewDense(dim, dim, []float64{1, 0, 0, 0, 0.5, 1, 0, 0, 0, -1, 2, 0, 0, 0, 1, 1})
	return x, dc.MatMul(dc.Mat(mix), x.Slice(0, dim)).Add(dc.Vec([]float64{0, 0.5, -1, 0}))
}

// points returns random points and ones with entries of a at kinks.
func points(rng *rand.Rand, n int, positive bool) [][]float64 {
	var out [][]float64
	for k := range n {
		x := make([]float64, dim+1)
		for j := range x {
			x[j] = 2 * rng.NormFloat64()
			if k%3 == 0 {
				x[j] = math.Round(x[j])
			}
			if positive {
				x[j] = math.Abs(x[j]) + 0.01
			}
		}
		out = append(out, x)
	}
	return out
}

func forEach(t *testing.T, f func(t *testing.T, s sample, x dc.Expr, m *dc.Model, e dc.Expr)) {
	for _, s := range samples {
		t.Run(s.atom, func(t *testing.T) {
			m := dc.NewModel()
			x, a := argument(m)
			e := s.make(a)
			if err := e.Err(); err != nil {
				t.Fatal(err)
			}
			f(t, s, x, m, e)
		})
	}
}

func TestBothPartsAreConvexWithTheirSubgradients(t *testing.T) {
	forEach(t, func(t *testing.T, s sample, _ dc.Expr, _ *dc.Model, e dc.Expr) {
		rng := rand.New(rand.NewPCG(4, 4))
		xs := points(rng, 200, s.positive)
		for part, f := range map[string]convex.Func{"g": e.Scalar().G(), "h": e.Scalar().H()} {
			grad, mid := make([]float64, dim+1), make([]float64, dim+1)
			on := map[int]bool{}
			for _, j := range f.Support() {
				on[j] = true
			}
			for k, x := range xs {
				y := xs[(k+1)%len(xs)]
				clear(grad)
				f.AddSubgrad(grad, 1, x)
				fx, fy := f.Value(x), f.Value(y)
				tangent := fx
				for j := range grad {
					tangent += grad[j] * (y[j] - x[j])
					mid[j] = (x[j] + y[j]) / 2
					if grad[j] != 0 && !on[j] {
						t.Fatalf("%s: subgradient off the support at %d", part, j)
					}
				}
				tol := 1e-9 * (1 + math.Abs(fx) + math.Abs(fy))
				if !(tangent <= fy+tol) {
					t.Fatalf("%s: tangent at %v is %g at %v, above the value %g", part, x, tangent, y, fy)
				}
				if fm := f.Value(mid); !(fm <= (fx+fy)/2+tol) {
					t.Fatalf("%s: value %g in the middle of %g and %g", part, fm, fx, fy)
				}
				if d := e.Value(x) - (e.Scalar().G().Value(x) - e.Scalar().H().Value(x)); !(math.Abs(d) <= tol) {
					t.Fatalf("g − h differs from the value by %g", d)
				}
			}
			if n := testing.AllocsPerRun(20, func() { f.Value(xs[0]); f.AddSubgrad(grad, 1, xs[0]) }); n > 0 && !shared.Race {
				t.Errorf("%s: %g allocations", part, n)
			}
		}
	})
}

// symmetricOf is [x₀ x₁; x₁ x₂].
func symmetricOf(x dc.Expr) dc.Expr { return x.Select([]int{2, 2}, []int{0, 1, 1, 2}) }

// TestMistakesOfModels: those that no expression carries along.
func TestMistakesOfModels(t *testing.T) {
	other := dc.NewModel()
	foreign, price := other.Var("x", nil), other.Param("p", nil, 1)
	for want, mistake := range map[string]func(m *dc.Model, x dc.Expr){
		"shape [1099511627776 16777216]": func(m *dc.Model, x dc.Expr) { m.Var("y", []int{1 << 40, 1 << 24}) },
		"shape [9223372036854775807]":    func(m *dc.Model, x dc.Expr) { m.Var("y", []int{math.MaxInt}) },
		"a variable of another model":    func(m *dc.Model, x dc.Expr) { m.AddCost(price, x) },
		"variable of another model":      func(m *dc.Model, x dc.Expr) { m.AddCost(m.Param("p", nil, 1), foreign) },
	} {
		m := dc.NewModel()
		x := m.Var("x", nil, dc.AtLeast(0))
		m.Minimize(x)
		mistake(m, x)
		if _, err := m.Problem(context.Background()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestMistakesAreCarriedAlong(t *testing.T) {
	model := dc.NewModel()
	x := model.Var("x", []int{3})
	y := model.Var("y", []int{2})
	other, twin := dc.NewModel().Var("x", nil), dc.NewModel().Var("x", []int{3})
	for want, e := range map[string]dc.Expr{
		"variable of another":    dc.Inner(x, twin),
		"variable of another mo": dc.Norm1(twin.Sub(x)),
		"of another model occur": dc.Abs(dc.Sum(x.At(0), twin.At(0).Neg())),
		"2 variables with 1":     dc.FromLinear(convex.NewLinear([]int{0, 1}, []float64{1}, 0)),
		"variable number -1":     dc.FromLinear(convex.NewLinear([]int{-1}, []float64{1}, 0)),
		"number 77 to 77 of 5":   dc.FromLinear(model.Program().Own(convex.NewLinear([]int{77}, []float64{1}, 0))),
		"matrix that is nil":     dc.Quad(context.Background(), x, (*mat.SymDense)(nil)),
		"matrix is nil":          dc.Norm1(dc.MatMul(dc.Mat((*mat.Dense)(nil)), x)),
		"[3] and [2]":            dc.Norm2(x.Add(y)).Scale(2).Add(dc.Num(1)),
		"number is wanted":       dc.Abs(x),
		"index 3":                dc.Abs(x.At(3)),
		"max of nothing":         dc.Max(),
		"min of nothing":         dc.Min(),
		"4 largest of 3":         dc.SumLargest(x, 4),
		"threshold -1":           dc.Huber(x, -1),
		"matrix of order 4":      dc.Quad(context.Background(), x, definite),
		"-sqrt at -1":            dc.Sqrt(dc.Num(-1)),
		"not bounded from below": dc.Mul(dc.LogDet(symmetricOf(x)), x.At(1)),
		"another model":          dc.Abs(x.At(0)).Add(dc.Abs(other)),
		"model occurs":           x.At(0).Sub(other),
		"of another":             dc.Mul(x.At(0), other),
		"lse of nothing":         dc.LogSumExp(dc.Vec(nil)),
		"exp of this":            dc.Exp(dc.Sqrt(x.At(0)).Sub(dc.Abs(x.At(1)))),
		"-log of this":           dc.Log(dc.Abs(x.At(0))),
		"-entr of this":          dc.Entropy(dc.Abs(x.At(0))),
		"power of this":          dc.Power(dc.Abs(x.At(0)).Sub(dc.Abs(x.At(1))), 2.5),
		"power NaN":              dc.Power(x.At(0), math.NaN()),
		"invpos at 0":            dc.InvPos(dc.Num(0)),
		"quadoverlin of this":    dc.QuadOverLin(dc.Stack([]dc.Expr{dc.Abs(x.At(0)), dc.Abs(x.At(1)).Sub(dc.Num(1))}...), x.At(0)),
		"kl of shapes":           dc.KL(x, y),
		"a denominator":          dc.QuadOverLin(x, x),
		"geomean of nothing":     dc.GeoMean(dc.Vec(nil)),
		"is not concave":         dc.GeoMean(dc.Stack([]dc.Expr{dc.Abs(x.At(0)), x.At(1)}...)),
		"1 of it is not conc":    dc.QuadOverLin(dc.Stack([]dc.Expr{x.At(1)}...), dc.Abs(x.At(0))),
		"has no function":        dc.BlackBox("f", nil, x),
		"2 indices":              dc.Abs(x.At(1, 1)),
		"row 7":                  dc.Abs(x.Row(7)),
		"column 0":               dc.Abs(x.Col(0)),
		"range 2 to 9":           dc.Norm1(x.Slice(2, 9)),
		"[2 2] cannot hold":      dc.Norm1(x.Reshape(2, 2)),
		"of shapes [4 4] and":    dc.Norm1(dc.MatMul(dc.Mat(definite), x)),
		"two arrays with variab": dc.Norm1(dc.MatMul(x.Reshape(3, 1), x.Reshape(1, 3))),
		"inner product of 2":     dc.Abs(x.Dot([]float64{1, 2})),
		"shape [2] needs 2":      dc.Norm1(dc.Const([]int{2}, []float64{1})),
		"or square: a factor":    dc.Square(dc.LogDet(symmetricOf(x))),
		"entry 5 of 3":           dc.Norm1(x.Select([]int{1}, []int{5})),
		"2 factors for the 3":    dc.Norm1(x.ScaleEach([]float64{1, 2})),
		"a matrix is nil":        dc.Norm1(dc.MatMul(dc.Mat(nil), x)),
	} {
		model.Minimize(e)
		_, err := model.Problem(context.Background())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
