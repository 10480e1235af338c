package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// completions are the names under which shells look for their scripts.
var completions = map[string]string{"bash": "completions/dcopt.bash", "zsh": "completions/_dcopt",
	"fish": "completions/dcopt.fish", "powershell": "completions/dcopt.ps1"}

// common are the files beside the program, the same for all platforms.
func (r *release) common(own string) ([]entry, error) {
	var out []entry
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff"} {
		raw, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return nil, err
		}
		out = append(out, entry{name, raw, 0o644})
	}
	notices, err := r.notices()
	if err != nil {
		return nil, err
	}
	out = append(out, entry{"NOTICES", notices, 0o644})
	print := func(name string, args ...string) error {
		raw, err := exec.Command(own, args...).Output()
		if err != nil {
			return fmt.Errorf("dcopt %s: %w", strings.Join(args, " "), err)
		}
		out = append(out, entry{name, raw, 0o644})
		return nil
	}
	for shell, name := range completions {
		if err := print(name, "completion", shell); err != nil {
			return nil, err
		}
	}
	if err := print("man/dcopt.1", "man"); err != nil {
		return nil, err
	}
	for _, m := range regexp.MustCompile(`(?m)^\.BR dcopt\\-([a-z]+) \(1\)$`).FindAllSubmatch(out[len(out)-1].data,
		-1) {
		if err := print("man/dcopt-"+string(m[1])+".1", "man", string(m[1])); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// notices are the licences of all that is linked into the program: of Go, and of each
// module but this one.
func (r *release) notices() ([]byte, error) {
	cmd := r.command("go", "list", "-deps", "-tags="+tags, "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}", "./cmd/dcopt")
	cmd.Env = environment(fixed...)
	listed, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(string(listed)), "\n")
	slices.Sort(lines)
	var b bytes.Buffer
	b.WriteString("dcopt is under the Apache License 2.0: see LICENSE. The program contains code of others, under " +
		"the licences that follow.\n")
	for _, line := range append([]string{"Go, the language and its standard library\t" +
		strings.TrimSpace(string(goroot))}, slices.Compact(lines)...) {
		name, dir, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		texts, err := licences(dir)
		if err != nil {
			return nil, err
		}
		if len(texts) == 0 {
			return nil, fmt.Errorf("%s has no licence in %s", name, dir)
		}
		for _, file := range texts {
			raw, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				return nil, err
			}
			rule := strings.Repeat("=", 80)
			fmt.Fprintf(&b, "\n%s\n%s: %s\n%s\n\n%s\n", rule, name, filepath.ToSlash(file), rule, bytes.TrimSpace(raw))
		}
	}
	return b.Bytes(), nil
}

// licences are the files with licences in the folder of a module.
func licences(dir string) (out []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		upper := strings.ToUpper(e.Name())
		if !e.IsDir() && slices.ContainsFunc([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE"}, func(p string) bool {
			return strings.HasPrefix(upper, p)
		}) {
			out = append(out, e.Name())
		}
	}
	third := filepath.Join(dir, "THIRD_PARTY_LICENSES") // gonum keeps the licences of its own sources there
	err = filepath.WalkDir(third, func(p string, d fs.DirEntry, err error) error {
		if err != nil && p == third {
			return fs.SkipAll
		}
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		out = append(out, rel)
		return err
	})
	return out, err
}
