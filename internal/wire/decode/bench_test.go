package decode

import (
	"bytes"
	"context"
	"testing"

	"github.com/dcopt/dcopt/internal/wire"
)

// framed is a message as bytes.
func framed(b *testing.B, m wire.Message) []byte {
	b.Helper()
	var out bytes.Buffer
	wire.Address(m, "load", 1)
	if err := wire.Write(&out, m); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}

// manyNodes is a problem of about 10,000 nodes, of all sorts of operations.
func manyNodes() wire.Graph {
	g := wire.Graph{
		Variables:  []wire.Variable{{Name: "x", Shape: []int{4}, Lo: wire.F([]float64{0.5}), Hi: wire.F([]float64{2})}},
		Parameters: []wire.Parameter{{Name: "p", Shape: []int{}, Value: wire.F([]float64{5})}},
	}
	four := []int{4}
	for range 1000 {
		data := &wire.Attrs{Data: wire.F([]float64{1, 2, 3, 4})}
		c := g.Add(wire.Node{Op: "const", Shape: four, Attrs: data})
		factors := &wire.Attrs{Factors: []float64{1, -1, 2}}
		d := g.Add(wire.Node{Op: "sum", Args: []int{0, c, 1}, Shape: four, Attrs: factors})
		a := g.Add(wire.Node{Op: "affine", Args: []int{0, d}, Shape: []int{2}, Attrs: &wire.Attrs{
			Indptr: wire.I([]int{0, 2, 4}), Indices: wire.I([]int{0, 5, 1, 7}), Data: wire.F([]float64{1, 2, 3, 4}),
		}})
		e := g.Add(wire.Node{Op: "exp", Args: []int{0}, Shape: four})
		s := g.Add(wire.Node{Op: "sumsq", Args: []int{d}, Shape: []int{}})
		n := g.Add(wire.Node{Op: "norm2", Args: []int{a}, Shape: []int{}})
		m := g.Add(wire.Node{Op: "max", Args: []int{e}, Shape: []int{2}, Attrs: &wire.Attrs{Groups: ptr(2)}})
		w := g.Add(wire.Node{Op: "affine", Args: []int{s, n, m}, Shape: []int{}, Attrs: &wire.Attrs{
			Indptr: wire.I([]int{0, 4}), Indices: wire.I([]int{0, 1, 2, 3}), Data: wire.F([]float64{1, 1, 1, 1}),
		}})
		l := g.Add(wire.Node{Op: "log", Args: []int{0}, Shape: four})
		g.Add(wire.Node{Op: "mul", Args: []int{c, l}, Shape: four})
		g.Constraints = append(g.Constraints, wire.Constraint{Kind: "le", Args: []int{w, 1}},
			wire.Constraint{Kind: "soc", Args: []int{n, a}})
	}
	return g
}

// BenchmarkNodes reads a message of 10,000 nodes, and makes the problem.
func BenchmarkNodes(b *testing.B) {
	frame := framed(b, &wire.Load{Problem: 1, Graph: manyNodes()})
	read := func(b *testing.B) *wire.Load {
		f, err := wire.ReadFrame(bytes.NewReader(frame), 1<<30, nil)
		if err != nil {
			b.Fatal(err)
		}
		var m wire.Load
		if err := wire.Parse(f, &m, true); err != nil {
			b.Fatal(err)
		}
		return &m
	}
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			read(b)
		}
	})
	m := read(b)
	b.Run("build", func(b *testing.B) {
		for b.Loop() {
			if _, err := Build(context.Background(), &m.Graph, [][]float64{{5}}, DefaultLimits()); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkArrays reads a message with arrays of a million numbers, and makes the problem, of which
// they are the rows.
func BenchmarkArrays(b *testing.B) {
	const n = 1_000_000
	idx, val := make([]int, n), make([]float64, n)
	ptr := make([]int, n/10+1)
	for k := range idx {
		idx[k], val[k] = (k*7919)%1000, float64(k%13)-6
	}
	for i := range ptr {
		ptr[i] = 10 * i
	}
	g := wire.Graph{Variables: []wire.Variable{{Name: "x", Shape: []int{10, 100}}}}
	g.Add(wire.Node{Op: "const", Shape: []int{n}, Attrs: &wire.Attrs{Data: wire.F(val)}})
	a := g.Add(wire.Node{Op: "affine", Args: []int{0}, Shape: []int{n / 10}, Attrs: &wire.Attrs{
		Indptr: wire.I(ptr), Indices: wire.I(idx), Data: wire.F(val), Constant: wire.F([]float64{1})}})
	g.Constraints = []wire.Constraint{{Kind: "le", Args: []int{a}}}
	frame := framed(b, &wire.Load{Problem: 1, Graph: g})
	var m wire.Load
	b.Run("parse", func(b *testing.B) {
		for b.Loop() {
			f, err := wire.ReadFrame(bytes.NewReader(frame), 1<<30, nil)
			if err != nil {
				b.Fatal(err)
			}
			m = wire.Load{}
			if err := wire.Parse(f, &m, true); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("build", func(b *testing.B) {
		for b.Loop() {
			if _, err := Build(context.Background(), &m.Graph, nil, DefaultLimits()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			framed(b, &m)
		}
	})
}
