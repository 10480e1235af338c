package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
)

// TestCancelled: with a context that has ended, every command that works for
// long ends with 130, and those that have a point print it.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	model := filepath.Join(t.TempDir(), "m.json")
	var stdout, stderr bytes.Buffer
	const data = "../../examples/data/houses.csv"
	if code := run(context.Background(), []string{"fit", data, "-t", "price", "--pieces", "1,1", "-o", model}, nil, &stdout, &stderr); code != exit.OK {
		t.Fatalf("code %d: %s", code, stderr.String())
	}
	before, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"solve ../../examples/quickstart.dc":                    "cancelled",
		"solve ../../examples/quickstart.dc --json --starts 20": `"status":"cancelled"`,
		"solve ../../examples/l1_l2.dc --sweep lambda=1:2:1000": "cancelled",
		"solve testdata/script/qp/hs21.qps":                     "cancelled",
		"fit " + data + " -t price --pieces 1,1 -o " + model:    "interrupted before there was a model",
		"cv " + data + " -t price":                              "interrupted at table 1 of 1",
		"predict " + model + " " + data:                         "interrupted after 0 rows",
	} {
		stdout.Reset()
		stderr.Reset()
		code := run(ctx, strings.Fields(args), nil, &stdout, &stderr)
		if both := stdout.String() + stderr.String(); code != exit.Interrupted || !strings.Contains(both, want) {
			t.Errorf("dcopt %s: code %d, %s; want 130 and %q", args, code, both, want)
		}
		if strings.Count(strings.ReplaceAll(stdout.String(), `"reason":"cancelled"`, ""), "cancelled") > 1 {
			t.Errorf("dcopt %s goes on: %s", args, stdout.String())
		}
	}
	if after, err := os.ReadFile(model); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the interrupted fit has touched the model: %v", err)
	}
}

// TestTimeLimit: a limit that has no chance ends with 3 and a point.
func TestTimeLimit(t *testing.T) {
	for _, args := range []string{
		"solve ../../examples/quickstart.dc --time-limit 1ns",
		"solve ../../examples/l1_l2.dc --time-limit 0.000000001 --sweep lambda=1:2:3",
		"solve testdata/script/qp/hs21.qps --time-limit 1ns",
	} {
		var stdout, stderr bytes.Buffer
		code := run(context.Background(), strings.Fields(args), nil, &stdout, &stderr)
		if code != exit.NotSolved || strings.Count(stdout.String(), "time_limit") != 1 {
			t.Errorf("dcopt %s: code %d, %s%s; want 3 and time_limit once", args, code, stdout.String(), stderr.String())
		}
	}
}
