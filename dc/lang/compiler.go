package lang

import (
	"io/fs"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
)

// Options say where a problem's data come from.
type Options struct {
	// Dir is the folder that data paths are relative to: the folder of the
	// problem file. Empty: the current one.
	Dir string
	// Set overrides params: name -> a number, a literal such as [1, 2; 3, 4],
	// an expression of data, or the path of a .csv, .npy, .npz or .mtx file, relative
	// to the current folder (with an FS: to Dir).
	Set map[string]string
	// Start has other starts for variables, by name. Other names are ignored.
	Start map[string]Start
	// FS is where data files are; nil: the operating system's files.
	FS fs.FS
	// Cache keeps data files between compilations; nil: they are read anew.
	Cache *Cache
}

// Part is an objective or a constraint family as the file states it.
type Part struct {
	Text  string
	Place Place
	// Curvature is the curvature of an objective. Of a family it is Affine,
	// Convex, or DC if one of the constraints is.
	Curvature Curvature
	// Linearised lists the sub-expressions that a CCP step replaces by tangents,
	// in the first member of a family. Empty if convex.
	Linearised []string
}

// Family is the constraints that one line of the file states.
type Family struct {
	Part
	Name    string
	Members int // that depend on variables; those that always hold are left out
	// First and Count are the family's place in Problem.Constraints. A member
	// may have several constraints there.
	First, Count int
}

// Program is a compiled problem file.
type Program struct {
	File    *File
	Problem *dc.Problem
	// Find: the file asks for any feasible point; the objective is 0.
	Find bool
	// Objective is the objective as stated, also if it is maximised. Its
	// Linearised refers to the function that is minimised.
	Objective Part
	Families  []Family
	Lets      []Let // in the order of the file
	// Params are the data of the file as Lets, in its order; sparse ones are left out.
	Params []Let
	Plots  []Plot // in the order of the file
	// Axes are the sets that the dimensions of variables run over, by name: of those with
	// a dimension over words, pairs or numbers with gaps.
	Axes     map[string][]Axis
	Options  ProblemOptions
	Data     []DataFile
	Warnings Diagnostics
}

// compiler is the state of a compilation.
type compiler struct {
	f        *File
	errs     *collector
	warnings *collector
	opt      Options
	ev       *evaluator
	model    *dc.Model
	vars     int
	later    map[string]syntax.Span // all declared names, where they are first
	labels   map[string]syntax.Span // all constraints' names, where they are first
	goal     *syntax.Statement      // the first objective
	ended    bool                   // the context has
	values   []value.Value          // of the sides of a constraint
	unnamed  int
	unknown  map[string]bool // names that were reported as unknown
	out      *Program
}

// everyMistake runs f again after a mistake, to find the mistakes in its other
// terms.
func (c *compiler) everyMistake(f func()) *mistake {
	c.ev.all = true
	defer func() { c.ev.all = false }()
	return c.ev.caught(f)
}

func (c *compiler) define(s *syntax.Statement, v value.Value, from string) {
	c.ev.names[s.Name] = &symbol{at: s.At, value: v, from: from}
}

// declared are the names known so far.
func (c *compiler) declared() []string {
	out := make([]string, 0, len(c.ev.names)+1)
	for name, s := range c.ev.names {
		if s.lost {
			continue
		}
		out = append(out, name)
	}
	return append(out, "pi", "inf")
}
