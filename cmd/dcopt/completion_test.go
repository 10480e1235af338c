package main

import (
	"bytes"
	"context"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/internal/need"
)

func TestCompletion(t *testing.T) {
	programs := map[string]need.Thing{"bash": need.Bash, "fish": need.Fish, "powershell": need.PowerShell, "zsh": need.Zsh}
	if len(programs) != len(shells) {
		t.Errorf("programs of %d shells, want %q", len(programs), shells)
	}
	for _, shell := range shells {
		var stdout, stderr bytes.Buffer
		if code := run(context.Background(), []string{"completion", shell}, nil, &stdout, &stderr); code != exit.OK || stderr.Len() > 0 {
			t.Errorf("%s: code %d, %s", shell, code, stderr.String())
		}
		for _, want := range []string{"predict", "time-limit", "sweep", "lsp", "packing", "powershell"} {
			if !strings.Contains(stdout.String(), want) {
				t.Errorf("%s: the script lacks %s", shell, want)
			}
		}
		path := need.Look(t, programs[shell])
		if path == "" {
			continue
		}
		cmd := exec.Command(path, "-n")
		if shell == "powershell" {
			cmd = exec.Command(path, "-NoProfile", "-Command", "$null = [scriptblock]::Create([Console]::In.ReadToEnd())")
		}
		cmd.Stdin = &stdout
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s -n: %v\n%s", shell, err, out)
		}
	}
}

// TestCompletionValues: the values of flags are those that their usage names.
func TestCompletionValues(t *testing.T) {
	flags := 0
	for _, c := range commands("completion") {
		if c.Name == "plan" {
			continue // its usage is that of solve and fit
		}
		for _, f := range c.Flags {
			for _, word := range values()[f.Names()[0]] {
				if doc, ok := f.(cli.DocGenerationFlag); !ok || !regexp.MustCompile(`\b`+word+`\b`).MatchString(doc.GetUsage()) {
					t.Errorf("%s --%s does not name %s", c.Name, f.Names()[0], word)
				}
				flags++
			}
		}
	}
	if flags < 30 {
		t.Errorf("%d values", flags)
	}
	path := need.Look(t, need.Bash)
	if path == "" {
		return
	}
	var script, stderr bytes.Buffer
	run(context.Background(), []string{"completion", "bash"}, nil, &script, &stderr)
	script.WriteString("COMP_WORDS=(dcopt solve a.dc --effort th); COMP_CWORD=4; _dcopt; echo \"${COMPREPLY[@]}\"\n")
	cmd := exec.Command(path)
	cmd.Stdin = &script
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "thorough\n" {
		t.Errorf("--effort th is completed to %q, %v", out, err)
	}
}

// TestPowerShellScript: brackets and quotes of the script are closed.
func TestPowerShellScript(t *testing.T) {
	var script, stderr bytes.Buffer
	run(context.Background(), []string{"completion", "powershell"}, nil, &script, &stderr)
	var open []rune
	quote := rune(0)
	for _, line := range strings.Split(script.String(), "\n") {
		for _, r := range line {
			switch {
			case quote != 0:
				if r == quote {
					quote = 0 // a doubled quote opens again at once
				}
			case r == '\'' || r == '"':
				quote = r
			case r == '#':
				if len(open) > 0 {
					t.Errorf("a comment inside of %q: %s", string(open), line)
				}
			case strings.ContainsRune("([{", r):
				open = append(open, r)
			case strings.ContainsRune(")]}", r):
				if len(open) == 0 || strings.IndexRune("([{", open[len(open)-1]) != strings.IndexRune(")]}", r) {
					t.Fatalf("%c closes nothing: %s", r, line)
				}
				open = open[:len(open)-1]
			}
		}
		if quote != 0 {
			t.Fatalf("a quote is open at the end of %s", line)
		}
	}
	if len(open) > 0 {
		t.Errorf("open: %q", string(open))
	}
}

// TestFishCompletes and TestZshCompletes ask the shells, where they are.
func TestFishCompletes(t *testing.T) {
	fish := need.Program(t, need.Fish)
	var script, stderr bytes.Buffer
	run(context.Background(), []string{"completion", "fish"}, nil, &script, &stderr)
	for words, want := range map[string]string{"dcopt so": "solve\t", "dcopt solve --time": "--time-limit\t", "dcopt new pack": "packing", "dcopt man chec": "check"} {
		cmd := exec.Command(fish, "--no-config", "-c", script.String()+"\ncomplete -C '"+words+"'")
		if out, err := cmd.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), want) {
			t.Errorf("%q completes to %q, %v, want %q", words, out, err, want)
		}
	}
}

func TestZshCompletes(t *testing.T) {
	zsh := need.Program(t, need.Zsh)
	var script, stderr bytes.Buffer
	run(context.Background(), []string{"completion", "zsh"}, nil, &script, &stderr)
	for line, want := range map[string]string{"dcopt so": "solve", "dcopt solve --time": "--time-limit", "dcopt new pack": "packing"} {
		// compadd prints what it is given and _files says so; the cursor is on the last word.
		code := "compdef() { :; }; compadd() { shift; print -l -- \"$@\" }; _files() { print files }\n" + script.String() +
			"\nwords=(" + line + "); CURRENT=${#words}; _dcopt"
		out, err := exec.Command(zsh, "-f", "-c", code).CombinedOutput()
		if err != nil || !strings.Contains("\n"+string(out), "\n"+want+"\n") {
			t.Errorf("%q completes to %q, %v, want %q", line, out, err, want)
		}
	}
}

// TestBashCompletes asks the script itself.
func TestBashCompletes(t *testing.T) {
	bash := need.Program(t, need.Bash)
	var script, stderr bytes.Buffer
	run(context.Background(), []string{"completion", "bash"}, nil, &script, &stderr)
	for words, want := range map[string]string{
		"dcopt so": "solve", "dcopt solve --time": "--time-limit", "dcopt cv --fol": "--folds", "dcopt solve completion_te": "completion_test.go", "dcopt new pack": "packing", "dcopt completion po": "powershell", "dcopt man chec": "check", "dcopt help lsp": "lsp",
	} {
		cmd := exec.Command(bash, "-c", script.String()+`
COMP_WORDS=(`+words+`); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _dcopt; echo "${COMPREPLY[@]}"`)
		out, err := cmd.CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%q completes to %q, %v, want %q", words, out, err, want)
		}
	}
}
