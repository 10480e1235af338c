package function

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/dc/lang/internal/datafile"
	"github.com/dcopt/dcopt/dc/lang/internal/eval"
	"github.com/dcopt/dcopt/dc/lang/internal/value"
	"github.com/dcopt/dcopt/dc/lang/syntax"
	"github.com/dcopt/dcopt/internal/arrays"
	"github.com/dcopt/dcopt/internal/suggest"
)

// stringArg is argument a of n as a string literal.
func stringArg(ev *eval.Evaluator, n, a *syntax.Node) string {
	if a.Op != syntax.OpString {
		ending := strings.Replace(n.Name, "header", "csv", 1)
		ev.Fail(a, `write the name in double quotes, as in `+n.Name+`("data.`+ending+`")`, "%s wants a string, not %s",
			n.Name, a)
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
	ev.Fail(n, help, "%s %q%s%v", n.Name, stringArg(ev, n, n.Args[0]), sep, err)
}

// fnFile serves the functions of files with arrays: file, key.
func fnFile(ev *eval.Evaluator, n *syntax.Node, _ []value.Value) value.Value {
	name, key := stringArg(ev, n, n.Args[0]), ""
	if len(n.Args) == 2 {
		if key = stringArg(ev, n, n.Args[1]); key == "" {
			ev.Fail(n.Args[1], "", "%s wants a name that is not empty", n.Name)
		}
	}
	a, err := ev.Data.File(n.Name, name, key)
	var missing *arrays.MissingKey
	switch {
	case errors.As(err, &missing) && key != "":
		ev.Fail(n, "", "%s %q has no %s %q%s", n.Name, name, missing.What, key, suggest.DidYouMean(key, missing.Keys))
	case errors.As(err, &missing):
		ev.Fail(n, fmt.Sprintf("name the one that you need, as in %s(%q, %q)", n.Name, name, missing.Keys[0]),
			"%s %q holds %d arrays", n.Name, name, len(missing.Keys))
	case err != nil:
		unreadable(ev, n, err)
	}
	ev.Spend(n, a.Size()/16)
	return OfArray(a)
}

// OfArray is an array that was read.
func OfArray(a datafile.Array) value.Value {
	if s := a.Sparse; s != nil {
		return value.SparseOf([]int{s.Rows, s.Cols}, &value.SparseData{Sparse: s})
	}
	return value.Marked(value.Array(a.Shape, a.Values))
}

// fnCSV is csv("file"), csv("file", "column", ...) or csv("file", not "column", ...).
func fnCSV(ev *eval.Evaluator, n *syntax.Node, _ []value.Value) value.Value {
	name := stringArg(ev, n, n.Args[0])
	if len(n.Args) > 1 {
		return columns(ev, n, name)
	}
	a, t, err := ev.Data.Matrix(name)
	if err != nil {
		if j := t.WordColumn(); j >= 0 {
			help := "leave columns with words out, as in csv(%q, not %q), or name the others; words are a set"
			ev.Fail(n, fmt.Sprintf(help, name, t.Header[j]), "csv %q %v", name, err)
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
	ev.Spend(n, len(t.Num)/16)
	cols := chosen(ev, n, file, t)
	width, words := len(cols), slices.ContainsFunc(cols, t.Words)
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

// chosen are the columns that the arguments behind the file name; if each of these has not, all
// other columns.
func chosen(ev *eval.Evaluator, n *syntax.Node, file string, t *datafile.Table) (cols []int) {
	rest := len(n.Args) == 1 || n.Args[1].Op == syntax.OpNot
	for _, a := range n.Args[1:] {
		if (a.Op == syntax.OpNot) != rest {
			ev.Fail(a, "", "%s takes columns, or all columns but those with not; here are both", n.Name)
		}
		if rest {
			a = a.Args[0]
		}
		cols = append(cols, columnOf(ev, n, a, file, t))
	}
	if !rest {
		return cols
	}
	var others []int
	for j := range t.Cols {
		if !slices.Contains(cols, j) {
			others = append(others, j)
		}
	}
	if others == nil {
		ev.Fail(n, "", "csv %q has no other columns", file)
	}
	return others
}

// columnOf is the number of the column that an argument names.
func columnOf(ev *eval.Evaluator, n, a *syntax.Node, file string, t *datafile.Table) int {
	name := stringArg(ev, n, a)
	if t.Header == nil {
		ev.Fail(a, "", "csv %q has no header line, so no column %q", file, name)
	}
	j := slices.Index(t.Header, name)
	switch {
	case t.Rows == 0:
		unreadable(ev, n, datafile.ErrNoNumbers)
	case j < 0:
		ev.Fail(a, "", "csv %q has no column %q%s", file, name, suggest.DidYouMean(name, t.Header))
	case slices.Contains(t.Header[j+1:], name):
		ev.Fail(a, "", "csv %q has two columns %q", file, name)
	}
	return j
}

// fnHeader is the set of the names of columns, which are chosen as in csv.
func fnHeader(ev *eval.Evaluator, n *syntax.Node, _ []value.Value) value.Value {
	file := stringArg(ev, n, n.Args[0])
	t, err := ev.Data.CSV(file)
	if err != nil {
		unreadable(ev, n, err)
	}
	if t.Header == nil {
		ev.Fail(n, "", "csv %q has no header line", file)
	}
	s := &value.Set{Width: 1, Word: errors.New("names of columns are no numbers")}
	for k, j := range chosen(ev, n, file, t) {
		if ev.Include(n, s, value.Member{{Word: t.Header[j]}}); len(s.List) == k {
			ev.Fail(n, "", "csv %q has two columns %q", file, t.Header[j])
		}
	}
	return s.Value()
}

// setOfRows is the set of the members that the rows of some columns are, each
// once, in the order of the file. All cells of a column with words are words.
func setOfRows(ev *eval.Evaluator, n *syntax.Node, file string, t *datafile.Table, cols []int) value.Value {
	if len(cols) > value.MaxWidth {
		ev.Fail(n, "", "a member of a set has at most %d parts", value.MaxWidth)
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
				ev.Fail(n, "", "a set holds whole numbers and words, not %g in row %d of column %q",
					x, i+1, t.Header[j])
			}
			m[k].K = at
		}
		ev.Include(n, s, m)
	}
	return s.Value()
}
