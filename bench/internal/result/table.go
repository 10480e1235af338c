package result

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// Table is a file of rows, to which rows are added.
type Table struct {
	Rows []Row // in the order of the file
	f    *os.File
}

// Open reads the file at path, or makes it. A line that was being written when
// a run ended is cut off.
func Open(path string) (*Table, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	t := &Table{f: f}
	if err := t.load(); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// Read returns the rows of the file at path.
func Read(path string) ([]Row, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	rows, err := decode(whole(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rows, nil
}

// whole is data up to the end of its last line.
func whole(data []byte) []byte { return data[:bytes.LastIndexByte(data, '\n')+1] }

func (t *Table) load() error {
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
		return t.write(header)
	}
	t.Rows, err = decode(data)
	return err
}

func decode(data []byte) ([]Row, error) {
	in := csv.NewReader(bytes.NewReader(data))
	in.FieldsPerRecord = len(header)
	first, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil || !slices.Equal(first, header) {
		return nil, errors.New("this is no table of this version of dcbench; give another folder with --out")
	}
	var rows []Row
	for {
		rec, err := in.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		r, err := parse(rec)
		if err != nil {
			line, _ := in.FieldPos(0)
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		rows = append(rows, r)
	}
}

// write appends a line in one call, so that it is there whole or at the end.
func (t *Table) write(rec []string) error {
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
func (t *Table) Add(r Row) error {
	rec := r.record()
	if err := t.write(rec); err != nil {
		return err
	}
	r, err := parse(rec)
	t.Rows = append(t.Rows, r)
	return err
}

// Clear empties the table.
func (t *Table) Clear() error {
	if err := t.f.Truncate(0); err != nil {
		return err
	}
	if _, err := t.f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	t.Rows = nil
	return t.write(header)
}

// Close closes the file.
func (t *Table) Close() error { return t.f.Close() }

// Latest returns the last row of each place, in the order in which the places
// first appear.
func Latest(rows []Row) []Row {
	at := map[string]int{}
	var last []Row
	for _, r := range rows {
		if k, ok := at[r.Place()]; ok {
			last[k] = r
			continue
		}
		at[r.Place()] = len(last)
		last = append(last, r)
	}
	return last
}
