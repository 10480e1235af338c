package lang

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dcopt/dcopt/internal/convex"
	"github.com/dcopt/dcopt/internal/program"
)

// TestData compares expressions of data with their values.
func TestData(t *testing.T) {
	const head = `
param A = [1 2; 3 4]
param B = [1, 2, 3; 4, 5, 6]
param v = [1, -2, 3]
param one[0..2] = [5, 6, 7]
set I = {1, 3}
set J = {j in 1..5 if j != 2 and (j < 4 or j == 5)}
param f[i in 2..4] = 10*i
param g[i in 1..2, j in 0..2] = i + 100*j
param h[i in 1..2] = v[i]*[1, 1, 1]
var x
`
	tests := []struct {
		expr string
		want float64
	}{
		{"2 + 3*4^2/8 - 1", 7}, {"-2^2", -4}, {"2^-1", 0.5}, {"2^3^2", 512}, {"(1 + 2)*3", 9}, {"1e-3*10", 0.01},
		{"7 - 2 - 1", 4}, {"8/2/2", 2}, {"--3", 3}, {"+3", 3}, {"4^0.5", 2}, {"1/sqrt(4)", 0.5}, {"2*pi", 2 * math.Pi},
		{"A[2,1]", 3}, {"sum(A*A)", 7 + 10 + 15 + 22}, {"sum(A .* A)", 30}, {"sum(A ./ A)", 4}, {"sum(A^2)", 30},
		{"sum(A'[1,:] - [1, 3])", 0}, {"A'[1,2]", 3}, {"v*v", 14}, {"v'*v", 14}, {"(B*v)[2]", 4 - 10 + 18}, {"([1, 2]*B)[3]", 15},
		{"([1, 2]*A*[1; 1])", 17}, {"sum(B[:,2])", 7}, {"sum(B[2,2..3])", 11}, {"B[1,1..3]*v", 6}, {"sum(v[I])", 4},
		{"one[0] + one[2]", 12}, {"sum(one[1..2])", 13}, {"one[1..2][1]", 6}, {"one[:][0]", 5}, {"f[2] + f[4]", 60}, {"g[2,0] + g[1,2]", 203},
		{"rows(h) + 10*cols(h)", 32}, {"h[2,3]", -2},
		{"rows(B) + 10*cols(B)", 32}, {"len(v)", 3}, {"len(J)", 3}, {"sum(J)", 9}, {"len(0..3)", 4}, {"len(3)", 1}, {"mean(v)", 2.0 / 3}, {"std([1, 3])", 1}, {"sum(1..4)", 10}, {"(0..2)*v", 4}, {"sum(v + (1..3))", 8},
		{"max(v)", 3}, {"min(v)", -2}, {"max(1, 2, -3)", 2}, {"sum(max(v, 0))", 4}, {"sum(min(v, 1))", 0}, {"max(A)", 4},
		{"abs(-3)", 3}, {"sum(abs(v))", 6}, {"pos(-1) + pos(2)", 2}, {"norm1(v)", 6}, {"norm2([3, 4])", 5}, {"norminf(v)", 3}, {"sumsq(v)", 14},
		{"square(3)", 9}, {"quad([1, 1], A)", 10}, {"quad(2, 3)", 12}, {"huber(3)", 5}, {"huber(0.5)", 0.25}, {"huber(3, 2)", 8}, {"sumlargest(v, 2)", 4},
		{"exp(0)", 1}, {"lse([0, 0])", math.Ln2}, {"log(exp(2))", 2}, {"sin(0) + cos(0)", 1}, {"floor(1.5) + ceil(1.5) + round(2.5)", 6},
		{"sum(eye(3))", 3}, {"sum(ones(2, 3))", 6}, {"sum(zeros(4))", 0}, {"rows(ones(2, 3))", 2},
		{"entr(1) + entr(0)", 0}, {"kl(2, 1)", 2*math.Ln2 - 1}, {"logistic(0)", math.Ln2}, {"invpos(4)", 0.25}, {"quadoverlin([3, 4], 5)", 5},
		{"geomean(2, 8)", 4}, {"geomean([1, 3, 9])", 3}, {"logdet([2 0; 0 3])", math.Log(6)}, {"matfrac([1, 2], [1 0; 0 2])", 3}, {"lambda_max([2 1; 1 2])", 3},
		{"sum(i in 1..3) i^2", 14}, {"sum(i in 1..3) i + 1", 7}, {"sum(i in 1..3) (i + 1)", 9}, {"2*sum(i in 1..3) i*2", 24}, {"sum(i in 1..3, j in i+1..3) 1", 3},
		{"max(i in 1..3 if i != 3) i*i", 4}, {"min(i in I) -i", -3}, {"sum(i in 2..1) i", 0}, {"sum(i in J) i", 9}, {"sum(i in {4}) i", 4},
		{"sum(i in 1..2) sum(j in 1..2) A[i,j]", 10}, {"sum(sum(i in 1..2) A[i,:])", 10}, {"max(max(i in 1..2) A[i,:])", 4},
		{"sum(i in 1..2 if not (i == 1) or i < 0) i", 2}, {"sum(i in 1..5 if 2 <= i < 4) i", 5},
		{"sum([1 -2])", -1}, {"len([1 -2])", 2}, {"len([1 - 2])", 1}, {"len([1 -2 + 3])", 2}, {"len([1, 2 -3])", 2}, {"len([v 4])", 4}, {"len([v, v])", 6},
		{"[1; 2; 3]*v", 6}, {"sum([A [5; 6]])", 21}, {"sum([A; [5, 6]])", 21}, {"[A, A][1,4]", 2}, {"[v; v][2,3]", 3}, {"cols([v; v])", 3}, {"[1 2\n 3][3]", 3},
		{"[A (2)*[5; 6]][2,3]", 12}, {"sum([1 2]')", 3}, {"A[1,1] +\n 2", 3}, {"sum(v.*v./v)", 2},
		{"norm(v)", math.Sqrt(14)}, {"norm(v, 1)", 6}, {"norm(A, 3)", math.Pow(1+8+27+64, 1.0/3)}, {"norm(-2, 7)", 2}, {"norm([1e300, 1e300], 2.5)", 1e300 * math.Pow(2, 0.4)},
		{"wgeomean([4, 9], [1, 1])", 6}, {"wgeomean([8, 0, 2], [2, 0, 1])", math.Pow(128, 1.0/3)}, {"cumsum(v) * [1, 10, 100]", 1 - 10 + 200}, {"cumsum(5)[1]", 5}, {"len(cumsum(v))", 3},
		{"reshape(B, 3, 2)[2,1]", 3}, {"reshape(v, 3, 1)[3,1]", 3}, {"reshape(A, 4) * [1, 10, 100, 1000]", 4321}, {"sort(v) * [1, 10, 100]", -2 + 10 + 300}, {"sort(3)[1]", 3},
		{"chol([4 2; 2 10])[2,1] + chol([4 2; 2 10])[2,2] + chol([4 2; 2 10])[1,2]", 4}, {"chol(9)[1,1]", 3}, {"sum(inv(A) .* [1 10; 100 1000])", -2 + 10 + 150 - 500}, {"inv(4)[1,1]", 0.25}, {"sum(inv([0 1; 1 0])*v[1..2])", -1},
		{"if(v[2] < 0, 3, 4)", 3}, {"if(1 > 2 or not 3 > 2, 1/0, 7)", 7}, {"sum(i in 1..4) if(i == 2 and i < 3, 10, if(i > 3, i, 0))", 14}, {"sum(if(2 > 1, v, [1, 2]))", 2},
		{"sum(A, 1)*[1, 100] + 10^4*sum(A, 2)[2]", 4 + 600 + 70000}, {"mean(B, 1)*[2, 20, 200]", 5 + 70 + 900}, {"sum(v, 1)", 2},
		{"sum(one, 1)", 18}, {"sum(g, 1)[2] + sum(g, 2)[1]", 403 + 303}, {"sum(zeros(0, 2), 1)[2]", 0}, {"len(sum(ones(2, 3, 4), 2)[1,:])", 4},
		{"linspace(0, 1, 5)*[1, 0, 0, 0, 1] + len(linspace(1, 2, 9))", 10}, {"linspace(3, 4, 1)[1]", 3}, {"linspace(0.1, 0.7, 4)[4]", 0.7},
		{"quantile(v, 0.5)", 1}, {"quantile([4, 1], 0.25)", 1.75}, {"quantile(5, 1)", 5}, {"prod(A)", 24}, {"prod([])", 1},
		{"2\n + 3\n - 4\n * 5", -15}, {"2 # two\n\n # and\n  + 3", 5},
		{"dc(3, 1)", 2}, {"3*[1]*[2]*v*v", 84}, {"sum([1]*v)", 2}, {"1 .* 2", 2}, {"1./4", 0.25},
	}
	for _, tt := range tests {
		p := mustCompile(t, head+"minimize x + "+tt.expr, Options{})
		got := p.Problem.Value([]float64{0})
		want := tt.want
		if len(p.Problem.Program().Vars) != 1 {
			t.Fatalf("%s: %d variables", tt.expr, len(p.Problem.Program().Vars))
		}
		if !(math.Abs(got-want) <= 1e-12*max(1, math.Abs(want))) {
			t.Errorf("%s = %.15g, want %.15g", tt.expr, got, want)
		}
	}
}

// TestFunctions compares expressions of variables with formulas, with the
// curvature that the split shows.
func TestFunctions(t *testing.T) {
	const head = `
param A = [1 2 0; 3 4 -1]
param Q = [2 1 0; 1 -3 0; 0 0 1]
param w = [1, -2, 3]
var x[3], y, X[2,2]
`
	tests := []struct {
		expr string
		c    Curvature
		want func(x []float64, y float64, X [4]float64) float64
	}{
		{"x[1] - 2*y + 3", Affine, func(x []float64, y float64, _ [4]float64) float64 { return x[0] - 2*y + 3 }},
		{"x[1] - x[1]", Constant, func([]float64, float64, [4]float64) float64 { return 0 }},
		{"w*x", Affine, func(x []float64, _ float64, _ [4]float64) float64 { return x[0] - 2*x[1] + 3*x[2] }},
		{"x'*w", Affine, func(x []float64, _ float64, _ [4]float64) float64 { return x[0] - 2*x[1] + 3*x[2] }},
		{"sum(w .* x ./ [1, 2, 4])", Affine, func(x []float64, _ float64, _ [4]float64) float64 { return x[0] - x[1] + 0.75*x[2] }},
		{"sum(A*x)", Affine, func(x []float64, _ float64, _ [4]float64) float64 { return 4*x[0] + 6*x[1] - x[2] }},
		{"(X*[1, 2])[2]", Affine, func(_ []float64, _ float64, X [4]float64) float64 { return X[2] + 2*X[3] }},
		{"([1, 2]*X)[2]", Affine, func(_ []float64, _ float64, X [4]float64) float64 { return X[1] + 2*X[3] }},
		{"(X*A)[1,3]", Affine, func(_ []float64, _ float64, X [4]float64) float64 { return -X[1] }},
		{"(A'*X)[2,1]", Affine, func(_ []float64, _ float64, X [4]float64) float64 { return 2*X[0] + 4*X[2] }},
		{"X'[1,2] - y/2", Affine, func(_ []float64, y float64, X [4]float64) float64 { return X[2] - y/2 }},
		{"mean(x)", Affine, func(x []float64, _ float64, _ [4]float64) float64 { return (x[0] + x[1] + x[2]) / 3 }},
		{"sum([x, y, 1])", Affine, func(x []float64, y float64, _ [4]float64) float64 { return x[0] + x[1] + x[2] + y + 1 }},
		{"[X; [y, 1]][3,1]", Affine, func(_ []float64, y float64, _ [4]float64) float64 { return y }},
		{"sum(i in 1..3) i*x[i]", Affine, func(x []float64, _ float64, _ [4]float64) float64 { return x[0] + 2*x[1] + 3*x[2] }},
		{"sum(sum(i in 1..2) X[i,:])", Affine, func(_ []float64, _ float64, X [4]float64) float64 { return X[0] + X[1] + X[2] + X[3] }},
		{"sum(i in 1..3) if(i > 1, x[i], y)", Affine, func(x []float64, y float64, _ [4]float64) float64 { return y + x[1] + x[2] }},
		{"cumsum(x)*w + reshape(X, 4)[3]", Affine, func(x []float64, _ float64, X [4]float64) float64 {
			return x[0] - 2*(x[0]+x[1]) + 3*(x[0]+x[1]+x[2]) + X[2]
		}},
		{"norm(x, 3) + norm([y, x[1]], 1) + norm(x)", Convex, func(x []float64, y float64, _ [4]float64) float64 {
			s, c := 0.0, 0.0
			for _, v := range x {
				s, c = s+v*v, c+math.Pow(math.Abs(v), 3)
			}
			return math.Cbrt(c) + math.Abs(y) + math.Abs(x[0]) + math.Sqrt(s)
		}},
		{"norm(x^2, 1.5) + sum(cumsum(abs(x)))", Convex, func(x []float64, _ float64, _ [4]float64) float64 {
			s := 0.0
			for _, v := range x {
				s += math.Pow(math.Abs(v), 3)
			}
			return math.Pow(s, 2.0/3) + 3*math.Abs(x[0]) + 2*math.Abs(x[1]) + math.Abs(x[2])
		}},
		{"wgeomean([y^2 + 1, 3], [0, 2]) + wgeomean(5 - abs(x), [1, 2, 3]) - wgeomean([8 - y, 4], [1, 3])", DC, func(x []float64, y float64, _ [4]float64) float64 {
			return 3 + math.Pow((5-math.Abs(x[0]))*math.Pow(5-math.Abs(x[1]), 2)*math.Pow(5-math.Abs(x[2]), 3), 1.0/6) - math.Pow((8-y)*64, 0.25)
		}},
		{"abs(y)", Convex, func(_ []float64, y float64, _ [4]float64) float64 { return math.Abs(y) }},
		{"-abs(y)", Concave, func(_ []float64, y float64, _ [4]float64) float64 { return -math.Abs(y) }},
		{"sum(abs(x)) - norm1(x)", Constant, func([]float64, float64, [4]float64) float64 { return 0 }},
		{"y^2 + y^4", Convex, func(_ []float64, y float64, _ [4]float64) float64 { return y*y + y*y*y*y }},
		{"y^1 + y^0", Affine, func(_ []float64, y float64, _ [4]float64) float64 { return y + 1 }},
		{"sum(x^2)", Convex, func(x []float64, _ float64, _ [4]float64) float64 { return x[0]*x[0] + x[1]*x[1] + x[2]*x[2] }},
		{"sum(i in 1..3) x[i]^2", Convex, func(x []float64, _ float64, _ [4]float64) float64 { return x[0]*x[0] + x[1]*x[1] + x[2]*x[2] }},
		{"x*x", Convex, func(x []float64, _ float64, _ [4]float64) float64 { return x[0]*x[0] + x[1]*x[1] + x[2]*x[2] }},
		{"x[1]*y", DC, func(x []float64, y float64, _ [4]float64) float64 { return x[0] * y }},
		{"x[1..2]*X[1,:]", DC, func(x []float64, _ float64, X [4]float64) float64 { return x[0]*X[0] + x[1]*X[1] }},
		{"(X*X)[1,2]", DC, func(_ []float64, _ float64, X [4]float64) float64 { return X[0]*X[1] + X[1]*X[3] }},
		{"sum(x .* w .* x)", DC, func(x []float64, _ float64, _ [4]float64) float64 { return x[0]*x[0] - 2*x[1]*x[1] + 3*x[2]*x[2] }},
		{"quad(x, Q)", DC, func(x []float64, _ float64, _ [4]float64) float64 {
			return 2*x[0]*x[0] + 2*x[0]*x[1] - 3*x[1]*x[1] + x[2]*x[2]
		}},
		{"x'*Q*x - quad(x, Q)", Constant, func([]float64, float64, [4]float64) float64 { return 0 }},
		{"x'*(A'*A)*x", Convex, func(x []float64, _ float64, _ [4]float64) float64 {
			a, b := x[0]+2*x[1], 3*x[0]+4*x[1]-x[2]
			return a*a + b*b
		}},
		{"norm2(A*x - [1, 2])", Convex, func(x []float64, _ float64, _ [4]float64) float64 {
			return math.Hypot(x[0]+2*x[1]-1, 3*x[0]+4*x[1]-x[2]-2)
		}},
		{"norminf(x) + max(x) - min(x)", Convex, func(x []float64, _ float64, _ [4]float64) float64 {
			return max(math.Abs(x[0]), math.Abs(x[1]), math.Abs(x[2])) + max(x[0], x[1], x[2]) - min(x[0], x[1], x[2])
		}},
		{"sumsq(x) + sum(huber(x)) + sum(huber(x - 1, 2))", Convex, func(x []float64, _ float64, _ [4]float64) float64 {
			s := 0.0
			for _, v := range x {
				s += v*v + huberOf(v, 1) + huberOf(v-1, 2)
			}
			return s
		}},
		{"huber(y)", Convex, func(_ []float64, y float64, _ [4]float64) float64 { return huberOf(y, 1) }},
		{"sumlargest(x, 2)", Convex, func(x []float64, _ float64, _ [4]float64) float64 {
			return x[0] + x[1] + x[2] - min(x[0], x[1], x[2])
		}},
		{"exp(y) + lse(x)", Convex, func(x []float64, y float64, _ [4]float64) float64 {
			return math.Exp(y) + math.Log(math.Exp(x[0])+math.Exp(x[1])+math.Exp(x[2]))
		}},
		{"max(y, x[1], 0) + sum(max(x, y))", Convex, func(x []float64, y float64, _ [4]float64) float64 {
			return max(y, x[0], 0) + max(x[0], y) + max(x[1], y) + max(x[2], y)
		}},
		{"min(y, x[1]) + min(i in 1..3) x[i]", Concave, func(x []float64, y float64, _ [4]float64) float64 {
			return min(y, x[0]) + min(x[0], x[1], x[2])
		}},
		{"max(abs(y) - abs(x[1]), y)", DC, func(x []float64, y float64, _ [4]float64) float64 { return max(math.Abs(y)-math.Abs(x[0]), y) }},
		{"abs(abs(y) - 1)", DC, func(_ []float64, y float64, _ [4]float64) float64 { return math.Abs(math.Abs(y) - 1) }},
		{"norm1(x^2 - 1) + norminf(x^2 - 1)", DC, func(x []float64, _ float64, _ [4]float64) float64 {
			s, m := 0.0, 0.0
			for _, v := range x {
				s += math.Abs(v*v - 1)
				m = max(m, math.Abs(v*v-1))
			}
			return s + m
		}},
		{"abs(y)*abs(x[1])", DC, func(x []float64, y float64, _ [4]float64) float64 { return math.Abs(y * x[0]) }},
		{"norm1(x)*norm1(x)", Convex, func(x []float64, _ float64, _ [4]float64) float64 {
			s := math.Abs(x[0]) + math.Abs(x[1]) + math.Abs(x[2])
			return s * s
		}},
		{"dc(y^2, abs(y))", DC, func(_ []float64, y float64, _ [4]float64) float64 { return y*y - math.Abs(y) }},
		{"sum(dc(x^2, abs(x)))", DC, func(x []float64, _ float64, _ [4]float64) float64 {
			s := 0.0
			for _, v := range x {
				s += v*v - math.Abs(v)
			}
			return s
		}},
		{"pos(y) + sum(pos(x))", Convex, func(x []float64, y float64, _ [4]float64) float64 {
			return max(y, 0) + max(x[0], 0) + max(x[1], 0) + max(x[2], 0)
		}},
		{"x[1] + x[2] + x[3] + y + X[1,1] + X[1,2] + X[2,1]", Affine, func(x []float64, y float64, X [4]float64) float64 {
			return x[0] + x[1] + x[2] + y + X[0] + X[1] + X[2]
		}},
		{"A[1,:]*(x.*w) + (A*x^2)[2]", DC, func(x []float64, _ float64, _ [4]float64) float64 {
			return x[0] - 4*x[1] + 3*x[0]*x[0] + 4*x[1]*x[1] - x[2]*x[2]
		}},
		{"log(9 + y) + entr(9 + y)", Concave, func(_ []float64, y float64, _ [4]float64) float64 { return math.Log(9+y) - (9+y)*math.Log(9+y) }},
		{"logistic(y) + exp(abs(y)) + logistic(y^2)", Convex, func(_ []float64, y float64, _ [4]float64) float64 {
			return math.Log1p(math.Exp(y)) + math.Exp(math.Abs(y)) + math.Log1p(math.Exp(y*y))
		}},
		{"invpos(9 + y) + invpos(40 - y^2)", Convex, func(_ []float64, y float64, _ [4]float64) float64 { return 1/(9+y) + 1/(40-y*y) }},
		{"2*invpos(9 - sum(x)^2/50) - 1", Convex, func(x []float64, _ float64, _ [4]float64) float64 {
			s := x[0] + x[1] + x[2]
			return 2/(9-s*s/50) - 1
		}},
		{"kl(9 + y, 9 + x[1]) + sum(kl(2, 9 + x))", Convex, func(x []float64, y float64, _ [4]float64) float64 {
			kl := func(u, v float64) float64 { return u*math.Log(u/v) - u + v }
			return kl(9+y, 9+x[0]) + kl(2, 9+x[0]) + kl(2, 9+x[1]) + kl(2, 9+x[2])
		}},
		{"quadoverlin(x, 9 + y) + quadoverlin(X, 2)", Convex, func(x []float64, y float64, X [4]float64) float64 {
			return (x[0]*x[0]+x[1]*x[1]+x[2]*x[2])/(9+y) + (X[0]*X[0]+X[1]*X[1]+X[2]*X[2]+X[3]*X[3])/2
		}},
		{"geomean(9 + y, 9 + x) + geomean(9 + y, 4)", Concave, func(x []float64, y float64, _ [4]float64) float64 {
			return math.Pow((9+y)*(9+x[0])*(9+x[1])*(9+x[2]), 0.25) + math.Sqrt((9+y)*4)
		}},
		{"sqrt(9 + min(x)) + (9 + y)^0.25 + sqrt(sqrt(9 + y))", Concave, func(x []float64, y float64, _ [4]float64) float64 {
			return math.Sqrt(9+min(x[0], x[1], x[2])) + 2*math.Sqrt(math.Sqrt(9+y))
		}},
		{"y^3 + sum(x^5)", DC, func(x []float64, y float64, _ [4]float64) float64 {
			return y*y*y + math.Pow(x[0], 5) + math.Pow(x[1], 5) + math.Pow(x[2], 5)
		}},
		{"y^6 + (9 + y)^1.5 + (9 + y)^-2 + norm1(x)^3", Convex, func(x []float64, y float64, _ [4]float64) float64 {
			return math.Pow(y, 6) + math.Pow(9+y, 1.5) + math.Pow(9+y, -2) + math.Pow(math.Abs(x[0])+math.Abs(x[1])+math.Abs(x[2]), 3)
		}},
		{"norm2([y^2, norm1(x)]) + huber(norm1(x)) + lse([y^2, y]) + sumlargest(x^2, 2)", Convex, func(x []float64, y float64, _ [4]float64) float64 {
			n := math.Abs(x[0]) + math.Abs(x[1]) + math.Abs(x[2])
			a, b, c := x[0]*x[0], x[1]*x[1], x[2]*x[2]
			return math.Hypot(y*y, n) + huberOf(n, 1) + math.Log(math.Exp(y*y)+math.Exp(y)) + a + b + c - min(a, b, c)
		}},
		{"sumlargest(x - x^2, 1)", DC, func(x []float64, _ float64, _ [4]float64) float64 {
			return max(x[0]-x[0]*x[0], x[1]-x[1]*x[1], x[2]-x[2]*x[2])
		}},
		{"log(geomean(9 + y, 9 + x[1])) + exp(-sqrt(9 + y))", DC, func(x []float64, y float64, _ [4]float64) float64 {
			return math.Log(math.Sqrt((9+y)*(9+x[0]))) + math.Exp(-math.Sqrt(9+y))
		}},
	}
	for _, tt := range tests {
		p := mustCompile(t, head+"minimize "+tt.expr, Options{})
		if p.Objective.Curvature != tt.c {
			t.Errorf("%s is %v, want %v", tt.expr, p.Objective.Curvature, tt.c)
		}
		for seed := range uint64(6) {
			x := point(8, seed, 1.5)
			near(t, tt.expr, p.Problem.Value(x), tt.want(x[:3], x[3], [4]float64(x[4:8])))
		}
	}
}

func huberOf(v, m float64) float64 {
	if v = math.Abs(v); v > m {
		return 2*m*v - m*m
	}
	return v * v
}

// TestPower: √ keeps its domain, and a power of 0.5 is √.
func TestPower(t *testing.T) {
	p := mustCompile(t, "var x[2] >= 0\nmaximize sum(x^0.5) + sqrt(x[1] + 1)", Options{})
	near(t, "objective", p.Problem.Value([]float64{4, 9}), 5+math.Sqrt(5))
	if p.Objective.Curvature != Concave || len(p.Objective.Linearised) != 0 {
		t.Errorf("maximising a concave function: %+v", p.Objective)
	}
}

// constraintText is the constraints of a problem at a point, one per line.
func constraintText(p *Program, x []float64) string {
	var b strings.Builder
	for k := range p.Problem.Program().Constraints {
		c := &p.Problem.Program().Constraints[k]
		if c.DC {
			fmt.Fprintf(&b, "%s: %.4g <= 0\n", c.Name(), c.Value(x))
			continue
		}
		fmt.Fprintf(&b, "%s: %.4g in %.4g %.4g\n", c.Name(), rowsAt(&c.A, x), c.Lo, c.Hi)
	}
	return b.String()
}

// TestConstraints checks what constraints of every kind become, at x = 1, 2, 3
// and y = 5.
func TestConstraints(t *testing.T) {
	const head = "param l = [0, 0, 1], k = 2\nvar x[3], y\nminimize y\nsubject to\n"
	tests := []struct{ body, want string }{
		{"a: x <= y", "a: [-4 -3 -2] in [-Inf -Inf -Inf] [0 0 0]\n"},
		{"a: y >= x", "a: [-4 -3 -2] in [-Inf -Inf -Inf] [0 0 0]\n"},
		{"a: x == l", "a: [1 2 2] in [0 0 0] [0 0 0]\n"},
		{"a: l <= x <= 4", "a: [1 2 3] in [0 0 1] [4 4 4]\n"},
		{"a: 4 >= x >= l", "a: [1 2 3] in [0 0 1] [4 4 4]\n"},
		{"a[i in 1..3 if i != 2]: x[i] <= i", "a[1]: [0] in [-Inf] [0]\na[3]: [0] in [-Inf] [0]\n"},
		{"a: x^2 <= y", "a[1]: -4 <= 0\na[2]: -1 <= 0\na[3]: 4 <= 0\n"},
		{"a[j in 1..2]: x^2 <= j*y", "a[1,1]: -4 <= 0\na[1,2]: -1 <= 0\na[1,3]: 4 <= 0\na[2,1]: -9 <= 0\na[2,2]: -6 <= 0\na[2,3]: -1 <= 0\n"},
		{"a: norm1(x) == y", "a: 1 <= 0\na: -1 <= 0\n"},
		{"a: 1 <= norm1(x) <= y", "a: -5 <= 0\na: 1 <= 0\n"},
		{"norm1(x) <= y\nx[1] <= 2\nc1: y <= 9", "c2: 1 <= 0\nc3: [-1] in [-Inf] [0]\nc1: [-4] in [-Inf] [0]\n"},
		{"a: k <= 3\nb[i in 1..3]: y*(i - 2) <= 7", "b[1]: [-12] in [-Inf] [0]\nb[3]: [-2] in [-Inf] [0]\n"},
		{"from: x[1] == 0\nstart: x[2] == 0\nto:\n  x[3] == 0", "from: [1] in [0] [0]\nstart: [2] in [0] [0]\nto: [3] in [0] [0]\n"},
		{"[x; x][:,1..2] <= y", "c1: [-4 -3 -4 -3] in [-Inf -Inf -Inf -Inf] [0 0 0 0]\n"},
	}
	for _, tt := range tests {
		p := mustCompile(t, head+tt.body, Options{})
		if got := constraintText(p, []float64{1, 2, 3, 5}); got != tt.want {
			t.Errorf("%s\ngot\n%swant\n%s", tt.body, got, tt.want)
		}
	}
}

// TestFamilies: the table of families finds its constraints, says what is
// linearised and warns of an empty one.
func TestFamilies(t *testing.T) {
	p := mustCompile(t, `
var x[3], y
let r = norm2(x)
maximize y - 2*square(y) + sum(i in 1..3) abs(x[i]) - dc(y^2, abs(y))
subject to
  cone: r <= y
  hole[i in 1..3]: abs(x[i]) - 3*square(y) >= 1 - max(x[1], y)
  none[i in 1..0]: x[i] <= 1
  both: 1 <= r + square(y) <= 4
  eq[k in 2..3]: x[1]*x[k] == 1
`, Options{})
	if got, want := familiesText(p), "cone 1 1 convex; hole 3 3 DC abs(x[i]) max(x[1], y); none 0 0 constant; both 1 2 DC r square(y); eq 2 4 DC part of x[1]*x[k]"; got != want {
		t.Errorf("families\n%s\nwant\n%s", got, want)
	}
	if f := p.Families[4]; f.First != 6 || p.Problem.Program().Constraints[f.First].Name() != "eq[2]" || f.Text != "eq[k in 2..3]: x[1]*x[k] == 1" {
		t.Errorf("family %+v", f)
	}
	if got := strings.Join(p.Objective.Linearised, "; "); got != "abs(x[i]); abs(y)" {
		t.Errorf("linearised in the objective: %s", got)
	}
	if len(p.Warnings) != 1 || p.Warnings[0].String() != "test.dc:8:3: warning: none has no members" {
		t.Errorf("warnings %v", p.Warnings)
	}
}

// TestVariables: shapes, origins, bounds, starts, symmetry.
func TestVariables(t *testing.T) {
	p := mustCompile(t, `
param n = 2, lo = [1, 2], hi = [3, 4]
set I = 0..2
var a, b[n] >= lo <= hi start [2, 3], c[I, 2] in [-1, n/2] start 0.5
var S[3,3] symmetric start eye(3), u[2] start uniform(1, 2), w[2,1] start [7, 8]
find
`, Options{})
	vs := p.Problem.Program().Vars
	if vs[0].Start.Kind != program.StartUnset || vs[0].Len() != 1 || len(vs[0].Shape) != 0 {
		t.Errorf("a: %+v", vs[0])
	}
	if lo, hi := vs[1].Bounds(1); lo != 2 || hi != 4 || vs[1].Start.Values[0] != 2 {
		t.Errorf("b: %+v", vs[1])
	}
	if lo, hi := vs[2].Bounds(5); lo != -1 || hi != 1 || vs[2].Origin[0] != 0 || vs[2].Origin[1] != 1 || vs[2].Start.Values[5] != 0.5 {
		t.Errorf("c: %+v", vs[2])
	}
	if got := fmt.Sprint(vs[3].Start.Values); got != "[1 0 1 0 0 1]" || vs[4].Start.Kind != program.StartUniformly || vs[4].Start.A != 1 {
		t.Errorf("S, u: %+v, %+v", vs[3], vs[4])
	}
	if vs[5].Start.Values[1] != 8 {
		t.Errorf("w: %+v", vs[5])
	}
	if got := familiesText(p); got != "" || vs[3].Len() != 6 || !vs[3].Symmetric {
		t.Errorf("S has %d columns, families %q", vs[3].Len(), got)
	}
	x := make([]float64, p.Problem.NumVars())
	x[vs[3].Offset+1] = 1 // S[1,2], and so S[2,1]
	if got := fmt.Sprint(vs[3].Values(x)); got != "[0 1 0 1 0 0 0 0 0]" {
		t.Errorf("S is %s", got)
	}
}

// TestSemidefiniteVariables: the attribute is a convex constraint.
func TestSemidefiniteVariables(t *testing.T) {
	p := mustCompile(t, "var a, S[2,2] psd start [2 1; 1 2] >= [0 -1; 0 0] <= [9 9; 8 9], T[1,1] psd\nminimize trace(S) + T[1,1]\nsubject to\n  c: S[2,1] >= a", Options{})
	if got := familiesText(p); got != "psd(S) 1 1 convex; psd(T) 1 1 convex; c 1 1 affine" {
		t.Errorf("families %q", got)
	}
	s := p.Problem.Program().Vars[1]
	if lo, hi := s.Bounds(1); lo != 0 || hi != 8 {
		t.Errorf("mirrored bounds are %g and %g", lo, hi)
	}
	for x, want := range map[[5]float64]float64{{0, 2, 1, 2, 1}: 0, {0, 1, 2, 1, 0}: 1, {0, 1, 0, 1, -3}: 3} {
		if v, where := p.Problem.Violation(x[:]); !(abs(v-want) < 1e-12) {
			t.Errorf("at %v the violation is %g, of %s; want %g", x, v, where, want)
		}
	}
}

// TestSources: line ends, byte order mark, comments, continuation.
func TestSources(t *testing.T) {
	want := 0.0
	for k, src := range []string{
		"param n = 2, # a comment, with a comma\n m = 3\nvar x[n] # x\n\nminimize sum(x) +\n  m*norm1(\n    x)\nsubject to\n  a: x[1]\n    >= 1\n",
		"\ufeffparam n = 2, m = 3\r\nvar x[n]\r\nminimize sum(x) + m*norm1(x)\r\nsubject to\r\n  a: x[1] >= 1\r\n",
		"param n = 2, m = 3\nvar x[n]\nminimize\n  sum(x) + m*norm1(x)\nsubject to a: x[1] >= 1",
		"var μ\nparam n = 2, m = 3\nvar x[n]\nsubject to\n\n  # one\n  a: x[1] >= 1\n\nlet v = norm1(x)\nminimize sum(x) + m*v + 0*μ\n",
	} {
		src = strings.Replace(src, "x[1]\n    >=", "x[1] >=\n   ", 1)
		p := mustCompile(t, src, Options{})
		x := []float64{1, -2, 1}
		if strings.Contains(src, "μ") {
			x = []float64{9, 1, -2}
		}
		got := p.Problem.Value(x[:p.Problem.NumVars()])
		if k == 0 {
			want = got
		}
		if got != want || got != 8 || len(p.Problem.Program().Constraints) != 1 {
			t.Errorf("source %d: value %g, %d constraints", k, got, len(p.Problem.Program().Constraints))
		}
	}
}

// TestFiles reads data files of every form.
func TestFiles(t *testing.T) {
	files := fstest.MapFS{
		"d/m.csv":   {Data: []byte("1,2\n3,4\n")},
		"d/h.csv":   {Data: []byte("\"price\", weight\r\n1,2\r\n\r\n3,4\r\n5, 6\r\n")},
		"d/row.csv": {Data: []byte("1;2;3")},
		"d/tab.csv": {Data: []byte("\ufeff1\t2\n3\t4")},
		"d/one.csv": {Data: []byte("7\n")},
		"d/j.json":  {Data: []byte(`{"skip": {"x": [1, {"y": 2}]}, "A": [[1, 2, 3], [4, 5, 6]], "mu": 2.5}`)},
		"d/v.json":  {Data: []byte("[1, 2, 3]\n")},
	}
	cache := &Cache{}
	p := mustCompile(t, `
param m = csv("m.csv"), w = csv("h.csv", "weight"), P = csv("h.csv", "price"), r = csv("row.csv"), q = csv("tab.csv"), one = csv("one.csv")
param A = json("j.json", "A"), mu = json("j.json", "mu"), v = json("v.json"), H = csv("h.csv")
var x[len(one)]
minimize x[1] + 10*m[2,1] + 100*sum(w) + 1000*sum(P) + 10000*r[3] + 10^5*q[2,1] + 10^6*one[1] + 10^7*A[2,1] + 10^8*mu + 10^10*v[3] + 10^11*rows(H)
`, Options{FS: files, Dir: "d", Cache: cache})
	want := 30 + 1200 + 9000 + 30000 + 3e5 + 7e6 + 4e7 + 2.5e8 + 3e10 + 3e11
	if got := p.Problem.Value([]float64{0}); got != want {
		t.Errorf("value %.0f, want %.0f", got, want)
	}
	if d := p.Data[1]; len(p.Data) != 7 || d.Name != "h.csv" || d.Rows != 3 || d.Cols != 2 || d.Bytes != int64(len(files["d/h.csv"].Data)) {
		t.Errorf("data files %+v", p.Data)
	}
	delete(files, "d/m.csv")
	if p := mustCompile(t, "param m = csv(\"m.csv\")\nvar x\nminimize x + sum(m)", Options{FS: files, Dir: "d", Cache: cache}); p.Problem.Value([]float64{0}) != 10 {
		t.Error("the cache was not used")
	}
}

// TestSet overrides params.
func TestSet(t *testing.T) {
	files := fstest.MapFS{"other.csv": {Data: []byte("5,6\n7,8\n")}, "bad.csv": {Data: []byte("a,1\n")}}
	const src = `
param n = 2
param mu, A = [1 2; 3 4], B[n,n] = [1 2; 3 4]
param w[i in 1..n] = i
var x
minimize x + mu + 10*A[2,2] + 100*B[1,1] + 1000*w[2]
`
	tests := []struct {
		set  map[string]string
		want float64
		err  string
	}{
		{map[string]string{"mu": "3"}, 2143, ""},
		{map[string]string{"mu": "-1/2", "A": "other.csv", "w": "[7, 8]"}, 8179.5, ""},
		{map[string]string{"mu": "n^2", "B": "[9 0; 0 0]"}, 2944, ""},
		{map[string]string{}, 0, `test.dc:3:7: error: the param mu has no value`},
		{map[string]string{"mu": "1", "nn": "3"}, 0, `test.dc: error: set nn=3: the file has no param "nn"; did you mean "n"?`},
		{map[string]string{"mu": "abc"}, 0, `test.dc: error: set mu=abc: unknown name "abc"`},
		{map[string]string{"mu": "1 2"}, 0, `test.dc: error: set mu=1 2: 2 does not follow from what stands before it; is an operator or a comma missing?`},
		{map[string]string{"mu": ""}, 0, `test.dc: error: set mu=: want an expression, not the end of the line`},
		{map[string]string{"mu": "1/0"}, 0, `test.dc: error: set mu=1/0: 1/0 is a division by zero`},
		{map[string]string{"mu": "1", "A": "no.csv"}, 0, `test.dc: error: set A=no.csv: no such file`},
		{map[string]string{"mu": "1", "A": "bad.csv"}, 0, `test.dc: error: set A=bad.csv: line 1 column 1: "a" is not a number`},
		{map[string]string{"mu": "1", "B": "[1, 2]"}, 0, `test.dc:3:27: error: shapes differ: B is declared as 2 x 2, its value is 2`},
		{map[string]string{"mu": "1", "w": "[1, 2, 3]"}, 0, `test.dc:4:7: error: shapes differ: w is declared as 2, its value is 3`},
	}
	for _, tt := range tests {
		f, err := Parse("test.dc", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(context.Background(), f, Options{FS: files, Set: tt.set})
		switch {
		case tt.err == "" && err != nil:
			t.Error(err)
		case tt.err == "":
			near(t, fmt.Sprint(tt.set), p.Problem.Value([]float64{0}), tt.want)
		case err == nil || err.Error() != tt.err:
			t.Errorf("%v:\ngot  %v\nwant %s", tt.set, err, tt.err)
		}
	}
}

// TestRender checks the picture of a message.
func TestRender(t *testing.T) {
	src := []byte("var X[2,2] symmetric\nminimize\tlogdet(X)*norm1(X)\nparam y = csv(\"none.csv\")\n")
	f, err := Parse("m.dc", src)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Compile(context.Background(), f, Options{FS: fstest.MapFS{}})
	var b strings.Builder
	if err := err.(Diagnostics).Render(&b, func(string) []byte { return src }, false); err != nil {
		t.Fatal(err)
	}
	want := `m.dc:2:10: error: no DC split is known for this product: a factor is not bounded from below
  2 | minimize	logdet(X)*norm1(X)
    |         	^~~~~~~~~ concave
  2 | minimize	logdet(X)*norm1(X)
    |         	          ^~~~~~~~ convex, ≥ 0
  help: give the variables bounds that keep the factors bounded from below; dc(g, h) states a split by hand
m.dc:3:11: error: csv "none.csv": no such file
  3 | param y = csv("none.csv")
    |           ^~~~~~~~~~~~~~~
  help: looked for none.csv; paths are relative to the problem file
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	b.Reset()
	if err := err.(Diagnostics)[1:].Render(&b, nil, true); err != nil || !strings.Contains(b.String(), red) || strings.Contains(b.String(), "|") {
		t.Errorf("in colour, without the source: %v\n%s", err, b.String())
	}
}

// rowsAt are the values of rows at x.
func rowsAt(a *convex.Array, x []float64) []float64 {
	out := make([]float64, a.Len())
	a.ValueTo(out, x)
	return out
}
