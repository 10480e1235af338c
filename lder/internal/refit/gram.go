package refit

// grams are, for each region, Σ w x xᵀ, all of it, and as a last row Σ w y x of
// its rows. Lines have length ld, n filled up with 0 to a multiple of 4.
type grams struct {
	n, ld int
	g     []float64 // regions × (n+1) × ld
}

func (s *grams) reset(n, regions int) {
	s.n, s.ld = n, (n+3)&^3
	s.g = resize(s.g, regions*(n+1)*s.ld)
	clear(s.g)
}

// of is the part of a region.
func (s *grams) of(region int) []float64 {
	size := (s.n + 1) * s.ld
	return s.g[region*size : (region+1)*size]
}

// add adds one row to the Gram matrix of a region.
func (s *grams) add(region int, x []float64, w, y float64) {
	g := s.of(region)
	for _, v := range x {
		a, row := w*v, g[:len(x)]
		for t, u := range x {
			row[t] += a * u
		}
		g = g[s.ld:]
	}
	a, row := w*y, g[:len(x)]
	for t, u := range x {
		row[t] += a * u
	}
}

func (s *grams) addAll(t *grams) {
	for k, v := range t.g {
		s.g[k] += v
	}
}

// system is the penalised least squares problem with fixed regions: the normal
// matrix, upper triangle, filled up with the identity to a multiple of 4 rows,
// and behind it, in a column that starts a group of 4, the right side.
type system struct {
	size int // including padding
	h    []float64
	x    []float64 // the solution, filled up, and memory of the kernels
}

func (e *system) reset(size int) {
	e.size = (size + 3) &^ 3
	e.h = resize(e.h, e.size*(e.size+4))
	e.x = resize(e.x, 2*(e.size+4))
}

// normal assembles the system of f.
func (f *Fitter) normal() {
	e, s, p := &f.system, &f.grams, &f.pen
	n, k, r1, r2 := f.d.N, p.k, f.opt.R1, f.opt.R2
	ld := e.size + 4
	h := e.h
	clear(h)
	for i := range r1 {
		for j := range r2 {
			g := s.of(i*r2 + j)
			c := g[n*s.ld:][:n]
			g = g[:n*s.ld]
			f.addBlock(h[i*n*ld+i*n:], ld, g, s.ld, 1)
			for t, v := range c {
				h[(i*n+t)*ld+e.size] += v
			}
			if j > 0 {
				v := r1 + j - 1
				f.addBlock(h[v*n*ld+v*n:], ld, g, s.ld, 1)
				f.addBlock(h[i*n*ld+v*n:], ld, g, s.ld, -1)
				for t, y := range c {
					h[(v*n+t)*ld+e.size] -= y
				}
			}
		}
	}
	for i := range k {
		for j := i; j < k; j++ {
			slope := p.slope[i*k+j]
			at := i*n*ld + j*n
			for range n - 1 {
				h[at] += slope
				at += ld + 1
			}
			h[at] += p.constant[i*k+j]
		}
		if f.opt.Penalty.Group > 0 {
			for t, v := range f.weights {
				h[(i*n+t)*(ld+1)] += v
			}
		}
	}
	for i := k * n; i < e.size; i++ {
		h[i*ld+i] = 1
	}
}

// solve puts the least squares solution of the present regions into trial. It
// reports whether there is one.
func (f *Fitter) solve() bool {
	e, size := &f.system, len(f.θ)
	ld := e.size + 4
	ridge := 0.0
	for range 6 {
		f.normal()
		largest := 0.0
		for i := range size {
			largest = max(largest, e.h[i*ld+i])
			e.h[i*ld+i] += ridge
		}
		if f.cholesky(e.h, e.size) {
			f.back(e.x, e.h, e.size)
			copy(f.trial, e.x)
			sum := 0.0
			for _, v := range f.trial {
				sum += v
			}
			return sum-sum == 0
		}
		// Rounding has made it indefinite.
		ridge = max(100*ridge, 1e-14*largest)
	}
	return false
}
