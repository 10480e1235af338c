package lang

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// randomExpr writes random expressions of y, of the vector x of 3 and of the 2 x 3
// matrix X.
type randomExpr struct{ *rand.Rand }

func (r randomExpr) pick(depth int, leaves []string, forms []string) string {
	if depth == 0 || r.IntN(8) == 0 {
		return leaves[r.IntN(len(leaves))]
	}
	f := strings.ReplaceAll(forms[r.IntN(len(forms))], "@", fmt.Sprint(depth)) // indices differ from those around
	for _, part := range []struct {
		mark string
		make func(int) string
	}{{"S", r.scalar}, {"V", r.vector}, {"M", r.matrix}} {
		for strings.Contains(f, part.mark) {
			f = strings.Replace(f, part.mark, "("+part.make(depth-1)+")", 1)
		}
	}
	return f
}

// The matrix is called z here, so that capitals can mark the places of parts.

func (r randomExpr) scalar(depth int) string {
	return r.pick(depth, []string{"y", "x[2]", "z[1,3]", "0.5", "2", "y"}, []string{
		"(S + S)", "(S - S)", "(S - S + S)", "-S", "2.5*S", "S/4", "S*S", "S.*S", "S^2", "square(S)", "abs(S)", "pos(S)", "huber(S, 0.7)",
		"max(S, S, 1)", "min(S, S)", "sum(V)", "mean(V)", "max(V)", "min(M)", "norm1(V)", "norm1(M)", "norm2(V)", "norminf(V)", "sumsq(V)",
		"sumlargest(V, 2)", "lse(V/8)", "exp(S/50)", "V*V", "(V)[2]", "(M)[2,1]", "quad(V, q)", "sum(square(V))", "sum(V^2)", "sum(abs(V))",
		"sum(huber(V))", "(sum(i@ in 1..3) (V)[i@])", "(max(i@ in 1..3 if i@ != 2) (V)[i@])", "(min(i@ in 1..2, j@ in i@..3) (M)[i@,j@]*i@)",
		"[S, S; S, S][2,1]", "sum(sum(i@ in 1..2) (M)[i@,:])", "(V)'*q*(V)", "dc(S^2, abs(S))", "dc(norm2(x), norm1(z))", "S*norm1(x)",
	})
}

func (r randomExpr) vector(depth int) string {
	return r.pick(depth, []string{"x", "z[2,:]", "[1, -2, 0.5]", "x"}, []string{
		"(V + V)", "(V - S)", "(S + V)", "-V", "3*V", "S*V", "V.*V", "V/2", "V./[1, 2, 4]", "q*V", "V*q", "[1, 2]*M", "[S, S, S]", "[S, (V)[2..3]]", "(M)[1,:]",
		"(M)'[:,2]", "abs(V)", "square(V)", "V^2", "max(V, S)", "min(V, V)", "pos(V)", "(M)'*[1, -1]", "[V, 1][{4, 2, 1}]", "(sum(i@ in 1..2) (M)[i@,:])", "huber(V)",
	})
}

func (r randomExpr) matrix(depth int) string {
	return r.pick(depth, []string{"z", "z", "[1 2 3; 4 -5 6]"}, []string{
		"(M + M)", "(M - S)", "-M", "S*M", "M.*M", "M*q", "[1 2; 3 4]*M", "[V; V]", "abs(M)", "M^2", "(M')'", "[(M)[:,1] (M)[:,2..3]]", "(M'*[0 1; 1 0])'", "max(M, S)",
	})
}

// TestRandom compiles random expressions twice, with x, y and z as data and as
// variables: where they have a split, the values agree.
func TestRandom(t *testing.T) {
	r := randomExpr{rand.New(rand.NewPCG(5, 7))}
	split, curved := 0, 0
	for round := range 4000 {
		src := r.scalar(1 + r.IntN(4))
		v := make([]float64, 10)
		for k := range v {
			v[k] = float64(r.IntN(41)-20) / 8
		}
		const q = "param q = [1 2 0; 2 -3 1; 0 1 0.5]\n"
		data := fmt.Sprintf(q+"param y = %g, x = [%g, %g, %g], z = [%g, %g, %g; %g, %g, %g]\nvar t\nminimize t + %s",
			v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], src)
		want := mustCompile(t, data, Options{}).Problem.Value([]float64{0})
		f, err := Parse("vars.dc", []byte(q+"var y, x[3], z[2,3]\nminimize "+src))
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(f, Options{})
		if err != nil {
			text := err.Error()
			if !strings.Contains(text, "no DC split") && !strings.Contains(text, "difference of convex") && !strings.Contains(text, "must be convex") {
				t.Errorf("round %d: %s\n%v", round, src, err)
			}
			continue
		}
		split++
		if p.Objective.Curvature > Affine {
			curved++
		}
		if got := p.Problem.Value(v); !(abs(got-want) <= 1e-9*max(1, abs(want))) {
			t.Errorf("round %d: %s\nis %.12g as data, %.12g as a function", round, src, want, got)
		}
	}
	if split < 2000 || curved < 1000 {
		t.Errorf("only %d of 4000 expressions have a split, %d are curved", split, curved)
	}
}

func abs(x float64) float64 { return max(x, -x) }
