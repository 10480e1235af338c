package shards

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/internal/arrays"
	"github.com/dcopt/dcopt/lder/dataset"
)

// File is an open file of a part.
type File interface {
	io.ReadCloser
	io.ReaderAt
	Name() string
	Stat() (fs.FileInfo, error)
}

// Table is the table in an open file.
type Table interface {
	Columns() []string
	// Each calls do for consecutive rows with the columns of the given names, of which each is
	// there, NaN for missing values. It is called once.
	Each(ctx context.Context, names []string, do func(rows [][]float64) error) error
}

// Format finds the table in a file.
type Format func(f File, opt dataset.Options) (Table, error)

// Open finds the table by the ending of the file's name: .npy is a matrix, all others are texts, as
// dataset.Read has them.
func Open(f File, opt dataset.Options) (Table, error) {
	switch strings.ToLower(filepath.Ext(f.Name())) {
	case ".npy":
		rows, err := arrays.OpenRows(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
		return &matrix{f.Name(), rows}, nil
	case ".parquet":
		return nil,
			fmt.Errorf("%s: Parquet is read by the program dcopt-cluster, of the module cluster, and not by this "+
				"one: give it the plan of the fit, or write the table as .npy or .csv.gz", f.Name())
	}
	s, err := dataset.OpenStream(f, f.Name(), opt)
	if err != nil {
		return nil, err
	}
	return text{s}, nil
}

// Watch sees the content of a file as it is read, from its beginning.
type Watch interface {
	io.Writer
	// End is told that this was all of it. Its error refuses the part.
	End() error
}

// Files are parts in files.
type Files struct {
	Paths   []string
	Options dataset.Options
	// Open finds the tables in them; nil: the function Open does.
	Open Format
	// Find, if there is one, is asked before part k is read for its path and its watch, which is
	// nil where its content is known.
	Find func(k int) (path string, w Watch, err error)
}

// Count is how many there are.
func (p *Files) Count() int { return len(p.Paths) }

// open opens the file of part k.
func (p *Files) open(ctx context.Context, k int) (*watched, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	path, f := p.Paths[k], &watched{}
	if p.Find != nil {
		var err error
		if path, f.watch, err = p.Find(k); err != nil {
			return nil, err
		}
	}
	in, err := os.Open(path)
	f.in = in
	return f, err
}

func (p *Files) table(f File) (Table, error) {
	if p.Open != nil {
		return p.Open(f, p.Options)
	}
	return Open(f, p.Options)
}

// watched is a file that shows what it reads. It has the methods of File alone: those by which
// files copy themselves would show nothing.
type watched struct {
	in    *os.File
	watch Watch
}

func (f *watched) Read(b []byte) (int, error) {
	n, err := f.in.Read(b)
	if f.watch != nil {
		f.watch.Write(b[:n])
	}
	return n, err
}

func (f *watched) ReadAt(b []byte, at int64) (int, error) { return f.in.ReadAt(b, at) }
func (f *watched) Close() error                           { return f.in.Close() }
func (f *watched) Name() string                           { return f.in.Name() }
func (f *watched) Stat() (fs.FileInfo, error)             { return f.in.Stat() }

// end reads the rest of the file for the watch, and returns its error or err.
func (f *watched) end(ctx context.Context, err error) error {
	if f.watch == nil || ctx.Err() != nil {
		return err
	}
	if _, left := io.Copy(io.Discard, f); left != nil {
		return errors.Join(err, left)
	}
	if refused := f.watch.End(); refused != nil {
		return refused
	}
	return err
}

// Columns are the columns of part k. Nothing watches them: it is asked when the rows are read.
func (p *Files) Columns(ctx context.Context, k int) ([]string, error) {
	f, err := p.open(ctx, k)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := p.table(f)
	if err != nil {
		return nil, err
	}
	return t.Columns(), nil
}

// Each reads part k.
func (p *Files) Each(ctx context.Context, k int, names []string, target string,
	do func(x [][]float64, y []float64) error) error {
	f, err := p.open(ctx, k)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.end(ctx, p.rows(ctx, f, append(slices.Clone(names), target), do))
}

// rows reads the columns of a file, of which the last is the target.
func (p *Files) rows(ctx context.Context, f File, names []string, do func(x [][]float64, y []float64) error) error {
	t, err := p.table(f)
	if err != nil {
		return err
	}
	columns := t.Columns()
	for _, name := range names {
		if !slices.Contains(columns, name) {
			return fmt.Errorf("%s: no column %q", f.Name(), name)
		}
	}
	var x [][]float64
	var y []float64
	last := len(names) - 1
	return t.Each(ctx, names, func(rows [][]float64) error {
		x, y = slices.Grow(x[:0], len(rows))[:len(rows)], slices.Grow(y[:0], len(rows))[:len(rows)]
		for i, row := range rows {
			x[i], y[i] = row[:last], row[last]
		}
		return do(x, y)
	})
}

// text is a table of text.
type text struct{ stream *dataset.Stream }

func (t text) Columns() []string { return t.stream.Columns() }

func (t text) Each(ctx context.Context, names []string, do func(rows [][]float64) error) error {
	if err := t.stream.Select(names, nil); err != nil {
		return err
	}
	return t.stream.Each(runtime.GOMAXPROCS(0), func(*dataset.Block) error {
		return ctx.Err()
	}, func(b *dataset.Block) error { return do(b.X) })
}

// matrix is a table in an .npy file. Its columns are x1, x2, and so on.
type matrix struct {
	name string
	rows *arrays.Rows
}

func (m *matrix) Columns() (names []string) {
	for j := range m.rows.Width {
		names = append(names, "x"+strconv.Itoa(j+1))
	}
	return names
}

// blockNumbers is how many numbers of a matrix are read at a time, but for one row at least.
// Source: a limit of memory: they have 512 kB.
const blockNumbers = 1 << 16

func (m *matrix) Each(ctx context.Context, names []string, do func(rows [][]float64) error) error {
	at := make([]int, len(names))
	for k, name := range names {
		at[k] = slices.Index(m.Columns(), name)
	}
	w := m.rows.Width
	asTheyAre := len(at) <= w
	for k, j := range at {
		asTheyAre = asTheyAre && j == k
	}
	block := max(1, blockNumbers/w)
	var out []float64
	if !asTheyAre {
		out = make([]float64, block*len(at))
	}
	rows := make([][]float64, block)
	next, end := m.ahead(block)
	defer end()
	for some := false; ; some = true {
		in, n, err := next()
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		if n == 0 && !some {
			return fmt.Errorf("%s: there are no rows", m.name)
		}
		if n == 0 {
			return nil
		}
		for i := range n {
			rows[i] = in[i*w : i*w+len(at) : i*w+len(at)]
			if !asTheyAre {
				rows[i] = out[i*len(at) : (i+1)*len(at) : (i+1)*len(at)]
				for k, j := range at {
					rows[i][k] = in[i*w+j]
				}
			}
		}
		if err := do(rows[:n]); err != nil {
			return err
		}
	}
}

// ahead reads blocks of rows, the next while one is worked on. next gives one, which is valid until
// it is called again, with no rows at the end; end waits for the reader.
func (m *matrix) ahead(rows int) (next func() (numbers []float64, n int, err error), end func()) {
	type block struct {
		numbers []float64
		n       int
		err     error
	}
	free, full := make(chan []float64, 2), make(chan block, 2)
	for range cap(free) {
		free <- make([]float64, rows*m.rows.Width)
	}
	go func() {
		defer close(full)
		for numbers := range free {
			n, err := m.rows.Next(numbers)
			full <- block{numbers, n, err}
			if n == 0 || err != nil {
				return
			}
		}
	}()
	var last []float64
	next = func() ([]float64, int, error) {
		if last != nil {
			free <- last
		}
		b := <-full
		last = b.numbers
		return b.numbers, b.n, b.err
	}
	return next, func() {
		close(free)
		for range full { // until the reader has seen it
		}
	}
}
