package lang

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/dcopt/dcopt/internal/suggest"
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
	tables map[string]*table
	texts  map[string]string
}

// loader reads data files relative to a folder.
type loader struct {
	fsys  fs.FS // nil: the operating system's
	dir   string
	limit int // numbers in a file
	cache *Cache
	used  []DataFile
}

// maxFile is the size from which data files are refused.
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
func (l *loader) read(name string) (string, error) {
	where := l.resolve(name)
	if s, ok := l.cache.texts[where]; ok {
		return s, nil
	}
	var f fs.File
	var err error
	if l.fsys != nil {
		f, err = l.fsys.Open(where)
	} else {
		// A device or pipe could block or never end: look before opening.
		if info, e := os.Stat(where); e == nil && !info.Mode().IsRegular() {
			return "", errors.New("not a plain file")
		}
		f, err = os.Open(where)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", &notFound{where}
	case err != nil:
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", errors.New("not a plain file")
	case info.Size() > maxFile:
		return "", fmt.Errorf("%d bytes are too many; %d at most", info.Size(), int64(maxFile))
	}
	return readText(f, int(info.Size()))
}

// readText is what a file of that size holds, which may be compressed by gzip,
// without a byte order mark.
func readText(f io.Reader, size int) (string, error) {
	in := bufio.NewReaderSize(f, min(size, 1<<18))
	var r io.Reader = in
	if head, _ := in.Peek(2); string(head) == "\x1f\x8b" {
		z, err := gzip.NewReader(in)
		if err != nil {
			return "", fmt.Errorf("damaged gzip file: %w", err)
		}
		r = z
	}
	var b strings.Builder
	b.Grow(size)
	switch n, err := io.Copy(&b, io.LimitReader(r, maxFile+1)); {
	case err != nil && r != in:
		return "", fmt.Errorf("damaged gzip file: %w", err)
	case err != nil:
		return "", err
	case n > maxFile:
		return "", fmt.Errorf("more than %d bytes", int64(maxFile))
	}
	return strings.TrimPrefix(b.String(), "\ufeff"), nil
}

// keep stores the text of a file that is likely to be read again.
func (l *loader) keep(name, src string) {
	if l.cache.texts == nil {
		l.cache.texts = map[string]string{}
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

// table is a CSV file of numbers.
type table struct {
	rows, cols int
	num        []float64
	header     []string // nil: none
	bytes      int64
}

// csv reads a file of numbers with commas, semicolons or tabs between. A first
// line without any number is a header.
func (l *loader) csv(name string) (*table, error) {
	where := l.resolve(name)
	if t, ok := l.cache.tables[where]; ok {
		l.note(DataFile{name, where, t.bytes, t.rows, t.cols})
		return t, nil
	}
	src, err := l.read(name)
	if err != nil {
		return nil, err
	}
	t, err := parseCSV(src, l.limit)
	if err != nil {
		return nil, err
	}
	if l.cache.tables == nil {
		l.cache.tables = map[string]*table{}
	}
	l.cache.tables[where] = t
	l.note(DataFile{name, where, t.bytes, t.rows, t.cols})
	return t, nil
}

// stringArg is argument k as a string literal.
func (ev *evaluator) stringArg(n *node, k int) string {
	a := n.args[k]
	if a.op != opString {
		ev.fail(a, `write the name in double quotes, as in `+n.name+`("data.`+n.name+`")`, "%s wants a string, not %s", n.name, ev.say(a))
	}
	return a.name
}

// unreadable reports a file that cannot be read.
func (ev *evaluator) unreadable(n *node, err error) {
	help := ""
	var missing *notFound
	if errors.As(err, &missing) {
		help = fmt.Sprintf("looked for %s; paths are relative to the problem file", missing.where)
	}
	sep := ": "
	if strings.HasPrefix(err.Error(), "line ") {
		sep = " "
	}
	ev.fail(n, help, "%s %q%s%v", n.name, ev.stringArg(n, 0), sep, err)
}

// fnCSV is csv("file") or csv("file", "column").
func (ev *evaluator) fnCSV(n *node) value {
	t, err := ev.data.csv(ev.stringArg(n, 0))
	if err != nil {
		ev.unreadable(n, err)
	}
	ev.spend(n, len(t.num)/16)
	if len(n.args) == 2 {
		return ev.column(n, t)
	}
	return t.value()
}

// value is the table as a matrix; one row or one column is a vector.
func (t *table) value() value {
	if t.rows == 1 || t.cols == 1 {
		return vector(t.num)
	}
	return array([]int{t.rows, t.cols}, t.num)
}

func (ev *evaluator) column(n *node, t *table) value {
	name := ev.stringArg(n, 1)
	if t.header == nil {
		ev.fail(n.args[1], "", "csv %q has no header line, so no column %q", ev.stringArg(n, 0), name)
	}
	for j, h := range t.header {
		if h != name {
			continue
		}
		v := make([]float64, t.rows)
		for i := range v {
			v[i] = t.num[i*t.cols+j]
		}
		return vector(v)
	}
	ev.fail(n.args[1], "", "csv %q has no column %q%s", ev.stringArg(n, 0), name, suggest.DidYouMean(name, t.header))
	return value{}
}
