package implicitdiff

import (
	"context"
	"math"

	"github.com/dcopt/dcopt/internal/matrix"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/packed"
	"github.com/dcopt/dcopt/qpbackend/internal/project"
)

// piece is a cone with the derivative D = U diag(d) Uᵀ of the projection on it at w.
type piece struct {
	qpbackend.Cone
	k      int       // order of the matrices of a semidefinite cone
	d      []float64 // eigenvalues of D
	basis  []float64 // U, by rows, of three rows; the eigenvectors of the matrix, as columns, of a semidefinite cone
	tail   []float64 // of a long one: the direction ū of w₁, …
	plane  bool      // of a long one: w is neither in the cone nor in its polar, see turn
	margin float64   // the distance of w from the nearest point where there is no D

	m, t []float64 // room for matrices
}

// long reports whether the rows keep their own basis: another one would be dense.
func long(c qpbackend.Cone) bool { return c.Kind == qpbackend.SecondOrder && c.Len > 2 }

func newPiece(c qpbackend.Cone) *piece {
	p := &piece{Cone: c, d: make([]float64, c.Len)}
	switch {
	case long(p.Cone):
		p.tail = make([]float64, c.Len-1)
	case c.Kind == qpbackend.Semidefinite:
		p.k = packed.Order(c.Len)
		p.basis, p.m, p.t = make([]float64, p.k*p.k), make([]float64, p.k*p.k), make([]float64, p.k*p.k)
	case c.Kind == qpbackend.Exponential || c.Kind == qpbackend.Power:
		p.basis = make([]float64, 9)
	}
	return p
}

// at finds D at w, and sets s to the projection. It returns false where ctx ends or w is not
// finite.
func (p *piece) at(ctx context.Context, s, w []float64) bool {
	if num.FirstNotFinite(w) >= 0 {
		return false
	}
	switch p.Kind {
	case qpbackend.SecondOrder:
		project.SecondOrder(s, w)
		p.secondOrder(w)
	case qpbackend.Exponential:
		project.Exponential(s, w)
		p.exponential(s, w)
	case qpbackend.Power:
		project.Power(s, w, p.Alpha)
		p.power(s, w)
	case qpbackend.Semidefinite:
		return p.semidefinite(ctx, s, w)
	}
	return true
}

// uniform sets all eigenvalues of D.
func (p *piece) uniform(d float64) {
	for i := range p.d {
		p.d[i] = d
	}
	p.plane = false
}

func step(x float64) float64 {
	if x > 0 {
		return 1
	}
	return 0
}

func (p *piece) secondOrder(w []float64) {
	t, r := w[0], num.Norm2(w[1:])
	if !long(p.Cone) { // two orthants, turned
		p.margin = math.Inf(1)
		for i := range p.d {
			e := t
			if p.Len == 2 {
				e = (t + float64(1-2*i)*w[1]) / math.Sqrt2
			}
			p.d[i] = step(e)
			p.margin = min(p.margin, math.Abs(e))
		}
		return
	}
	p.margin = min(math.Abs(t-r), math.Abs(t+r)) / math.Sqrt2
	switch {
	case t >= r:
		p.uniform(1)
	case t <= -r:
		p.uniform(0)
	default:
		p.uniform((1 + t/r) / 2)
		p.plane, p.d[0] = true, 1
		for i, e := range w[1:] {
			p.tail[i] = e / r
		}
	}
}

// face makes the basis the identity. It returns y = w − s, and the sizes of s and y.
func (p *piece) face(s, w []float64) (y [3]float64, ps, py float64) {
	clear(p.basis)
	p.basis[0], p.basis[4], p.basis[8] = 1, 1, 1
	y = [3]float64{w[0] - s[0], w[1] - s[1], w[2] - s[2]}
	return y, num.NormInf(s), num.NormInf(y[:])
}

// curved sets D where s is on a smooth part of the boundary {g = 0} with the normal n of g there
// and the Hessian of the Lagrangian aaᵀ on the plane orthogonal to n. The projection minimises
// ½‖s − w‖² with s on the boundary, so D is the inverse of I + aaᵀ on that plane, and zero along n.
func (p *piece) curved(n, a [3]float64) {
	unit(&n)
	along := num.Dot(n[:], a[:])
	for i := range a {
		a[i] -= along * n[i]
	}
	size := num.Norm2(a[:])
	if size == 0 { // any direction in the plane
		least := 0
		for i := range n {
			if math.Abs(n[i]) < math.Abs(n[least]) {
				least = i
			}
		}
		for i := range a {
			a[i] = -n[least] * n[i]
		}
		a[least]++
	}
	unit(&a)
	third := [3]float64{n[1]*a[2] - n[2]*a[1], n[2]*a[0] - n[0]*a[2], n[0]*a[1] - n[1]*a[0]}
	for i := range 3 {
		p.basis[3*i], p.basis[3*i+1], p.basis[3*i+2] = n[i], a[i], third[i]
	}
	p.d[0], p.d[1], p.d[2] = 0, 1/(1+size*size), 1
}

func unit(v *[3]float64) {
	top := num.NormInf(v[:])
	for i := range v {
		v[i] /= top
	}
	size := num.Norm2(v[:])
	for i := range v {
		v[i] /= size
	}
}

// exponential: on the curved boundary y = w − s is ν∇g with g = s₁·exp(s₀/s₁) − s₂, whose
// Hessian is that of e^ρ/s₁·(1, −ρ, 0), ρ = s₀/s₁.
func (p *piece) exponential(s, w []float64) {
	y, ps, py := p.face(s, w)
	switch {
	case py == 0:
		p.uniform(1)
		p.margin = w[1]
		if w[1] > 0 {
			p.margin = min(w[1], w[2]-w[1]*math.Exp(w[0]/w[1]))
		}
	case ps == 0:
		p.uniform(0)
		p.margin = w[0]
		if w[0] > 0 {
			p.margin = min(w[0], -w[2]-w[0]*math.Exp(w[1]/w[0]-1))
		}
	case s[1] == 0: // the quadrant w₀, w₁ ≤ 0
		p.d[0], p.d[1], p.d[2] = step(-w[0]), 0, step(w[2])
		p.margin = min(math.Abs(w[0]), math.Abs(w[1]), math.Abs(w[2]))
	default:
		ρ := s[0] / s[1]
		n, top := [3]float64{1, 1 - ρ, -math.Exp(-ρ)}, y[0] // top is ν·e^ρ, ν = −y₂
		if ρ < 0 {
			e := math.Exp(ρ)
			n, top = [3]float64{e, (1 - ρ) * e, -1}, -y[2]*e
		}
		κ := math.Sqrt(max(top, 0) / s[1])
		p.curved(n, [3]float64{κ, -κ * ρ, 0})
		p.margin = min(ps, py)
	}
}

// power: on the curved boundary y is ν∇g with g = |s₂| − s₀^α·s₁^β, whose Hessian is that of
// αβ|s₂|·(1/s₀, −1/s₁, 0), and ν = |y₂|.
func (p *piece) power(s, w []float64) {
	y, ps, py := p.face(s, w)
	α := p.Alpha
	switch {
	case py == 0:
		p.uniform(1)
		p.margin = min(w[0], w[1], math.Pow(max(w[0], 0), α)*math.Pow(max(w[1], 0), 1-α)-math.Abs(w[2]))
	case ps == 0:
		p.uniform(0)
		p.margin = min(-w[0], -w[1], math.Pow(max(-w[0]/α, 0), α)*math.Pow(max(-w[1]/(1-α), 0), 1-α)-math.Abs(w[2]))
	case s[0] == 0 || s[1] == 0 || s[2] == 0: // the boundary has an edge there
		p.d[0], p.d[1], p.d[2] = step(w[0]), step(w[1]), 0
		p.margin = 0
	default:
		f := math.Abs(s[2])
		κ := math.Sqrt(math.Abs(y[2]) * α * (1 - α) * f)
		n := [3]float64{-α * f / s[0], -(1 - α) * f / s[1], math.Copysign(1, s[2])}
		p.curved(n, [3]float64{κ / s[0], -κ / s[1], 0})
		p.margin = min(ps, py)
	}
}

// semidefinite: in the basis of the eigenvectors of the matrix D multiplies the entry i, j by
// 1 where both eigenvalues are positive, by 0 where none is, else by λ⁺/(λ⁺ − λ⁻).
func (p *piece) semidefinite(ctx context.Context, s, w []float64) bool {
	k := p.k
	packed.Unpack(p.m, w, k)
	copy(p.basis, p.m)
	if _, ok := matrix.Eigen(ctx, p.basis, k); !ok {
		return false
	}
	copy(s, w)
	p.turn(s)
	λ := make([]float64, k)
	p.margin = math.Inf(1)
	for i := range λ {
		λ[i] = s[(i+1)*(i+2)/2-1]
		p.margin = min(p.margin, math.Abs(λ[i]))
	}
	clear(s)
	for j, at := 0, 0; j < k; j++ {
		for i := range j + 1 {
			up, down := max(λ[i], λ[j]), min(λ[i], λ[j])
			switch {
			case down > 0:
				p.d[at] = 1
			case up <= 0:
				p.d[at] = 0
			default:
				p.d[at] = up / (up - down)
			}
			at++
		}
		s[at-1] = max(λ[j], 0)
	}
	p.turnBack(s)
	return true
}

// turn sets v to Uᵀv, and turnBack to Uv.
//
// With w = (t, rū) outside of a second-order cone and its polar D is 1 along (1, ū), 0 along (1,
// −ū) and d = (1 + t/r)/2 elsewhere. There y moves within the plane orthogonal to (1, ū) alone, so
// for a long one U is the map from the others to their first coordinate too, (−ūᵀv, v), and in the
// place of diag(d) there is d(I − ūūᵀ).
func (p *piece) turn(v []float64)     { p.rotate(v, true) }
func (p *piece) turnBack(v []float64) { p.rotate(v, false) }

func (p *piece) rotate(v []float64, transposed bool) {
	switch {
	case p.plane && transposed:
		num.Axpy(v[1:], -v[0], p.tail)
		v[0] = 0
	case p.plane:
		v[0] = -num.Dot(p.tail, v[1:])
	case p.Kind == qpbackend.SecondOrder:
		if p.Len == 2 {
			v[0], v[1] = (v[0]+v[1])/math.Sqrt2, (v[0]-v[1])/math.Sqrt2
		}
	case p.k > 0:
		k := p.k
		packed.Unpack(p.m, v, k)
		product(p.t, p.m, p.basis, k, transposed)
		// The matrix is symmetric: the product from the other side is that with the transpose.
		for i := range k {
			for j := range i {
				p.t[i*k+j], p.t[j*k+i] = p.t[j*k+i], p.t[i*k+j]
			}
		}
		product(p.m, p.t, p.basis, k, transposed)
		packed.Pack(v, p.m, k, false)
	default:
		x := [3]float64(v)
		for i := range v {
			v[i] = 0
			for j, e := range x {
				if transposed {
					v[i] += p.basis[3*j+i] * e
				} else {
					v[i] += p.basis[3*i+j] * e
				}
			}
		}
	}
}

// product sets c to a·u, or to a·uᵀ, all k × k by rows.
func product(c, a, u []float64, k int, plain bool) {
	clear(c)
	for i := range k {
		from, row := a[i*k:][:k], c[i*k:][:k]
		for l := range k {
			if plain {
				num.Axpy(row, from[l], u[l*k:][:k])
			} else {
				row[l] = num.Dot(from, u[l*k:][:k])
			}
		}
	}
}
