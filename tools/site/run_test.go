//go:build !race

package site

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dcopt/dcopt/internal/need"
)

// program is the folder of the command dcopt, which is built once for all tests.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "dcopt-program-")
	if err != nil {
		return "", err
	}
	programs = dir
	path, err := need.Dcopt(root, dir)
	return filepath.Dir(path), err
})

// programs is the folder of the command, which TestMain removes.
var programs string

// patience is how long a block may run: a hundred times as long as any takes.
const patience = 3 * time.Minute

// workspace is a folder as the documents suppose.
func workspace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	fill(t, dir)
	return dir
}

// fill puts the examples into a folder, and tables and problems of the names that documents use.
func fill(t *testing.T, dir string) {
	t.Helper()
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
}

// shell runs a script in the folder, with the command on the path. "go ..." runs in the repository;
// "go run ./cmd/dcopt" is the command that is built.
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
	if [ "$1 $2" = "run ./cmd/dcopt" ]; then shift 2; (cd "$TOP" && dcopt "$@")
	else (cd "$TOP" && command go "$@"); fi
}
`+script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "TOP="+top, "GOBIN="+dir)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// number is a number of an output.
var number = regexp.MustCompile(`[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?`)

// measured are the first words of lines whose numbers and ends depend on the machine, with the part
// that does not.
var measured = map[string]*regexp.Regexp{
	"violation":  regexp.MustCompile(`^\S+ +`),
	"iterations": regexp.MustCompile(`^\S+ +`),
	"answer":     regexp.MustCompile(`^answer +(optimal, proved|local minimum)`),
}

// point is a line with values of variables. Where these are not all whole, the problem may have
// other points as good, and another processor may find them.
var point = regexp.MustCompile(`^\S+ = .*\d\.\d`)

// alike reports whether a line is as a document has it: the same words, and numbers that differ by
// at most 1e-4 of their size or of 1; of a measured line the same beginning, of a point as many
// numbers. … in the document stands for any text.
func alike(want, got string) bool {
	if strings.Contains(want, "…") {
		pattern := `^` + strings.ReplaceAll(regexp.QuoteMeta(want), "…", ".*") + `$`
		return regexp.MustCompile(pattern).MatchString(got)
	}
	if f := strings.Fields(want); len(f) > 1 && measured[f[0]] != nil {
		begin := measured[f[0]].FindString(want)
		return begin != "" && strings.HasPrefix(got, begin)
	}
	a, b := number.FindAllString(want, -1), number.FindAllString(got, -1)
	if len(a) != len(b) || number.ReplaceAllString(want, "#") != number.ReplaceAllString(got, "#") {
		return false
	}
	if strings.HasPrefix(want, "time ") {
		return true
	}
	for k := range a {
		u, _ := strconv.ParseFloat(a[k], 64)
		v, _ := strconv.ParseFloat(b[k], 64)
		if math.Abs(u-v) > 1e-4*max(1, math.Abs(u)) && !point.MatchString(want) {
			return false
		}
	}
	return true
}

// printed reports whether a command prints the lines that a document has; a line "..." stands for
// any lines.
func printed(want, got string) bool {
	parts := strings.Split("\n"+want, "\n...\n")
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	for k, part := range parts {
		var block []string
		if part = strings.Trim(part, "\n"); part != "" {
			block = strings.Split(part, "\n")
		}
		first, last := k == 0, k == len(parts)-1
		at := slices.IndexFunc(starts(len(lines)-len(block)), func(i int) bool {
			return (!first || i == 0) && (!last || i == len(lines)-len(block)) &&
				slices.EqualFunc(block, lines[i:i+len(block)], alike)
		})
		if got == "" && len(block) == 0 {
			continue
		}
		if at < 0 {
			return false
		}
		lines = lines[at+len(block):]
	}
	return true
}

// starts are the places 0 to n; none if n is negative.
func starts(n int) []int {
	out := make([]int, max(0, n+1))
	for k := range out {
		out[k] = k
	}
	return out
}

// selfContained are the documents whose commands run in an empty folder, as those of a reader
// who has the program and nothing else.
var selfContained = []string{
	"README.md", "tools/site/front.md", "docs/install.md", "docs/tutorial-first.md", "docs/dc.md", "docs/how.md", "docs/modelling.md",
	"docs/messages.md", "docs/faq.md", "docs/cookbook.md", "docs/card.md",
}
