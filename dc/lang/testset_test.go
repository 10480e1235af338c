package lang

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/dcopt/dcopt/internal/expr"
)

func positive(x float64) float64 { return max(x, 0) }

func sq(x float64) float64 { return x * x }

// total is the sum of f(1), ..., f(n).
func total(n int, f func(i int) float64) float64 {
	s := 0.0
	for i := 1; i <= n; i++ {
		s += f(i)
	}
	return s
}

// largest is the maximum of f(1), ..., f(n).
func largest(n int, f func(i int) float64) float64 {
	m := math.Inf(-1)
	for i := 1; i <= n; i++ {
		m = max(m, f(i))
	}
	return m
}

func sumOfSquares(x []float64) float64 {
	return total(len(x), func(i int) float64 { return sq(x[i-1]) })
}

// formula is a function written out in Go.
type formula func(x []float64) float64

// published is a problem as its paper states it: minimise f subject to all of
// the constraints ≤ 0.
type published struct {
	file string
	n    int // what the file's n is set to; 0: it has none
	x0   []float64
	f    formula
	cons []formula
}

// spread is a start with the same formula for every entry.
func spread(n int, f func(i int) float64) []float64 {
	x := make([]float64, n)
	for k := range x {
		x[k] = f(k + 1)
	}
	return x
}

func jokiThree(x []float64) float64 {
	a, b := abs(x[0])-x[1], abs(x[2])-x[3]
	f1 := abs(x[0]-1) + abs(x[2]-1) + 4.95*abs(x[1]+x[3]-2) + 10.1*(abs(x[1]-1)+abs(x[3]-1)) + 200*positive(a) + 180*positive(b)
	return f1 - (4.95*abs(x[1]-x[3]) + 90*b + 100*a)
}

func notFar(x []float64) float64 {
	return 0 - max(x[0]+x[1]+x[2]+x[3]-5.5, sumOfSquares(x)-10)
}

// small are the problems of a fixed size.
func small() []published {
	return []published{
		{"joki01", 0, []float64{2, 2}, func(x []float64) float64 {
			u, v := x[0], x[1]
			a := u*u - 2*u + v*v - 4*v + 4
			b := 2*u*u - 5*u + v*v - 2*v + 4
			c := u*u + 2*v*v - 4*v + 1
			return max(u*u*u*u+v*v, sq(2-u)+sq(2-v), 2*math.Exp(v-u)) + a + b + c - max(a+b, b+c, a+c)
		}, nil},
		{"joki02", 0, []float64{-1.2, 1}, func(x []float64) float64 {
			a := abs(x[0]) - x[1]
			return abs(x[0]-1) + 200*positive(a) - 100*a
		}, nil},
		{"joki03", 0, []float64{1, 3, 3, 1}, jokiThree, nil},
		{"joki06", 0, []float64{10, 1}, func(x []float64) float64 {
			return x[1] + 0.1*sumOfSquares(x) + 10*positive(-x[1]) - (abs(x[0]) + abs(x[1]))
		}, nil},
		{"joki08", 0, []float64{0.5, 0.5, 0.5}, func(x []float64) float64 {
			f1 := 9 - 8*x[0] - 6*x[1] - 4*x[2] + 2*(abs(x[0])+abs(x[1])+abs(x[2])) + 4*sq(x[0]) + 2*sq(x[1]) + 2*sq(x[2])
			return f1 + 10*max(0, x[0]+x[1]+2*x[2]-3, -x[0], -x[1], -x[2]) - (abs(x[0]-x[1]) + abs(x[0]-x[2]))
		}, nil},
		{"joki13", 0, spread(10, func(int) float64 { return 10 }), jokiThirteen, nil},
		{"bagirov01", 0, []float64{-2, 1}, func(x []float64) float64 {
			a := sq(x[0]) - x[1]
			return sq(x[0]-1) + 200*positive(a) - 100*a
		}, []formula{
			func(x []float64) float64 { return 3*x[0] + 2*sq(x[1]) - 3 },
			func(x []float64) float64 { return sq(x[0]) - 6*x[1] + 1 },
		}},
		{"bagirov05", 0, []float64{1, 1, 5}, func(x []float64) float64 {
			return 9 - 8*x[0] - 6*x[1] - 4*x[2] + sq(x[2]) - (sq(x[0]) + sq(x[1]))
		}, []formula{func(x []float64) float64 { return x[0] + x[1] + 2*x[2] - 13 }}},
		{"bagirov07", 0, []float64{1, 2, 3}, func(x []float64) float64 {
			return 4*sq(x[0]) + 2*sq(x[1]) + 2*sq(x[2]) - 33*x[0] + 16*x[1] - 24*x[2]
		}, []formula{
			func(x []float64) float64 { return 2*sq(x[0]) + 3*x[0] - 1 - (2*sq(x[1]) + 7) },
			func(x []float64) float64 { return 3*sq(x[0]) + 4*x[0] - 10 - (sq(x[2]) + 1) },
		}},
		{"bagirov13", 0, []float64{-3, 0}, func(x []float64) float64 {
			return 100*sumOfSquares(x) + sq(1-x[0]) - math.Pow(x[0], 4)
		}, []formula{
			func(x []float64) float64 { return 1 - sumOfSquares(x) },
			func(x []float64) float64 { return sumOfSquares(x) - 9 },
			func(x []float64) float64 { return x[0] - 1.5 },
		}},
		{"bagirov17", 0, []float64{4, 2, 4, 2}, bagirovSeventeen, []formula{notFar}},
		{"bagirov21", 0, []float64{1, 3, 3, 1}, jokiThree, []formula{notFar}},
	}
}

func jokiThirteen(x []float64) float64 {
	pairs := [][2]int{{1, 9}, {1, 10}, {2, 10}, {1, 5}, {4, 7}}
	for i := 1; i < 10; i++ {
		pairs = append(pairs, [2]int{i, i + 1})
		if i < 9 {
			pairs = append(pairs, [2]int{i, i + 2})
		}
	}
	s, sum := 0.0, 0.0
	for _, p := range pairs {
		a, b := x[p[0]-1], x[p[1]-1]
		s += abs(a+b) - abs(a) - abs(b)
	}
	for _, v := range x {
		sum += v
		s += 10 * positive(-v)
	}
	return s + 10*positive(sum-1)
}

func bagirovSeventeen(x []float64) float64 {
	part := func(a, b float64) float64 {
		return sq(a) + sq(a-1) + 2*sq(a-2) + sq(a-3) + 2*sq(b) + sq(b-1) + 2*sq(b-2)
	}
	f := part(x[0], x[1]) + part(x[2], x[3])
	for _, c := range [][2]float64{{2, 0}, {2, 1}, {3, 0}, {0, 2}, {1, 2}} {
		f -= max(sq(x[0]-c[0])+sq(x[1]-c[1]), sq(x[2]-c[0])+sq(x[3]-c[1]))
	}
	return f
}

// sized are the problems for every n.
func sized(n int) []published {
	hilbert := func(x []float64, i int) float64 {
		return total(n, func(j int) float64 { return x[j-1] / float64(i+j-1) })
	}
	return []published{
		{"joki04", n, spread(n, func(i int) float64 {
			if 2*i > n {
				return float64(-i)
			}
			return float64(i)
		}), func(x []float64) float64 {
			return float64(n)*largest(n, func(i int) float64 { return abs(x[i-1]) }) - total(n, func(i int) float64 { return abs(x[i-1]) })
		}, nil},
		{"joki05", n, make([]float64, n), func(x []float64) float64 {
			s := func(j int) float64 {
				return abs(total(n, func(i int) float64 { return (x[i-1] - 1/float64(n)) * math.Pow(0.05*float64(j), float64(i-1)) }))
			}
			return 20*largest(20, s) - total(20, s)
		}, nil},
		{"joki10", n, spread(n, func(i int) float64 { return 0.1 * float64(i) }), func(x []float64) float64 {
			return sumOfSquares(x) - total(n-1, func(i int) float64 { return abs(x[i] - x[i-1]) })
		}, nil},
		{"joki12", n, spread(n, func(i int) float64 { return float64(2 * i) }), func(x []float64) float64 {
			c := func(i int) float64 { return sq(x[i-1]) - x[i-1] - 1 }
			norm := total(n, func(i int) float64 { return abs(x[i-1]) })
			f1 := norm + 10*total(n, func(i int) float64 { return positive(2 * c(i)) })
			return f1 - 10*total(n, c) - largest(n, func(i int) float64 { return norm - abs(x[i-1]) })
		}, nil},
		{"joki14", n, spread(n, func(int) float64 { return 1 }), func(x []float64) float64 {
			s := func(i int) float64 { return abs(hilbert(x, i)) }
			return float64(n)*largest(n, s) - total(n, s)
		}, nil},
		{"joki16", n, spread(n, func(int) float64 { return 2 }), func(x []float64) float64 {
			s := func(i int) float64 { return hilbert(spread(n, func(j int) float64 { return sq(x[j-1]) }), i) }
			return float64(n)*largest(n, s) - total(n, s)
		}, nil},
		{"bagirov09", n, spread(n, func(int) float64 { return 2 }), func(x []float64) float64 {
			return total(n-1, func(i int) float64 {
				a, b := x[i-1], x[i]
				return max(math.Pow(a, 4)+sq(b), sq(2-a)+sq(2-b), 2*math.Exp(-a+b+1))
			})
		}, []formula{
			func(x []float64) float64 { return sumOfSquares(x[:n-1]) - (sq(x[n-1]) + 4*float64(n)) },
			func(x []float64) float64 { return total(n, func(i int) float64 { return sq(x[i-1] - 2) }) - 1 },
		}},
		{"bagirov11", n, spread(n, func(int) float64 { return 1 }), func(x []float64) float64 {
			return sumOfSquares(x[:2*n/3]) - sumOfSquares(x[2*n/3:])
		}, []formula{
			func(x []float64) float64 { return sumOfSquares(x) - 2*float64(n) },
			func(x []float64) float64 {
				return 1 - total(n-1, func(i int) float64 { return float64(i) * sq(x[i-1]) })
			},
			func(x []float64) float64 {
				return 2 - total(n, func(i int) float64 { return float64(i) * sq(x[i-1]) }) + sq(x[0])
			},
		}},
		{"bagirov15", n, spread(n, func(int) float64 { return 2 }), func(x []float64) float64 {
			return total(n-1, func(i int) float64 {
				return sq(x[i-1]) + sq(x[i]-1) + x[i] - 1 - (abs(x[i-1]) + abs(x[i]-1))
			})
		}, []formula{
			func(x []float64) float64 {
				return total(n, func(i int) float64 { return math.Pow(-1, float64(i)) * sq(x[i-1]) }) - 2
			},
			func(x []float64) float64 { return total(n, func(i int) float64 { return sq(x[i-1] - 2) }) - 2 },
		}},
	}
}

// TestTestSet compares the peers' problems with their formulas at random points,
// and looks at the convexity of both parts of each split.
func TestTestSet(t *testing.T) {
	all := append(append(append(small(), sized(2)...), sized(5)...), sized(10)...)
	seen := map[string]bool{}
	for _, c := range all {
		seen[c.file] = true
		t.Run(fmt.Sprintf("%s/%d", c.file, len(c.x0)), func(t *testing.T) { comparePublished(t, &c) })
	}
	files, err := filepath.Glob("testdata/testset/*.dc")
	if err != nil || len(files) != len(seen) {
		t.Errorf("%d files for %d problems, %v", len(files), len(seen), err)
	}
}

func comparePublished(t *testing.T, c *published) {
	path := filepath.Join("testdata", "testset", c.file+".dc")
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if out := checkFormat(t, path, src); string(out) != string(src) {
		t.Errorf("the format of the file is\n%s", out)
	}
	opt := Options{Set: map[string]string{}}
	if c.n > 0 {
		opt.Set["n"] = fmt.Sprint(c.n)
	}
	p := mustCompile(t, string(src), opt).Problem
	if p.Program().Maximize || p.NumVars() != len(c.x0) || len(p.Program().Constraints) != len(c.cons) {
		t.Fatalf("%d variables and %d constraints, want %d and %d", p.NumVars(), len(p.Program().Constraints), len(c.x0), len(c.cons))
	}
	for k, v := range p.Start(0) {
		near(t, "start", v, c.x0[k])
	}
	parts := partsOf("objective", p.Program().Objective, len(c.x0))
	for k := range p.Program().Constraints {
		if p.Program().Constraints[k].DC {
			parts = append(parts, partsOf(p.Program().Constraints[k].Name(), p.Program().Constraints[k].Function(), len(c.x0))...)
		}
	}
	r := rand.New(rand.NewPCG(4, uint64(len(c.x0))))
	a, b := make([]float64, len(c.x0)), make([]float64, len(c.x0))
	for round := range 1000 {
		for j := range a {
			a[j], b[j] = 3*r.NormFloat64(), 3*r.NormFloat64()
			if round%4 == 0 { // on kinks
				a[j], b[j] = math.Round(a[j]), math.Round(b[j])
			}
		}
		agree(t, "objective", p.Value(a), c.f(a))
		for k, want := range c.cons {
			con := &p.Program().Constraints[k]
			var got float64
			switch {
			case con.DC:
				got = con.Value(a)
			case con.Hi[0] < math.Inf(1):
				got = con.A.At(0, a) - con.Hi[0]
			default:
				got = con.Lo[0] - con.A.At(0, a)
			}
			agree(t, con.Name(), got, want(a))
		}
		for k := range parts {
			if err := parts[k].check(a, b); err != nil {
				t.Fatalf("%v\nat %v\nand %v", err, a, b)
			}
		}
		if t.Failed() {
			t.Fatalf("at %v", a)
		}
	}
}

func partsOf(name string, e expr.Scalar, n int) []convexPart {
	return []convexPart{{"g of " + name, e.G(), make([]float64, n)}, {"h of " + name, e.H(), make([]float64, n)}}
}

// agree demands 1e-9, relatively.
func agree(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(abs(got-want) <= 1e-9*max(1, abs(want))) {
		t.Errorf("%s is %.15g, want %.15g", what, got, want)
	}
}
