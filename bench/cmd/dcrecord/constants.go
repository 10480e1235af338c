package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// constants prints the effects of constants of the module: each, named as FILE.go:NAME from the
// root of the module, is multiplied by every factor in a build of its own, and the record of that
// build is compared with the record of the code as it is. args are the arguments of a record.
func constants(w io.Writer, names []string, factors []float64, args []string) error {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/dcopt/dcopt").Output()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "dcrecord")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c := changed{root: strings.TrimSpace(string(root)), dir: dir, args: args}
	if err := c.record("", "", 1); err != nil {
		return err
	}
	before, order, err := read(filepath.Join(dir, "record"))
	if err != nil {
		return err
	}
	fmt.Fprint(w, "| constant | value |")
	for range factors {
		fmt.Fprint(w, " times | other status | objective lower | higher | iterations |")
	}
	its := 0
	for _, e := range before {
		its += e.Iterations
	}
	fmt.Fprintf(w, "\n|%s\n| %d runs, as it is | |%s\n", strings.Repeat("---|", 2+5*len(factors)), len(order),
		strings.Repeat(fmt.Sprintf(" 1 | | | | %d |", its), len(factors)))
	for _, name := range names {
		file, constant, ok := strings.Cut(name, ":")
		if !ok {
			return fmt.Errorf("-constants %s: want FILE.go:NAME", name)
		}
		row := ""
		for _, factor := range factors {
			if err := c.record(file, constant, factor); err != nil {
				return fmt.Errorf("%s times %g: %w", name, factor, err)
			}
			after, _, err := read(filepath.Join(dir, "record"))
			if err != nil {
				return err
			}
			row += fmt.Sprintf(" %g | %s |", factor, worth(before, after, order))
		}
		fmt.Fprintf(w, "| %s `%s` | %s |%s\n", filepath.ToSlash(file), constant, c.value, row)
	}
	return nil
}

// worth are the cells of a build: how many statuses are others, objectives lower and higher by more
// than tie, and all iterations.
func worth(before, after map[string]entry, order []string) string {
	status, lower, higher, its := 0, 0, 0, 0
	for _, name := range order {
		a, b := before[name], after[name]
		its += b.Iterations
		if a.Status != b.Status {
			status++
		}
		x, y := number(a.Objective), number(b.Objective)
		switch far := tie * max(math.Abs(x), math.Abs(y)); {
		case y < x-far:
			lower++
		case y > x+far:
			higher++
		}
	}
	return fmt.Sprintf("%d | %d | %d | %d", status, lower, higher, its)
}

// changed builds this program with a constant changed, and records.
type changed struct {
	root, dir string
	args      []string
	value     string // of the constant, as it is written
}

func (c *changed) record(file, name string, factor float64) error {
	build := []string{"build", "-o", filepath.Join(c.dir, "dcrecord")}
	if file != "" {
		path := filepath.Join(c.root, filepath.FromSlash(file))
		text, err := c.times(path, name, factor)
		if err != nil {
			return err
		}
		other, overlay := filepath.Join(c.dir, "changed.go"), filepath.Join(c.dir, "overlay.json")
		list, err := json.Marshal(map[string]any{"Replace": map[string]string{path: other}})
		if err != nil {
			return err
		}
		if err := os.WriteFile(other, text, 0o666); err != nil {
			return err
		}
		if err := os.WriteFile(overlay, list, 0o666); err != nil {
			return err
		}
		build = append(build, "-overlay", overlay)
	}
	if out, err := exec.Command("go", append(build, "./cmd/dcrecord")...).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	run := exec.Command(filepath.Join(c.dir, "dcrecord"),
		append([]string{"-out", filepath.Join(c.dir, "record")}, c.args...)...)
	run.Stderr = os.Stderr
	return run.Run()
}

// times is the text of a Go file with a numeric constant multiplied.
func (c *changed) times(path, name string, factor float64) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, text, 0)
	if err != nil {
		return nil, err
	}
	var at *ast.BasicLit
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.ValueSpec); ok {
			k := slices.IndexFunc(s.Names, func(id *ast.Ident) bool { return id.Name == name })
			if k >= 0 && k < len(s.Values) {
				at, _ = s.Values[k].(*ast.BasicLit)
			}
		}
		return true
	})
	if at == nil {
		return nil, fmt.Errorf("%s has no numeric constant %s", path, name)
	}
	c.value = at.Value
	v, err := strconv.ParseFloat(at.Value, 64)
	if err != nil {
		return nil, err
	}
	v *= factor
	if at.Kind == token.INT {
		v = max(math.Round(v), 1)
	}
	begin := fset.Position(at.Pos()).Offset
	return slices.Concat(text[:begin], []byte(strconv.FormatFloat(v, 'g', -1, 64)), text[begin+len(at.Value):]), nil
}
