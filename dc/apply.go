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
	return constructor{op: op, args: 1, scalar: true, make: func(args []Array, _ []float64) Expr {
		return applyTo(op, args[0].Entry(0))
	}}, true
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
	out.make = func(args []Array, data []float64) Expr {
		if row.HasParameters && row != atom.WeightedGeoMean && len(data) != 1 {
			return badExpr("%s with %d numbers, want 1", row.Name, len(data))
		}
		if a, ok := args[0].Affine(); ok && len(args) == 1 {
			return ofAffine(row, data, a)
		}
		if row.Places == atom.FirstBehind {
			args = []Array{args[1], args[0]}
		}
		if row.Places != atom.Together && args[0].Len() != 1 {
			place := "first"
			if row.Places == atom.FirstBehind {
				place = "last"
			}
			return badExpr("%s of a %s argument of shape %v, want a scalar", row.Name, place, args[0].Shape())
		}
		var us []Expr
		for k := range args {
			us = append(us, args[k].entries()...)
		}
		if row == atom.Inner && args[0].Len() != args[1].Len() {
			return badExpr("inner product of shapes %v and %v", args[0].Shape(), args[1].Shape())
		}
		return ofNumbers(row, data, us)
	}
	return out
}

// atomLists are the lists of the other atoms.
func atomLists() [12]func() []constructor {
	return [...]func() []constructor{maxAtoms, quadAtoms, powerAtoms, expAtoms, logAtoms, productAtoms,
		quotientAtoms, logdetAtoms, eigenAtoms, spectralAtoms, matfracAtoms, smoothAtoms}
}

// ofAffine is a row of affine functions, as it is made for users.
func ofAffine(row *atom.Reduce, p []float64, a Affine) Expr {
	switch row {
	case atom.NormP:
		return NormP(a, p[0])
	case atom.Huber:
		return Huber(a, p[0])
	case atom.WeightedGeoMean:
		return WeightedGeoMean(a, p)
	case atom.SumLargest:
		k, err := whole(row.Name, p[0])
		if err != nil {
			return Expr{err: err}
		}
		return SumLargest(a, k)
	case atom.Max, atom.Min, atom.SumSmallest:
		return ofNumbers(row, p, (&Array{affine: &a}).entries())
	}
	return reduce(row, p, a)
}

// ofNumbers is a row of expressions, as it is made for users.
func ofNumbers(row *atom.Reduce, p []float64, us []Expr) Expr {
	switch row {
	case atom.Norm1, atom.SumSquares:
		return sumOfEach(row, us)
	case atom.Max:
		return maxExprs(us)
	case atom.Min:
		return MinOf(us)
	case atom.NormP:
		return NormPOf(us, p[0])
	case atom.Huber:
		return HuberOf(us, p[0])
	case atom.WeightedGeoMean:
		return WeightedGeoMeanOf(us, p)
	case atom.SumLargest, atom.SumSmallest:
		k, err := whole(row.Name, p[0])
		switch {
		case err != nil:
			return Expr{err: err}
		case row == atom.SumLargest:
			return SumLargestOf(us, k)
		}
		return sumExprs(append(slices.Clone(us), SumLargestOf(us, len(us)-k).Neg()))
	case atom.Inner:
		half := len(us) / 2
		if half == 1 {
			return Mul(us[0], us[1])
		}
		if !allAffine(us) {
			return badExpr("inner needs affine arguments")
		}
		_, lins := toExprs(us)
		return Inner(Entries(lins[:half]...), Entries(lins[half:]...))
	}
	return reduceAny(row, p, us)
}
