//go:build !race

package main

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/internal/need"
)

// hostileNames end comments, strings and lines in one language or another.
var hostileNames = []string{
	`a""";import os;os.system("echo INJECTED >pwned");"""`, "50% & #1", "x */ int evil; /*", "q\"\"\"\nimport os", `\u{41} \`, "</text><script>x</script>", "]]>", "\x1b[31mred", "u\u2028v", "%s%n",
}

// TestHostileNames: from the table to the program that is run, names are names.
func TestHostileNames(t *testing.T) {
	t.Chdir(t.TempDir())
	var table bytes.Buffer
	w := csv.NewWriter(&table)
	w.Write(append(hostileNames[:len(hostileNames):len(hostileNames)], "y $^_"))
	for i := range 40 {
		var row []string
		for j := range hostileNames {
			row = append(row, fmt.Sprint((i*(j+3)*7)%23))
		}
		w.Write(append(row, fmt.Sprint(i%11)))
	}
	w.Flush()
	if err := os.WriteFile("t.csv", table.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	fit := []string{"fit", "t.csv", "-t", "y $^_", "--pieces", "2,1", "-o", "m.json", "--plot", "m.svg"}
	for _, args := range [][]string{fit, {"show", "m.json"}, {"show", "m.json", "--format", "python", "-o", "model.py"}, {"show", "m.json", "--format", "latex"}} {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), args, nil, &stdout, &stderr); code != exit.OK {
			t.Fatalf("dcopt %q: code %d, %s", args, code, stderr.String())
		}
		if strings.ContainsAny(stdout.String()+stderr.String(), "\x1b\u2028") {
			t.Errorf("dcopt %q prints %q", args, stdout.String())
		}
	}
	svg, err := os.Open("m.svg")
	if err != nil {
		t.Fatal(err)
	}
	defer svg.Close()
	for dec := xml.NewDecoder(svg); ; {
		tok, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("the plot is not XML: %v", err)
		}
		if e, ok := tok.(xml.StartElement); ok && e.Name.Local == "script" {
			t.Error("a name became an element of the plot")
		}
	}
	cmd := exec.Command(need.Program(t, need.Python), "-B", "-c", "import model; print(model.predict([1.0] * 10))")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "INJECTED") {
		t.Errorf("importing the model: %v\n%s", err, out)
	}
	if files, _ := filepath.Glob("*"); len(files) != 4 {
		t.Errorf("importing the model leaves %v", files)
	}
}

// TestHostileCases: the tables of the cases with hostile names, and the one without
// a header.
func TestHostileCases(t *testing.T) {
	dir := filepath.Join(casesDir(t), "fit")
	t.Chdir(t.TempDir())
	if code, _, stderr := dcopt(nil, "fit "+filepath.Join(dir, "nohead.csv")+" -t y -o m.json"); code != exit.File || !strings.Contains(stderr, "nohead.csv:1:1: the first row is all numbers") {
		t.Errorf("nohead.csv: code %d, %s", code, stderr)
	}
	python := need.Look(t, need.Python)
	for name, target := range map[string]string{"inj": "y", "evil": "y $^_"} {
		for _, args := range [][]string{{"fit", filepath.Join(dir, name+".csv"), "-t", target, "-o", name + ".json", "-q"}, {"show", name + ".json", "--format", "python", "-o", name + ".py"}} {
			var stdout, stderr bytes.Buffer
			if code := run(t.Context(), args, nil, &stdout, &stderr); code != exit.OK {
				t.Fatalf("dcopt %q: code %d, %s", args, code, stderr.String())
			}
		}
		if python == "" {
			continue
		}
		if out, err := exec.Command(python, "-B", "-c", "import "+name).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("import %s: %v, %s", name, err, out)
		}
	}
}

// TestNoHeaderIsTold: a table without a header is refused as such, also where
// numbers stand twice in its first row.
func TestNoHeaderIsTold(t *testing.T) {
	t.Chdir(t.TempDir())
	for text, want := range map[string]string{
		"0,138.3,6,1,138.3,480333.29\n1,75.9,2,1,75.9,299166.79\n": "t.csv:1:1: the first row is all numbers; want a header row",
		"1.5x,2.O\n1,2\n":     "t.csv:1:1: the first row holds no name",
		"0,3,near\n1,2,far\n": `no column "y"; the columns are 0, 3, near; is the first row a header? It has numbers`,
	} {
		if err := os.WriteFile("t.csv", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := dcopt(nil, "fit t.csv -t y -o m.json"); code == exit.OK || !strings.Contains(stderr, want) {
			t.Errorf("%q: code %d, %s, want %s", text, code, stderr, want)
		}
	}
}
