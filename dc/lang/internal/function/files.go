package function

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/dc/lang/internal/datafile"
	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/syntax"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/internal/arrays"
	"github.com/dcopt/dcopt/internal/suggest"
)

// stringArg is argument k as a string literal.
func stringArg(ev *eval.Evaluator, n *syntax.Node, k int) string {
	a := n.Args[k]
	if a.Op != syntax.OpString {
		ev.Fail(a, `write the name in double quotes, as in `+n.Name+`("data.`+n.Name+`")`, "%s wants a string, not %s", n.Name, ev.Say(a))
	}
	return a.Name
}

// unreadable reports a file that cannot be read.
func unreadable(ev *eval.Evaluator, n *syntax.Node, err error) {
	help := ""
	var missing *datafile.NotFound
	if errors.As(err, &missing) {
		help = fmt.Sprintf("looked for %s; paths are relative to the problem file", missing.Where)
	}
	sep := ": "
	if strings.HasPrefix(err.Error(), "line ") {
		sep = " "
	}
	ev.Fail(n, help, "%s %q%s%v", n.Name, stringArg(ev, n, 0), sep, err)
}

// fnFile serves the functions of files with arrays: file, key.
func fnFile(ev *eval.Evaluator, n *syntax.Node, _ []value.Value) value.Value {
	name, key := stringArg(ev, n, 0), ""
	if len(n.Args) == 2 {
		if key = stringArg(ev, n, 1); key == "" {
			ev.Fail(n.Args[1], "", "%s wants a name that is not empty", n.Name)
		}
	}
	a, err := ev.Data.File(n.Name, name, key)
	var missing *arrays.MissingKey
	switch {
	case errors.As(err, &missing) && key != "":
		ev.Fail(n, "", "%s %q has no %s %q%s", n.Name, name, missing.What, key, suggest.DidYouMean(key, missing.Keys))
	case errors.As(err, &missing):
		ev.Fail(n, fmt.Sprintf("name the one that you need, as in %s(%q, %q)", n.Name, name, missing.Keys[0]), "%s %q holds %d arrays", n.Name, name, len(missing.Keys))
	case err != nil:
		unreadable(ev, n, err)
	}
	ev.Spend(n, a.Size()/16)
	return OfArray(a)
}

// OfArray is an array that was read.
func OfArray(a datafile.Array) value.Value {
	if a.Sparse != nil {
		return value.FromSparse(a.Sparse)
	}
	return value.Marked(value.Array(a.Shape, a.Values))
}

// fnCSV is csv("file"), or csv("file", "column", ...).
func fnCSV(ev *eval.Evaluator, n *syntax.Node, args []value.Value) value.Value {
	name := stringArg(ev, n, 0)
	if len(n.Args) > 1 {
		return columns(ev, n, name)
	}
	a, t, err := ev.Data.Matrix(name)
	if err != nil {
		if t != nil && t.NeedsColumns() {
			ev.Fail(n, fmt.Sprintf("name the columns that you need, as in csv(%q, %q); one with words is a set", name, t.Header[0]), "csv %q %v", name, err)
		}
		unreadable(ev, n, err)
	}
	ev.Spend(n, len(a.Values)/16)
	return OfArray(a)
}

// columns are a vector or matrix of numbers, or a set with a member per row where
// a column has words.
func columns(ev *eval.Evaluator, n *syntax.Node, file string) value.Value {
	t, err := ev.Data.CSV(file)
	if err != nil {
		unreadable(ev, n, err)
	}
	width := len(n.Args) - 1
	ev.Spend(n, len(t.Num)/16)
	cols := make([]int, width)
	words := false
	for k := range cols {
		cols[k] = columnOf(ev, n, k+1, file, t)
		words = words || t.Words(cols[k])
	}
	for _, j := range cols {
		if err := t.Usable(j); err != nil {
			unreadable(ev, n, err)
		}
	}
	if words {
		return setOfRows(ev, n, file, t, cols)
	}
	shape := []int{t.Rows}
	if width > 1 {
		shape = []int{t.Rows, width}
	}
	out := make([]float64, ev.Room(n, shape))
	for i := range t.Rows {
		for k, j := range cols {
			out[i*width+k] = t.Num[i*t.Cols+j]
		}
	}
	return value.Array(shape, out)
}

// columnOf is the number of the column that argument k names.
func columnOf(ev *eval.Evaluator, n *syntax.Node, k int, file string, t *datafile.Table) int {
	name := stringArg(ev, n, k)
	if t.Header == nil {
		ev.Fail(n.Args[k], "", "csv %q has no header line, so no column %q", file, name)
	}
	j := slices.Index(t.Header, name)
	switch {
	case t.Rows == 0:
		unreadable(ev, n, datafile.ErrNoNumbers)
	case j < 0:
		ev.Fail(n.Args[k], "", "csv %q has no column %q%s", file, name, suggest.DidYouMean(name, t.Header))
	case slices.Contains(t.Header[j+1:], name):
		ev.Fail(n.Args[k], "", "csv %q has two columns %q", file, name)
	}
	return j
}

// setOfRows is the set of the members that the rows of some columns are, each
// once, in the order of the file. All cells of a column with words are words.
func setOfRows(ev *eval.Evaluator, n *syntax.Node, file string, t *datafile.Table, cols []int) value.Value {
	if len(cols) > value.MaxWidth {
		ev.Fail(n.Args[value.MaxWidth+1], "", "a member of a set has at most %d parts", value.MaxWidth)
	}
	texts := make([][]string, len(cols))
	for k, j := range cols {
		if !t.Words(j) {
			continue
		}
		var err error
		if texts[k], err = ev.Data.Column(file, t, j); err != nil {
			unreadable(ev, n, err)
		}
	}
	s := &value.Set{Width: len(cols), Word: t.FirstWord(cols)}
	for i := range t.Rows {
		var m value.Member
		for k, j := range cols {
			if texts[k] != nil {
				m[k].Word = texts[k][i]
				continue
			}
			x := t.Num[i*t.Cols+j]
			at, ok := eval.Whole(x)
			if !ok {
				ev.Fail(n.Args[k+1], "", "a set holds whole numbers and words, not %g in row %d of column %q", x, i+1, t.Header[j])
			}
			m[k].K = at
		}
		ev.Include(n, s, m)
	}
	return s.Value()
}
