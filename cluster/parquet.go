package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/lder/shards"
)

// OpenPart finds the table of a part in a file: as shards.Open does, and in Parquet files, whose
// names end in .parquet.
func OpenPart(f shards.File, opt dataset.Options) (shards.Table, error) {
	if strings.ToLower(filepath.Ext(f.Name())) != ".parquet" {
		return shards.Open(f, opt)
	}
	t, err := openParquet(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return t, nil
}

// parquetTable is a table in a Parquet file. Its columns are those that are neither lists nor maps,
// the columns of groups by names such as a.b.
type parquetTable struct {
	name  string
	in    *parquet.File
	names []string
	leaf  []int // of each name
}

func openParquet(f shards.File) (t *parquetTable, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	defer noPanic(&err)
	in, err := parquet.OpenFile(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("this is no Parquet file, or not all of it: %w", err)
	}
	t = &parquetTable{name: f.Name(), in: in}
	for k, path := range in.Schema().Columns() {
		if leaf, ok := in.Schema().Lookup(path...); ok && leaf.MaxRepetitionLevel == 0 {
			t.names, t.leaf = append(t.names, strings.Join(path, ".")), append(t.leaf, k)
		}
	}
	return t, nil
}

// noPanic makes an error of a panic of the reader, which a damaged file may cause.
func noPanic(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("a damaged file: %v", v)
	}
}

func (t *parquetTable) Columns() []string { return slices.Clone(t.names) }

// parquetRows is how many rows are read at a time.
// Source: a limit of memory: 1024 rows of 32 columns have 256 kB.
const parquetRows = 1024

func (t *parquetTable) Each(ctx context.Context, names []string, do func(rows [][]float64) error) (err error) {
	defer noPanic(&err)
	flat, rows := make([]float64, parquetRows*len(names)), make([][]float64, parquetRows)
	for i := range rows {
		rows[i] = flat[i*len(names) : (i+1)*len(names) : (i+1)*len(names)]
	}
	done := 0
	for _, group := range t.in.RowGroups() {
		columns := make([]*parquetColumn, len(names))
		for k, name := range names {
			c, err := t.column(group, name)
			if err != nil {
				return err
			}
			defer c.pages.Close()
			columns[k] = c
		}
		for left := int(group.NumRows()); left > 0; {
			n := min(left, parquetRows)
			for k, c := range columns {
				for i := range n {
					if rows[i][k], err = c.next(); err != nil {
						return fmt.Errorf("%s: row %d, column %q: %w", t.name, done+i+1, names[k], err)
					}
				}
			}
			block := slices.Clone(rows[:n])
			if err := errors.Join(ctx.Err(), do(block)); err != nil {
				return err
			}
			left -= n
			done += n
		}
	}
	if done == 0 {
		return fmt.Errorf("%s: there are no rows", t.name)
	}
	return nil
}

// parquetColumn reads the values of a column of a row group.
type parquetColumn struct {
	pages  parquet.Pages
	page   parquet.Page // nil: none
	values parquet.ValueReader
	buf    [512]parquet.Value
	ready  []parquet.Value
}

func (t *parquetTable) column(group parquet.RowGroup, name string) (*parquetColumn, error) {
	leaf, _ := t.in.Schema().Lookup(t.in.Schema().Columns()[t.leaf[slices.Index(t.names, name)]]...)
	kind := leaf.Node.Type()
	decimal := false // whole numbers of a unit that is not 1
	if logical := kind.LogicalType(); logical != nil {
		_, decimal = logical.Value.(*format.DecimalType)
	}
	switch kind.Kind() {
	case parquet.Boolean, parquet.Int32, parquet.Int64, parquet.Float, parquet.Double:
		if !decimal {
			return &parquetColumn{pages: group.ColumnChunks()[t.leaf[slices.Index(t.names, name)]].Pages()}, nil
		}
	}
	return nil, fmt.Errorf("%s: column %q holds %v, which is no number; leave it out or write it as double", t.name,
		name, kind)
}

// next is the next value, NaN where there is none.
func (c *parquetColumn) next() (float64, error) {
	for len(c.ready) == 0 {
		if c.page == nil {
			page, err := c.pages.ReadPage()
			if err == io.EOF {
				return 0, errors.New("the file ends too early")
			}
			if err != nil {
				return 0, err
			}
			c.page, c.values = page, page.Values()
		}
		n, err := c.values.ReadValues(c.buf[:])
		if c.ready = c.buf[:n]; err == io.EOF {
			parquet.Release(c.page)
			c.page = nil
		} else if err != nil {
			return 0, err
		}
	}
	v := c.ready[0]
	c.ready = c.ready[1:]
	if v.IsNull() {
		return math.NaN(), nil
	}
	x := 0.0
	switch v.Kind() {
	case parquet.Boolean:
		if v.Boolean() {
			x = 1
		}
	case parquet.Int32:
		x = float64(v.Int32())
	case parquet.Int64:
		x = float64(v.Int64())
	case parquet.Float:
		x = float64(v.Float())
	case parquet.Double:
		x = v.Double()
	}
	if math.IsInf(x, 0) {
		return 0, errors.New("an infinite value")
	}
	return x, nil
}
