package reader

import (
	"fmt"
	"io/fs"

	"github.com/dcopt/dcopt/dc/lang/internal/datafile"
	"github.com/dcopt/dcopt/internal/arrays"
)

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
	a, err := d.l.File(function, file, key)
	switch s := a.Sparse; {
	case err != nil:
		return nil, nil, err
	case s == nil:
		return a.Shape, a.Values, nil
	case s.Rows > 0 && s.Cols > mostNumbers/s.Rows:
		return nil, nil, fmt.Errorf("%s: %d x %d entries are too many", file, s.Rows, s.Cols)
	case s.Rows == 1 || s.Cols == 1:
		return []int{s.Rows * s.Cols}, s.Full(), nil
	default:
		return []int{s.Rows, s.Cols}, s.Full(), nil
	}
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
