package setting_test

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/internal/setting"
)

var update = flag.Bool("update", false, "rewrite the tables of settings in documents and in Python")

// TestTable: every field of Given has one row, whose field in ccp.Settings has its type; a default
// is in its range.
func TestTable(t *testing.T) {
	var set setting.Given
	fields := reflect.TypeFor[setting.Given]()
	if len(setting.Rows) != fields.NumField() {
		t.Errorf("%d rows, %d fields", len(setting.Rows), fields.NumField())
	}
	defaults := reflect.ValueOf(ccp.DefaultSettings())
	for k := range setting.Rows {
		r := &setting.Rows[k]
		if _, ok := fields.FieldByName(r.Field); !ok || r.Text == "" || r.Takers == 0 {
			t.Errorf("%+v has no field, text or taker", *r)
		}
		if r.Get(&set) != nil {
			t.Errorf("%s stands twice", r.Name())
		}
		f := reflect.ValueOf(1.5)
		if r.Of != "" {
			f = defaults
			for _, name := range strings.Split(r.Of, ".") {
				f = f.FieldByName(name)
			}
		}
		switch {
		case r.Words != nil:
			r.Set(&set, r.Words[0].Name)
			if got := fmt.Sprint(f.Interface()); !strings.Contains(r.Choices(), got) {
				t.Errorf("%s: the default %s is none of %s", r.Name(), got, r.Choices())
			}
		case r.Kind() == reflect.String:
			r.Set(&set, "ipm")
		case r.Kind() == reflect.Bool:
			r.Set(&set, true)
		default:
			r.Set(&set, 1)
			if r.Of != "" && f.Kind() != r.Kind() {
				t.Errorf("%s is %v, its field %v", r.Name(), r.Kind(), f.Kind())
			}
		}
	}
	if got := ccp.DefaultSettings(); setting.Of("x").Err() != nil || got.Validate() != nil {
		t.Error(got.Validate())
	}
}

// TestCheck: each setting out of range is refused by its name, for those who take it.
func TestCheck(t *testing.T) {
	for k := range setting.Rows {
		r := &setting.Rows[k]
		bad := []any{}
		switch {
		case r.Words != nil:
			bad = append(bad, "none")
		case r.Kind() == reflect.Float64 || r.Kind() == reflect.Int:
			bad = append(bad, r.Range.Least-1)
			if r.Range.Open {
				bad = append(bad, r.Range.Least)
			}
			if r.Range.Below > 0 {
				bad = append(bad, r.Range.Below)
			}
		}
		for _, v := range bad {
			var g setting.Given
			r.Set(&g, v)
			if err := g.Check(r.Takers); err == nil || !strings.Contains(err.Error(), "the setting "+r.Name()+" is ") {
				t.Errorf("%s = %v: %v", r.Name(), v, err)
			}
		}
		for _, other := range []setting.Takers{setting.File, setting.Request, setting.Data} {
			g := setting.Given{}
			if r.Kind() == reflect.Bool {
				r.Set(&g, true)
			} else if r.Words == nil && r.Kind() != reflect.String {
				good := r.Range.Least + 1
				if r.Range.Below > 0 {
					good = (r.Range.Least + r.Range.Below) / 2
				}
				r.Set(&g, good)
			} else {
				continue
			}
			if err := g.Check(other); (err == nil) != (r.Takers&other != 0) {
				t.Errorf("%s for %d: %v", r.Name(), other, err)
			}
		}
	}
}

// TestOver: what is given goes before what comes after it.
func TestOver(t *testing.T) {
	one, two, tol := 1, 2, 1e-3
	got := setting.Given{Starts: &one}.Over(&setting.Given{Starts: &two, Tol: &tol}).Over(nil)
	if *got.Starts != 1 || *got.Tol != 1e-3 || got.Mu != nil {
		t.Errorf("%+v", got)
	}
}

// markdown is the table of a taker.
func markdown(taker setting.Takers, what string) string {
	var b strings.Builder
	b.WriteString("| " + what + " | default | meaning |\n|---|---|---|\n")
	defaults := reflect.ValueOf(ccp.DefaultSettings())
	for _, r := range setting.For(taker) {
		value := ""
		if r.Of != "" && taker != setting.Data {
			f := defaults
			for _, name := range strings.Split(r.Of, ".") {
				f = f.FieldByName(name)
			}
			value = fmt.Sprintf("%v", f.Interface())
		}
		text := r.Text
		if r.Words != nil {
			text += ":"
			for k, w := range r.Words {
				text += strings.Repeat(",", min(k, 1)) + " `" + w.Name + "` (" + w.Text + ")"
			}
		}
		if r.Kind() == reflect.Float64 || r.Kind() == reflect.Int {
			text += "; " + r.Range.String()
		}
		if r.Old != "" && taker == setting.File {
			text += "; `" + r.Old + "` before"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.Name(), value, text)
	}
	return b.String()
}

// python are the fields of a class of python/src/dcopt/_settings.py.
func python(has func(r setting.Row) bool) string {
	types := map[reflect.Kind]string{reflect.Bool: "bool", reflect.Int: "int", reflect.Uint64: "int", reflect.Float64: "float", reflect.String: "str"}
	var b strings.Builder
	for _, r := range setting.Rows {
		if !has(r) {
			continue
		}
		name, kind := r.Name(), types[r.Kind()]
		if name == "global" { // a word of Python
			name = "global_"
		}
		if r.Words != nil {
			kind = r.Field
		}
		fmt.Fprintf(&b, "    %s: %s | None\n", name, kind)
	}
	return b.String()
}

// TestPages: documents and Python have the tables of Rows; -update rewrites them.
func TestPages(t *testing.T) {
	// Of files Python has those that are no matter of the penalty.
	file := func(r setting.Row) bool {
		return r.Takers&setting.Request != 0 && (r.Takers&setting.File != 0 && r.Of != "FeasTol" && !strings.HasPrefix(r.Of, "Tau") && r.Of != "Mu" ||
			r.Field == "MaxNodes" || r.Field == "Global")
	}
	for _, p := range []struct{ path, begin, end, now string }{
		{"docs/language.md", "<!-- options -->\n", "<!-- end -->\n", markdown(setting.File, "option")},
		{"docs/protocol-requests.md", "<!-- settings -->\n", "<!-- end -->\n", markdown(setting.Request, "setting")},
		{"docs/protocol-requests.md", "<!-- settings of matrices -->\n", "<!-- end -->\n", markdown(setting.Data, "setting")},
		{"python/src/dcopt/_settings.py", "None counts as missing.\"\"\"\n\n", "\n\nclass", python(file)},
		{"python/src/dcopt/_settings.py", "`Model.solve`.\"\"\"\n\n", "\n\nclass",
			python(func(r setting.Row) bool { return r.Takers&setting.Request != 0 && !file(r) })},
		{"python/src/dcopt/_settings.py", "prob.solve(solver=\"DCOPT\")`.\"\"\"\n\n", "\n\ndef",
			python(func(r setting.Row) bool { return r.Takers&setting.Data != 0 })},
	} {
		path := "../../" + p.path
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		head, rest, ok := strings.Cut(string(raw), p.begin)
		old, tail, ok2 := strings.Cut(rest, p.end)
		switch {
		case !ok || !ok2:
			t.Errorf("%s has no place that begins with %q", p.path, p.begin)
		case old == p.now:
		case *update:
			if err := os.WriteFile(path, []byte(head+p.begin+p.now+p.end+tail), 0o666); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s has\n%swant\n%sgo test ./internal/setting -run TestPages -update", p.path, old, p.now)
		}
	}
}
