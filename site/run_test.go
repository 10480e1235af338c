//go:build !race

package site

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// program is the command dcopt, built once for all tests.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "dcopt-program-")
	if err != nil {
		return "", err
	}
	programs = dir
	cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "dcopt"), "./cmd/dcopt")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return dir, nil
})

// programs is the folder of the command, which TestMain removes.
var programs string

// patience is how long a block may run: a hundred times as long as any takes.
const patience = 3 * time.Minute

// workspace is a folder as the documents suppose: the examples, and tables and problems
// of the names that they use.
func workspace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(filepath.Join(root, "examples"))); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "data"), os.DirFS(filepath.Join(root, "examples", "data"))); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(18, 1))
	var data, birds, rows strings.Builder
	data.WriteString("x,z,y\n")
	birds.WriteString("wing,beak,species\n")
	rows.WriteString("x,z,wing,beak\n")
	for k := range 60 {
		x, z := 2*rng.Float64()-1, 2*rng.Float64()-1
		fmt.Fprintf(&data, "%.3f,%.3f,%.3f\n", x, z, max(x, -x)-max(z, -z)+0.05*rng.NormFloat64())
		fmt.Fprintf(&birds, "%.3f,%.3f,%s\n", 10+5*float64(k%3)+rng.NormFloat64(), 3-float64(k%3)+0.4*rng.NormFloat64(), []string{"wren", "robin", "crow"}[k%3])
		if k < 6 {
			fmt.Fprintf(&rows, "%.3f,%.3f,%.3f,%.3f\n", x, z, 14+5*x, 2+z)
		}
	}
	qp := "NAME P\nROWS\n N c\n G r\nCOLUMNS\n x c 1 r 1\n y c 2 r 1\nRHS\n RHS r 1\nQUADOBJ\n x x 2\n y y 2\nENDATA\n"
	packed := func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(text))
		w.Close()
		return b.String()
	}
	for name, text := range map[string]string{
		"data.csv": data.String(), "a.csv": data.String(), "b.csv": data.String(), "birds.csv": birds.String(), "new.csv": rows.String(),
		"problem.dc": "param n = 3\nvar x[n] in [-1, 2]\nminimize sumsq(x) - norm1(x)\n", "problem.qps.gz": packed(qp), "problem.SIF.gz": packed(qp),
		"theta1.dat-s": "1\n1\n2\n1.0\n0 1 1 1 1.0\n0 1 2 2 1.0\n1 1 1 1 1.0\n1 1 2 2 1.0\n",
		"radii.csv":    "r\n1\n0.8\n0.6\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for k := range 16 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("part-%02d.csv.gz", k)), []byte(packed(data.String())), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// shell runs a script in the folder, with the command on the path; "go run ./..." runs in
// the repository, but for the command, which is the one that is built.
func shell(t *testing.T, dir, script string) (string, error) {
	t.Helper()
	bin, err := program()
	if err != nil {
		t.Fatal(err)
	}
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	cmd := exec.CommandContext(ctx, "bash", "-c", `set -eo pipefail
go() {
	if [ "$1 $2" = "run ./cmd/dcopt" ]; then shift 2; dcopt "$@"
	else (cd "$TOP" && command go "$@"); fi
}
`+script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "TOP="+top)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// expected is a pattern of what a command prints: a line "..." stands for any lines, and
// … for any text within one.
func expected(text string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`^`)
	for _, line := range strings.SplitAfter(text, "\n") {
		if strings.TrimSpace(line) == "..." {
			b.WriteString(`(?s:.*)`)
			continue
		}
		b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*"))
	}
	b.WriteString(`$`)
	return regexp.MustCompile(b.String())
}

// TestShellBlocks runs the commands of each document, in a folder of its own, one after
// the other: blocks with a title write the files of that name first. In a block "console"
// lines that begin with $ are commands, and the others what they print; the last line of
// such a part may be "exit CODE".
func TestShellBlocks(t *testing.T) {
	t.Parallel()
	if !expected("a …\n...\nz\n").MatchString("a b\nc\nd\nz\n") || expected("a\n").MatchString("b\n") {
		t.Fatal("patterns do not match what they should")
	}
	ran := 0
	for _, name := range documents(t) {
		list, _ := blocks(name, read(t, name))
		if !slices.ContainsFunc(list, func(b block) bool { return b.language == "sh" || b.language == "console" }) {
			continue
		}
		dir := workspace(t)
		for _, b := range list {
			switch {
			case b.title != "" && !strings.Contains(b.title, "/"):
				if err := os.WriteFile(filepath.Join(dir, b.title), []byte(b.code), 0o666); err != nil {
					t.Fatal(err)
				}
			case b.language == "sh":
				ran++
				// A command that ends at a limit has run.
				if out, err := shell(t, dir, "dcopt() { command dcopt \"$@\" || [ $? = 3 ]; }\n"+b.code); err != nil {
					t.Errorf("%v: %v\n%s", b, err, out)
				}
			case b.language == "console":
				for _, part := range strings.Split("\n"+b.code, "\n$ ")[1:] {
					ran++
					command, want, _ := strings.Cut(part, "\n")
					if want != "" && !strings.HasSuffix(want, "\n") {
						want += "\n"
					}
					code := 0
					if m := regexp.MustCompile(`(?m)^exit (\d+)\n\z`).FindStringSubmatchIndex(want); m != nil {
						fmt.Sscan(want[m[2]:m[3]], &code)
						want = want[:m[0]]
					}
					out, err := shell(t, dir, command)
					exit := 0
					if e, ok := err.(*exec.ExitError); ok {
						exit = e.ExitCode()
					}
					if exit != code || !expected(want).MatchString(out) {
						t.Errorf("%v: %s ends with %d and prints\n%swant %d and\n%s", b, command, exit, out, code, want)
					}
				}
			}
		}
	}
	if ran < 20 {
		t.Errorf("%d blocks and commands", ran)
	}
}

// TestProblemBlocks solves the problems that stand in documents.
func TestProblemBlocks(t *testing.T) {
	t.Parallel()
	dir := workspace(t)
	for _, b := range allBlocks(t) {
		if b.language != "dc" || b.title != "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, "block.dc"), []byte(b.code), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := shell(t, dir, "dcopt solve block.dc"); err != nil {
			t.Errorf("%v: %v\n%s", b, err, out)
		}
	}
}

// preambles make programs of the parts of one that a document shows, by document: the
// code before it. What is behind // in the last line is what it prints.
var preambles = map[string]string{
	"README.md":    "ctx := context.Background()\n",
	"docs/lder.md": "ctx := context.Background()\nx, y := make([][]float64, 30), make([]float64, 30)\nfor k := range y { x[k] = []float64{float64(k)}; y[k] = float64(k%7) }\nrows := x\n",
}

// TestGoBlocks builds and runs each block of Go that is a program, or a part of one with a
// preamble; the lines of others stand in a file of the repository that tests run.
func TestGoBlocks(t *testing.T) {
	t.Parallel()
	var known [][]string
	for _, pattern := range []string{"examples/*/*.go", "ccp/example*_test.go", "dc/example*_test.go", "lder/example*_test.go"} {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, f := range files {
			src, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			known = append(known, parts(string(src))[0])
		}
	}
	all := allBlocks(t)
	for k, b := range all {
		if b.language != "go" || strings.Contains(b.title, "/") {
			continue // files of the worked examples, which their tests run
		}
		code := b.code
		if pre, ok := preambles[b.document]; ok {
			code = "package main\nimport (\n\"context\"\n\"fmt\"\n\"github.com/dcopt/dcopt/ccp\"\n\"github.com/dcopt/dcopt/dc\"\n\"github.com/dcopt/dcopt/lder\"\n)\n" +
				"var _ = ccp.Solve\nvar _ = dc.NewModel\nvar _ lder.Method\nfunc main() {\n" + pre + strings.ReplaceAll(b.code, "\n...\n", "\nif err != nil { panic(err) }\n") + "\n_, _ = err, fmt.Sprint\n"
			if strings.Contains(b.code, "\np, err := ") {
				code += "_ = p\n"
			}
			code += "}\n"
		} else if !strings.HasPrefix(code, "package main") {
			for _, part := range parts(code) {
				if !slices.ContainsFunc(known, func(file []string) bool { return contains(file, part) }) {
					t.Errorf("%v: no example has the lines\n%s", b, strings.Join(part, "\n"))
				}
			}
			continue
		}
		file := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(file, []byte(code), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("go", "run", file)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v\n%s", b, err, out)
			continue
		}
		want := ""
		if m := regexp.MustCompile(`fmt\.Println\(.*\) // (.*)\n\z`).FindStringSubmatch(b.code); m != nil {
			want = m[1] + "\n"
		} else if k+1 < len(all) && all[k+1].document == b.document && all[k+1].language == "text" && all[k+1].line == b.end+2 {
			want = all[k+1].code
		}
		if !expected(want).Match(out) {
			t.Errorf("%v prints\n%swant\n%s", b, out, want)
		}
	}
}
