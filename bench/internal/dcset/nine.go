package dcset

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/bench/internal/choice"
)

func referenceList() choice.List[reference] {
	numbers := func(n int) []string {
		parts := make([]string, n)
		for k := range parts {
			parts[k] = strconv.Itoa(k)
		}
		return parts
	}
	var recovery []string
	for k := 30; k <= 50; k += 4 {
		for m := 50; m <= 80; m += 6 {
			recovery = append(recovery, fmt.Sprintf("k%d_m%d", k, m))
		}
	}
	return choice.List[reference]{Kind: "reference problem", All: []reference{
		{"boolean_ls", numbers(8), booleanLS},
		{"circle_packing", numbers(3), circlePacking},
		{"control", nil, control},
		{"filter_design", nil, filterDesign},
		{"gaussian_covariance", nil, gaussianCovariance},
		{"path_planning", nil, pathPlanning},
		{"phase_retrieval", nil, phaseRetrieval},
		{"sparse_recovery", recovery, sparseRecovery},
		{"sparse_singular", numbers(50), sparseSingular},
	}, Name: func(r reference) string { return r.name }}
}

// booleanLS at a noise level, from the solution at the level before.
func booleanLS(l *loader, part string) recipe {
	const dir = "boolean_least_squares/"
	t := l.tables(dir+"A.csv", dir+"y"+part+".csv")
	a, y := t[0], flat(t[1])
	return recipe{
		edits:  []edit{{"/y4.csv", "/y" + part + ".csv"}, {"/xinit4.csv", "/xinit" + part + ".csv"}},
		params: map[string]any{"part": part},
		measure: func(p *taker) Measured {
			x := p.take("x", len(a[0]))
			broken := 0.0
			for _, v := range x {
				broken = max(broken, math.Abs(v*v-1))
			}
			return measured(floats.Norm(residual(a, x, y), 2), broken)
		},
	}
}

// circlePacking from one of the authors' three starts.
func circlePacking(l *loader, part string) recipe {
	r := l.table("circle_packing/r.csv")
	return recipe{
		edits:   []edit{{"normal(0, 10)", `csv("E/circle_packing/cinit` + part + `.csv")`}, {"restarts = 3, ", ""}},
		params:  map[string]any{"part": part},
		measure: packing(flat(r)),
	}
}

// control of two vehicles over 100 steps, from random paths as DCCP would draw
// them.
func control(*loader, string) recipe {
	const n, steps, fmax, dmin = 2, 100, 0.5, 0.6
	from := [n][4]float64{{1, 4, 0.5, 0.5}, {3, 5, -0.5, 0}}
	to := [n][4]float64{{3, 3, 0, -0.5}, {3.5, 3.5, 0.5, -0.5}}
	rng := rand.New(rand.NewPCG(100, 2))
	return recipe{
		edits: []edit{
			{"var   x[n,T,4]", `param X0 = csv("x0.csv"), U0 = csv("u0.csv")
param X1[i in 1..n, t in 1..T, k in 1..4] = X0[(i-1)*T+t, k]
param U1[i in 1..n, t in 1..T, k in 1..2] = U0[(i-1)*T+t, k]
var   x[n,T,4]  start X1`},
			{"[-fmax, fmax]", "[-fmax, fmax]  start U1"},
		},
		files: map[string][][]float64{"x0": Normals(rng, n*steps, 4, 10), "u0": Normals(rng, n*steps, 2, 10)},
		measure: func(p *taker) Measured {
			x := p.take("x", n*steps*4)
			u := p.take("u", n*steps*2)
			at := func(i, t int) []float64 { return x[(i*steps+t)*4:][:4] }
			broken := 0.0
			for i := range n {
				for k := range 4 {
					broken = max(broken, math.Abs(at(i, 0)[k]-from[i][k]), math.Abs(at(i, steps-1)[k]-to[i][k]))
				}
				for t := range steps - 1 {
					now, next, force := at(i, t), at(i, t+1), u[(i*steps+t)*2:][:2]
					for k := range 2 {
						broken = max(broken, math.Abs(next[k]-now[k]-0.1*now[2+k]),
							math.Abs(next[2+k]-0.95*now[2+k]-0.1*force[k]))
					}
				}
			}
			for t := range steps {
				a, b := at(0, t), at(1, t)
				broken = max(broken, dmin-math.Hypot(a[0]-b[0], a[1]-b[1]))
			}
			for _, f := range u {
				broken = max(broken, math.Abs(f)-fmax)
			}
			return measured(floats.Norm(u, 1), broken)
		},
	}
}

func filterDesign(*loader, string) recipe {
	const n, grid, npass, nstop, low, high = 10, 100, 35, 50, 0.9, 1.1
	return recipe{
		edits: []edit{{"h[n], U",
			`h[n] start csv("E/filter_design/hinit.csv"), U start csv("E/filter_design/Uinit.csv")`}},
		measure: func(p *taker) Measured {
			h := p.take("h", n)
			u := p.take("U", 1)
			broken := 0.0
			for l := range grid {
				w := math.Pi * float64(l) / (grid - 1)
				re, im := 0.0, 0.0
				for k, v := range h {
					re += v * math.Cos(w*float64(k))
					im += v * math.Sin(w*float64(k))
				}
				size := math.Hypot(re, im)
				if l < npass {
					broken = max(broken, low-size)
				}
				if l < nstop {
					broken = max(broken, size-high)
				} else {
					broken = max(broken, size-u[0])
				}
			}
			return measured(u[0], broken)
		},
	}
}

func gaussianCovariance(l *loader, _ string) recipe {
	t := l.tables("gaussian_covariance/Y.csv", "gaussian_covariance/sign.csv")
	y, sign, n := t[0], flat(t[1]), len(t[0])
	count := len(y[0])
	return recipe{measure: func(p *taker) Measured {
		v := p.take("Sigma", n*n)
		sigma := mat.NewSymDense(n, nil)
		broken := 0.0
		for i := range n {
			for j := range n {
				s := v[i*n+j]
				broken = max(broken, math.Abs(s-v[j*n+i]))
				switch sigma.SetSym(i, j, s); {
				case sign[i*n+j] > 0:
					broken = max(broken, -s)
				case sign[i*n+j] < 0:
					broken = max(broken, s)
				default:
					broken = max(broken, math.Abs(s))
				}
			}
		}
		var eigen mat.EigenSym
		if !eigen.Factorize(sigma, true) {
			p.err = errors.Join(p.err, errors.New("no eigenvalues of Sigma"))
			return Measured{}
		}
		var vectors, along mat.Dense
		eigen.VectorsTo(&vectors)
		along.Mul(vectors.T(), mat.NewDense(n, count, flat(y)))
		value := 0.0
		for k, λ := range eigen.Values(nil) {
			if !(λ > 0) {
				return measured(math.Inf(1), max(broken, -λ))
			}
			row := along.RawRowView(k)
			value += math.Log(λ) + sumsq(row)/(λ*float64(count))
		}
		return measured(value, broken)
	}}
}

func pathPlanning(*loader, string) recipe {
	const n = 50
	disc := [][3]float64{{2, 2.2, 1}, {4.5, 5, 0.8}, {6, 8, 0.4}, {7, 6, 1.4}, {8.5, 9, 0.5}}
	return recipe{
		edits: []edit{{"x[0..n, 2], L",
			`x[0..n, 2] start csv("E/path_planning/xinit.csv"), L start csv("E/path_planning/Linit.csv")`}},
		measure: func(p *taker) Measured {
			x := p.take("x", (n+1)*2)
			length := p.take("L", 1)
			broken := max(math.Abs(x[0]), math.Abs(x[1]), math.Abs(x[2*n]-10), math.Abs(x[2*n+1]-10))
			for i := range n {
				broken = max(broken, math.Hypot(x[2*i]-x[2*i+2], x[2*i+1]-x[2*i+3])-length[0]/n)
				for _, d := range disc {
					broken = max(broken, d[2]-math.Hypot(x[2*i]-d[0], x[2*i+1]-d[1]))
				}
			}
			return measured(length[0], broken)
		},
	}
}

func phaseRetrieval(l *loader, _ string) recipe {
	const dir = "phase_retrieval/"
	t := l.tables(dir+"Ar.csv", dir+"Ai.csv", dir+"y.csv")
	re, im, y := t[0], t[1], flat(t[2])
	return recipe{measure: func(p *taker) Measured {
		xr := p.take("xr", len(re[0]))
		xi := p.take("xi", len(re[0]))
		z := p.take("z", 2*len(re))
		broken := 0.0
		for k := range re {
			a, b := z[2*k], z[2*k+1]
			broken = max(broken, math.Abs(a-Dot(re[k], xr)-Dot(im[k], xi)), math.Abs(b-Dot(re[k], xi)+Dot(im[k], xr)),
				math.Abs(math.Hypot(a, b)-y[k]))
		}
		return measured(0, broken)
	}}
}

// sparseRecovery of k of 100 entries from m measurements.
func sparseRecovery(l *loader, part string) recipe {
	const dir = "sparse_recovery/"
	var k, m int
	if _, err := fmt.Sscanf(part, "k%d_m%d", &k, &m); err != nil {
		l.fail(fmt.Errorf("part %q: %w", part, err))
	}
	t := l.tables(dir+"A_"+part+".csv", dir+"y_"+part+".csv", fmt.Sprintf(dir+"x0_k%d.csv", k))
	a, y, truth := t[0], flat(t[1]), flat(t[2])
	return recipe{
		edits:  []edit{{"k30_m74", part}},
		params: map[string]any{"part": part},
		measure: func(p *taker) Measured {
			x := p.take("x", len(truth))
			value, broken := 0.0, 0.0
			for _, v := range x {
				value += math.Sqrt(max(v, 0))
				broken = max(broken, -v)
			}
			for _, v := range residual(a, x, y) {
				broken = max(broken, math.Abs(v))
			}
			return Measured{value, broken, floats.Distance(x, truth, 2) / floats.Norm(truth, 2)}
		},
	}
}

// sparseSingular at the part's bound of the 1-norm, with the start for it.
func sparseSingular(l *loader, part string) recipe {
	const dir = "sparse_singular_vectors/"
	t := l.tables(dir+"A.csv", dir+"mu.csv", dir+"xinit.csv")
	k, err := strconv.Atoi(part)
	if err != nil || k < 0 || k >= len(t[2]) || k >= len(flat(t[1])) {
		l.fail(fmt.Errorf("no start %q", part))
		return recipe{}
	}
	a, mu := t[0], flat(t[1])[k]
	return recipe{
		edits: []edit{{"param mu = 2.0", "param mu = " + strconv.FormatFloat(mu, 'g', -1, 64)},
			{"normal(0, 10)", `csv("x0.csv")`}},
		files:  map[string][][]float64{"x0": Column(t[2][k])},
		params: map[string]any{"mu": mu},
		measure: func(p *taker) Measured {
			x := p.take("x", len(a[0]))
			broken := max(math.Abs(floats.Norm(x, 2)-1), floats.Norm(x, 1)-mu, 0)
			return measured(floats.Norm(residual(a, x, make([]float64, len(a))), 2), broken)
		},
	}
}
