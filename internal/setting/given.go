package setting

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Given are the settings of a solve that a problem file, a request, a plan or flags give; nil: the
// default holds. Options, requests and Python have the names of JSON; flags have dashes.
// The meaning of a setting, and who takes it, stands in its row of the table.
type Given struct {
	Starts      *int     `json:"starts,omitempty"`
	Effort      *string  `json:"effort,omitempty"`
	Seed        *uint64  `json:"seed,omitempty"`
	TimeLimit   *float64 `json:"time_limit,omitempty"`
	Tol         *float64 `json:"tol,omitempty"`
	FeasTol     *float64 `json:"feas_tol,omitempty"`
	InfeasTol   *float64 `json:"infeas_tol,omitempty"`
	MaxIter     *int     `json:"max_iter,omitempty"`
	Backend     *string  `json:"backend,omitempty"`
	BackendTol  *float64 `json:"backend_tol,omitempty"`
	Presolve    *bool    `json:"presolve,omitempty"`
	Tau0        *float64 `json:"tau0,omitempty"`
	TauMax      *float64 `json:"tau_max,omitempty"`
	TauRelative *bool    `json:"tau_relative,omitempty"`
	Mu          *float64 `json:"mu,omitempty"`
	Scale       *float64 `json:"scale,omitempty"`
	Damping     *float64 `json:"damping,omitempty"`
	Global      *bool    `json:"global,omitempty"`
	MaxNodes    *int     `json:"max_nodes,omitempty"`
	GapTol      *float64 `json:"gap_tol,omitempty"`
}

// Takers are those who take a setting.
type Takers uint8

// The takers.
const (
	File    Takers = 1 << iota // options of a problem file
	Request                    // requests about a problem of load
	Data                       // requests about matrices of load_data
)

// Row says what a setting is.
type Row struct {
	Field  string // of Given
	Of     string // its path in ccp.Settings; empty: it is none of the procedure's
	Old    string // the name that files had for it; they may still have it
	Takers Takers
	Range  Range
	Words  []Word // the values of a name; nil: any
	Text   string
}

// Word is one of the values of a setting, with its meaning.
type Word struct{ Name, Text string }

// Range bounds a number. The zero value has all finite ones from 0 on.
type Range struct {
	Least float64
	Open  bool    // Least is none of them
	Below float64 // 0: there is no end
}

// Rows is the table, in the order in which people read it.
var Rows = []Row{
	{Field: "Starts", Old: "restarts", Takers: File | Request, Range: Range{Least: 1},
		Text: "how many starting points; without it as many as `effort` buys"},
	{Field: "Effort", Of: "Effort", Takers: File | Request, Text: "how much work goes into starts and the proof",
		Words: []Word{
			{"local", "one start, to the first point that multipliers hold"}, {"quick", "one start, with searches"},
			{"normal", "about a second for starts and a bound"}, {"thorough", "a minute"},
		}},
	{Field: "Seed", Of: "Seed", Takers: File | Request, Text: "of the starting points"},
	{Field: "TimeLimit", Takers: File | Request | Data, Range: Range{Open: true}, Text: "in seconds"},
	{Field: "Tol", Of: "Tol", Takers: File | Request | Data, Range: Range{Open: true},
		Text: "converged when the objective changes by less, relatively; of matrices, the largest residual"},
	{Field: "FeasTol", Of: "FeasTol", Takers: File | Request, Range: Range{Open: true},
		Text: "how far a feasible point may break a row, in units of the row"},
	{Field: "MaxIter", Of: "MaxIter", Takers: File | Request | Data, Range: Range{Least: 1},
		Text: "at most so many iterations from a start"},
	{Field: "Backend", Takers: File | Request | Data, Text: "the solver of the convex problems"},
	{Field: "BackendTol", Takers: Request, Range: Range{Open: true, Below: 1},
		Text: "a smaller tolerance of the backend: a convex problem is one solve, so nothing else makes its " +
			"solution more exact. Where the backend does not reach it, its last point may be a worse one"},
	{Field: "InfeasTol", Takers: Data, Range: Range{Open: true}, Text: "the largest residual of a certificate"},
	{Field: "Presolve", Takers: Data, Text: "remove rows and columns first"},
	{Field: "Tau0", Of: "Tau0", Old: "tau", Takers: File | Request, Range: Range{Open: true},
		Text: "the first weight of the slacks"},
	{Field: "TauMax", Of: "TauMax", Takers: File | Request, Range: Range{Open: true},
		Text: "where that weight stops to grow"},
	{Field: "TauRelative", Of: "TauRelative", Takers: Request,
		Text: "the two weights are multiples of the problem's own scale; without them they are"},
	{Field: "Mu", Of: "Mu", Takers: File | Request, Range: Range{Least: 1, Open: true}, Text: "growth of that weight"},
	{Field: "Scale", Of: "Scale", Takers: Request,
		Text: "the size to which `tol` is relative, where it is known beforehand"},
	{Field: "Damping", Of: "Damping", Takers: Request, Range: Range{Open: true, Below: 1},
		Text: "the share of the previous point that is mixed in at the boundary of a domain"},
	{Field: "Global", Takers: Request, Text: "go on until the best point is proved"},
	{Field: "MaxNodes", Of: "Global.MaxNodes", Takers: Request, Range: Range{Least: 1},
		Text: "at most so many nodes for the proof"},
	{Field: "GapTol", Of: "Global.GapTol", Takers: Request, Range: Range{Open: true},
		Text: "the gap at which there is a proof"},
}

// field finds it in Given.
func (r *Row) field() reflect.StructField {
	f, _ := reflect.TypeFor[Given]().FieldByName(r.Field)
	return f
}

// Name is the one in JSON.
func (r *Row) Name() string {
	name, _, _ := strings.Cut(r.field().Tag.Get("json"), ",")
	return name
}

// Kind is Bool, Int, Uint64, Float64 or String.
func (r *Row) Kind() reflect.Kind { return r.field().Type.Elem().Kind() }

// For are the rows of a taker.
func For(t Takers) (out []Row) {
	for _, r := range Rows {
		if r.Takers&t != 0 {
			out = append(out, r)
		}
	}
	return out
}

// Named is the row of a name, or of an old one.
func Named(t Takers, name string) (*Row, bool) {
	k := slices.IndexFunc(Rows, func(r Row) bool {
		return r.Takers&t != 0 && (r.Name() == name || name != "" && r.Old == name)
	})
	if k < 0 {
		return nil, false
	}
	return &Rows[k], true
}

// Names are the settings of a taker, by their names.
func Names(t Takers) (out []string) {
	for _, r := range For(t) {
		out = append(out, r.Name())
	}
	return out
}

// Get is the value that g has; nil: none.
func (r *Row) Get(g *Given) any {
	f := reflect.ValueOf(g).Elem().FieldByName(r.Field)
	if f.IsNil() {
		return nil
	}
	return f.Elem().Interface()
}

// Set gives g a value, a number of any kind for a number.
func (r *Row) Set(g *Given, value any) {
	f := reflect.ValueOf(g).Elem().FieldByName(r.Field)
	p := reflect.New(f.Type().Elem())
	p.Elem().Set(reflect.ValueOf(value).Convert(f.Type().Elem()))
	f.Set(p)
}

// Has reports whether v is in the range.
func (r Range) Has(v float64) bool {
	return (v > r.Least || v == r.Least && !r.Open) && v-v == 0 && (r.Below == 0 || v < r.Below)
}

// String says which numbers are in the range: "at least 1", "> 0" or "between 0 and 1".
func (r Range) String() string {
	switch {
	case r.Below > 0:
		return fmt.Sprintf("between %g and %g", r.Least, r.Below)
	case r.Open:
		return fmt.Sprintf("> %g", r.Least)
	default:
		return fmt.Sprintf("at least %g", r.Least)
	}
}

// refusal is the error of a value that is none of the setting's.
func (r *Row) refusal(value any) error {
	v, number := numberOf(reflect.ValueOf(value))
	word, _ := value.(string)
	switch {
	case number && !r.Range.Has(v):
		return fmt.Errorf("the setting %s is %v, want %s", r.Name(), value, r.Range)
	case !r.Has(word):
		return fmt.Errorf("the setting %s is %q, want %s", r.Name(), word, r.Choices())
	}
	return nil
}

// Has reports whether a name is one of the words, if there are any.
func (r *Row) Has(name string) bool {
	return r.Words == nil || slices.ContainsFunc(r.Words, func(w Word) bool { return w.Name == name })
}

// Choices are the words of a name, as "quick, normal or thorough".
func (r *Row) Choices() string {
	names := make([]string, len(r.Words))
	for k, w := range r.Words {
		names[k] = w.Name
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func numberOf(v reflect.Value) (float64, bool) {
	switch {
	case v.CanFloat():
		return v.Float(), true
	case v.CanInt():
		return float64(v.Int()), true
	}
	return 0, false
}

// Over is g with the settings of o in the place of those that g has not.
func (g Given) Over(o *Given) Given {
	if o == nil {
		return g
	}
	to, from := reflect.ValueOf(&g).Elem(), reflect.ValueOf(o).Elem()
	for k := range to.NumField() {
		if to.Field(k).IsNil() {
			to.Field(k).Set(from.Field(k))
		}
	}
	return g
}

// Check is the error of the first setting that the taker has not or that is out of range.
func (g *Given) Check(t Takers) error {
	for k := range Rows {
		r := &Rows[k]
		v := r.Get(g)
		switch {
		case v == nil:
		case r.Takers&t == 0:
			return fmt.Errorf("the setting %s is none of these: %s", r.Name(), strings.Join(Names(t), ", "))
		default:
			if err := r.refusal(v); err != nil {
				return err
			}
		}
	}
	return nil
}

// To puts the settings that g has into settings of package ccp, by the table. They have the types
// that Given has.
func (g *Given) To(settings any) {
	to := reflect.ValueOf(settings).Elem()
	for k := range Rows {
		r := &Rows[k]
		if v := r.Get(g); v != nil && r.Of != "" && r.Words == nil {
			r.in(to).Set(reflect.ValueOf(v))
		}
	}
}

// in is the setting within settings of package ccp.
func (r *Row) in(settings reflect.Value) reflect.Value {
	for _, name := range strings.Split(r.Of, ".") {
		settings = settings.FieldByName(name)
	}
	return settings
}

// Table checks settings of package ccp by the table.
func (c *Checks) Table(settings any) {
	of := reflect.ValueOf(settings)
	for k := range Rows {
		r := &Rows[k]
		if r.Of == "" || r.Words != nil {
			continue
		}
		if v, number := numberOf(r.in(of)); number && !r.Range.Has(v) {
			c.That(false, r.Of, r.in(of).Interface(), r.Range.String())
		}
	}
}
