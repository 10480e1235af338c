package matrix

import (
	"github.com/dcopt/dcopt/internal/expr"
)

func (f *negLogDet) Twice() bool { return true }

// sandwich has A⁻¹ at x, and A⁻¹VA⁻¹ for the derivative V of A along v.
func (s *symmetric) sandwich(x, v []float64) (inverse, product []float64, ok bool) {
	w := s.pool.Get().(*symWork)
	defer s.pool.Put(w)
	if !w.factor(s, x) {
		return nil, nil, false
	}
	upper, ok := w.inverse()
	if !ok {
		return nil, nil, false
	}
	n := s.N
	inverse, product = make([]float64, n*n), make([]float64, n*n)
	d, half := make([]float64, n*n), make([]float64, n*n)
	for j := range n {
		for i := range j + 1 {
			inverse[i*n+j], inverse[j*n+i] = upper[i*n+j], upper[i*n+j]
			d[i*n+j] = s.at(i, j).Directional(x, v)
			d[j*n+i] = d[i*n+j]
		}
	}
	multiply(half, inverse, d, n)
	multiply(product, half, inverse, n)
	return inverse, product, true
}

// multiply writes the product of two matrices of order n.
func multiply(dst, a, b []float64, n int) {
	for i := range n {
		for k := range n {
			for j := range n {
				dst[i*n+j] += a[i*n+k] * b[k*n+j]
			}
		}
	}
}

// addEntries adds w times a symmetric matrix, as a gradient with respect to the matrix, to dst.
func (s *symmetric) addEntries(dst []float64, w float64, m []float64) {
	for j := range s.N {
		for i := range j {
			s.a.AddRow(dst, 2*w*m[i*s.N+j], expr.Place(i, j))
		}
		s.a.AddRow(dst, w*m[j*s.N+j], expr.Place(j, j))
	}
}

func (f *negLogDet) Directional(x, v []float64) (s float64) {
	inverse, _, ok := f.sandwich(x, v)
	for i := 0; ok && i < f.N; i++ {
		for j := range f.N {
			s -= inverse[i*f.N+j] * f.at(min(i, j), max(i, j)).Directional(x, v)
		}
	}
	return s
}

func (f *negLogDet) AddProduct(dst []float64, scale float64, x, v []float64) {
	if _, product, ok := f.sandwich(x, v); ok {
		f.addEntries(dst, scale, product)
	}
}

func (f *matFrac) Twice() bool { return true }

// moved has z = P⁻¹X and its derivative along v, column by column.
func (f *matFrac) moved(x, v []float64) (z, dz []float64, ok bool) {
	inverse, product, ok := f.sandwich(x, v)
	if !ok {
		return nil, nil, false
	}
	n := f.N
	z, dz = make([]float64, f.x.Len()), make([]float64, f.x.Len())
	for c := 0; c < len(z); c += n {
		for i := range n {
			for j := range n {
				value, slope := f.x.At(c+j, x), f.x.Linear(c+j).Directional(x, v)
				z[c+i] += inverse[i*n+j] * value
				dz[c+i] += inverse[i*n+j]*slope - product[i*n+j]*value
			}
		}
	}
	return z, dz, true
}

// along: 2zᵀdx − zᵀ·dP·z, of which the second is the product of z with P·dz = dx − dP·z.
func (f *matFrac) Directional(x, v []float64) (s float64) {
	z, _, ok := f.moved(x, v)
	for c := 0; ok && c < len(z); c += f.N {
		for i := range f.N {
			s += 2 * z[c+i] * f.x.Linear(c+i).Directional(x, v)
			for j := range f.N {
				s -= z[c+i] * z[c+j] * f.at(min(i, j), max(i, j)).Directional(x, v)
			}
		}
	}
	return s
}

// AddProduct: the gradient is 2z for a column and −zzᵀ for P.
func (f *matFrac) AddProduct(dst []float64, scale float64, x, v []float64) {
	z, dz, ok := f.moved(x, v)
	if !ok {
		return
	}
	n, m := f.N, make([]float64, f.N*f.N)
	for c := 0; c < len(z); c += n {
		for i := range n {
			f.x.AddRow(dst, 2*scale*dz[c+i], c+i)
			for j := range n {
				m[i*n+j] -= dz[c+i]*z[c+j] + z[c+i]*dz[c+j]
			}
		}
	}
	f.addEntries(dst, scale, m)
}
