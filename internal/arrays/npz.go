package arrays

import (
	"errors"
	"io"
	"slices"
	"strings"
)

// Archive is an .npz file: arrays with names.
type Archive struct {
	Names   []string // in the order of the file
	members map[string]member
}

// member is a file of the archive.
type member interface {
	Open() (io.ReadCloser, error)
}

// open opens a member.
func (a *Archive) open(name string) (io.ReadCloser, error) {
	f := a.members[name]
	if f == nil {
		return nil, wrong("the archive has no array %q", name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, inMember(name, err)
	}
	return r, nil
}

// inMember says in which array of an archive something is wrong.
func inMember(name string, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return wrong("the array %q is damaged: %s", name, strings.TrimPrefix(err.Error(), "zip: "))
	}
	return wrong("the array %q: %s", name, e.Msg)
}

// Array reads an array of the archive.
func (a *Archive) Array(name string, lim Limits) (Dense, error) {
	r, err := a.open(name)
	if err != nil {
		return Dense{}, err
	}
	defer r.Close()
	d, err := ReadNPY(r, lim)
	if err != nil {
		return Dense{}, inMember(name, err)
	}
	return d, nil
}

// IsSparse reports whether the archive holds a matrix as scipy.sparse.save_npz
// writes it.
func (a *Archive) IsSparse() bool {
	return a.members["format"] != nil && a.members["shape"] != nil && a.members["data"] != nil
}

// Sparse is the matrix that scipy.sparse.save_npz wrote, of the formats csr, csc and
// coo. Entries with one place are added.
func (a *Archive) Sparse(lim Limits) (*Sparse, error) {
	lim = lim.sparse()
	format, err := a.word("format")
	if err != nil {
		return nil, err
	}
	shape, err := a.whole("shape", lim, lim.Side)
	if err != nil {
		return nil, err
	}
	if len(shape) != 2 {
		return nil, wrong("the sparse array has %d dimensions, not 2", len(shape))
	}
	if !slices.Contains([]string{"csr", "csc", "coo"}, format) {
		return nil, wrong("the sparse format %q is not read; save A.tocsr()", format)
	}
	val, err := a.entries("data", lim)
	if err != nil {
		return nil, err
	}
	t := &triplets{val: val}
	rows, cols := shape[0], shape[1]
	switch format {
	case "csr":
		t.row, t.col, err = a.slices("", rows, cols, len(val), lim)
	case "csc":
		t.col, t.row, err = a.slices("", cols, rows, len(val), lim)
	default: // coo
		if t.row, err = a.indices("row", rows, len(val), lim); err == nil {
			t.col, err = a.indices("col", cols, len(val), lim)
		}
	}
	if err != nil {
		return nil, err
	}
	return t.compressed(rows, cols), nil
}

// Columns is the rows x cols matrix whose compressed columns (CSC) are the arrays
// NAME_data, NAME_indices and NAME_indptr. Entries with one place are added.
func (a *Archive) Columns(name string, rows, cols int, lim Limits) (*Sparse, error) {
	lim = lim.sparse()
	val, err := a.entries(name+"_data", lim)
	if err != nil {
		return nil, err
	}
	t := &triplets{val: val}
	if t.col, t.row, err = a.slices(name+"_", cols, rows, len(val), lim); err != nil {
		return nil, err
	}
	return t.compressed(rows, cols), nil
}

// entries reads the entries of a sparse matrix.
func (a *Archive) entries(name string, lim Limits) ([]float64, error) {
	val, err := a.vector(name, lim)
	for k, v := range val {
		if v-v != 0 {
			return nil, wrong("the array %q: the entry [%d] is %g; a sparse matrix holds finite numbers", name, k+1, v)
		}
	}
	return val, err
}

// slices reads the pointers and indices, prefix+"indptr" and prefix+"indices", of n
// compressed rows or columns with indices below most: both indices of each entry.
func (a *Archive) slices(prefix string, n, most, entries int, lim Limits) (outer, inner []int, err error) {
	name := prefix + "indptr"
	ptr, err := a.whole(name, Limits{Numbers: n + 2, Dimensions: 1}, entries)
	if err != nil {
		return nil, nil, err
	}
	if len(ptr) != n+1 || ptr[0] != 0 || ptr[n] != entries || !slices.IsSorted(ptr) {
		return nil, nil, wrong(`the array %q must have %d entries that ascend from 0 to %d`, name, n+1, entries)
	}
	if inner, err = a.indices(prefix+"indices", most, entries, lim); err != nil {
		return nil, nil, err
	}
	outer = make([]int, 0, entries)
	for i := range n {
		for range ptr[i+1] - ptr[i] {
			outer = append(outer, i)
		}
	}
	return outer, inner, nil
}

// indices reads so many whole numbers from 0 to most-1.
func (a *Archive) indices(name string, most, entries int, lim Limits) ([]int, error) {
	out, err := a.whole(name, lim, most-1)
	if err == nil && len(out) != entries {
		err = wrong("the array %q has %d entries, the matrix %d", name, len(out), entries)
	}
	return out, err
}

// vector reads an array of one dimension.
func (a *Archive) vector(name string, lim Limits) ([]float64, error) {
	d, err := a.Array(name, lim)
	if err == nil && len(d.Shape) != 1 {
		err = wrong("the array %q has %d dimensions, not 1", name, len(d.Shape))
	}
	return d.Values, err
}

// whole reads a vector of whole numbers from 0 to most.
func (a *Archive) whole(name string, lim Limits, most int) ([]int, error) {
	v, err := a.vector(name, lim)
	if err != nil {
		return nil, err
	}
	out := make([]int, len(v))
	for k, x := range v {
		if out[k] = int(x); float64(out[k]) != x || out[k] < 0 || out[k] > most {
			return nil, wrong("the array %q: the entry [%d] is %g; want a whole number from 0 to %d", name, k+1, x,
				most)
		}
	}
	return out, nil
}

// longestWord is the length of the longest text that word reads.
// Source: a limit; the longest name of a format of SciPy has 3 letters.
const longestWord = 16

// word reads an array that is one short text.
func (a *Archive) word(name string) (string, error) {
	r, err := a.open(name)
	if err != nil {
		return "", err
	}
	defer r.Close()
	h, err := readHeader(r)
	if err != nil {
		return "", inMember(name, err)
	}
	width := h.bytes
	if h.kind == 'U' {
		width = 4 * min(h.bytes, longestWord)
	}
	if h.kind != 'S' && h.kind != 'U' || len(h.shape) != 0 || width > 4*longestWord {
		return "", wrong("the array %q must be one word", name)
	}
	text := make([]byte, width)
	if _, err := io.ReadFull(r, text); err != nil {
		return "", inMember(name, cutOff(err))
	}
	var out strings.Builder
	for k := 0; k < width; k++ {
		switch {
		case h.kind == 'S':
			out.WriteByte(text[k])
		case k%4 == 0:
			out.WriteRune(rune(h.order.Uint32(text[k:])))
		}
	}
	return strings.TrimRight(out.String(), "\x00"), nil
}

// longestNone is more than any version of NumPy takes to save None.
// Source: a limit; the Nones of qpbenchmark, of NumPy 1, have less than 200 bytes.
const longestNone = 400

// IsNone reports whether a member is an array without shape that holds Python's None, as
// NumPy saves where a value is absent. It knows that by the end of the pickle, a list
// of one None, and executes nothing.
func (a *Archive) IsNone(name string) (bool, error) {
	r, err := a.open(name)
	if err != nil {
		return false, err
	}
	defer r.Close()
	h, err := readHeader(r)
	if err != nil {
		return false, inMember(name, err)
	}
	if h.kind != 'O' || len(h.shape) != 0 {
		return false, nil
	}
	text, err := io.ReadAll(io.LimitReader(r, longestNone+1))
	if err != nil {
		return false, inMember(name, err)
	}
	return len(text) <= longestNone && endsInNone(string(text)), nil
}

// endsInNone looks for the end of the state of an array of one None: the flag of its order,
// a list, None, the instructions that append it and end the tuple, and those that end the
// pickle. Behind the list and the tuple may be the instruction that memorises them.
func endsInNone(text string) bool {
	for _, part := range [...]string{"b.", "Nat"} {
		var ok bool
		if text, ok = strings.CutSuffix(text, part); !ok {
			return false
		}
		if n := len(text); strings.HasSuffix(text, "\x94") {
			text = text[:n-1]
		} else if n >= 2 && text[n-2] == 'q' {
			text = text[:n-2]
		}
	}
	return strings.HasSuffix(text, "\x89]")
}
