package lang

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/internal/arrays"
	"github.com/dcopt/dcopt/internal/suggest"
)

// format is a kind of file with arrays.
type format struct {
	name string // of the function that reads it, and the ending of files
	many bool   // a file may hold several arrays, by name
	read func(data []byte, key string, lim arrays.Limits) (value, error)
}

// formats are all but tables.
var formats = []format{
	{"json", true, jsonValue}, {"npy", false, npyValue}, {"npz", true, npzValue}, {"mtx", false, mtxValue},
}

// readsFiles serves the function of a format: file, key.
func readsFiles(f format) func(*evaluator, *syntax.Node, []value) value {
	return func(ev *evaluator, n *syntax.Node, _ []value) value {
		name, key := ev.stringArg(n, 0), ""
		if len(n.Args) == 2 {
			if key = ev.stringArg(n, 1); key == "" {
				ev.fail(n.Args[1], "", "%s wants a name that is not empty", n.Name)
			}
		}
		v, err := ev.data.array(f, name, key)
		var missing *arrays.MissingKey
		switch {
		case errors.As(err, &missing) && key != "":
			ev.fail(n, "", "%s %q has no %s %q%s", n.Name, name, missing.What, key, suggest.DidYouMean(key, missing.Keys))
		case errors.As(err, &missing):
			ev.fail(n, fmt.Sprintf("name the one that you need, as in %s(%q, %q)", n.Name, name, missing.Keys[0]), "%s %q holds %d arrays", n.Name, name, len(missing.Keys))
		case err != nil:
			ev.unreadable(n, err)
		}
		if v.sort == sparseNumbers {
			ev.spend(n, len(v.more.sparse.Idx)/16)
		} else {
			ev.spend(n, v.len()/16)
		}
		return v
	}
}

// readerOf is the name of the function that reads a file, by its ending; "": none.
func readerOf(file string) string {
	ending := strings.TrimPrefix(path.Ext(strings.TrimSuffix(strings.ToLower(file), ".gz")), ".")
	if ending == "csv" || slices.ContainsFunc(formats, func(f format) bool { return f.name == ending && f.name != "json" }) {
		return ending
	}
	return ""
}

// file reads a file with the function of that name.
func (l *loader) file(read, name string) (value, error) {
	for _, f := range formats {
		if f.name == read {
			return l.array(f, name, "")
		}
	}
	return l.matrix(name)
}

// array reads a file of a format; key is "" or says which of its arrays.
func (l *loader) array(f format, name, key string) (value, error) {
	where := l.resolve(name)
	id := f.name + "\x00" + where + "\x00" + key
	v, ok := l.cache.arrays[id]
	if ok {
		return v, nil
	}
	data, err := l.read(name)
	if err != nil {
		return value{}, err
	}
	if f.many {
		l.keep(name, data)
	}
	if v, err = f.read(data, key, l.limits); err != nil {
		return value{}, err
	}
	if l.cache.arrays == nil {
		l.cache.arrays = map[string]value{}
	}
	l.cache.arrays[id] = v
	d := DataFile{Name: name, Path: where, Bytes: int64(len(data)), Rows: 1, Cols: 1}
	if len(v.shape) > 0 {
		d.Rows, d.Cols = v.shape[0], size(v.shape[1:])
	}
	l.note(d)
	return v, nil
}

// fromDense is an array of data, which may be infinite.
func fromDense(d arrays.Dense) value { return marked(array(d.Shape, d.Values)) }

func jsonValue(data []byte, key string, lim arrays.Limits) (value, error) {
	read := arrays.ReadJSON
	if key != "" {
		read = func(text []byte, lim arrays.Limits) (arrays.Dense, error) { return arrays.ReadJSONKey(text, key, lim) }
	}
	d, err := read(data, lim)
	if err != nil {
		return value{}, err
	}
	return fromDense(d), nil
}

func npyValue(data []byte, _ string, lim arrays.Limits) (value, error) {
	d, err := arrays.ReadNPY(bytes.NewReader(data), lim)
	if err != nil {
		return value{}, err
	}
	return fromDense(d), nil
}

// mtxValue: of one row or column it makes a vector, as of a table.
func mtxValue(data []byte, _ string, lim arrays.Limits) (value, error) {
	m, d, err := arrays.ReadMTX(data, lim)
	switch {
	case err != nil:
		return value{}, err
	case m == nil && (d.Shape[0] == 1 || d.Shape[1] == 1):
		return vector(d.Values), nil
	case m == nil:
		return fromDense(*d), nil
	case m.Rows == 1 || m.Cols == 1:
		return vector((&sparseData{Sparse: m}).expanded()), nil
	}
	return fromSparse(m), nil
}

// npzValue: without a key the file holds a sparse matrix or one array.
func npzValue(data []byte, key string, lim arrays.Limits) (value, error) {
	a, err := arrays.OpenNPZ(data)
	if err != nil {
		return value{}, err
	}
	if key == "" && a.IsSparse() {
		m, err := a.Sparse(lim)
		if err != nil {
			return value{}, err
		}
		return fromSparse(m), nil
	}
	if key == "" {
		if key = a.Names[0]; len(a.Names) > 1 {
			return value{}, &arrays.MissingKey{What: "array", Keys: a.Names}
		}
	}
	if !slices.Contains(a.Names, key) {
		return value{}, &arrays.MissingKey{What: "array", Keys: a.Names}
	}
	d, err := a.Array(key, lim)
	if err != nil {
		return value{}, err
	}
	return fromDense(d), nil
}
