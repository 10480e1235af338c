package qps

import (
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/dcopt/dcopt/qpbackend"
)

// Format is how a line is cut into fields.
type Format uint8

// The formats.
const (
	Auto  Format = iota // Fixed if every line fits the columns, else Free
	Fixed               // fields by column, as punched cards had them
	Free                // fields by white space
)

// Options say how to read. The zero value is right for .mps and .qps files.
type Options struct {
	Format Format
	// SIF takes CUTEst's side where it differs: an upper bound of zero also
	// takes away a lower bound that is not stated.
	SIF bool
}

// File is the contents of a file. The rows of Problem.A are the constraint rows in the
// order of the file.
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

// Read reads one problem. Errors name the line.
func Read(r io.Reader, opt Options) (*File, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	lines, err := split(string(data))
	if err != nil {
		return nil, err
	}
	p := newParser(opt)
	p.chooseFormat(lines)
	for _, l := range lines {
		if err := p.line(l); err != nil {
			return nil, &Error{Line: l.no, Err: err}
		}
	}
	return p.file()
}

// Error is a complaint about a line of a file.
type Error struct {
	File string // empty where Read was given no name
	Line int    // from 1
	Err  error
}

func (e *Error) Error() string {
	if e.File == "" {
		return fmt.Sprintf("line %d: %v", e.Line, e.Err)
	}
	return fmt.Sprintf("%s: line %d: %v", e.File, e.Line, e.Err)
}

// Unwrap returns the complaint without its place.
func (e *Error) Unwrap() error { return e.Err }

func at(line int, format string, args ...any) error {
	return &Error{Line: line, Err: fmt.Errorf(format, args...)}
}

// ReadFile reads the file at path; see ReadNamed.
func ReadFile(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadNamed(f, path)
}

// ReadNamed reads a file by the ending of its name, .qps, .mps or .sif in either
// case; with .gz behind it, it is decompressed.
func ReadNamed(r io.Reader, path string) (*File, error) {
	opt, gz, err := optionsFor(path)
	if err != nil {
		return nil, err
	}
	if gz {
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %s%w", path, damage(err), err)
		}
		defer z.Close()
		r = z
	}
	file, err := Read(r, opt)
	var e *Error
	switch {
	case errors.As(err, &e):
		e.File = path
		return nil, e
	case err != nil:
		return nil, fmt.Errorf("%s: %s%w", path, damage(err), err)
	}
	return file, nil
}

// damage stands before an error that a decompressor found; a plain file has none.
func damage(err error) string {
	var corrupt flate.CorruptInputError
	if errors.As(err, &corrupt) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) {
		return "damaged gzip file: "
	}
	return ""
}

// Is reports whether the name of a file ends as those that ReadFile reads.
func Is(path string) bool {
	_, _, err := optionsFor(path)
	return err == nil
}

func optionsFor(path string) (opt Options, gz bool, err error) {
	base := strings.ToLower(filepath.Base(path))
	plain, gz := strings.CutSuffix(base, ".gz")
	switch filepath.Ext(plain) {
	case ".sif":
		return Options{SIF: true}, gz, nil
	case ".qps", ".mps":
		return Options{}, gz, nil
	}
	return opt, gz, fmt.Errorf("%s: want a name that ends in .qps, .mps or .sif, or one of these and .gz", path)
}

// line is a line that says something.
type line struct {
	no     int
	text   string
	header bool // starts in the first column: a section
}

// split drops comments, blank lines and all after ENDATA.
func split(data string) ([]line, error) {
	var out []line
	for no, text := range strings.Split(data, "\n") {
		text = strings.TrimRight(text, " \t\r")
		if text == "" || text[0] == '*' {
			continue
		}
		if strings.IndexByte(text, 0) >= 0 {
			return nil, at(no+1, "holds a zero byte; is the file compressed?")
		}
		header := text[0] != ' ' && text[0] != '\t'
		out = append(out, line{no + 1, text, header})
		if header && strings.EqualFold(strings.Fields(text)[0], "ENDATA") {
			return out, nil
		}
	}
	if len(out) == 0 {
		return nil, errors.New("the file is empty")
	}
	return nil, at(out[len(out)-1].no, "the file ends without ENDATA")
}
