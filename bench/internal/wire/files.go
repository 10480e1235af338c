package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

const magic = "dcopt-qp"

// WriteProblem writes p to a new file at path.
func WriteProblem(path string, p *qpbackend.Problem) error {
	n, m := p.Dims()
	P, A := p.P, p.A
	if P == nil {
		P = sparse.Zero(n, n)
	}
	if A == nil {
		A = sparse.Zero(m, n)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := &writer{w: bufio.NewWriterSize(f, 1<<16)}
	w.bytes([]byte(magic))
	w.ints([]int{n, m, P.NNZ(), A.NNZ(), len(p.Cones)})
	w.floats([]float64{p.R})
	w.floats(p.Q)
	w.floats(p.L)
	w.floats(p.U)
	for _, a := range []*sparse.CSC{P, A} {
		nnz := a.NNZ()
		w.ints(a.ColPtr[:n+1])
		w.ints(a.RowIdx[:nnz])
		w.floats(a.Val[:nnz])
	}
	for _, c := range p.Cones {
		w.ints([]int{int(c.Kind), c.Start, c.Len})
		w.floats([]float64{c.Alpha})
	}
	return errors.Join(w.err, w.w.Flush(), f.Close())
}

// ReadProblem reads what WriteProblem wrote. P and A are never nil.
func ReadProblem(path string) (*qpbackend.Problem, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &reader{data: data}
	if string(r.bytes(len(magic))) != magic {
		return nil, fmt.Errorf("wire: %s is no problem of dcbench", path)
	}
	size := r.ints(5)
	if r.short {
		return nil, fmt.Errorf("wire: %s: %w", path, io.ErrUnexpectedEOF)
	}
	n, m := size[0], size[1]
	p := &qpbackend.Problem{}
	if c := r.floats(1); len(c) == 1 {
		p.R = c[0]
	}
	p.Q, p.L, p.U = r.floats(n), r.floats(m), r.floats(m)
	matrix := func(rows, nnz int) *sparse.CSC {
		return &sparse.CSC{Rows: rows, Cols: n, ColPtr: r.ints(n + 1), RowIdx: r.ints(nnz), Val: r.floats(nnz)}
	}
	p.P, p.A = matrix(n, size[2]), matrix(m, size[3])
	for k := 0; k < size[4] && !r.short; k++ {
		c, α := r.ints(3), r.floats(1)
		if !r.short {
			p.Cones = append(p.Cones, qpbackend.Cone{Kind: kind(c[0]), Start: c[1], Len: c[2], Alpha: α[0]})
		}
	}
	if r.short || len(r.data) > 0 || size[4] < 0 {
		return nil, fmt.Errorf("wire: %s has another length than its head says", path)
	}
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("wire: %s: %w", path, err)
	}
	return p, nil
}

// kind is a number from a file as a kind of cone, one that Validate refuses if
// there is no such.
func kind(k int) qpbackend.ConeKind {
	if k < 0 || k > math.MaxUint8 {
		k = math.MaxUint8
	}
	return qpbackend.ConeKind(k)
}

// WriteAnswer writes x and y to a file at path.
func WriteAnswer(path string, x, y []float64) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := &writer{w: bufio.NewWriterSize(f, 1<<16)}
	w.floats(x)
	w.floats(y)
	return errors.Join(w.err, w.w.Flush(), f.Close())
}

// ReadAnswer reads x of length n and y of length m.
func ReadAnswer(path string, n, m int) (x, y []float64, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	if len(data) != 8*(n+m) {
		return nil, nil, fmt.Errorf("the answer has %d bytes, want %d for %d variables and %d rows", len(data), 8*(n+m), n, m)
	}
	r := &reader{data: data}
	return r.floats(n), r.floats(m), nil
}

// writer keeps its first error.
type writer struct {
	w   *bufio.Writer
	buf [8]byte
	err error
}

func (w *writer) bytes(b []byte) {
	if w.err == nil {
		_, w.err = w.w.Write(b)
	}
}

func (w *writer) ints(v []int) {
	for _, e := range v {
		binary.LittleEndian.PutUint64(w.buf[:], uint64(e))
		w.bytes(w.buf[:])
	}
}

func (w *writer) floats(v []float64) {
	for _, e := range v {
		binary.LittleEndian.PutUint64(w.buf[:], math.Float64bits(e))
		w.bytes(w.buf[:])
	}
}

// reader remembers that there was too little.
type reader struct {
	data  []byte
	short bool
}

func (r *reader) bytes(n int) []byte {
	if r.short || n < 0 || n > len(r.data) {
		r.short = true
		return nil
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

// words bounds a count from a file before it is multiplied or allocated.
func (r *reader) words(n int) []byte {
	if n < 0 || n > len(r.data)/8 {
		r.short = true
		return nil
	}
	return r.bytes(8 * n)
}

func (r *reader) ints(n int) []int {
	b := r.words(n)
	v := make([]int, len(b)/8)
	for i := range v {
		v[i] = int(int64(binary.LittleEndian.Uint64(b[8*i:])))
	}
	return v
}

func (r *reader) floats(n int) []float64 {
	b := r.words(n)
	v := make([]float64, len(b)/8)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return v
}
