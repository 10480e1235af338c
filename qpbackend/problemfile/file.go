package problemfile

import (
	"fmt"

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

// Done completes a file, with the names of rows and columns, by its problem, which it checks.
func Done(f *File, p *qpbackend.Problem) (*File, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	f.Problem = p
	return f, nil
}

// Negate makes p, of a file that asks for the maximum, its negative.
func Negate(p *qpbackend.Problem) {
	p.R = -p.R
	costs := [][]float64{p.Q}
	if p.P != nil {
		costs = append(costs, p.P.Val)
	}
	for _, v := range costs {
		for k := range v {
			v[k] = -v[k]
		}
	}
}
