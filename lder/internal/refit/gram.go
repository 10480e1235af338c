package refit

// grams are, for each region, Σ w x xᵀ (upper triangle, packed by rows),
// Σ w y x and the weight of its rows.
type grams struct {
	n, regions int
	g          []float64 // regions × n(n+1)/2
	c          []float64 // regions × n
}

func (s *grams) reset(n, regions int) {
	s.n, s.regions = n, regions
	s.g = resize(s.g, regions*n*(n+1)/2)
	s.c = resize(s.c, regions*n)
	clear(s.g)
	clear(s.c)
}

// add counts a row with weight w, or takes it away with weight −w.
func (s *grams) add(region int, x []float64, w, y float64) {
	n := s.n
	if n == 4 {
		s.add4(region, x, w, y)
		return
	}
	c := s.c[region*n : (region+1)*n]
	g := s.g[region*n*(n+1)/2 : (region+1)*n*(n+1)/2]
	x = x[:n]
	wy := w * y
	for j, v := range x {
		c[j] += wy * v
		a := w * v
		tail := x[j:]
		row := g[:len(tail)]
		for k, u := range tail {
			row[k] += a * u
		}
		g = g[len(tail):]
	}
}

// add4 is add for rows of length 4.
func (s *grams) add4(region int, x []float64, w, y float64) {
	c := s.c[region*4 : region*4+4]
	g := s.g[region*10 : region*10+10]
	x0, x1, x2, x3 := x[0], x[1], x[2], x[3]
	wy := w * y
	c[0] += wy * x0
	c[1] += wy * x1
	c[2] += wy * x2
	c[3] += wy * x3
	a := w * x0
	g[0] += a * x0
	g[1] += a * x1
	g[2] += a * x2
	g[3] += a * x3
	a = w * x1
	g[4] += a * x1
	g[5] += a * x2
	g[6] += a * x3
	a = w * x2
	g[7] += a * x2
	g[8] += a * x3
	g[9] += w * x3 * x3
}

func (s *grams) addAll(t *grams) {
	for k, v := range t.g {
		s.g[k] += v
	}
	for k, v := range t.c {
		s.c[k] += v
	}
}

// normal fills the lower triangle of the k·n square matrix h and the right side
// b of the penalised least squares problem with fixed regions, k = r1+r2−1.
func (s *grams) normal(h, b []float64, r1, r2 int, p *penalty) {
	n, k := s.n, p.k
	size := k * n
	clear(h)
	clear(b)
	for i := range r1 {
		for j := range r2 {
			q := i*r2 + j
			g := s.g[q*n*(n+1)/2 : (q+1)*n*(n+1)/2]
			c := s.c[q*n : (q+1)*n]
			for t, v := range c {
				b[i*n+t] += v
			}
			addBlock(h, size, i*n, i*n, g, n, 1)
			if j > 0 {
				v := r1 + j - 1
				for t, e := range c {
					b[v*n+t] -= e
				}
				addBlock(h, size, v*n, v*n, g, n, 1)
				addBlock(h, size, v*n, i*n, g, n, -1)
			}
		}
	}
	for i := range k {
		for j := range i + 1 {
			for t := range n - 1 {
				h[(i*n+t)*size+j*n+t] += p.slope[i*k+j]
			}
			h[(i*n+n-1)*size+j*n+n-1] += p.constant[i*k+j]
		}
	}
}

// addBlock adds ±g to the block of h at (row, col): of a diagonal block only
// the lower triangle.
func addBlock(h []float64, size, row, col int, g []float64, n int, sign float64) {
	for i := range n {
		line := g[:n-i] // entries (i, i) … (i, n−1)
		g = g[n-i:]
		for t, v := range line {
			h[(row+i+t)*size+col+i] += sign * v
		}
		if row != col {
			dst := h[(row+i)*size+col+i : (row+i)*size+col+n]
			for t := 1; t < len(line); t++ {
				dst[t] += sign * line[t]
			}
		}
	}
}
