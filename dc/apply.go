package dc

import (
	"fmt"
	"slices"

	table "github.com/dcopt/dcopt/internal/graph/atom"
)

// Apply makes the atom of a name and with data as Node.Op and Node.Data have them.
// Beside those "sqrt", "square", "invpos", "pos", "min", "norm1", "norminf" and
// others of the names of problem files are known; see Ops. The error of the result
// says what is wrong with the arguments.
func Apply(op string, data []float64, args ...Array) Expr {
	a, ok := findAtom(op)
	if !ok {
		return badExpr("there is no atom %q", op)
	}
	if a.args >= 0 && len(args) != a.args || len(args) == 0 {
		return badExpr("%s of %d arguments, want %s", op, len(args), atLeastOne(a.args))
	}
	if a.data >= 0 && len(data) != a.data {
		return badExpr("%s with %d numbers, want %d", op, len(data), a.data)
	}
	for k := range args {
		if err := args[k].Err(); err != nil {
			return Expr{err: err}
		}
		if n := args[k].Len(); a.scalar && n != 1 {
			return badExpr("%s of %d entries, want one number", op, n)
		}
		if _, ok := args[k].Affine(); a.affine && !ok {
			return badExpr("%s needs an affine argument", op)
		}
	}
	return a.make(args, data)
}

func atLeastOne(n int) string {
	if n < 0 {
		return "one or more"
	}
	return fmt.Sprint(n)
}

// Ops are the names that Apply knows.
func Ops() []string {
	var names []string
	for _, a := range atoms() {
		names = append(names, a.op)
	}
	for _, row := range table.Curves() {
		if !row.HasParameter {
			names = append(names, row.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// findAtom: the rows of the table of functions that no list has are atoms, too.
func findAtom(op string) (atom, bool) {
	row := table.Find(op)
	if row == nil || !row.ByBounds() {
		for _, list := range atomLists() {
			for _, a := range list() {
				if a.op == op {
					return a, true
				}
			}
		}
	}
	if row == nil || row.HasParameter {
		return atom{}, false
	}
	return atom{op: op, args: 1, scalar: true, make: func(args []Array, _ []float64) Expr {
		return applyTo(op, args[0].Entry(0))
	}}, true
}

// atomLists are the lists of atoms, those that are asked for most first.
func atomLists() [17]func() []atom {
	return [...]func() []atom{maxAtoms, normAtoms, quadAtoms, powerAtoms, expAtoms, logAtoms, huberAtoms,
		largestAtoms, productAtoms, quotientAtoms, logdetAtoms, eigenAtoms, spectralAtoms, matfracAtoms, pnormAtoms,
		weightedAtoms, smoothAtoms}
}

// atoms is the list of all.
func atoms() (all []atom) {
	for _, list := range atomLists() {
		all = append(all, list()...)
	}
	return all
}
