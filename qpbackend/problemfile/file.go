package problemfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/qpbackend"
)

// File is the contents of a file. The rows of Problem.A are the constraint rows in the
// order of the file, but where its format says otherwise.
type File struct {
	Name    string
	Problem *qpbackend.Problem
	// ColNames has a name for each variable, RowNames one for each row.
	ColNames, RowNames []string
	// Maximize: the file asks for the maximum; Problem is its negative.
	Maximize bool
	// Notes say what was read otherwise than it was written.
	Notes []string
}

// Error is a complaint about a line of a file.
type Error struct {
	File string // empty where the reader was given no name
	Line int    // from 1
	Err  error
}

func (e *Error) Error() string {
	const most = 400 // Source: a limit of the length of messages; a name has any length
	text := e.Err.Error()
	if len(text) > most {
		text = text[:most] + " ..."
	}
	if e.File == "" {
		return fmt.Sprintf("line %d: %s", e.Line, text)
	}
	return fmt.Sprintf("%s: line %d: %s", e.File, e.Line, text)
}

// Unwrap returns the complaint without its place.
func (e *Error) Unwrap() error { return e.Err }

// At is a complaint about a line, from 1.
func At(line int, format string, args ...any) error {
	return &Error{Line: line, Err: fmt.Errorf(format, args...)}
}

// Format is a kind of files.
type Format struct {
	// Endings of their names in lower case, such as ".qps"; .gz may be behind each.
	Endings []string
	// Read reads one, plain or compressed by gzip; ending is the end of its name.
	Read func(r io.Reader, ending string) (*File, error)
}

// Ending is the one of the format that path has, in either case, and whether .gz is behind
// it; "" where it has none of them.
func (f Format) Ending(path string) (ending string, gz bool) {
	plain, gz := strings.CutSuffix(strings.ToLower(filepath.Base(path)), ".gz")
	if ext := filepath.Ext(plain); slices.Contains(f.Endings, ext) {
		return ext, gz
	}
	return "", gz
}

// ReadFile reads the file at path; see ReadNamed.
func (f Format) ReadFile(path string) (*File, error) {
	r, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return f.ReadNamed(r, path)
}

// ReadNamed reads a file by the ending of its name, which errors begin with.
func (f Format) ReadNamed(r io.Reader, path string) (*File, error) {
	ending, _ := f.Ending(path)
	if ending == "" {
		return nil, fmt.Errorf("%s: want a name that ends in %s, or one of these and .gz", path, either(f.Endings))
	}
	file, err := f.Read(r, ending)
	var e *Error
	switch {
	case errors.As(err, &e):
		e.File = path
		return nil, e
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}

// either lists words, the last one behind an "or".
func either(words []string) string {
	if last := len(words) - 1; last > 0 {
		return strings.Join(words[:last], ", ") + " or " + words[last]
	}
	return strings.Join(words, "")
}
