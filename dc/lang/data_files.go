package lang

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dcopt/dcopt/internal/suggest"
)

// stringArg is argument k as a string literal.
func (ev *evaluator) stringArg(n *node, k int) string {
	a := n.args[k]
	if a.op != opString {
		ev.fail(a, `write the name in double quotes, as in `+n.name+`("data.`+n.name+`")`, "%s wants a string, not %s", n.name, ev.say(a))
	}
	return a.name
}

// unreadable reports a file that cannot be read.
func (ev *evaluator) unreadable(n *node, err error) {
	help := ""
	var missing *notFound
	if errors.As(err, &missing) {
		help = fmt.Sprintf("looked for %s; paths are relative to the problem file", missing.where)
	}
	sep := ": "
	if strings.HasPrefix(err.Error(), "line ") {
		sep = " "
	}
	ev.fail(n, help, "%s %q%s%v", n.name, ev.stringArg(n, 0), sep, err)
}

// fnCSV is csv("file") or csv("file", "column").
func (ev *evaluator) fnCSV(n *node, args []value) value {
	name := ev.stringArg(n, 0)
	if len(n.args) == 2 {
		return ev.column(n, name)
	}
	v, err := ev.data.matrix(name)
	if err != nil {
		ev.unreadable(n, err)
	}
	ev.spend(n, len(v.num)/16)
	return v
}

func (ev *evaluator) column(n *node, file string) value {
	t, err := ev.data.csv(file)
	if err != nil {
		ev.unreadable(n, err)
	}
	ev.spend(n, len(t.num)/16)
	name := ev.stringArg(n, 1)
	if t.header == nil {
		ev.fail(n.args[1], "", "csv %q has no header line, so no column %q", file, name)
	}
	j := slices.Index(t.header, name)
	switch {
	case t.rows == 0:
		ev.unreadable(n, errNoNumbers)
	case j < 0:
		ev.fail(n.args[1], "", "csv %q has no column %q%s", file, name, suggest.DidYouMean(name, t.header))
	case slices.Contains(t.header[j+1:], name):
		ev.fail(n.args[1], "", "csv %q has two columns %q", file, name)
	}
	if err := badCell(t.odd[j]); err != nil {
		ev.unreadable(n, err)
	}
	v := make([]float64, t.rows)
	for i := range v {
		v[i] = t.num[i*t.cols+j]
	}
	return vector(v)
}
