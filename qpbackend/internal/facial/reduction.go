package facial

import (
	"context"
	"math"
	"slices"

	"github.com/dcopt/dcopt/internal/matrix"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/internal/packed"
	"github.com/dcopt/dcopt/qpbackend/reduce"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// Reduction restricts cones to faces where the values allow it.
type Reduction struct{}

// New is a reduction without faces.
func (Reduction) New(_ context.Context, _ *qpbackend.Problem, set qpbackend.Settings) (reduce.Reduced, error) {
	return &reduced{tol: set.Tol}, nil
}

// reduced has the faces that the present values allow.
type reduced struct {
	tol   float64
	faces *faces // nil: there are none
}

// Apply finds the faces anew where values have changed.
func (s *reduced) Apply(_ context.Context, p *qpbackend.Problem, ask reduce.Ask) (t reduce.Task, err error) {
	t.Keep = true
	if ask.Changed() {
		old := s.faces
		if s.faces = newFaces(p, s.tol); s.faces != nil {
			t.Keep, t.News = old != nil && s.faces.alike(old), reduce.All(s.faces.problem)
		}
	}
	if s.faces == nil {
		return reduce.Task{}, nil
	}
	t.Problem, t.Cols, t.Confirm, t.Start = s.faces.problem, s.faces.kept, true, s.faces.start(ask.Start)
	return t, nil
}

// Invert takes an answer for the faces back.
func (s *reduced) Invert(
	ctx context.Context, p *qpbackend.Problem, from, to *qpbackend.Result,
) (reduce.Verdict, error) {
	to.X = s.faces.primal(ctx, to.X[:0], from.X, p, to.Status == qpbackend.DualInfeasible)
	to.Y, to.Z = s.faces.multipliers(to.Y[:0], from.Y), s.faces.spread(to.Z[:0], from.Z)
	return reduce.Checked, nil
}

// faces is a problem of which some semidefinite cones are restricted to faces.
type faces struct {
	problem *qpbackend.Problem

	n, m  int
	tol   float64
	kept  []int   // of each variable of problem, the one as stated
	faces []*face // of the cones; nil: as stated
	first []int   // of each cone, its first row in problem; the others keep their order
	rays  []ray
}

// ray is a variable that is in no row of problem: towards sign·∞ it costs nothing and keeps all
// rows.
type ray struct {
	variable int
	sign     float64
	share    float64 // of the multiple of the sum of all rays
}

// conesOf are of each row 1 + its cone if that is semidefinite.
func conesOf(p *qpbackend.Problem) []int {
	of := make([]int, len(p.L))
	for k, c := range p.Cones {
		for i := c.Start; c.Kind == qpbackend.Semidefinite && i < c.Start+c.Len; i++ {
			of[i] = 1 + k
		}
	}
	return of
}

// alike reports whether both reductions have problems of one pattern.
func (r *faces) alike(o *faces) bool {
	same := func(a, b *sparse.CSC) bool {
		return slices.Equal(a.ColPtr, b.ColPtr) && slices.Equal(a.RowIdx, b.RowIdx)
	}
	return slices.Equal(r.kept, o.kept) && slices.Equal(r.problem.Cones, o.problem.Cones) &&
		same(r.problem.A, o.problem.A) && same(r.problem.P, o.problem.P)
}

// newFaces are the faces of p; nil where nothing is to be gained. tol is the tolerance of a
// solution.
func newFaces(p *qpbackend.Problem, tol float64) *faces {
	r := &faces{tol: tol, faces: make([]*face, len(p.Cones))}
	r.n, r.m = p.Dims()
	of, curved := conesOf(p), reduce.Curved(p)
	sums := make([][]float64, len(p.Cones))
	for j := range r.n {
		if p.Q[j] != 0 || curved[j] {
			continue
		}
		lo, hi := p.Bounds(j)
		for _, sign := range [...]float64{1, -1} {
			if sign > 0 && math.IsInf(hi, 1) || sign < 0 && math.IsInf(lo, -1) {
				r.add(p, j, sign, of, sums)
			}
		}
	}
	if len(r.rays) == 0 {
		return nil
	}
	for k, sum := range sums {
		if sum == nil {
			continue
		}
		c := p.Cones[k]
		if r.faces[k] = newFace(c, sum, packed.Order(c.Len)); r.faces[k] == nil {
			return nil
		}
	}
	if !r.rewrite(p) {
		return nil
	}
	return r
}

// add takes variable j among the rays where it is one.
func (r *faces) add(p *qpbackend.Problem, j int, sign float64, of []int, sums [][]float64) {
	from, to := p.A.ColPtr[j], p.A.ColPtr[j+1]
	trace := 0.0
	for e := from; e < to; e++ { // in most columns of most problems one of these says no
		i := p.A.RowIdx[e]
		if of[i] == 0 {
			return
		}
		if a, b, v := pair(entry{i - p.Cones[of[i]-1].Start, sign * p.A.Val[e]}); a == b {
			if v < 0 {
				return
			}
			trace += v
		}
	}
	if trace == 0 {
		return
	}
	whole := map[int][]float64{}
	for e := from; e < to; e++ {
		i := p.A.RowIdx[e]
		k := of[i] - 1
		c := p.Cones[k]
		n := packed.Order(c.Len)
		if whole[k] == nil {
			whole[k] = make([]float64, n*n)
		}
		a, b, v := pair(entry{i - c.Start, sign * p.A.Val[e] / trace})
		whole[k][a*n+b], whole[k][b*n+a] = v, v
	}
	for k, f := range whole {
		c := p.Cones[k]
		if newFace(c, slices.Clone(f), packed.Order(c.Len)) == nil {
			return
		}
	}
	for k, f := range whole {
		if sums[k] == nil {
			sums[k] = make([]float64, len(f))
		}
		num.Axpy(sums[k], 1, f)
	}
	r.rays = append(r.rays, ray{j, sign, 1 / trace})
}

// spread appends to dst, which is empty, the entries of the variables of problem at those as
// stated, and zeros.
func (r *faces) spread(dst, v []float64) []float64 {
	return reduce.Spread(append(dst, make([]float64, r.n)...), v, r.kept)
}

// multipliers appends to dst, which is empty, the multipliers of the rows as stated, given the ones
// of problem.
func (r *faces) multipliers(dst, y []float64) []float64 {
	dst = append(dst, make([]float64, r.m)...)
	i, at := 0, 0
	for k, f := range r.faces {
		if f == nil {
			continue
		}
		between := r.first[k] - at
		copy(dst[i:i+between], y[at:])
		length := r.problem.Cones[k].Len
		f.expand(dst[f.cone.Start:][:f.cone.Len], y[r.first[k]:][:length])
		i, at = f.cone.Start+f.cone.Len, r.first[k]+length
	}
	copy(dst[i:], y[at:])
	return dst
}

// start is the point of problem at one as stated.
func (r *faces) start(s reduce.Point) (t reduce.Point) {
	if s.X != nil {
		t.X = reduce.Pick(make([]float64, len(r.kept)), s.X, r.kept)
	}
	if s.Z != nil {
		t.Z = reduce.Pick(make([]float64, len(r.kept)), s.Z, r.kept)
	}
	if s.Y == nil {
		return t
	}
	i := 0
	for _, f := range r.faces {
		if f == nil {
			continue
		}
		t.Y = append(t.Y, s.Y[i:f.cone.Start]...)
		own := s.Y[f.cone.Start:][:f.cone.Len]
		for k, b := range f.others {
			for _, a := range f.others[:k+1] {
				t.Y = append(t.Y, own[packed.Row(a, b)])
			}
		}
		i = f.cone.Start + f.cone.Len
	}
	t.Y = append(t.Y, s.Y[i:]...)
	return t
}

// primal appends to dst, which is empty, the point as stated for x of problem, by the present
// values p; with ray, a direction.
func (r *faces) primal(ctx context.Context, dst, x []float64, p *qpbackend.Problem, ray bool) []float64 {
	dst = r.spread(dst, x)
	v := make([]float64, r.m)
	p.A.AddMulVec(v, 1, dst)
	if !ray {
		num.Axpy(v, -1, p.L)
	}
	least := math.Inf(-1)
	for _, f := range r.faces {
		if f != nil {
			own := v[f.cone.Start:][:f.cone.Len]
			size := num.NormInf(own)
			t := f.least(ctx, own, allowed*r.tol*max(1, size))
			if !ray {
				t += size // the matrix is then inside of the cone where the face's is
			}
			least = max(least, t)
		}
	}
	if !num.Finite(least) { // ctx has ended, or it is not a number
		least = 0
	}
	for _, y := range r.rays {
		v := y.sign * y.share * least
		if lo, hi := p.Bounds(y.variable); ray {
			v = y.sign * y.share * max(least, 0)
		} else if v < lo || v > hi {
			v = min(max(v, lo), hi)
		}
		dst[y.variable] = v
	}
	return dst
}

// allowed is the share of the tolerance by which the cones may be left.
// Source: derived: a tenth leaves nearly all of it to the solver.
const allowed = 0.1

// least is the least multiple t of the sum of the rays for which v and t times that is
// semidefinite, but for the error δ.
func (f *face) least(ctx context.Context, v []float64, δ float64) float64 {
	n, w, r := f.n, f.order(), len(f.pivots)
	k := make([]float64, w*w) // Vᵀ·S·V
	for _, e := range f.restrict(nil, entriesOf(v), make([]float64, w*w)) {
		i, j, v := pair(e)
		k[i*w+j] = v
	}
	s := make([]float64, n*n)
	packed.Unpack(s, v, n)
	// B = Vᵀ·S·E, of which the rows E are the pivots: V has the identity in the others.
	b := make([]float64, r*w)
	for p, at := range f.pivots {
		col, out := s[at*n:][:n], b[p*w:][:w]
		for i, o := range f.others {
			out[i] = col[o]
		}
		for q, other := range f.pivots {
			num.Axpy(out, col[other], f.v[q*w:][:w])
		}
	}
	mul := matrix.NewProduct()
	mul.Within(ctx)
	factor := make([]float64, w*w)
	for {
		copy(factor, k)
		for i := range w {
			factor[i*w+i] += δ
		}
		if mul.Cholesky(factor, w) {
			break
		}
		if δ *= 10; !num.Finite(δ) || mul.Ends(0) {
			return math.Inf(1)
		}
	}
	for p := range r { // R⁻ᵀ·B
		x := b[p*w:][:w]
		for i := range x {
			x[i] /= factor[i*w+i]
			num.Axpy(x[i+1:], -x[i], factor[i*w+i+1:][:w-i-1])
		}
	}
	// The least t with L⁻¹(E·S·Eᵀ − BᵀB)L⁻ᵀ + t·I semidefinite.
	c := make([]float64, r*r)
	for p, at := range f.pivots {
		for q, other := range f.pivots {
			c[p*r+q] = s[at*n+other] - num.Dot(b[p*w:][:w], b[q*w:][:w])
		}
	}
	for range 2 { // by rows of L⁻¹, and transposed
		for col := range r {
			for i := range r {
				e := c[i*r+col]
				for q := range i {
					e -= f.l[i*r+q] * c[q*r+col]
				}
				c[i*r+col] = e / f.l[i*r+i]
			}
		}
		for i := range r {
			for j := range i {
				c[i*r+j], c[j*r+i] = c[j*r+i], c[i*r+j]
			}
		}
	}
	return -matrix.NewTridiagonal(r).Least(c, mul.Ends)
}
