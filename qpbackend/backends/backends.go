package backends

import (
	"fmt"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/admm"
	"github.com/dcopt/dcopt/qpbackend/ipm"
)

// entry is a backend that some build has.
type entry struct {
	make  func() qpbackend.Backend // nil where this build lacks it
	name  string
	about string
	get   string // how to get it
}

// entries are all backends, the default first.
func entries() []entry {
	return []entry{
		{
			make:  func() qpbackend.Backend { return ipm.Backend{} },
			name:  "ipm",
			about: "interior point, pure Go; accurate; the default",
		},
		{
			make:  func() qpbackend.Backend { return admm.Backend{} },
			name:  "admm",
			about: "operator splitting, pure Go; quick for loose tolerances from a good start",
		},
		{
			make:  makeOSQP(),
			name:  "osqp",
			about: "operator splitting, the OSQP library; quick for loose tolerances from a good start",
			get:   "run 'make osqp' and build with -tags osqp",
		},
	}
}

// All are the backends of this build, the default first.
func All() []qpbackend.Backend {
	var all []qpbackend.Backend
	for _, e := range entries() {
		if e.make != nil {
			all = append(all, e.make())
		}
	}
	return all
}

// ByName returns the backend that a user calls so. The error lists the backends of this
// build, and says how to get the others.
func ByName(name string) (qpbackend.Backend, error) {
	have, hint := "", ""
	for _, e := range entries() {
		switch {
		case e.make == nil && e.name == name:
			hint = "; to get it, " + e.get
		case e.make == nil:
		case e.name == name:
			return e.make(), nil
		case have == "":
			have = e.name
		default:
			have += ", " + e.name
		}
	}
	return nil, fmt.Errorf("no backend %q: this build has %s%s", name, have, hint)
}

// Info describes a backend for a listing.
type Info struct {
	Name      string
	Available bool   // part of this build
	About     string // one line
	// Cones that the backend supports; empty where it is not available.
	Cones []qpbackend.ConeKind
	// Get says how to get a backend that is not available.
	Get string
}

// Known are all backends, those that this build lacks too, in the order of All.
func Known() []Info {
	var known []Info
	for _, e := range entries() {
		info := Info{Name: e.name, About: e.about}
		if e.make == nil {
			info.Get = e.get
			known = append(known, info)
			continue
		}
		info.Available = true
		for k := qpbackend.SecondOrder; k <= qpbackend.Semidefinite; k++ {
			if e.make().Supports(k) {
				info.Cones = append(info.Cones, k)
			}
		}
		known = append(known, info)
	}
	return known
}
