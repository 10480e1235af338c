package lang

import (
	"math"
	"testing"
)

// TestSets: sets of words, of pairs and with gaps, as indices of data, variables
// and families.
func TestSets(t *testing.T) {
	const head = `
set C = {"rome", "paris", "oslo"}
set E = {("rome", "paris"), ("paris", "oslo"), ("rome", "oslo"), ("rome", "paris")}
set G = {9, 2, 5}
set P = {i in 1..3, j in 1..3 if i < j}
set Q = [2 7; 1 4]
set K = {(c, k) in {("rome", 1), ("oslo", 2)} if c != "oslo"}
set none = {}
param need[C] = [10, 20, 30], w[G] = [1, 2, 3], m[C, 2] = [1 2; 3 4; 5 6]
param cost[(i, j) in E] = if(i == "rome", 2, 3), d[(i, j) in P] = 10*i + j, q[(a, b) in Q] = a*b
param both[c in C, k in G] = need[c] + k
param empty[i in none] = 1/0, e = [], z[0, 3] = zeros(0, 3)
var t, x[C], f[E], g[G], v[none]
`
	for _, tt := range []struct {
		expr string
		want float64
	}{
		{`len(C) + 10*len(E) + 100*len(P) + 1000*len(K)`, 3 + 30 + 300 + 1000},
		{`need["paris"] + w[5] + w[9]`, 20 + 3 + 1}, {`m["oslo",2] + sum(m["rome",:]) + sum(m[:,1])`, 6 + 3 + 9}, {`cost["rome","oslo"] + 10*cost["paris","oslo"]`, 32},
		{`d[1,3] + d[2,3]`, 13 + 23}, {`q[2,7] + q[1,4]`, 14 + 4}, {`both["paris",2] + both["oslo",9]`, 22 + 39},
		{`sum(c in C) need[c]`, 60}, {`sum((i, j) in E) cost[i,j]`, 7}, {`sum((i, j) in E if j == "oslo") cost[i,j]`, 5}, {`sum((i, j) in E, c in C if c == i and not j == "paris") need[c]`, 20 + 10},
		{`sum(cost["rome",:]) + 10*sum(cost[:,"oslo"])`, 4 + 50}, {`sum(d[1,:])`, 12 + 13}, {`len(cost[:,:])`, 3}, {`need[{"oslo", "rome"}]*[1, 100]`, 30 + 1000},
		{`w[{5, 2}]*[1, 10]`, 3 + 20}, {`sum(w[:])`, 6}, {`w[:][5]`, 3}, {`sum(i in G) i`, 16}, {`sum((i, j) in {(1, 2), (3, 4)}) i*j`, 14}, {`sum(i in 1..4 if i in {2, 3}) i`, 5}, {`sum(i in 1..4 if i in 2..9) i`, 9},
		{`if("rome" in C and not ("oslo", "rome") in E and ("rome", "oslo") in E, 1, 2)`, 1}, {`sum(i in 1..3, j in 1..3 if (i, j) in P) (10*i + j*0)`, 40}, {`max(c in C if c != "oslo") need[c]`, 20},
		{`sum(e) + sum(z) + sum(i in none) i + len(e) + rows(z) + cols(z) + sum(empty) + norm1(e)`, 3}, {`len([e, 1, 2]) + sum(zeros(0))`, 2},
	} {
		p := mustCompile(t, head+"minimize t + "+tt.expr, Options{})
		if got := p.Problem.Value(make([]float64, p.Problem.NumVars())); !(math.Abs(got-tt.want) <= 1e-12*math.Abs(tt.want)) {
			t.Errorf("%s = %g, want %g", tt.expr, got, tt.want)
		}
	}
	p := mustCompile(t, head+`
let out[c in C] = sum((i, j) in E if i == c) f[i,j] - sum(f[:,c])
minimize sum((i, j) in E) cost[i,j]*f[i,j] + sum(k in G) k*g[k] + sum(v)
subject to
  node[c in C]: out[c] <= need[c]
  pair[(i, j) in E]: f[i,j] + x[i] - x[j] <= 1
  gap[k in G]: g[k]^2 >= w[k]
`, Options{})
	at := []float64{0, 1, 2, 3, 10, 20, 30, 0.1, 0.2, 0.3}
	if got, want := p.Problem.Value(at), 2*10.0+3*20+2*30+9*.1+2*.2+5*.3; !(math.Abs(got-want) < 1e-12) {
		t.Errorf("objective %g, want %g", got, want)
	}
	if got := p.Lets[0].Values(at); got[0] != 40 || got[1] != 20-10 || got[2] != -50 {
		t.Errorf("out is %v", got)
	}
	var names []string
	for _, c := range p.Problem.Program().Constraints {
		names = append(names, c.Name())
	}
	if len(names) != 9 || names[1] != "node[2]" || names[3] != "pair[1,1]" || names[6] != "gap[9]" {
		t.Errorf("constraints %v", names)
	}
}
