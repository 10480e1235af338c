package qptest

import (
	"runtime/debug"
	"slices"
	"testing"

	"github.com/dcopt/dcopt/qpbackend"
	"github.com/dcopt/dcopt/qpbackend/qptest/internal/problems"
)

// Grade is how accurate a backend claims to be.
type Grade uint8

// The grades.
const (
	Exact Grade = iota // an interior point or active set method: Tol 1e-8
	Loose              // operator splitting: Tol 1e-6
)

// grades have the Settings.Tol that the suite asks a grade for, and the relative errors allowed in
// an optimal value and in a unique optimal point. Both leave room for the conditioning of the
// problems.
var grades = [...]struct{ tol, objTol, pointTol float64 }{Exact: {1e-8, 1e-6, 1e-4}, Loose: {1e-6, 1e-5, 1e-3}}

// Check is one test of the suite.
type Check struct {
	Name string
	Run  func(t TB)
}

// Known is a check that a backend is known to fail. It is run all the same,
// and fails the suite as soon as it passes.
type Known struct {
	Check  string // Check.Name
	Reason string
}

// Run runs the suite, each check as a sub-test.
func Run(t *testing.T, b qpbackend.Backend, g Grade, known ...Known) {
	checks := Checks(b, g)
	for _, k := range known {
		if !slices.ContainsFunc(checks, func(c Check) bool { return c.Name == k.Check }) {
			t.Errorf("there is no check %q that could be known to fail", k.Check)
		}
	}
	for _, c := range checks {
		t.Run(c.Name, func(t *testing.T) {
			i := slices.IndexFunc(known, func(k Known) bool { return k.Check == c.Name })
			if i < 0 {
				c.Run(t)
				return
			}
			var r problems.Recorder
			c.Run(&r)
			if len(r.Failures) == 0 {
				t.Errorf("passes now, though it is listed as known to fail: %s", known[i].Reason)
				return
			}
			t.Logf("known to fail (%s): %s", known[i].Reason, r.Failures[0])
		})
	}
}

// Checks are those that Run runs, for callers with a TB of their own.
func Checks(b qpbackend.Backend, g Grade) []Check {
	s := suite{b, g}
	var all []Check
	for _, group := range [][]Check{s.solving(), s.infeasible(), s.bounding(), s.updating(), s.refusing(),
		s.controlling(), s.interrupting(), s.cones()} {
		all = append(all, group...)
	}
	for k, c := range all {
		all[k].Run = func(t TB) {
			defer reportPanic(t)
			c.Run(t)
		}
	}
	return all
}

// reportPanic makes a failure of a panic but for the one of fail, so that the other checks still
// run.
func reportPanic(t TB) {
	if r := recover(); r != nil && r != (abort{}) {
		t.Errorf("panic: %v\n%s", r, debug.Stack())
	}
}

// suite is a backend under test.
type suite struct {
	b qpbackend.Backend
	g Grade
}

func (s suite) settings() qpbackend.Settings {
	set := s.b.DefaultSettings()
	set.Tol = grades[s.g].tol
	return set
}

// Case is a problem and its outcome: Want is Solved, PrimalInfeasible or DualInfeasible; Objective,
// X, Y and Z are an optimum where it is Solved, with Z nil where no variable has a bound; UniqueX
// and UniqueY say that there are no other optimal X, or Y and Z.
type Case = problems.Case

// ConeSpec describes random problems with cones; its method Case makes the one of a seed.
type ConeSpec = problems.ConeSpec

// TB is the part of *testing.T that a check needs. A check that has failed returns.
type TB = problems.TB

// Problems returns all problems of the suite that have no cones, made afresh:
// known small ones, random ones, badly scaled ones, infeasible ones and their
// feasible counterparts, and all that have rows with one entry once more with bounds in
// their place. They serve to compare backends with each other.
func Problems() []Case { return problems.All() }

// ConeProblems returns the problems of the suite with cones of the kinds given, made afresh.
func ConeProblems(kinds ...qpbackend.ConeKind) []Case { return problems.WithCones(kinds...) }

// RandomConeCase is the case of a seed with cones of the kinds given.
func RandomConeCase(seed uint64, kinds ...qpbackend.ConeKind) Case {
	return problems.RandomCones(seed, kinds...)
}
