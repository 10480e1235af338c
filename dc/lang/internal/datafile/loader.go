package datafile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/dcopt/dcopt/internal/arrays"
	"github.com/dcopt/dcopt/internal/input"
)

// File is a file that a problem reads.
type File struct {
	Name       string // as the problem writes it
	Path       string // where it was looked for: in Loader.FS, or as the system takes it
	Bytes      int64
	Rows, Cols int // of numbers; of a JSON file, the shape of the value read last
}

// Cache keeps the contents of data files between compilations, for sweeps. It
// is for one goroutine. The zero value is ready.
type Cache struct {
	tables map[string]*Table
	texts  map[string]text
	arrays map[string]Array // by function, path and name
	held   int64            // numbers in all of them, less the bytes of their files
}

// mostHeld bounds held. Source: a limit of memory, 0.3 GB.
const mostHeld = 1 << 25

// hold counts numbers that were read from a file of so many bytes.
func (c *Cache) hold(numbers, stored int64) error {
	if c.held+numbers-stored > mostHeld {
		return fmt.Errorf("with it the compressed data hold more than %d numbers", mostHeld)
	}
	c.held += numbers - stored
	return nil
}

// Loader reads data files relative to a folder.
type Loader struct {
	FS     fs.FS // nil: the operating system's
	Dir    string
	Limits arrays.Limits
	Cache  *Cache
	Used   []File // those that were read, each once
}

// resolve is the path of a file.
func (l *Loader) resolve(name string) string {
	switch {
	case l.FS != nil:
		return path.Join(l.Dir, name)
	case filepath.IsAbs(name):
		return name
	}
	return filepath.Join(l.Dir, filepath.FromSlash(name))
}

// NotFound is the error for a file that is not there.
type NotFound struct {
	Where string // where it was looked for
}

func (e *NotFound) Error() string { return "no such file" }

// text is the text of a file, without a byte order mark, which has so many bytes where it is
// stored.
type text struct {
	data   []byte
	stored int64
}

// read is the whole file, which may be compressed by gzip.
func (l *Loader) read(name string) (text, error) {
	where := l.resolve(name)
	if s, ok := l.Cache.texts[where]; ok {
		return s, nil
	}
	f, _, err := l.open(name)
	if err != nil {
		return text{}, err
	}
	defer f.Close()
	r, err := input.New(f)
	if err != nil {
		return text{}, err
	}
	data, err := r.All()
	return text{bytes.TrimPrefix(data, []byte("\ufeff")), r.Stored()}, err
}

// mostEntries bounds the entries of a sparse matrix: so many, and one more for each four bytes of
// its file.
// Source: a limit of memory: an entry takes some 80 bytes while it is read.
const mostEntries = 1 << 22

// limits of an array in a text.
func (l *Loader) limits(t text) arrays.Limits {
	lim := l.Limits
	lim.Entries = min(lim.Numbers, mostEntries+int(t.stored/4))
	return lim
}

// open opens a file and tells its size.
func (l *Loader) open(name string) (f fs.File, size int64, err error) {
	where := l.resolve(name)
	if l.FS != nil {
		f, err = l.FS.Open(where)
	} else {
		// A device or pipe could block or never end: look before opening.
		if info, e := os.Stat(where); e == nil && !info.Mode().IsRegular() {
			return nil, 0, errors.New("not a plain file")
		}
		f, err = os.Open(where)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0, &NotFound{where}
	case err != nil:
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return nil, 0, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = errors.New("not a plain file")
	case info.Size() > input.MostFile:
		err = &input.LimitError{Most: input.MostFile}
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// keep stores the text of a file that is likely to be read again.
func (l *Loader) keep(name string, src text) {
	if l.Cache.hold(int64(len(src.data)/8), 0) != nil {
		return
	}
	if l.Cache.texts == nil {
		l.Cache.texts = map[string]text{}
	}
	l.Cache.texts[l.resolve(name)] = src
}

// note remembers a file for the report.
func (l *Loader) note(d File) {
	for k := range l.Used {
		if l.Used[k].Path == d.Path {
			l.Used[k] = d
			return
		}
	}
	l.Used = append(l.Used, d)
}

// CSV reads a table. A cell that is no number is an error only to who asks for it.
func (l *Loader) CSV(name string) (*Table, error) {
	where := l.resolve(name)
	t, ok := l.Cache.tables[where]
	if !ok {
		f, size, err := l.open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if t, err = readCSV(f, name, l.Limits.Numbers); err != nil {
			return nil, err
		}
		if err := l.Cache.hold(int64(len(t.Num)), size); err != nil {
			return nil, err
		}
		t.bytes = size
		if l.Cache.tables == nil {
			l.Cache.tables = map[string]*Table{}
		}
		l.Cache.tables[where] = t
	}
	l.note(File{name, where, t.bytes, t.Rows, t.Cols})
	return t, nil
}

// Column is the text of a column of a table.
func (l *Loader) Column(name string, t *Table, j int) ([]string, error) {
	c := &t.columns[j]
	if c.texts != nil {
		return c.texts, nil
	}
	f, _, err := l.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	texts, err := readColumn(f, name, c.place)
	switch {
	case err != nil:
		return nil, err
	case len(texts) != t.Rows:
		return nil, errors.New("it has changed while it was read")
	}
	c.texts = texts
	return texts, nil
}

// Matrix reads a table of numbers alone; one row or one column is a vector. Where a cell
// is no number, the table is there beside the error.
func (l *Loader) Matrix(name string) (Array, *Table, error) {
	t, err := l.CSV(name)
	if err == nil {
		err = t.all()
	}
	switch {
	case err != nil:
		return Array{}, t, err
	case t.Rows == 1 || t.Cols == 1:
		return vector(t.Num), t, nil
	}
	return Array{Dense: arrays.Dense{Shape: []int{t.Rows, t.Cols}, Values: t.Num}}, t, nil
}
