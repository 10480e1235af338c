package dcset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
)

// Point has the values of variables by name, the last index the fastest.
type Point map[string][]float64

// take returns the variable of n entries.
func (p Point) take(name string, n int) ([]float64, error) {
	v, ok := p[name]
	switch {
	case !ok:
		return nil, fmt.Errorf("the point has no variable %s", name)
	case len(v) != n:
		return nil, fmt.Errorf("variable %s has %d entries, want %d", name, len(v), n)
	}
	for _, e := range v {
		if math.IsNaN(e) || math.IsInf(e, 0) {
			return nil, fmt.Errorf("variable %s is not finite", name)
		}
	}
	return v, nil
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
	Model  string                 // its name in the scripts of peers
	Params map[string]any         // parameters that they need beside the data
	// Measure looks at a point by the problem's own formulas; an error if it is
	// no point of this problem.
	Measure func(Point) (Measured, error)
}

// Measured is the result of Measure.
type Measured struct {
	Objective float64
	Violation float64 // the largest, in absolute terms
	// Missed is the relative distance to the vector that the data were made
	// from, where that is wanted; else NaN.
	Missed float64
}

func measured(objective, violation float64) (Measured, error) {
	return Measured{objective, violation, math.NaN()}, nil
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
		if err := os.WriteFile(filepath.Join(dir, name+".csv"), encode(rows), 0o644); err != nil {
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

// encode writes rows as CSV with all digits.
func encode(rows [][]float64) []byte {
	var b bytes.Buffer
	var buf []byte
	for _, row := range rows {
		buf = buf[:0]
		for j, v := range row {
			if j > 0 {
				buf = append(buf, ',')
			}
			buf = strconv.AppendFloat(buf, v, 'g', -1, 64)
		}
		b.Write(append(buf, '\n'))
	}
	return b.Bytes()
}

// column is v as the rows of a file.
func column(v []float64) [][]float64 {
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

func dot(a, b []float64) float64 {
	s := 0.0
	for j, v := range a {
		s += v * b[j]
	}
	return s
}

func norm2(a []float64) float64 {
	s := 0.0
	for _, v := range a {
		s = math.Hypot(s, v)
	}
	return s
}

func norm1(a []float64) float64 {
	s := 0.0
	for _, v := range a {
		s += math.Abs(v)
	}
	return s
}

// sub is a - b.
func sub(a, b []float64) []float64 {
	d := make([]float64, len(a))
	for j := range a {
		d[j] = a[j] - b[j]
	}
	return d
}

// residual is A x - b.
func residual(a [][]float64, x, b []float64) []float64 {
	r := make([]float64, len(a))
	for i, row := range a {
		r[i] = dot(row, x) - b[i]
	}
	return r
}

func sumsq(a []float64) float64 { return dot(a, a) }
