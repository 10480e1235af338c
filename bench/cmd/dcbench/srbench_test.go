package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSRBenchJoin: one league of the rows of two folders, of any version, with the trials
// that are there; where both have a trial that of the later folder counts.
func TestSRBenchJoin(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const header = "set,method,seed,limit_s,version,status,r2,size,seconds,message\n"
	published := put("published.csv", "dataset,algorithm,friedman,nsamples,nfeatures,r2_test,model_size,seconds\n"+
		"a,x,False,100,5,.5,3,1\na,y,False,100,5,.7,3,1\nb,x,True,100,5,.5,3,1\nb,y,True,100,5,.7,3,1\n")
	put("one/srbench.csv", header+"a,auto,23654,600,v1,trained,.1,9,1,\na,auto,15795,600,v1,trained,.6,9,1,\n")
	put("two/srbench.csv", header+"a,auto,23654,600,v2,trained,.6,9,1,\nb,auto,23654,600,v2,trained,.8,9,1,\n")
	var out, bad bytes.Buffer
	join := filepath.Join(dir, "one") + "," + filepath.Join(dir, "two")
	if code := run(context.Background(), []string{"srbench", "--join", join, "--published", published, "--out", filepath.Join(dir, "all")}, strings.NewReader(""), &out, &bad); code != exitOK {
		t.Fatalf("exit %d: %s", code, bad.String())
	}
	// The median of a is .6, second of three; that of b first.
	for _, want := range []string{"2 all tables, 1 to 2 trials of each", "| auto | measured | 1.50 ± "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "all", srbenchTextName))
	if err != nil || string(text) != out.String() {
		t.Errorf("the file has another text: %v", err)
	}
	if code := run(context.Background(), []string{"srbench", "--join", filepath.Join(dir, "none"), "--published", published, "--out", dir}, strings.NewReader(""), &out, &bad); code != exitFailed || !strings.Contains(bad.String(), "--join") {
		t.Errorf("exit %d for a folder without a table: %s", code, bad.String())
	}
}
