package sdpa

import (
	"bufio"
	"fmt"
	"io"
	"math"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/problemfile"
)

// Write writes a problem whose cones are semidefinite and whose objective is linear; any
// other is refused. Sides of other rows and bounds are entries of diagonal blocks, an
// equation two of them, so that Read gives back a problem with the same solutions and not
// always the same rows. Entries off the diagonal of a cone are divided by √2, which may
// cost their last bit.
func Write(w io.Writer, f *problemfile.File) error {
	p := f.Problem
	if p == nil {
		return fmt.Errorf("sdpa: the file holds no problem")
	}
	if err := p.Validate(); err != nil {
		return err
	}
	if why := fits(p); why != "" {
		return fmt.Errorf("sdpa: %s", why)
	}
	b := bufio.NewWriter(w)
	wr := newWriter(b, p)
	b.WriteString(comment(f.Name))
	if f.Maximize {
		b.WriteString(comment("the objective is the negative of one to be maximised"))
	}
	wr.head()
	wr.matrices()
	return b.Flush()
}

// writer holds the places of the rows in the file.
type writer struct {
	*bufio.Writer
	p      *qpbackend.Problem
	sizes  []int // of the blocks; negative: diagonal
	places []place
	ptr    []int // places of row i: places[ptr[i]:ptr[i+1]]; bounds behind the rows
}

// place is an entry that a row or a bound has, with its factor and its part of F₀.
type place struct {
	block, i, j int
	factor, f0  float64
}

func newWriter(b *bufio.Writer, p *qpbackend.Problem) *writer {
	n, m := p.Dims()
	w := &writer{Writer: b, p: p}
	diagonal := 0 // entries of the last block, from 1
	sides := func(lo, hi float64) {
		if !math.IsInf(lo, -1) {
			diagonal++
			w.places = append(w.places, place{0, diagonal, diagonal, 1, lo})
		}
		if !math.IsInf(hi, 1) {
			diagonal++
			w.places = append(w.places, place{0, diagonal, diagonal, -1, -hi})
		}
	}
	next := 0
	for i := 0; i < m; {
		if next < len(p.Cones) && p.Cones[next].Start == i {
			order := 0
			for from := i; i < from+p.Cones[next].Len; {
				order++
				for r := range order {
					w.ptr = append(w.ptr, len(w.places))
					f := 1.0
					if r+1 < order {
						f = math.Sqrt2
					}
					w.places = append(w.places, place{len(w.sizes) + 1, r + 1, order, 1 / f, p.L[i] / f})
					i++
				}
			}
			w.sizes = append(w.sizes, order)
			next++
			continue
		}
		w.ptr = append(w.ptr, len(w.places))
		sides(p.Sides(i))
		i++
	}
	for j := range n {
		w.ptr = append(w.ptr, len(w.places))
		sides(p.Bounds(j))
	}
	w.ptr = append(w.ptr, len(w.places))
	if diagonal > 0 {
		w.sizes = append(w.sizes, -diagonal)
	}
	for k := range w.places {
		if w.places[k].block == 0 {
			w.places[k].block = len(w.sizes)
		}
	}
	return w
}

func (w *writer) head() {
	if len(w.sizes) == 0 { // a row that always holds: −1 ≤ 0
		w.sizes = append(w.sizes, -1)
		w.places = append(w.places, place{1, 1, 1, 0, -1})
	}
	fmt.Fprintf(w, "%d\n%d\n", len(w.p.Q), len(w.sizes))
	for k, s := range w.sizes {
		fmt.Fprintf(w, "%s%d", blank(k), s)
	}
	fmt.Fprintln(w)
	for k, q := range w.p.Q {
		fmt.Fprintf(w, "%s%s", blank(k), problemfile.Exact(q))
	}
	fmt.Fprintln(w)
}

func blank(k int) string {
	if k == 0 {
		return ""
	}
	return " "
}

func (w *writer) matrices() {
	entry := func(k int, at place, v float64) {
		if v != 0 {
			fmt.Fprintf(w, "%d %d %d %d %s\n", k, at.block, at.i, at.j, problemfile.Exact(v))
		}
	}
	for _, at := range w.places {
		entry(0, at, at.f0)
	}
	_, m := w.p.Dims()
	for j := range w.p.Q {
		if a := w.p.A; a != nil {
			for k := a.ColPtr[j]; k < a.ColPtr[j+1]; k++ {
				i := a.RowIdx[k]
				for _, at := range w.places[w.ptr[i]:w.ptr[i+1]] {
					entry(j+1, at, at.factor*a.Val[k])
				}
			}
		}
		for _, at := range w.places[w.ptr[m+j]:w.ptr[m+j+1]] {
			entry(j+1, at, at.factor)
		}
	}
}
