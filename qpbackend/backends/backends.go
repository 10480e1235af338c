package backends

import (
	"fmt"
	"strings"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/admm"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// All are the backends of this build, the default first.
func All() []qpbackend.Backend {
	var all []qpbackend.Backend
	for _, i := range Known() {
		if i.Available {
			all = append(all, i.make())
		}
	}
	return all
}

// ByName returns the backend that a user calls so. The error lists the backends of this
// build, and says how to get the others.
func ByName(name string) (qpbackend.Backend, error) {
	var have []string
	hint := ""
	for _, i := range Known() {
		switch {
		case i.Available && i.Name == name:
			return i.make(), nil
		case i.Available:
			have = append(have, i.Name)
		case i.Name == name:
			hint = "; to get it, " + i.Get
		}
	}
	return nil, fmt.Errorf("no backend %q: this build has %s%s", name, strings.Join(have, ", "), hint)
}

// Info describes a backend for a listing.
type Info struct {
	Name      string
	Available bool   // part of this build
	About     string // one line
	// Cones that the backend supports; empty where it is not available.
	Cones []qpbackend.ConeKind
	// Get says how to get a backend that is not available.
	Get  string
	make func() qpbackend.Backend // nil where this build lacks it
}

// Known are all backends, those that this build lacks too, in the order of All.
func Known() []Info {
	known := []Info{
		{
			make:  func() qpbackend.Backend { return ipm.Backend{} },
			Name:  "ipm",
			About: "interior point, pure Go; accurate; the default",
		},
		{
			make:  func() qpbackend.Backend { return admm.Backend{} },
			Name:  "admm",
			About: "operator splitting, pure Go; quick for loose tolerances from a good start",
		},
		{
			make:  makeOSQP(),
			Name:  "osqp",
			About: "operator splitting, the OSQP library; quick for loose tolerances from a good start",
			Get:   "run 'make osqp' and build with -tags osqp",
		},
	}
	for k := range known {
		i := &known[k]
		if i.make == nil {
			continue
		}
		i.Available, i.Get = true, ""
		for kind := qpbackend.SecondOrder; kind <= qpbackend.Semidefinite; kind++ {
			if i.make().Supports(kind) {
				i.Cones = append(i.Cones, kind)
			}
		}
	}
	return known
}
