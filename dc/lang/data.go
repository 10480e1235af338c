package lang

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/dcopt/dcopt/internal/arrays"
)

// DataFile is a file that a problem reads.
type DataFile struct {
	Name       string // as the problem writes it
	Path       string // where it was looked for: in Options.FS, or as the system takes it
	Bytes      int64
	Rows, Cols int // of numbers; of a JSON file, those of the value read last
}

// Cache keeps the contents of data files between compilations, for sweeps. It
// is for one goroutine. The zero value is ready.
type Cache struct {
	tables map[string]*csvTable
	texts  map[string][]byte
	arrays map[string]value // by function, path and name
}

// loader reads data files relative to a folder.
type loader struct {
	fsys   fs.FS // nil: the operating system's
	dir    string
	limits arrays.Limits
	cache  *Cache
	used   []DataFile
}

// maxFile is the size from which data files are refused.
// Source: a limit of memory, 4 GB.
const maxFile = 1 << 32

// resolve is the path of a file.
func (l *loader) resolve(name string) string {
	switch {
	case l.fsys != nil:
		return path.Join(l.dir, name)
	case filepath.IsAbs(name):
		return name
	}
	return filepath.Join(l.dir, filepath.FromSlash(name))
}

// notFound is an error with the place that was looked at.
type notFound struct{ where string }

func (e *notFound) Error() string { return "no such file" }

// read is the whole file.
func (l *loader) read(name string) ([]byte, error) {
	where := l.resolve(name)
	if s, ok := l.cache.texts[where]; ok {
		return s, nil
	}
	f, size, err := l.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readText(f, int(size))
}

// open opens a file and tells its size.
func (l *loader) open(name string) (f fs.File, size int64, err error) {
	where := l.resolve(name)
	if l.fsys != nil {
		f, err = l.fsys.Open(where)
	} else {
		// A device or pipe could block or never end: look before opening.
		if info, e := os.Stat(where); e == nil && !info.Mode().IsRegular() {
			return nil, 0, errors.New("not a plain file")
		}
		f, err = os.Open(where)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0, &notFound{where}
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
	case info.Size() > maxFile:
		err = fmt.Errorf("%d bytes are too many; %d at most", info.Size(), int64(maxFile))
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// readText is the text of a file of that size, which may be compressed by gzip,
// without a byte order mark.
func readText(f io.Reader, size int) ([]byte, error) {
	in := bufio.NewReaderSize(f, min(size, 1<<18))
	var r io.Reader = in
	if head, _ := in.Peek(2); string(head) == "\x1f\x8b" {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("damaged gzip file: %w", err)
		}
		r = z
	}
	var b bytes.Buffer
	b.Grow(size + bytes.MinRead) // so that the end is found without growth
	switch n, err := io.Copy(&b, io.LimitReader(r, maxFile+1)); {
	case err != nil && r != in:
		return nil, fmt.Errorf("damaged gzip file: %w", err)
	case err != nil:
		return nil, err
	case n > maxFile:
		return nil, fmt.Errorf("more than %d bytes", int64(maxFile))
	}
	return bytes.TrimPrefix(b.Bytes(), []byte("\ufeff")), nil
}

// keep stores the text of a file that is likely to be read again.
func (l *loader) keep(name string, src []byte) {
	if l.cache.texts == nil {
		l.cache.texts = map[string][]byte{}
	}
	l.cache.texts[l.resolve(name)] = src
}

// note remembers a file for the report.
func (l *loader) note(d DataFile) {
	for k := range l.used {
		if l.used[k].Path == d.Path {
			l.used[k] = d
			return
		}
	}
	l.used = append(l.used, d)
}

// csv reads a table. A cell that is no number is an error only to who asks for it.
func (l *loader) csv(name string) (*csvTable, error) {
	where := l.resolve(name)
	t, ok := l.cache.tables[where]
	if !ok {
		f, size, err := l.open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if t, err = readCSV(f, name, l.limits.Numbers); err != nil {
			return nil, err
		}
		t.bytes = size
		if l.cache.tables == nil {
			l.cache.tables = map[string]*csvTable{}
		}
		l.cache.tables[where] = t
	}
	l.note(DataFile{name, where, t.bytes, t.rows, t.cols})
	return t, nil
}

// column is the text of a column of a table.
func (l *loader) column(name string, t *csvTable, j int) ([]string, error) {
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
	case len(texts) != t.rows:
		return nil, errors.New("it has changed while it was read")
	}
	c.texts = texts
	return texts, nil
}

// matrix reads a table of numbers alone; one row or one column is a vector.
func (l *loader) matrix(name string) (value, error) {
	t, err := l.csv(name)
	if err == nil {
		err = t.all()
	}
	switch {
	case err != nil:
		return value{}, err
	case t.rows == 1 || t.cols == 1:
		return vector(t.num), nil
	}
	return array([]int{t.rows, t.cols}, t.num), nil
}
