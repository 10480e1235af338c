package dc

import (
	"fmt"
	"slices"

	"github.com/dcopt/dcopt/internal/graph/atom"
)

// Apply makes the atom of a name and with data as Node.Op and Node.Data have them.
// Beside those "sqrt", "square", "invpos", "pos", "min", "norm1", "norminf" and
// others of the names of problem files are known; see Ops. The error of the result
// says what is wrong with the arguments.
func Apply(op string, data []float64, args ...Expr) Expr {
	a, ok := findAtom(op)
	if !ok {
		return failed("there is no atom %q", op)
	}
	if a.args >= 0 && len(args) != a.args || len(args) == 0 {
		return failed("%s of %d arguments, want %s", op, len(args), atLeastOne(a.args))
	}
	if a.data >= 0 && len(data) != a.data {
		return failed("%s with %d numbers, want %d", op, len(data), a.data)
	}
	for k := range args {
		if _, is := args[k].err.(pending); args[k].err != nil && !is {
			return args[k]
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
	for _, list := range atomLists() {
		for _, a := range list() {
			names = append(names, a.op)
		}
	}
	for _, row := range atom.Reduces() {
		names = append(names, row.Name)
	}
	for _, row := range atom.Curves() {
		if !row.HasParameter {
			names = append(names, row.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// findAtom: the rows of the tables of functions that no list has are atoms, too.
func findAtom(op string) (constructor, bool) {
	row := atom.Find(op)
	if row == nil || !row.ByBounds() {
		if several := atom.FindReduce(op); several != nil {
			return rowConstructor(several), true
		}
		for _, list := range atomLists() {
			for _, a := range list() {
				if a.op == op {
					return a, true
				}
			}
		}
	}
	if row == nil || row.HasParameter {
		return constructor{}, false
	}
	return constructor{op: op, args: 1, make: func(args []Expr, _ []float64) Expr { return args[0].apply(op) }}, true
}

// rowConstructor makes a function of several numbers.
func rowConstructor(row *atom.Reduce) constructor {
	out := constructor{op: row.Name, args: 1}
	switch {
	case row == atom.Inner || row.Places != atom.Together:
		out.args = 2
	case row.Extremes != nil && !row.HasParameters:
		out.args = -1
	}
	if row.HasParameters {
		out.data = -1
	}
	out.make = func(args []Expr, data []float64) Expr {
		if row.HasParameters && row != atom.WeightedGeoMean && len(data) != 1 {
			return failed("%s with %d numbers, want 1", row.Name, len(data))
		}
		if row == atom.Inner {
			return Inner(args[0], args[1])
		}
		if row.Places == atom.FirstBehind {
			args = []Expr{args[1], args[0]}
		}
		if row.Places != atom.Together && args[0].Len() != 1 {
			place := "first"
			if row.Places == atom.FirstBehind {
				place = "last"
			}
			return failed("%s of a %s argument of shape %v, want a number", row.Name, place, args[0].Shape())
		}
		return joined(args).groups(func(a array) scalar { return applyRow(row, data, a) })
	}
	return out
}

// atomLists are the lists of the other atoms.
func atomLists() [13]func() []constructor {
	return [...]func() []constructor{maxAtoms, quadAtoms, formAtoms, powerAtoms, expAtoms, logAtoms, productAtoms,
		quotientAtoms, logdetAtoms, eigenAtoms, spectralAtoms, matfracAtoms, smoothAtoms}
}

// applyRow is a row of the entries of an array, as it is made for users.
func applyRow(row *atom.Reduce, p []float64, a array) scalar {
	switch row {
	case atom.Norm1, atom.SumSquares:
		return sumOfEach(row, a)
	case atom.Max:
		return maxExprs(a.scalars())
	case atom.Min:
		return minExprs(a.scalars())
	case atom.NormP:
		return normP(a, p[0])
	case atom.Huber:
		return huber(a, p[0])
	case atom.WeightedGeoMean:
		return weightedGeoMean(a, p)
	case atom.SumLargest, atom.SumSmallest:
		k, err := whole(row.Name, p[0])
		switch {
		case err != nil:
			return scalar{err: err}
		case row == atom.SumLargest:
			return sumLargest(a, k)
		}
		return a.sum().Sub(sumLargest(a, a.Len()-k))
	case atom.Inner:
		half := a.Len() / 2
		return innerOf(a.slice(0, half), a.slice(half, 2*half))
	}
	return applyEntries(row, p, a)
}
