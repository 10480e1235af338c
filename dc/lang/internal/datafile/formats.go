package datafile

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/internal/arrays"
)

// format is a kind of file with arrays.
type format struct {
	name string // of the function that reads it, and the ending of files
	many bool   // a file may hold several arrays, by name
	read func(data []byte, key string, lim arrays.Limits) (Array, error)
}

// formats are all but tables.
var formats = []format{
	{"json", true, readJSON}, {"npy", false, readNPY}, {"npz", true, readNPZ}, {"mtx", false, readMTX},
}

// ReaderOf is the name of the function that reads a file, by its ending; "": none.
func ReaderOf(file string) string {
	ending := strings.TrimPrefix(path.Ext(strings.TrimSuffix(strings.ToLower(file), ".gz")), ".")
	if ending == "csv" || slices.ContainsFunc(formats, func(f format) bool {
		return f.name == ending && f.name != "json"
	}) {
		return ending
	}
	return ""
}

// File reads a file with the function of that name; key is "" or says which of the arrays
// that the file holds. An arrays.MissingKey lists them.
func (l *Loader) File(read, name, key string) (Array, error) {
	for _, f := range formats {
		if f.name == read {
			return l.array(f, name, key)
		}
	}
	a, _, err := l.Matrix(name)
	return a, err
}

// array reads a file of a format.
func (l *Loader) array(f format, name, key string) (Array, error) {
	where := l.resolve(name)
	id := f.name + "\x00" + where + "\x00" + key
	v, ok := l.Cache.arrays[id]
	if ok {
		return v, nil
	}
	t, err := l.read(name)
	if err != nil {
		return Array{}, err
	}
	if v, err = f.read(t.data, key, l.limits(t)); err != nil {
		return Array{}, err
	}
	if err := l.Cache.hold(int64(v.Size()), t.stored); err != nil {
		return Array{}, err
	}
	if f.many {
		l.keep(name, t)
	}
	if l.Cache.arrays == nil {
		l.Cache.arrays = map[string]Array{}
	}
	l.Cache.arrays[id] = v
	d := File{Name: name, Path: where, Bytes: int64(len(t.data)), Rows: 1, Cols: 1}
	switch {
	case v.Sparse != nil:
		d.Rows, d.Cols = v.Sparse.Rows, v.Sparse.Cols
	case len(v.Shape) > 0:
		d.Rows, d.Cols = v.Shape[0], 1
		for _, n := range v.Shape[1:] {
			d.Cols *= n
		}
	}
	l.note(d)
	return v, nil
}

// dense is an array that was read, or the error.
func dense(d arrays.Dense, err error) (Array, error) { return Array{Dense: d}, err }

func readJSON(data []byte, key string, lim arrays.Limits) (Array, error) {
	if key != "" {
		return dense(arrays.ReadJSONKey(data, key, lim))
	}
	return dense(arrays.ReadJSON(data, lim))
}

func readNPY(data []byte, _ string, lim arrays.Limits) (Array, error) {
	return dense(arrays.ReadNPY(bytes.NewReader(data), lim))
}

// readMTX: of one row or column it makes a vector, as of a table.
func readMTX(data []byte, _ string, lim arrays.Limits) (Array, error) {
	m, d, err := arrays.ReadMTX(data, lim)
	switch {
	case err != nil:
		return Array{}, err
	case m == nil && (d.Shape[0] == 1 || d.Shape[1] == 1):
		return vector(d.Values), nil
	case m == nil:
		return Array{Dense: *d}, nil
	case m.Rows == 1 || m.Cols == 1:
		return vector(m.Full()), nil
	}
	return Array{Sparse: m}, nil
}

// readNPZ: without a key the file holds a sparse matrix or one array.
func readNPZ(data []byte, key string, lim arrays.Limits) (Array, error) {
	a, err := arrays.OpenNPZ(data)
	if err != nil {
		return Array{}, err
	}
	if key == "" && a.IsSparse() {
		m, err := a.Sparse(lim)
		return Array{Sparse: m}, err
	}
	if key == "" {
		if key = a.Names[0]; len(a.Names) > 1 {
			return Array{}, &arrays.MissingKey{What: "array", Keys: a.Names}
		}
	}
	if !slices.Contains(a.Names, key) {
		return Array{}, &arrays.MissingKey{What: "array", Keys: a.Names}
	}
	return dense(a.Array(key, lim))
}
