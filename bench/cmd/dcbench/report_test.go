//go:build !race

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/bench/internal/page/pagetest"
)

// allPictures is the number of pictures on the page of makeAll.
const allPictures = 1 + 2 + 5 + 6

// makeAll measures a little of everything into three folders, and makes the page
// of all.
func makeAll(t *testing.T) (path string) {
	t.Helper()
	dir, ctx := t.TempDir(), context.Background()
	qp, dc, regression := filepath.Join(dir, "q<p>"), filepath.Join(dir, "dc"), filepath.Join(dir, "regression")
	dcbench(t, ctx, exitOK, "qp", "--classes", "eqqp,lasso", "--sizes", "4", "--repeat", "1", "--solvers", "ipm", "--tol", "default,1e-4", "--out", qp, "-q")
	dcbench(t, ctx, exitOK, "dc", "--sizes", "12", "--repeat", "1", "--dcopt", buildDcopt(t), "--out", dc, "-q")
	dcbench(t, ctx, exitOK, "regression", "--data", writeSets(t), "--models", "ridge,svr,lder-refit,lder-cheap", "--out", regression, "-q")
	path = filepath.Join(dir, "page.html")
	stdout, _ := dcbench(t, ctx, exitOK, "report", "--page", path, qp, dc, regression)
	want := filepath.Join(qp, "report.html") + "\n" + filepath.Join(dc, "dc.html") + "\n" + filepath.Join(regression, "regression.html") + "\n" + path + "\n"
	if stdout != want {
		t.Errorf("stdout %q, want %q", stdout, want)
	}
	return path
}

// TestReportAll: the page of all reports has the tables and pictures of each,
// and asks for no other file.
func TestReportAll(t *testing.T) {
	path := makeAll(t)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, want := range []string{
		"<h1>Quadratic and conic programs</h1>", "<h1>DC problems</h1>", "<h1>Comparative study</h1>", "<li><a href=\"#part2\">Comparative study, ", "q&lt;p&gt;",
		">lasso-4</td>", ">boolean-12</td>", ">lder-refit</td>", "<h3>Convergence, families</h3>", ">svm-12: convergence</text>", ">relative gap</text>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(text, "q<p>") {
		t.Error("a folder's name is not escaped")
	}
	pagetest.Check(t, text, allPictures)
}

// TestReportFolder: by default the page is in the first folder, and a folder
// without a table is refused before it is written.
func TestReportFolder(t *testing.T) {
	out, empty := t.TempDir(), t.TempDir()
	dcbench(t, context.Background(), exitOK, "qp", "--classes", "eqqp", "--sizes", "4", "--solvers", "ipm", "--out", out, "-q")
	page := filepath.Join(out, "all.html")
	dcbench(t, context.Background(), exitFailed, "report", out, empty)
	if _, err := os.Stat(page); err == nil {
		t.Error("a page of a folder without tables")
	}
	dcbench(t, context.Background(), exitOK, "report", out)
	if _, err := os.Stat(page); err != nil {
		t.Error(err)
	}
	tex, err := os.ReadFile(filepath.Join(out, "report.tex"))
	if err != nil || !strings.Contains(string(tex), "\neqqp-4 & ") {
		t.Errorf("%v: %s", err, tex)
	}
}
