package main

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"testing"
)

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), []string{"completion", shell}, nil, &stdout, &stderr); code != exitOK || stderr.Len() > 0 {
			t.Errorf("%s: code %d, %s", shell, code, stderr.String())
		}
		for _, want := range []string{"predict", "time-limit", "sweep"} {
			if !strings.Contains(stdout.String(), want) {
				t.Errorf("%s: the script lacks %s", shell, want)
			}
		}
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("SKIPPED: no %s to read its script", shell)
			continue
		}
		cmd := exec.Command(path, "-n")
		cmd.Stdin = &stdout
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s -n: %v\n%s", shell, err, out)
		}
	}
}

// TestBashCompletes asks the script itself.
func TestBashCompletes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("SKIPPED: no bash")
	}
	var script, stderr bytes.Buffer
	run(context.Background(), []string{"completion", "bash"}, nil, &script, &stderr)
	for words, want := range map[string]string{
		"dcopt so": "solve", "dcopt solve --time": "--time-limit", "dcopt cv --fol": "--folds", "dcopt solve completion_te": "completion_test.go",
	} {
		cmd := exec.Command(bash, "-c", script.String()+`
COMP_WORDS=(`+words+`); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _dcopt; echo "${COMPREPLY[@]}"`)
		out, err := cmd.CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%q completes to %q, %v, want %q", words, out, err, want)
		}
	}
}
