package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/sparse"
)

const magic = "dcopt-qp"

// WriteProblem writes p to a new file at path: in the form that has rows alone,
// as most solvers of others take it, and then which of the last rows are bounds
// of variables.
func WriteProblem(path string, p *qpbackend.Problem) error {
	p, bounded := p.BoundsAsRows()
	n, m := p.Dims()
	P, A := p.P, p.A
	if P == nil {
		P = sparse.Zero(n, n)
	}
	if A == nil {
		A = sparse.Zero(m, n)
	}
	var w writer
	w.WriteString(magic)
	w.ints(n, m, P.NNZ(), A.NNZ(), len(p.Cones))
	w.floats(p.R)
	w.floats(p.Q...)
	w.floats(p.L...)
	w.floats(p.U...)
	for _, a := range []*sparse.CSC{P, A} {
		nnz := a.NNZ()
		w.ints(a.ColPtr[:n+1]...)
		w.ints(a.RowIdx[:nnz]...)
		w.floats(a.Val[:nnz]...)
	}
	for _, c := range p.Cones {
		w.ints(int(c.Kind), c.Start, c.Len)
		w.floats(c.Alpha)
	}
	w.ints(len(bounded))
	w.ints(bounded...)
	return os.WriteFile(path, w.Bytes(), 0o666)
}

// ReadProblem reads the files of WriteProblem. P and A are never nil.
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
	var bounded []int
	if count := r.ints(1); !r.short {
		bounded = r.ints(count[0])
	}
	if r.short || len(r.data) > 0 || size[4] < 0 || len(bounded) > m {
		return nil, fmt.Errorf("wire: %s has another length than its head says", path)
	}
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("wire: %s: %w", path, err)
	}
	if len(bounded) == 0 {
		return p, nil
	}
	if err := toBounds(p, bounded); err != nil {
		return nil, fmt.Errorf("wire: %s: %w", path, err)
	}
	return p, nil
}

// toBounds makes bounds of the variables given of the last rows.
func toBounds(p *qpbackend.Problem, bounded []int) error {
	n, all := p.Dims()
	m := all - len(bounded)
	p.Lo, p.Hi = make([]float64, n), make([]float64, n)
	for j := range n {
		p.Lo[j], p.Hi[j] = math.Inf(-1), math.Inf(1)
	}
	for k, j := range bounded {
		if j < 0 || j >= n || k > 0 && bounded[k-1] >= j || p.A.At(m+k, j) != 1 {
			return fmt.Errorf("row %d is no bound of variable %d", m+k, j)
		}
		p.Lo[j], p.Hi[j] = p.L[m+k], p.U[m+k]
	}
	a := &sparse.CSC{Rows: m, Cols: n, ColPtr: make([]int, 1, n+1)}
	for j := range n {
		for k := p.A.ColPtr[j]; k < p.A.ColPtr[j+1]; k++ {
			if i := p.A.RowIdx[k]; i < m {
				a.RowIdx, a.Val = append(a.RowIdx, i), append(a.Val, p.A.Val[k])
			}
		}
		a.ColPtr = append(a.ColPtr, len(a.RowIdx))
	}
	p.A, p.L, p.U = a, p.L[:m], p.U[:m]
	return p.Validate()
}

// kind is a number from a file as a kind of cone, one that Validate refuses if
// there is no such.
func kind(k int) qpbackend.ConeKind {
	if k < 0 || k > math.MaxUint8 {
		k = math.MaxUint8
	}
	return qpbackend.ConeKind(k)
}

// WriteAnswer writes x and the multipliers of the rows that WriteProblem wrote to
// a file at path: y, and z of the variables with bounds.
func WriteAnswer(path string, p *qpbackend.Problem, x, y, z []float64) error {
	var w writer
	w.floats(x...)
	w.floats(y...)
	if z != nil {
		_, bounded := p.BoundsAsRows()
		for _, j := range bounded {
			w.floats(z[j])
		}
	}
	return os.WriteFile(path, w.Bytes(), 0o666)
}

// ReadAnswer reads the point that is an answer to p.
func ReadAnswer(path string, p *qpbackend.Problem) (x, y, z []float64, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, nil, err
	}
	n, m := p.Dims()
	_, bounded := p.BoundsAsRows()
	if rows := m + len(bounded); len(data) != 8*(n+rows) {
		return nil, nil, nil, fmt.Errorf("the answer has %d bytes, want %d for %d variables and %d rows", len(data),
			8*(n+rows), n, rows)
	}
	r := &reader{data: data}
	x, y, z = r.floats(n), r.floats(m), make([]float64, n)
	for k, v := range r.floats(len(bounded)) {
		z[bounded[k]] = v
	}
	return x, y, z, nil
}

// writer collects the contents of a file.
type writer struct{ bytes.Buffer }

func (w *writer) ints(v ...int) {
	for _, e := range v {
		w.Write(binary.LittleEndian.AppendUint64(w.AvailableBuffer(), uint64(e)))
	}
}

func (w *writer) floats(v ...float64) {
	for _, e := range v {
		w.Write(binary.LittleEndian.AppendUint64(w.AvailableBuffer(), math.Float64bits(e)))
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

// words reads n numbers of 64 bits; it looks at a count from a file before it allocates.
func words[T any](r *reader, n int, number func(bits uint64) T) []T {
	if r.short || n < 0 || n > len(r.data)/8 {
		r.short = true
		return nil
	}
	v := make([]T, n)
	for i := range v {
		v[i] = number(binary.LittleEndian.Uint64(r.bytes(8)))
	}
	return v
}

func (r *reader) ints(n int) []int {
	return words(r, n, func(bits uint64) int { return int(int64(bits)) })
}

func (r *reader) floats(n int) []float64 { return words(r, n, math.Float64frombits) }
