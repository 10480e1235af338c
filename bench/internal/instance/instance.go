package instance

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/formats"
)

// Instance is one problem, or several that are solved one after another.
type Instance struct {
	// Group names problems that are reported together: "files", "classes", ....
	Group string
	Name  string
	// Want is PrimalInfeasible or DualInfeasible where that is known; else the
	// problem is there to be solved.
	Want qpbackend.Status
	// Optimum is the published optimal value, with the error that its digits leave, at least
	// 1e-5 relative to max(1, |Optimum|); Error is 0 where none is known.
	Optimum, Error float64
	// Make reads or draws the problems. All have the pattern of the first.
	Make func() ([]*qpbackend.Problem, error)
}

var inf = math.Inf(1)

// single makes an instance of a function that cannot fail.
func single(group, name string, draw func() *qpbackend.Problem) Instance {
	return Instance{Group: group, Name: name, Make: func() ([]*qpbackend.Problem, error) {
		return []*qpbackend.Problem{draw()}, nil
	}}
}

// optimaName is a table in a folder of problems: columns problem and optimum, the latter a
// number, or the words primal infeasible or dual infeasible.
const optimaName = "optima.csv"

// optima reads the table of a folder, if it has one.
func optima(dir string) (map[string]Instance, error) {
	path := filepath.Join(dir, optimaName)
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: the file is empty", path)
	}
	name, value := slices.Index(rows[0], "problem"), slices.Index(rows[0], "optimum")
	if name < 0 || value < 0 {
		return nil, fmt.Errorf("%s: line 1: no columns problem and optimum", path)
	}
	all := map[string]Instance{}
	for k, row := range rows[1:] {
		in, err := published(row[value])
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, k+2, err)
		}
		all[row[name]] = in
	}
	return all, nil
}

// published is an instance with a value as it is printed.
func published(text string) (in Instance, err error) {
	switch text {
	case "primal infeasible":
		in.Want = qpbackend.PrimalInfeasible
		return in, nil
	case "dual infeasible":
		in.Want = qpbackend.DualInfeasible
		return in, nil
	case "":
		return in, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return in, fmt.Errorf("the optimum %q is no number, nor primal infeasible or dual infeasible", text)
	}
	// One in the last digit.
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	_, decimals, _ := strings.Cut(mantissa, ".")
	power, _ := strconv.Atoi(exponent)
	in.Optimum, in.Error = v, max(1e-5*max(1, math.Abs(v)), math.Pow10(power-len(decimals)))
	return in, nil
}

// Files are the problems in a folder, by name, with the published values of optima.csv
// there.
func Files(dir string) ([]Instance, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	known, err := optima(dir)
	if err != nil {
		return nil, err
	}
	var all []Instance
	for _, e := range entries {
		if e.IsDir() || !formats.Is(e.Name()) {
			continue
		}
		name, _, _ := strings.Cut(e.Name(), ".")
		path := filepath.Join(dir, e.Name())
		if slices.ContainsFunc(all, func(i Instance) bool { return i.Name == name }) {
			return nil, fmt.Errorf("%s: two files of the name %s; keep one", dir, name)
		}
		in := known[name]
		all = append(all, Instance{Group: "files", Name: name, Want: in.Want, Optimum: in.Optimum, Error: in.Error,
			Make: func() ([]*qpbackend.Problem, error) {
				f, err := formats.ReadFile(path)
				if err != nil {
					return nil, err
				}
				return []*qpbackend.Problem{f.Problem}, nil
			}})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no file ends in one of %s (or that and .gz)", dir,
			strings.Join(formats.Endings(), ", "))
	}
	return all, nil
}
