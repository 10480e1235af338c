package qps

import (
	"io"
	"strings"

	"github.com/dcopt/dcopt/internal/input"
	"github.com/dcopt/dcopt/qpbackend/problemfile"
)

// Options say how to read. The zero value is right for .mps and .qps files.
type Options struct {
	// SIF takes CUTEst's side where it differs: an upper bound of zero also
	// takes away a lower bound that is not stated.
	SIF bool
}

// File is the contents of a file.
type File = problemfile.File

// Error is a complaint about a line of a file.
type Error = problemfile.Error

// Read reads one problem, plain or compressed by gzip. Errors name the line.
func Read(r io.Reader, opt Options) (*File, error) {
	data, err := input.Raw(r)
	if err != nil {
		return nil, err
	}
	p := &parser{
		sif: opt.SIF, fixed: true, size: problemfile.NewSize(len(data)), row: map[string]int{}, col: map[string]int{},
	}
	if err = each(data, p.fits); err == nil {
		p.sec = none
		err = each(data, p.line)
	}
	if err != nil {
		return nil, err
	}
	return p.file()
}

func at(line int, format string, args ...any) error { return problemfile.At(line, format, args...) }

// line is a line that says something.
type line struct {
	no     int
	text   string
	header bool // starts in the first column: a section
}

// each calls f for the lines of a file up to ENDATA, comments and blank lines aside. It ends with
// the first error.
func each(data []byte, f func(l line) error) error {
	in, err := problemfile.LinesOf(data, "*", "")
	if err != nil {
		return err
	}
	for {
		text := in.Text()
		switch {
		case in.Err() != nil:
			return in.Err()
		case text == "" && in.Last() == 0:
			return problemfile.ErrEmpty
		case text == "":
			return at(in.Last(), "the file ends without ENDATA")
		}
		l := line{in.Line(), text, text[0] != ' ' && text[0] != '\t'}
		if err := f(l); err != nil {
			return &Error{Line: l.no, Err: err}
		}
		if l.header && strings.EqualFold(strings.Fields(text)[0], "ENDATA") {
			return in.Rest()
		}
	}
}
