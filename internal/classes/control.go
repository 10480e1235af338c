package classes

import (
	"math/cmplx"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/dcopt/dcopt/qpbackend"
)

// horizon of the control problems, in steps.
// Source: Stellato et al. 2020, appendix A.3.
const horizon = 10

// Control steers nx states by nx/2 inputs: variables x₀, …, x_T, u₀, …, u_{T−1},
// x_{t+1} = Ax_t + Bu_t from a given x₀, bounds on all. The last state's cost is
// the solution of the Riccati equation.
func Control(rng *rand.Rand, nx int) *qpbackend.Problem {
	nu := nx / 2
	A, B := dynamics(rng, nx, nu)
	cost := mat.NewDense(nx, nx, nil)
	for i := range nx {
		if rng.Float64() < 0.7 {
			cost.Set(i, i, 10*rng.Float64())
		}
	}
	// Source: Stellato et al. 2020, appendix A.3.
	const inputCost = 0.1
	last := riccati(A, B, cost, inputCost)

	b := New((horizon+1)*nx + horizon*nu)
	input := (horizon + 1) * nx
	limit, start := make([]float64, nx), make([]float64, nx)
	for i := range nx {
		limit[i] = 1 + rng.Float64()
		start[i] = limit[i] * (rng.Float64() - 0.5)
	}
	for t := range horizon {
		for i := range nx {
			if c := cost.At(i, i); c != 0 {
				b.P.Add(t*nx+i, t*nx+i, c)
			}
		}
	}
	for i := range nx {
		for j := i; j < nx; j++ {
			b.P.Add(horizon*nx+i, horizon*nx+j, (last.At(i, j)+last.At(j, i))/2)
		}
	}
	for k := range horizon * nu {
		b.P.Add(input+k, input+k, inputCost)
	}

	for i := range nx {
		b.A.Add(b.Row(-start[i], -start[i]), i, -1)
	}
	for t := range horizon {
		for i := range nx {
			row := b.Row(0, 0)
			for j := range nx {
				b.A.Add(row, t*nx+j, A.At(i, j))
			}
			for j := range nu {
				b.A.Add(row, input+t*nu+j, B.At(i, j))
			}
			b.A.Add(row, (t+1)*nx+i, -1)
		}
	}
	for t := range horizon + 1 {
		for i := range nx {
			b.Bound(t*nx+i, -limit[i], limit[i])
		}
	}
	most := make([]float64, nu)
	for j := range most {
		most[j] = 0.1 * rng.Float64()
	}
	for t := range horizon {
		for j := range nu {
			b.Bound(input+t*nu+j, -most[j], most[j])
		}
	}
	return b.Problem()
}

// dynamics draws A = I + Δ, scaled so that no eigenvalue exceeds 1, and B.
func dynamics(rng *rand.Rand, nx, nu int) (a, b *mat.Dense) {
	a, b = mat.NewDense(nx, nx, nil), mat.NewDense(nx, nu, nil)
	for i := range nx {
		for j := range nx {
			a.Set(i, j, 0.1*rng.NormFloat64())
		}
		a.Set(i, i, a.At(i, i)+1)
		for j := range nu {
			b.Set(i, j, rng.NormFloat64())
		}
	}
	var eig mat.Eigen
	if eig.Factorize(a, mat.EigenNone) {
		radius := 0.0
		for _, λ := range eig.Values(nil) {
			radius = max(radius, cmplx.Abs(λ))
		}
		if radius > 1 {
			a.Scale(1/radius, a)
		}
	}
	return a, b
}

// riccati iterates S = Q + Aᵀ(S − SB(ρI + BᵀSB)⁻¹BᵀS)A from S = Q until it
// changes no more.
func riccati(a, b, q *mat.Dense, ρ float64) *mat.Dense {
	s := mat.DenseCopyOf(q)
	_, nu := b.Dims()
	for range 1000 {
		var sb, g, k, sa, next, change mat.Dense
		sb.Mul(s, b)
		g.Mul(b.T(), &sb)
		for i := range nu {
			g.Set(i, i, g.At(i, i)+ρ)
		}
		sa.Mul(s, a)
		var bsa mat.Dense
		bsa.Mul(b.T(), &sa)
		if err := k.Solve(&g, &bsa); err != nil {
			return s
		}
		next.Mul(a.T(), &sa)
		var minus mat.Dense
		minus.Mul(bsa.T(), &k)
		next.Sub(&next, &minus)
		next.Add(&next, q)
		symmetrise(&next)
		change.Sub(&next, s)
		s = &next
		if mat.Norm(&change, 2) <= 1e-12*mat.Norm(s, 2) {
			break
		}
	}
	return s
}

// symmetrise removes the rounding errors of the matrix: the iteration
// would let the difference from its transpose grow.
func symmetrise(s *mat.Dense) {
	n, _ := s.Dims()
	for i := range n {
		for j := range i {
			v := (s.At(i, j) + s.At(j, i)) / 2
			s.Set(i, j, v)
			s.Set(j, i, v)
		}
	}
}
