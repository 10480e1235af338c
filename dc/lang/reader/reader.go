package reader

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/dcopt/dcopt/dc/lang/internal/datafile"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/internal/arrays"
)

// The parts of a syntax tree.
type (
	// Statement is one declaration, objective, constraint or option.
	Statement = syntax.Statement
	// Node is an expression.
	Node = syntax.Node
	// Binder is i in I, or (i, j) in E.
	Binder = syntax.Binder
	// Kind is the kind of a token: of a relation, LE, GE, EQ and so on.
	Kind = syntax.Kind
)

// Verbs of statements.
const (
	Param      = syntax.Param
	Set        = syntax.Set
	Var        = syntax.Var
	Let        = syntax.Let
	Minimize   = syntax.Minimize
	Maximize   = syntax.Maximize
	Find       = syntax.Find
	Constraint = syntax.Constraint
	Option     = syntax.Option
)

// Operations of nodes.
const (
	OpNumber    = syntax.OpNumber
	OpImaginary = syntax.OpImaginary
	OpString    = syntax.OpString
	OpName      = syntax.OpName
	OpIndex     = syntax.OpIndex
	OpAll       = syntax.OpAll
	OpRange     = syntax.OpRange
	OpCall      = syntax.OpCall
	OpReduce    = syntax.OpReduce
	OpSum       = syntax.OpSum
	OpMul       = syntax.OpMul
	OpDotMul    = syntax.OpDotMul
	OpDiv       = syntax.OpDiv
	OpDotDiv    = syntax.OpDotDiv
	OpPower     = syntax.OpPower
	OpNeg       = syntax.OpNeg
	OpTrans     = syntax.OpTrans
	OpCompare   = syntax.OpCompare
	OpAnd       = syntax.OpAnd
	OpOr        = syntax.OpOr
	OpNot       = syntax.OpNot
	OpLiteral   = syntax.OpLiteral
	OpMembers   = syntax.OpMembers
	OpFilter    = syntax.OpFilter
	OpTuple     = syntax.OpTuple
	OpIn        = syntax.OpIn
	OpChoice    = syntax.OpChoice
)

// Relations.
const (
	Less    = syntax.Less
	Greater = syntax.Greater
	LE      = syntax.LE
	GE      = syntax.GE
	EQ      = syntax.EQ
	NE      = syntax.NE
)

// Parse reads the statements of a source. The error is the first mistake, with its line.
func Parse(src string) ([]*Statement, error) {
	tree, wrong := syntax.Parse(src)
	if len(wrong) > 0 {
		line, _, _ := tree.Place(wrong[0].Span)
		return nil, fmt.Errorf("line %d: %s", line, wrong[0].Message)
	}
	return tree.Statements, nil
}

// ParseExpr reads an expression.
func ParseExpr(src string) (*Node, error) {
	_, n, wrong := syntax.ParseExpr(src)
	if len(wrong) > 0 {
		return nil, errors.New(wrong[0].Message)
	}
	return n, nil
}

// Data reads the data files of a problem.
type Data struct{ l datafile.Loader }

// Limits of data. Source: the limits of the language, so that the same files are read.
const (
	mostNumbers = 1 << 24
	mostSide    = 1 << 24
	mostDims    = 8
)

// NewData reads files relative to dir, in the system's file system if files is nil.
func NewData(files fs.FS, dir string) *Data {
	return &Data{datafile.Loader{FS: files, Dir: dir, Cache: &datafile.Cache{},
		Limits: arrays.Limits{Numbers: mostNumbers, Side: mostSide, Dimensions: mostDims}}}
}

// ReaderOf is the function of the language that reads a file of that name: csv, npy, npz
// or mtx; "" for no file.
func ReaderOf(name string) string { return datafile.ReaderOf(name) }

// Array is the array in a file, by the function of the language that reads it: csv, json,
// npy, npz or mtx. Values are in row-major order; a sparse matrix has its zeros.
func (d *Data) Array(function, file, key string) (shape []int, values []float64, err error) {
	var a datafile.Array
	if function == "csv" {
		a, _, err = d.l.Matrix(file)
	} else {
		a, err = d.l.File(function, file, key)
	}
	if err != nil {
		return nil, nil, err
	}
	s := a.Sparse
	if s == nil {
		return a.Shape, a.Values, nil
	}
	if s.Rows > 0 && s.Cols > mostNumbers/s.Rows {
		return nil, nil, fmt.Errorf("%s: %d x %d entries are too many", file, s.Rows, s.Cols)
	}
	values = make([]float64, s.Rows*s.Cols)
	for i := range s.Rows {
		for k := s.Ptr[i]; k < s.Ptr[i+1]; k++ {
			values[i*s.Cols+s.Idx[k]] = s.Val[k]
		}
	}
	if s.Rows == 1 || s.Cols == 1 {
		return []int{len(values)}, values, nil
	}
	return []int{s.Rows, s.Cols}, values, nil
}

// Header is the names of the columns of a table.
func (d *Data) Header(file string) ([]string, error) {
	t, err := d.l.CSV(file)
	if err != nil {
		return nil, err
	}
	return t.Header, nil
}

// Column is a column of a table: its numbers, or its words where it has any.
func (d *Data) Column(file, name string) (numbers []float64, words []string, err error) {
	t, err := d.l.CSV(file)
	if err != nil {
		return nil, nil, err
	}
	for j, h := range t.Header {
		if h != name {
			continue
		}
		if err := t.Usable(j); err != nil {
			return nil, nil, err
		}
		if t.Words(j) {
			words, err = d.l.Column(file, t, j)
			return nil, words, err
		}
		for i := range t.Rows {
			numbers = append(numbers, t.Num[i*t.Cols+j])
		}
		return numbers, nil, nil
	}
	return nil, nil, fmt.Errorf("%s has no column %q", file, name)
}
