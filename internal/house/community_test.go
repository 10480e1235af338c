package house

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// topLevel are the keys of a YAML file that stand at its margin, with what follows
// on their lines.
func topLevel(t *testing.T, name string) map[string]string {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, l := range strings.Split(string(raw), "\n") {
		if strings.Contains(l, "\t") {
			t.Errorf("%s has a tab, which YAML refuses: %q", name, l)
		}
		if key, value, ok := strings.Cut(l, ":"); ok && regexp.MustCompile(`^[a-z]`).MatchString(l) {
			if _, twice := out[key]; twice {
				t.Errorf("%s has %s twice", name, key)
			}
			out[key] = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return out
}

// TestCitation: CITATION.cff has the fields that the format 1.2.0 demands, and no
// others at its top.
func TestCitation(t *testing.T) {
	fields := topLevel(t, "CITATION.cff")
	for key, want := range map[string]string{
		"cff-version": `1\.2\.0`, "message": `.+`, "title": `.+`, "authors": ``, "type": `software`, "license": `Apache-2\.0`,
		"repository-code": `https://github\.com/dcopt/dcopt`,
	} {
		if got, ok := fields[key]; !ok || !regexp.MustCompile(`^(`+want+`)$`).MatchString(got) {
			t.Errorf("CITATION.cff: %s is %q, want %s", key, got, want)
		}
	}
	// Source: the properties of schema.json of the Citation File Format, version 1.2.0.
	known := " abstract authors cff-version commit contact date-released doi identifiers keywords license license-url message preferred-citation references repository repository-artifact repository-code title type url version "
	for key := range fields {
		if !strings.Contains(known, " "+key+" ") {
			t.Errorf("CITATION.cff: the format has no %s", key)
		}
	}
	raw, _ := os.ReadFile("CITATION.cff")
	if doi := regexp.MustCompile(`(?m)^\s+doi: (\S+)$`).FindAllStringSubmatch(string(raw), -1); len(doi) == 0 || !regexp.MustCompile(`^10\.\d{4,9}/\S+$`).MatchString(doi[0][1]) {
		t.Errorf("CITATION.cff: identifiers %q", doi)
	}
}

// TestTemplates: the issue templates have what their format demands.
func TestTemplates(t *testing.T) {
	names, err := filepath.Glob(".github/ISSUE_TEMPLATE/*.yml")
	if err != nil || len(names) < 4 {
		t.Fatalf("templates %q, %v", names, err)
	}
	for _, name := range names {
		fields := topLevel(t, name)
		if filepath.Base(name) == "config.yml" {
			continue
		}
		for _, key := range []string{"name", "description", "body"} {
			if _, ok := fields[key]; !ok {
				t.Errorf("%s has no %s", name, key)
			}
		}
		raw, _ := os.ReadFile(name)
		ids := map[string]bool{}
		for _, m := range regexp.MustCompile(`(?m)^    id: (\S+)$`).FindAllStringSubmatch(string(raw), -1) {
			if ids[m[1]] {
				t.Errorf("%s has the id %s twice", name, m[1])
			}
			ids[m[1]] = true
		}
		if n := strings.Count(string(raw), "- type: "); n == 0 || n != len(ids) || n != strings.Count(string(raw), "      label: ") {
			t.Errorf("%s: %d parts, %d ids", name, n, len(ids))
		}
	}
}

// TestWorkflow: the workflow runs .ci/run, and the notes of new versions know every module.
func TestWorkflow(t *testing.T) {
	flow, err := os.ReadFile(".github/workflows/ci.yml")
	if err != nil || !regexp.MustCompile(`(?m)^      - run: \.ci/run$`).Match(flow) {
		t.Errorf("the workflow does not run .ci/run: %v", err)
	}
	raw, err := os.ReadFile(".github/dependabot.yml")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`gomod\n    directories: \[(.*)\]`).FindSubmatch(raw)
	if list == nil {
		t.Fatal("dependabot.yml has no Go modules")
	}
	modules := 0
	walk(t, func(name string, _ bool) {
		if filepath.Base(name) != "go.mod" {
			return
		}
		modules++
		if folder := strings.TrimPrefix("/"+filepath.Dir(name), "/."); !strings.Contains(string(list[1]), `"/`+strings.TrimPrefix(folder, "/")+`"`) {
			t.Errorf("dependabot.yml does not know the module in %q", folder)
		}
	})
	if n := strings.Count(string(list[1]), `"`) / 2; n != modules {
		t.Errorf("dependabot.yml has %d modules, there are %d", n, modules)
	}
}
