package shards

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/internal/arrays"
	"github.com/dcopt/dcopt/lder/dataset"
)

// Table is an open part.
type Table interface {
	Columns() []string
	// Each calls do for consecutive rows with the columns of the given names, of which each is
	// there, NaN for missing values. It is called once.
	Each(ctx context.Context, names []string, do func(rows [][]float64) error) error
	Close() error
}

// Format opens a file.
type Format func(path string, opt dataset.Options) (Table, error)

// Open opens a file by the ending of its name: .npy is a matrix, all others are texts, as dataset.Read
// has them.
func Open(path string, opt dataset.Options) (Table, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".npy":
		return openNPY(path)
	case ".parquet":
		return nil, fmt.Errorf("%s: Parquet is read by the program dcopt-cluster, of the module cluster, and not by this one: give it the plan of the fit, or write the table as .npy or .csv.gz", path)
	}
	return openText(path, opt)
}

// Files are parts in files.
type Files struct {
	Paths   []string
	Options dataset.Options
	// Open opens them; nil: the function Open does.
	Open Format
	// Check, if there is one, is asked before part k is read.
	Check func(k int) error
}

// Count is how many there are.
func (p *Files) Count() int { return len(p.Paths) }

func (p *Files) open(ctx context.Context, k int) (Table, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if p.Check != nil {
		if err := p.Check(k); err != nil {
			return nil, err
		}
	}
	if p.Open != nil {
		return p.Open(p.Paths[k], p.Options)
	}
	return Open(p.Paths[k], p.Options)
}

// Columns are those of part k.
func (p *Files) Columns(ctx context.Context, k int) ([]string, error) {
	t, err := p.open(ctx, k)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	return t.Columns(), nil
}

// Each reads part k.
func (p *Files) Each(ctx context.Context, k int, names []string, target string, do func(x [][]float64, y []float64) error) error {
	t, err := p.open(ctx, k)
	if err != nil {
		return err
	}
	defer t.Close()
	all := append(slices.Clone(names), target)
	columns := t.Columns()
	for _, name := range all {
		if !slices.Contains(columns, name) {
			return fmt.Errorf("%s: no column %q", p.Paths[k], name)
		}
	}
	var x [][]float64
	var y []float64
	return t.Each(ctx, all, func(rows [][]float64) error {
		x, y = x[:0], y[:0]
		for _, row := range rows {
			x, y = append(x, row[:len(names)]), append(y, row[len(names)])
		}
		return do(x, y)
	})
}

// text is a table of text.
type text struct {
	*os.File
	stream *dataset.Stream
}

func openText(path string, opt dataset.Options) (Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s, err := dataset.OpenStream(f, path, opt)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &text{f, s}, nil
}

func (t *text) Columns() []string { return t.stream.Columns() }

func (t *text) Each(ctx context.Context, names []string, do func(rows [][]float64) error) error {
	if err := t.stream.Select(names, nil); err != nil {
		return err
	}
	return t.stream.Each(runtime.GOMAXPROCS(0), func(*dataset.Block) error { return ctx.Err() }, func(b *dataset.Block) error { return do(b.X) })
}

// matrix is a table in an .npy file. Its columns are x1, x2, and so on.
type matrix struct {
	*os.File
	rows *arrays.Rows
}

func openNPY(path string) (Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	rows, err := arrays.OpenRows(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &matrix{f, rows}, nil
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

// infinite are the bits of an infinite number without its sign.
// Source: IEEE 754.
const infinite = 0x7ff << 53

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
	in := make([]float64, block*w)
	var out []float64
	if !asTheyAre {
		out = make([]float64, block*len(at))
	}
	rows := make([][]float64, block)
	for i := range rows {
		if asTheyAre {
			rows[i] = in[i*w : i*w+len(at) : i*w+len(at)]
		} else {
			rows[i] = out[i*len(at) : (i+1)*len(at) : (i+1)*len(at)]
		}
	}
	for line := 0; ; {
		n, err := m.rows.Next(in)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name(), err)
		}
		if n == 0 && line == 0 {
			return fmt.Errorf("%s: there are no rows", m.Name())
		}
		if n == 0 {
			return nil
		}
		for i, row := range rows[:n] {
			if !asTheyAre {
				for k, j := range at {
					row[k] = in[i*w+j]
				}
			}
			for k, v := range row {
				if math.Float64bits(v)<<1 == infinite {
					return fmt.Errorf("%s: row %d, column %d is infinite", m.Name(), line+i+1, at[k]+1)
				}
			}
		}
		if err := do(rows[:n]); err != nil {
			return err
		}
		line += n
	}
}
