package cbf

import (
	"fmt"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/problemfile"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

// builder makes a problem in which every cone is one of package qpbackend.
type builder struct {
	prob    *qpbackend.Problem
	a       sparse.Triplets
	rows    problemfile.Names
	cols    problemfile.Names
	links   []link // of the rows of the file, row by row
	linkPtr []int
}

// link says that a row of the problem has a row of the file, or a variable, times factor.
type link struct {
	row    int
	factor float64
}

// row adds a row with its sides.
func (b *builder) row(lo, up float64, name string, args ...any) int {
	b.prob.L, b.prob.U = append(b.prob.L, lo), append(b.prob.U, up)
	b.rows.Add(name, args...)
	return len(b.prob.L) - 1
}

// cone adds a cone of n rows and returns the first.
func (b *builder) cone(kind qpbackend.ConeKind, alpha float64, n int, name string) int {
	from := len(b.prob.L)
	for k := range n {
		b.row(0, math.Inf(1), "%s[%d]", name, k)
	}
	b.prob.Cones = append(b.prob.Cones, qpbackend.Cone{Kind: kind, Start: from, Len: n, Alpha: alpha})
	return from
}

// variable adds one without bounds.
func (b *builder) variable(name string, args ...any) int {
	b.cols.Add(name, args...)
	return b.free()
}

// free is variable without its name.
func (b *builder) free() int {
	b.prob.Q = append(b.prob.Q, 0)
	b.prob.Lo, b.prob.Hi = append(b.prob.Lo, math.Inf(-1)), append(b.prob.Hi, math.Inf(1))
	return len(b.prob.Q) - 1
}

// Factors of rows.
// Source: derived: 2uv ≥ ‖w‖² is ((u+v)/√2)² ≥ ((u−v)/√2)² + ‖w‖².
const half = math.Sqrt2 / 2

// domain adds the rows of a cone that is not a sign; put is called for each entry k of the
// cone with the rows that it is in.
func (b *builder) domain(d domain, name string, put func(k int, in ...link)) {
	switch d.kind {
	case "Q":
		if d.n == 1 { // s ≥ 0
			put(0, link{b.row(0, math.Inf(1), "%s[0]", name), 1})
			return
		}
		from := b.cone(qpbackend.SecondOrder, 0, d.n, name)
		for k := range d.n {
			put(k, link{from + k, 1})
		}
	case "QR":
		from := b.cone(qpbackend.SecondOrder, 0, d.n, name)
		put(0, link{from, half}, link{from + 1, half})
		put(1, link{from, half}, link{from + 1, -half})
		for k := 2; k < d.n; k++ {
			put(k, link{from + k, 1})
		}
	case "EXP": // s₀ ≥ s₁·exp(s₂/s₁)
		from := b.cone(qpbackend.Exponential, 0, 3, name)
		for k := range 3 {
			put(k, link{from + 2 - k, 1})
		}
	case "EXP*": // s₀ ≥ −s₂·exp(s₁/s₂ − 1): e·s₀ ≥ −s₂·exp(−s₁/−s₂)
		from := b.cone(qpbackend.Exponential, 0, 3, name)
		put(0, link{from + 2, math.E})
		put(1, link{from, -1})
		put(2, link{from + 1, -1})
	case "POW", "POW*":
		b.power(d, name, put)
	}
}

// power adds ∏ (fₖ·sₖ)^αₖ ≥ ‖(the other entries)‖ with fₖ = 1, or 1/αₖ for the dual: by the
// rows of a second-order cone where there are several others, and a tower of cones of two
// exponents where there are more.
func (b *builder) power(d domain, name string, put func(k int, in ...link)) {
	factor := func(k int) float64 {
		if d.kind == "POW*" {
			return 1 / d.alpha[k]
		}
		return 1
	}
	powers := len(d.alpha)
	if d.n == powers || powers == 1 {
		if powers == 1 && d.n > 1 {
			b.domain(domain{kind: "Q", n: d.n}, name, put)
			return
		}
		for k := range d.n {
			put(k, link{b.row(0, math.Inf(1), "%s[%d]", name, k), 1})
		}
		return
	}
	// bounded is entry k in a row, or the helper t with t ≥ ‖others‖ in its place.
	first := b.cone(qpbackend.Power, d.alpha[0], 3, name)
	put(0, link{first, factor(0)})
	if d.n == powers+1 {
		put(powers, link{first + 2, 1})
	} else {
		t := b.variable("%s.norm", name)
		b.a.Add(first+2, t, 1)
		norm := b.cone(qpbackend.SecondOrder, 0, d.n-powers+1, name+".norm")
		b.a.Add(norm, t, 1)
		for k := powers; k < d.n; k++ {
			put(k, link{norm + 1 + k - powers, 1})
		}
	}
	// s₀^α₀·u^(1−α₀) ≥ |t| and u ≤ s₁^(α₁/(1−α₀))·…
	rest := 1 - d.alpha[0]
	at := first
	for k := 1; k < powers; k++ {
		if k == powers-1 {
			put(k, link{at + 1, factor(k)})
			return
		}
		u := b.variable("%s.product%d", name, k)
		b.a.Add(at+1, u, 1)
		at = b.cone(qpbackend.Power, d.alpha[k]/rest, 3, fmt.Sprintf("%s.product%d", name, k))
		rest -= d.alpha[k]
		put(k, link{at, factor(k)})
		b.a.Add(at+2, u, 1)
	}
}

// signs are the sides of the rows of the domains that are signs.
var signs = map[string][2]float64{
	"F": {math.Inf(-1), math.Inf(1)}, "L+": {0, math.Inf(1)}, "L-": {math.Inf(-1), 0}, "L=": {},
}

func (p *parser) file() (*problemfile.File, error) {
	if p.varAt == nil {
		p.lay()
	}
	b := &builder{prob: &qpbackend.Problem{R: p.r}}
	if err := p.matrices(b); err != nil {
		return nil, err
	}
	prob := b.prob
	prob.A, _ = b.a.CSC(len(prob.L), len(prob.Q))
	if p.maximize {
		problemfile.Negate(prob)
	}
	if len(prob.Q) == 0 {
		return nil, fmt.Errorf("the file has no variables")
	}
	out := &problemfile.File{Maximize: p.maximize, ColNames: b.cols.List(), RowNames: b.rows.List()}
	return problemfile.Done(out, prob)
}

func (p *parser) matrices(b *builder) error {
	for _, d := range p.vars {
		sides, sign := signs[d.kind]
		for range d.n {
			j := b.variable("x%d", len(b.prob.Q))
			if sign {
				b.prob.Lo[j], b.prob.Hi[j] = sides[0], sides[1]
			}
		}
	}
	for k, n := range p.psdVar {
		b.cols.Triangle(fmt.Sprintf("X%d", k), n, 0)
		for range triangle(n) {
			b.free()
		}
	}
	m, n := p.conAt[len(p.psdCon)], p.varAt[len(p.psdVar)]
	const twice = "a coefficient of this line is stated twice"
	raw, err := p.entries.Build(m, n, twice)
	if err != nil {
		return err
	}
	constant, err := p.constant.Build(m, 1, twice)
	if err != nil {
		return err
	}
	cost, err := p.objective.Build(n, 1, twice)
	if err != nil {
		return err
	}
	for k, j := range cost.RowIdx {
		b.prob.Q[j] = cost.Val[k]
	}
	p.rowsOf(b)
	for j := range n {
		for k := raw.ColPtr[j]; k < raw.ColPtr[j+1]; k++ {
			for _, l := range b.of(raw.RowIdx[k]) {
				b.a.Add(l.row, j, l.factor*raw.Val[k])
			}
		}
	}
	for k, i := range constant.RowIdx {
		for _, l := range b.of(i) {
			b.prob.L[l.row] -= l.factor * constant.Val[k]
			b.prob.U[l.row] -= l.factor * constant.Val[k]
		}
	}
	p.cones(b)
	return nil
}

// of are the links of a row of the file.
func (b *builder) of(i int) []link { return b.links[b.linkPtr[i]:b.linkPtr[i+1]] }

// rowsOf adds the rows of CON and PSDCON.
func (p *parser) rowsOf(b *builder) {
	at := 0
	each := make([][]link, p.m)
	for _, d := range p.cons {
		if sides, sign := signs[d.kind]; sign {
			for k := range d.n {
				each[at+k] = []link{{b.row(sides[0], sides[1], "c%d", at+k), 1}}
			}
		} else {
			b.domain(d, fmt.Sprintf("c%d", at), func(k int, in ...link) { each[at+k] = append(each[at+k], in...) })
		}
		at += d.n
	}
	for _, l := range each {
		b.linkPtr = append(b.linkPtr, len(b.links))
		b.links = append(b.links, l...)
	}
	for k, n := range p.psdCon {
		for _, l := range b.semidefinite(n, fmt.Sprintf("C%d", k)) {
			b.linkPtr = append(b.linkPtr, len(b.links))
			b.links = append(b.links, l)
		}
	}
	b.linkPtr = append(b.linkPtr, len(b.links))
}

// semidefinite adds the rows of a matrix of order n; a link for each entry of its triangle.
func (b *builder) semidefinite(n int, name string) []link {
	from := len(b.prob.L)
	b.rows.Triangle(name, n, 0)
	var out []link
	for j := range n {
		for i := range j + 1 {
			f := 1.0
			if i < j {
				f = math.Sqrt2
			}
			out = append(out, link{from + len(out), f})
			b.prob.L, b.prob.U = append(b.prob.L, 0), append(b.prob.U, math.Inf(1))
		}
	}
	if n > 1 {
		b.prob.Cones = append(b.prob.Cones, qpbackend.Cone{Kind: qpbackend.Semidefinite, Start: from, Len: len(out)})
	}
	return out
}

// cones adds the rows of the cones of variables.
func (p *parser) cones(b *builder) {
	at := 0
	for k, d := range p.vars {
		if _, sign := signs[d.kind]; !sign {
			b.domain(d, fmt.Sprintf("k%d", k), func(k int, in ...link) {
				for _, l := range in {
					b.a.Add(l.row, at+k, l.factor)
				}
			})
		}
		at += d.n
	}
	for k, n := range p.psdVar {
		for e, l := range b.semidefinite(n, fmt.Sprintf("K%d", k)) {
			b.a.Add(l.row, p.varAt[k]+e, l.factor)
		}
	}
}
