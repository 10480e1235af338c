package refit

import (
	"math"

	"github.com/dcopt/dcopt/internal/cpu"
	"github.com/dcopt/dcopt/internal/num"
	"github.com/dcopt/dcopt/internal/simd"
)

// kernels chooses between portable loops and those for wide registers. The zero
// value has not looked at the processor yet.
type kernels uint8

const (
	unknown kernels = iota
	portable
	wide
)

func (k *kernels) choose() {
	switch {
	case *k != unknown:
	case cpu.Wide():
		*k = wide
	default:
		*k = portable
	}
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// products sets v to the values at the rows of a panel of the pieces that coef
// holds one after another.
func (k kernels) products(v, coef []float64, p *panel) {
	n, width := p.n, p.width
	pieces := len(coef) / n
	v, x := v[:pieces*width], p.x[:n*width]
	if k == wide {
		simd.Pieces(&v[0], &coef[0], &x[0], pieces, n, width)
		return
	}
	clear(v)
	for i := range pieces {
		dst := v[i*width : (i+1)*width]
		j := 0
		for ; j+1 < n; j += 2 {
			c0, c1 := coef[i*n+j], coef[i*n+j+1]
			x0, x1 := x[j*width:][:len(dst)], x[(j+1)*width:][:len(dst)]
			for t := range dst {
				dst[t] += c0*x0[t] + c1*x1[t]
			}
		}
		if j < n {
			c0, x0 := coef[i*n+j], x[j*width:][:len(dst)]
			for t := range dst {
				dst[t] += c0 * x0[t]
			}
		}
	}
}

// lossesAlong sets loss to the sums of the weighted squared errors of a panel at the
// steps, where p.v are the values of the pieces and p.c their changes by a full
// step.
func (k kernels) lossesAlong(p *panel, r1 int, hinge bool, loss *[len(steps)]float64) {
	pieces := len(p.v) / p.width
	if k == wide {
		simd.Probe(&p.v[0], &p.c[0], &p.y[0], &p.w[0], &steps[0], p.width, r1, pieces, number(hinge), loss)
		return
	}
	clear(loss[:])
	var q0, q1, q2 float64 // Σ w e², Σ w e δ, Σ w δ² for errors e + tδ
	first, second := maximum{from: 0, to: r1}, maximum{from: r1, to: pieces, zero: true}
	var up, down [len(steps)]float64
	for i := range p.rows {
		y, w := p.y[i], p.w[i]
		u, v := first.ends(p, i), second.ends(p, i)
		if u.straight && v.straight && !hinge {
			e, δ := y-u.value+v.value, v.change-u.change
			q0 += w * e * e
			q1 += w * e * δ
			q2 += w * δ * δ
			continue
		}
		first.along(&up, p, i, u)
		second.along(&down, p, i, v)
		for s, u := range up {
			e := y - u + down[s]
			if hinge {
				e = max(0, y*e)
			}
			loss[s] += w * e * e
		}
	}
	for s, t := range steps {
		loss[s] += q0 + 2*t*q1 + t*t*q2
	}
}

// maximum of the pieces from ≤ k < to, and of 0 if zero.
type maximum struct {
	from, to int
	zero     bool
}

// line is a maximum at a row as it begins: its value and its change
// by a full step. It is straight if the piece that is largest at the beginning is
// so after the farthest step, and therefore in between.
type line struct {
	value, change float64
	straight      bool
}

func (m maximum) ends(p *panel, i int) line {
	l := line{straight: true}
	end, at := 0.0, m.from*p.width+i
	if !m.zero {
		l.value, l.change = p.v[at], p.c[at]
		end = l.value + farthest*l.change
		at += p.width
	}
	for ; at < m.to*p.width; at += p.width {
		z, c := p.v[at], p.c[at]
		far := z + farthest*c
		switch {
		case z > l.value && far > end:
			l, end = line{z, c, true}, far
		case z > l.value:
			l = line{z, c, false}
		case far > end:
			l.straight, end = false, far
		}
	}
	return l
}

// along sets dst to the maximum at the steps.
func (m maximum) along(dst *[len(steps)]float64, p *panel, i int, l line) {
	if l.straight {
		for s, t := range steps {
			dst[s] = l.value + t*l.change
		}
		return
	}
	at := m.from*p.width + i
	if m.zero {
		clear(dst[:])
	} else {
		z, c := p.v[at], p.c[at]
		for s, t := range steps {
			dst[s] = z + t*c
		}
		at += p.width
	}
	for ; at < m.to*p.width; at += p.width {
		z, c := p.v[at], p.c[at]
		for s, t := range steps {
			dst[s] = max(dst[s], z+t*c)
		}
	}
}

// regions moves p.v by step·p.c and takes the argmaxes: region i·r2+j for the
// pieces i and j, and nowhere for rows beyond their margin. It returns the sum
// of the weighted squared errors.
func (k kernels) regions(p *panel, step float64, r1 int, hinge bool) (loss float64) {
	pieces := len(p.v) / p.width
	if k == wide {
		return simd.Regions(&p.v[0], &p.c[0], step, &p.y[0], &p.w[0], p.width, r1, pieces, number(hinge), &p.region[0])
	}
	if step != 0 {
		for at, c := range p.c[:len(p.v)] {
			p.v[at] += step * c
		}
	}
	width, r2 := p.width, pieces-r1+1
	for i := range p.rows {
		u, value := 0, p.v[i]
		for k := 1; k < r1; k++ {
			if z := p.v[k*width+i]; z > value {
				u, value = k, z
			}
		}
		v, below := 0, 0.0
		for k := r1; k < pieces; k++ {
			if z := p.v[k*width+i]; z > below {
				v, below = k-r1+1, z
			}
		}
		e := p.y[i] - value + below
		region := int32(u*r2 + v)
		if hinge {
			if e *= p.y[i]; e <= 0 {
				e, region = 0, nowhere
			}
		}
		p.region[i] = region
		loss += p.w[i] * e * e
	}
	return loss
}

// moves takes rows of a panel from their old regions to the new ones, where these
// differ, in sums and in old. x are the rows, one after another.
func (k kernels) moves(sums *grams, old []int32, p *panel, x []float64) {
	n, size := sums.n, (sums.n+1)*sums.ld
	old, x = old[:p.rows], x[:p.rows*n]
	if k == wide {
		simd.Moves(&sums.g[0], size, &old[0], &p.region[0], &p.moved[0], &x[0], &p.y[0], &p.w[0], p.rows, n, sums.ld)
		return
	}
	for i, to := range p.region[:len(old)] {
		from := old[i]
		if from == to {
			continue
		}
		old[i] = to
		row := x[i*n : (i+1)*n]
		if from != nowhere {
			sums.add(int(from), row, -p.w[i], p.y[i])
		}
		if to != nowhere {
			sums.add(int(to), row, p.w[i], p.y[i])
		}
	}
}

// standardise sets z to the rows x of a batch, gaps filled and standardised, and columns to the
// same numbers, one column after the other. The rows are ld apart and a multiple of 8 in number.
func (k kernels) standardise(z, columns, x []float64, u *Unit, ld int) {
	rows := len(x) / ld
	z, columns, x = z[:rows*ld], columns[:rows*ld], x[:rows*ld]
	fill, mean, inverse := u.fill[:ld], u.mean[:ld], u.inverse[:ld]
	if k == wide && rows > 0 {
		simd.Standardise(&z[0], &columns[0], &x[0], &fill[0], &mean[0], &inverse[0], rows, ld)
		return
	}
	for i := range rows {
		for j, v := range x[i*ld : (i+1)*ld] {
			if v != v {
				v = fill[j]
			}
			v = (v - mean[j]) * inverse[j]
			z[i*ld+j], columns[j*rows+i] = v, v
		}
	}
}

// gram adds w z zᵀ of the rows of z with these numbers to the upper triangle of sums, in tiles of
// four rows. The rows of both are ld apart, a multiple of 4.
func (k kernels) gram(sums, z, w []float64, rows []int32, ld int) {
	sums = sums[:ld*ld]
	if len(rows) == 0 {
		return
	}
	if k == wide {
		simd.Gram(&sums[0], &z[0], &w[0], &rows[0], len(rows), ld)
		return
	}
	for _, i := range rows {
		row := z[int(i)*ld:][:ld]
		for a, v := range row {
			v *= w[i]
			from := a &^ 3
			dst := sums[a*ld+from : (a+1)*ld]
			for b, u := range row[from:][:len(dst)] {
				dst[b] += v * u
			}
		}
	}
}

// addBlock adds sign times the rows of src, of length ld, to the rows of dst, of
// length ldd.
func (k kernels) addBlock(dst []float64, ldd int, src []float64, ld int, sign float64) {
	rows := len(src) / ld
	dst = dst[:(rows-1)*ldd+ld]
	if k == wide {
		simd.AddBlock(&dst[0], ldd, &src[0], rows, ld, sign)
		return
	}
	for i := range rows {
		to := dst[i*ldd:][:ld]
		for t, v := range src[i*ld:][:ld] {
			to[t] += sign * v
		}
	}
}

// cholesky overwrites the rows of u, of length size + 4 with a multiple of 4 in
// size, by U and U⁻ᵀB, where UᵀU is the square matrix in front, of which it
// reads the upper triangle, and B the four columns behind it. On the diagonal it
// leaves reciprocals. It reports whether the matrix is positive definite.
func (k kernels) cholesky(u []float64, size int) bool {
	ld := size + 4
	u = u[:size*ld]
	if k == wide {
		return simd.Cholesky(&u[0], size, ld)
	}
	for j := range size {
		row := u[j*ld+j : (j+1)*ld]
		t := 0
		for ; t+3 < j; t += 4 {
			r0, r1 := u[t*ld+j:][:len(row)], u[(t+1)*ld+j:][:len(row)]
			r2, r3 := u[(t+2)*ld+j:][:len(row)], u[(t+3)*ld+j:][:len(row)]
			a0, a1, a2, a3 := r0[0], r1[0], r2[0], r3[0]
			for i := range row {
				row[i] -= (a0*r0[i] + a1*r1[i]) + (a2*r2[i] + a3*r3[i])
			}
		}
		for ; t < j; t++ {
			r := u[t*ld+j:][:len(row)]
			a := r[0]
			for i := range row {
				row[i] -= a * r[i]
			}
		}
		d := row[0]
		if !(d > 0) || math.IsInf(d, 1) {
			return false
		}
		d = 1 / math.Sqrt(d)
		for i := range row {
			row[i] *= d
		}
		row[0] = d
	}
	return true
}

// back solves Ux = z for the z that stands behind U, as cholesky leaves it, four rows
// at a time. x is as long as two rows of u: kernels read beyond the solution.
func (k kernels) back(x, u []float64, size int) {
	ld := size + 4
	u, x = u[:size*ld], x[:2*ld]
	var known [8]float64 // the four rows times the known entries of x
	for j := size - 4; j >= 0; j -= 4 {
		r0, r1, r2, r3 := u[j*ld:][:ld], u[(j+1)*ld:][:ld], u[(j+2)*ld:][:ld], u[(j+3)*ld:][:ld]
		if k == wide {
			simd.Tile(&r0[j+4], &x[j+4], ld, size-j-4, &known)
		} else {
			for i, row := range [...][]float64{r0, r1, r2, r3} {
				known[2*i] = num.Dot(x[j+4:size], row[j+4:size])
			}
		}
		x3 := (r3[size] - known[6]) * r3[j+3]
		x2 := math.FMA(-r2[j+3], x3, r2[size]-known[4]) * r2[j+2]
		x1 := math.FMA(-r1[j+2], x2, math.FMA(-r1[j+3], x3, r1[size]-known[2])) * r1[j+1]
		x0 := math.FMA(-r0[j+1], x1, math.FMA(-r0[j+2], x2, math.FMA(-r0[j+3], x3, r0[size]-known[0]))) * r0[j]
		x[j], x[j+1], x[j+2], x[j+3] = x0, x1, x2, x3
	}
}
