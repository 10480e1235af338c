package dc

import (
	"math/bits"
	"sync"
)

// numbers is the room for the arguments of one value: columns of one number each.
type numbers struct {
	u, e, g      [][]float64
	all          []float64 // the numbers in u, one after the other
	v, adj, room []float64
}

// rooms are pools of *numbers by the number of bits of how many arguments these had room for.
var rooms = [bits.UintSize]sync.Pool{}

// takeNumbers has room for n arguments, which put gives back.
func takeNumbers(n int) *numbers {
	if w, ok := rooms[bits.Len(uint(n))].Get().(*numbers); ok && n <= cap(w.u) {
		w.u = w.u[:n]
		return w
	}
	three := make([]float64, 3)
	w := &numbers{v: three[:1:1], adj: three[1:2:2], room: three[2:]}
	w.u, w.all = columnsOfOne(n)
	return w
}

func (w *numbers) put() { rooms[bits.Len(uint(len(w.u)))].Put(w) }

func columnsOfOne(n int) (columns [][]float64, all []float64) {
	columns, all = make([][]float64, n), make([]float64, n)
	for k := range columns {
		columns[k] = all[k : k+1 : k+1]
	}
	return columns, all
}

// errors and gradient are columns beside u.
func (w *numbers) errors() [][]float64 {
	if w.e == nil {
		w.e, _ = columnsOfOne(cap(w.u))
	}
	return w.e[:len(w.u)]
}

func (w *numbers) gradient() [][]float64 {
	if w.g == nil {
		w.g, _ = columnsOfOne(cap(w.u))
	}
	g := w.g[:len(w.u)]
	for k := range g {
		g[k][0] = 0
	}
	return g
}
