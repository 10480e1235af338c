package qps

import (
	"errors"
	"io"
	"strings"

	"github.com/dcopt/dcopt/qpbackend/problemfile"
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

// File is the contents of a file.
type File = problemfile.File

// Error is a complaint about a line of a file.
type Error = problemfile.Error

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

func at(line int, format string, args ...any) error { return problemfile.At(line, format, args...) }

// Files are the files .qps, .mps and .sif, plain or with .gz.
func Files() problemfile.Format {
	return problemfile.Format{Endings: []string{".qps", ".mps", ".sif"}, Read: func(r io.Reader, ending string) (*File, error) {
		return Read(r, Options{SIF: ending == ".sif"})
	}}
}

// ReadFile reads the file at path; see ReadNamed.
func ReadFile(path string) (*File, error) { return Files().ReadFile(path) }

// ReadNamed reads a file by the ending of its name, .qps, .mps or .sif in either
// case; with .gz behind it, it is decompressed.
func ReadNamed(r io.Reader, path string) (*File, error) { return Files().ReadNamed(r, path) }

// Is reports whether the name of a file ends as those that ReadFile reads.
func Is(path string) bool {
	ending, _ := Files().Ending(path)
	return ending != ""
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
