package dcset

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// Point has the values of variables by name, the last index the fastest.
type Point map[string][]float64

// taker reads a point; it keeps its first error.
type taker struct {
	point Point
	err   error
}

// take returns the variable of n entries, zeros if there is no such.
func (t *taker) take(name string, n int) []float64 {
	v, ok := t.point[name]
	bad := func(e float64) bool { return math.IsNaN(e) || math.IsInf(e, 0) }
	var err error
	switch {
	case !ok:
		err = fmt.Errorf("the point has no variable %s", name)
	case len(v) != n:
		err = fmt.Errorf("variable %s has %d entries, want %d", name, len(v), n)
	case slices.ContainsFunc(v, bad):
		err = fmt.Errorf("variable %s is not finite", name)
	default:
		return v
	}
	if t.err == nil {
		t.err = err
	}
	return make([]float64, n)
}

// Instance is a problem, or a part of one whose parts are summed up in tables.
type Instance struct {
	Group   string // "families" or "reference"
	Problem string
	Part    string // "" where the problem is one
	Make    func() (*Program, error)
}

// Name is unique among instances.
func (in Instance) Name() string {
	if in.Part == "" {
		return in.Problem
	}
	return in.Problem + ":" + in.Part
}

// Program is a problem made concrete.
type Program struct {
	Source string                 // the .dc file
	Files  map[string][][]float64 // its data, CSV files by name
	Digits int                    // of the data; 0: all
	Model  string                 // its name in the scripts of peers
	Params map[string]any         // parameters that they need beside the data
	// Measure looks at a point by the problem's own formulas; an error if it is
	// no point of this problem.
	Measure func(Point) (Measured, error)
}

// by is Measure by formulas that take variables from a point.
func by(formulas func(p *taker) Measured) func(Point) (Measured, error) {
	return func(point Point) (Measured, error) {
		t := &taker{point: point}
		m := formulas(t)
		if t.err != nil {
			return Measured{}, t.err
		}
		return m, nil
	}
}

// Measured is the result of Measure.
type Measured struct {
	Objective float64
	Violation float64 // the largest, in absolute terms
	// Missed is the relative distance to the vector that the data were made
	// from, where that is wanted; else NaN.
	Missed float64
}

func measured(objective, violation float64) Measured {
	return Measured{objective, violation, math.NaN()}
}

// The files of a program in its folder.
const (
	SourceFile = "problem.dc"
	SpecFile   = "problem.json"
)

// Write puts the program into a folder: the .dc file, the data, and the files that the
// peers read first, {"model", "params", "files"}.
func (p *Program) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	names := []string{}
	for name, rows := range p.Files {
		names = append(names, name)
		if err := os.WriteFile(filepath.Join(dir, name+".csv"), encode(rows, cmp.Or(p.Digits, -1)), 0o644); err != nil {
			return err
		}
	}
	spec, err := json.Marshal(map[string]any{"model": p.Model, "params": p.Params, "files": names})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, SpecFile), spec, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, SourceFile), []byte(p.Source), 0o644)
}

// encode writes rows as CSV with so many digits, -1 for all.
func encode(rows [][]float64, digits int) []byte {
	var b bytes.Buffer
	var buf []byte
	for _, row := range rows {
		buf = buf[:0]
		for j, v := range row {
			if j > 0 {
				buf = append(buf, ',')
			}
			buf = strconv.AppendFloat(buf, v, 'g', digits, 64)
		}
		b.Write(append(buf, '\n'))
	}
	return b.Bytes()
}

// Column is v as the rows of a file.
func Column(v []float64) [][]float64 {
	rows := make([][]float64, len(v))
	for i, e := range v {
		rows[i] = []float64{e}
	}
	return rows
}

// flat is rows as one slice.
func flat(rows [][]float64) []float64 {
	var v []float64
	for _, row := range rows {
		v = append(v, row...)
	}
	return v
}

// Dot is the product of two vectors.
func Dot(a, b []float64) float64 {
	s := 0.0
	for j, v := range a {
		s += v * b[j]
	}
	return s
}

// residual is A x - b.
func residual(a [][]float64, x, b []float64) []float64 {
	r := make([]float64, len(a))
	for i, row := range a {
		r[i] = Dot(row, x) - b[i]
	}
	return r
}

func sumsq(a []float64) float64 { return Dot(a, a) }
