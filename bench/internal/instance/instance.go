package instance

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
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
	// Make reads or draws the problems. All have the pattern of the first.
	Make func() ([]*qpbackend.Problem, error)
}

var inf = math.Inf(1)

// single makes an instance of a function that cannot fail.
func single(group, name string, draw func() *qpbackend.Problem) Instance {
	return Instance{Group: group, Name: name, Make: func() ([]*qpbackend.Problem, error) { return []*qpbackend.Problem{draw()}, nil }}
}

// Files are the problems in a folder, by name.
func Files(dir string) ([]Instance, error) {
	entries, err := os.ReadDir(dir)
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
		all = append(all, Instance{Group: "files", Name: name, Make: func() ([]*qpbackend.Problem, error) {
			f, err := formats.ReadFile(path)
			if err != nil {
				return nil, err
			}
			return []*qpbackend.Problem{f.Problem}, nil
		}})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no file ends in one of %s (or that and .gz)", dir, strings.Join(formats.Endings(), ", "))
	}
	return all, nil
}
