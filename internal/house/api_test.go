package house

import (
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

var updateAPI = flag.Bool("update-api", false, "record the exported names under tools/api")

// promised are the packages whose exported names are recorded under tools/api;
// docs/compatibility.md says what is promised of each.
var promised = []string{
	"dc", "dc/lang", "ccp", "ccp/global", "ccp/global/prooffile", "client", "lder", "lder/dataset", "lder/ensemble", "lder/export", "lder/shards", "plan", "qpbackend", "qpbackend/admm", "qpbackend/backends",
	"qpbackend/ipm", "qpbackend/osqp", "qpbackend/presolve", "qpbackend/qps", "qpbackend/qptest", "qpbackend/sparse",
}

// without are parameters or results without their names, which promise nothing.
func without(list *ast.FieldList) *ast.FieldList {
	if list == nil {
		return nil
	}
	out := &ast.FieldList{}
	for _, f := range list.List {
		for range max(1, len(f.Names)) {
			out.List = append(out.List, &ast.Field{Type: f.Type})
		}
	}
	return out
}

func signature(f *ast.FuncType) string {
	text := types.ExprString(&ast.FuncType{Params: without(f.Params), Results: without(f.Results)})
	if f.TypeParams != nil {
		text = "[" + fieldsOf(f.TypeParams) + "]" + strings.TrimPrefix(text, "func")
	}
	return strings.TrimPrefix(text, "func")
}

func fieldsOf(list *ast.FieldList) string {
	var out []string
	for _, f := range list.List {
		for _, n := range f.Names {
			out = append(out, n.Name+" "+types.ExprString(f.Type))
		}
	}
	return strings.Join(out, ", ")
}

// exported are the exported names of a file, a line each.
func exported(f *ast.File) (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			switch {
			case !d.Name.IsExported():
			case d.Recv == nil:
				add("func %s%s", d.Name.Name, signature(d.Type))
			default:
				if r := types.ExprString(d.Recv.List[0].Type); ast.IsExported(strings.TrimLeft(r, "*")) {
					add("method (%s) %s%s", r, d.Name.Name, signature(d.Type))
				}
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if spec.Name.IsExported() {
						typeLines(spec, add)
					}
				case *ast.ValueSpec:
					for _, n := range spec.Names {
						if !n.IsExported() {
							continue
						}
						of := ""
						if spec.Type != nil {
							of = " " + types.ExprString(spec.Type)
						}
						add("%s %s%s", d.Tok, n.Name, of)
					}
				}
			}
		}
	}
	return lines
}

func typeLines(spec *ast.TypeSpec, add func(string, ...any)) {
	name := spec.Name.Name
	params := ""
	if spec.TypeParams != nil {
		params = "[" + fieldsOf(spec.TypeParams) + "]"
	}
	switch t := spec.Type.(type) {
	case *ast.StructType:
		add("type %s%s struct", name, params)
		for _, f := range t.Fields.List {
			if len(f.Names) == 0 {
				add("type %s struct, embedded %s", name, types.ExprString(f.Type))
			}
			for _, n := range f.Names {
				if n.IsExported() {
					add("type %s struct, %s %s", name, n.Name, types.ExprString(f.Type))
				}
			}
		}
	case *ast.InterfaceType: // one more method breaks those who implement it
		var methods []string
		for _, m := range t.Methods.List {
			fn, isMethod := m.Type.(*ast.FuncType)
			if !isMethod {
				methods = append(methods, types.ExprString(m.Type))
				continue
			}
			for _, n := range m.Names {
				methods = append(methods, n.Name+signature(fn))
			}
		}
		slices.Sort(methods)
		add("type %s%s interface { %s }", name, params, strings.Join(methods, "; "))
	default:
		equals := ""
		if spec.Assign.IsValid() {
			equals = "= "
		}
		add("type %s%s %s%s", name, params, equals, types.ExprString(t))
	}
}

// listing is the exported names of a package, sorted.
func listing(t *testing.T, pkg string) []string {
	var lines []string
	for _, f := range parsed(t, token.NewFileSet(), pkg) {
		for _, line := range exported(f) {
			lines = append(lines, behind(t, f, line)...)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// behind are the lines of the type of an internal package, or of ccp/sensitivity, that a line of f
// is an alias of, with the same name; other lines stay as they are, as those of the client, whose
// types the protocol fixes.
func behind(t *testing.T, f *ast.File, line string) []string {
	name, target, alias := strings.Cut(strings.TrimPrefix(line, "type "), " = ")
	of, same, ok := strings.Cut(target, ".")
	if !alias || !ok || same != name {
		return []string{line}
	}
	var lines []string
	for imported := range imports(f) {
		pkg, own := strings.CutPrefix(imported, module+"/")
		if !own || path.Base(pkg) != of || !strings.Contains(pkg, "/internal/") && pkg != "internal/interval" && pkg != "ccp/sensitivity" {
			continue
		}
		for _, l := range listing(t, pkg) {
			if words := strings.Fields(l); words[0] == "type" && words[1] == name || words[0] == "method" && strings.Trim(words[1], "(*)") == name {
				lines = append(lines, l)
			}
		}
	}
	if lines == nil {
		return []string{line}
	}
	return lines
}

func apiFile(pkg string) string { return "tools/api/" + strings.ReplaceAll(pkg, "/", "_") + ".txt" }

func readLines(t *testing.T, name string) []string {
	b, err := os.ReadFile(name)
	if err != nil && !(os.IsNotExist(err) && *updateAPI) {
		t.Fatal(err)
	}
	return strings.FieldsFunc(string(b), func(r rune) bool { return r == '\n' })
}

// gone are the lines of old that now lacks: incompatible changes.
func gone(old, now []string) (out []string) {
	for _, l := range old {
		if _, ok := slices.BinarySearch(now, l); !ok {
			out = append(out, l)
		}
	}
	return out
}

// nameIn is the name that a line of a listing is about: Type.Method, Type.Field or Name.
func nameIn(line string) string {
	kind, rest, _ := strings.Cut(line, " ")
	word := func(s string) string {
		return s[:strings.IndexFunc(s+" ", func(r rune) bool { return r != '_' && (r < '0' || r > '9') && !('a' <= r|32 && r|32 <= 'z') })]
	}
	switch typ, field, isField := strings.Cut(rest, " struct, "); {
	case kind == "method":
		recv, method, _ := strings.Cut(strings.TrimLeft(rest, "(*"), ") ")
		return word(recv) + "." + word(method)
	case kind == "type" && isField:
		return word(typ) + "." + word(strings.TrimPrefix(field, "embedded "))
	}
	return word(rest)
}

// TestAPI: no exported name goes or changes unrecorded. tools/api/removed.txt has those that
// did. -update-api writes the files under tools/api.
func TestAPI(t *testing.T) {
	removed := readLines(t, "tools/api/removed.txt")
	for _, pkg := range promised {
		now, old := listing(t, pkg), readLines(t, apiFile(pkg))
		for _, name := range twins(now) {
			t.Errorf("package %s has %s with and without Context: the form with the context has the short name", pkg, name)
		}
		for _, l := range gone(old, now) {
			if !*updateAPI {
				t.Errorf("package %s no longer has %q: an incompatible change; make api records it, and "+
					"docs/compatibility.md must name `%s`", pkg, l, nameIn(l))
			}
			removed = append(removed, pkg+": "+l)
		}
		if *updateAPI {
			if err := os.WriteFile(apiFile(pkg), []byte(strings.Join(now, "\n")+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	if *updateAPI {
		text := strings.Join(removed, "\n")
		if text != "" {
			text += "\n"
		}
		if err := os.WriteFile("tools/api/removed.txt", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// twins are the functions of a listing that are there a second time with a context.
func twins(list []string) (names []string) {
	for _, l := range list {
		name, _, ok := strings.Cut(l, "Context(context.Context")
		if ok && slices.ContainsFunc(list, func(other string) bool { return strings.HasPrefix(other, name+"(") }) {
			names = append(names, name)
		}
	}
	return names
}

// TestTwinsFire: a function with two forms is found, one with one is not.
func TestTwinsFire(t *testing.T) {
	list := []string{"func F(int)", "func FContext(context.Context, int)", "func GContext(context.Context)",
		"method (*T) M() error", "method (*T) MContext(context.Context) error"}
	if got := twins(list); !slices.Equal(got, []string{"func F", "method (*T) M"}) {
		t.Errorf("found %q", got)
	}
}

// TestPromised: each package that is promised, and each listing, has the other.
func TestPromised(t *testing.T) {
	for _, pkg := range promised {
		if _, ok := mayImport[pkg]; !ok {
			t.Errorf("package %s is promised and does not exist", pkg)
		}
	}
	entries, err := os.ReadDir("tools/api")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		known := e.Name() == "removed.txt" || e.Name() == "README.md" || slices.ContainsFunc(promised, func(pkg string) bool { return path.Base(apiFile(pkg)) == e.Name() })
		if !known {
			t.Errorf("tools/api/%s belongs to no promised package", e.Name())
		}
	}
}

// TestAPIFires lists small packages, and finds what changed between them.
func TestAPIFires(t *testing.T) {
	const before = `type T struct { A, B int; c int; E }; type E struct{}; func (t *T) M(x int) (y error) { return nil }; func F(a, b float64) {}
const ( K T2 = iota; L ); type T2 uint8; type I interface { N(); m() }; var V = 1; type A = T; func G[X any](x X) {}; func h() {}; type u int; func (u) W() {}`
	old := exported(parse(t, sample{"dc/x.go", before}).file)
	slices.Sort(old)
	want := []string{
		"const K T2", "const L", "func F(float64, float64)", "func G[X any](X)", "method (*T) M(int) error", "type A = T", "type E struct", "type I interface { N(); m() }",
		"type T struct", "type T struct, A int", "type T struct, B int", "type T struct, embedded E", "type T2 uint8", "var V",
	}
	slices.Sort(want)
	if !slices.Equal(old, want) {
		t.Fatalf("the listing is\n%s\nwant\n%s", strings.Join(old, "\n"), strings.Join(want, "\n"))
	}
	for _, c := range []struct{ from, to, name string }{
		{"A, B int", "A int", "T.B"},
		{"B int;", "B float64;", "T.B"},
		{"M(x int)", "M(x, z int)", "T.M"},
		{"func F(a, b float64)", "func F(c, d float64)", ""},
		{"func F(a, b float64)", "func F(a float64)", "F"},
		{"N();", "N(); O();", "I"},
		{"var V = 1;", "", "V"},
		{"func h() {}", "func H() {}", ""},
		{"K T2", "K u", "K"},
	} {
		code := strings.Replace(before, c.from, c.to, 1)
		if c.from == "B int;" {
			code = strings.Replace(before, "A, B int", "A int; B float64", 1)
		}
		now := exported(parse(t, sample{"dc/x.go", code}).file)
		slices.Sort(now)
		names := map[string]bool{}
		for _, l := range gone(old, now) {
			names[nameIn(l)] = true
		}
		if got := slices.Collect(maps.Keys(names)); len(got) > 1 || (c.name != "") != (len(got) == 1) || c.name != "" && got[0] != c.name {
			t.Errorf("%s to %s: changed %q, want %q", c.from, c.to, got, c.name)
		}
	}
}
