package lang

import (
	"io/fs"

	"github.com/dcopt/dcopt/dc"
	"github.com/dcopt/dcopt/dc/lang/internal/datafile"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/internal/enum"
	"github.com/dcopt/dcopt/internal/setting"
)

// Start is the start of a variable, in place of the one in the file.
type Start struct {
	// Shape is the shape of the variable, dimensions of size 1 aside; one dimension
	// goes with every shape of that size.
	Shape  []int
	Values []float64 // in row-major order
	From   string    // the file that it comes from, for messages
}

// Axis lists the members of the set that a dimension runs over, in the order of its
// entries. A member has one part, or the parts of a pair, triple or quadruple; a part is an
// int or a string. It is nil for a dimension whose indices count from a first one.
type Axis [][]any

// axesOf are the dimensions of v; nil: all of them count from a first index.
func axesOf(v *value.Value) []Axis {
	if v.More == nil || v.More.Sets == nil {
		return nil
	}
	out := make([]Axis, len(v.More.Sets))
	for d, s := range v.More.Sets {
		if s == nil {
			continue
		}
		out[d] = make(Axis, len(s.List))
		for k := range s.List {
			for _, p := range s.List[k][:s.Width] {
				if p.Word != "" {
					out[d][k] = append(out[d][k], p.Word)
				} else {
					out[d][k] = append(out[d][k], p.K)
				}
			}
		}
	}
	return out
}

// Let is an expression that the file names.
type Let struct {
	Name   string
	Shape  []int
	Origin []int  // first index of each dimension; nil: 1
	Axes   []Axis // the sets that dimensions run over; nil: none does
	value  value.Value
}

// Imag are the imaginary parts of the entries at x; nil: the expression is real.
func (l *Let) Imag(x []float64) []float64 {
	if l.value.Sort != value.ComplexPairs {
		return nil
	}
	part := Let{value: l.value.More.Pair.Im}
	return part.Values(x)
}

func letOf(name string, v value.Value) Let { return Let{name, v.Shape, v.Origin(), axesOf(&v), v} }

// Values are the entries at x, of length Problem.NumVars, in row-major order of Shape. Of
// data they are the same at every x, of a complex expression the real parts.
func (l *Let) Values(x []float64) []float64 {
	switch v := &l.value; v.Sort {
	case value.AffineFunctions, value.Expressions:
		return v.Function().Values(x)
	case value.ComplexPairs:
		part := Let{value: v.More.Pair.Re}
		return part.Values(x)
	}
	return l.value.Numbers()
}

// ProblemOptions are the options of a file, by the names that they have there: Starts, Effort,
// Seed, TimeLimit (in seconds), Tol, FeasTol, MaxIter, Backend, Tau0, TauMax and Mu are pointers,
// nil where the file does not set one. Their meaning is the same as in the settings of package ccp.
type ProblemOptions = setting.Given

// Plot is a picture that the file asks for: all its marks on the same axes.
type Plot struct {
	Title, XLabel, YLabel string // empty: none is given
	Marks                 []Mark // at least one
	Place                 Place
}

// Mark is something in a picture. Its arguments are expressions of data and variables.
type Mark struct {
	// Kind is points, circles, rects, labels, path, links, motion, signal, decibels, bars, matrix
	// or fit.
	Kind  string
	Label string // its name in the legend; empty: none is given
	Text  string // as the file states it
	// Places are the places of points, circles, labels, paths and motions, the two ends of links,
	// and the lower left corners of rects and their sizes; none of the other kinds.
	Places []Coordinates
	// Values are the arguments behind the places: the radius of circles and of what moves (one, or
	// one for each); of points a number for each, or none; of links the n x m matrix of their
	// weights, or none. Of a signal or bars it is a vector or a matrix with one of them per row, or
	// its abscissae and it; of a matrix, the matrix, or the abscissae of its columns, the ordinates
	// of its rows and it; of a fit the abscissae, the observations and the fitted values. Of labels
	// it is a number for each, unless there are Texts.
	Values []Let
	Texts  []string // of labels, one for each place
}

// Coordinates are places in the plane, in one of two forms: n x 2 numbers XY (a vector of
// two is one place; of paths also k x n x 2, one path for each), or X and Y, whose shapes are
// equal (of paths also k x n).
type Coordinates struct {
	XY, X, Y *Let
	Complex  bool // X and Y are the parts of complex numbers
}

// DataFile is a file that a problem reads.
type DataFile struct {
	Name       string // as the problem writes it
	Path       string // where it was looked for: in Options.FS, or as the system takes it
	Bytes      int64
	Rows, Cols int // of numbers; of a JSON file, the shape of the value read last
}

// Cache keeps the contents of data files between compilations, for sweeps. It
// is for one goroutine. The zero value is ready.
type Cache struct{ files datafile.Cache }

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

// Curvature is the curvature that the split of a function proves.
type Curvature uint8

// The curvatures.
const (
	Constant Curvature = iota
	Affine
	Convex
	Concave
	DC // a difference of convex functions, neither of which is missing
)

// String is the curvature in words.
func (c Curvature) String() string { return enum.String(c, "Curvature", value.Curvatures[:]) }

// ParseCurvature is the inverse of String.
func ParseCurvature(name string) (Curvature, error) {
	return enum.Parse[Curvature](name, "lang: no curvature", value.Curvatures[:])
}
