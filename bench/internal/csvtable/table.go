package csvtable

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// Table is a file of rows, to which rows are added. It is for one goroutine.
type Table[R any] struct {
	Rows   []R // in the order of the file
	format format[R]
	f      *os.File
}

// Open reads the file at path, or makes it; fresh empties it. A line that was
// being written when a run ended is cut off.
func Open[R any](path string, fresh bool) (*Table[R], error) {
	mode := os.O_RDWR | os.O_CREATE
	if fresh {
		mode |= os.O_TRUNC
	}
	f, err := os.OpenFile(path, mode, 0o644)
	if err != nil {
		return nil, err
	}
	t := &Table[R]{format: tagged[R](), f: f}
	if err := t.load(); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// Read returns the rows of the file at path.
func Read[R any](path string) ([]R, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rows, err := tagged[R]().decode(whole(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rows, nil
}

// whole is data up to the end of its last line.
func whole(data []byte) []byte { return data[:bytes.LastIndexByte(data, '\n')+1] }

func (t *Table[R]) load() error {
	data, err := io.ReadAll(t.f)
	if err != nil {
		return err
	}
	data = whole(data)
	if err := t.f.Truncate(int64(len(data))); err != nil {
		return err
	}
	if _, err := t.f.Seek(int64(len(data)), io.SeekStart); err != nil {
		return err
	}
	if len(data) == 0 {
		return t.write(slices.Clone(t.format.header))
	}
	t.Rows, err = t.format.decode(data)
	return err
}

func (f format[R]) decode(data []byte) ([]R, error) {
	in := csv.NewReader(bytes.NewReader(data))
	in.FieldsPerRecord = len(f.header)
	first, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil || !slices.Equal(first, f.header) {
		return nil, errors.New("this is no such table of this version of dcbench; give another folder with --out")
	}
	var rows []R
	for {
		rec, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		r, err := f.parse(rec)
		if err != nil {
			line, _ := in.FieldPos(0)
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		rows = append(rows, r)
	}
}

// write appends a line in one call, so that it is there whole or at the end.
// Line breaks in fields would end it early; they become blanks, in rec too.
func (t *Table[R]) write(rec []string) error {
	for k, field := range rec {
		rec[k] = strings.NewReplacer("\r", " ", "\n", " ").Replace(field)
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.Write(rec); err != nil {
		return err
	}
	w.Flush()
	_, err := t.f.Write(b.Bytes())
	return err
}

// Add appends a row to the file, and to Rows as it will be read: with the digits
// that the file has.
func (t *Table[R]) Add(r R) error {
	rec := t.format.record(r)
	if err := t.write(rec); err != nil {
		return err
	}
	r, err := t.format.parse(rec)
	t.Rows = append(t.Rows, r)
	return err
}

// Close closes the file.
func (t *Table[R]) Close() error { return t.f.Close() }

// Latest returns the last row of each place, in the order in which the places
// first appear.
func Latest[R any](rows []R) []R {
	f := tagged[R]()
	at := map[string]int{}
	var last []R
	for _, r := range rows {
		p := f.key(r, place)
		k, ok := at[p]
		if !ok {
			k, at[p] = len(last), len(last)
			last = append(last, r)
		}
		last[k] = r
	}
	return last
}
