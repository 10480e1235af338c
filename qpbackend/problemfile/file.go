package problemfile

import (
	"errors"
	"fmt"
	"io"
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

// Ending is the one of the format that path has, in either case, with .gz behind it or not; ""
// where it has none of them.
func (f Format) Ending(path string) string {
	ext := filepath.Ext(strings.TrimSuffix(strings.ToLower(filepath.Base(path)), ".gz"))
	if slices.Contains(f.Endings, ext) {
		return ext
	}
	return ""
}

// ReadNamed reads a file whose name has one of the endings. Errors begin with the name.
func (f Format) ReadNamed(r io.Reader, path string) (*File, error) {
	file, err := f.Read(r, f.Ending(path))
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
