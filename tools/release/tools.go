package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// tool runs a pinned tool: go.mod of this folder has its version.
func (r *release) tool(env []string, args ...string) error {
	cmd := r.command("go", append([]string{"tool"}, args...)...)
	cmd.Dir = filepath.Join(r.root, "tools", "release")
	cmd.Env = environment(env...)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go tool %s: %w\n%s", args[0], err, log.String())
	}
	return nil
}

// bill writes the bill of materials of a program, in the format CycloneDX, by
// cyclonedx-gomod. Parts that differ from run to run or from machine to machine are
// made the same: the time, and the hashes of the tool itself.
func (r *release) bill(name, binary string) error {
	path := filepath.Join(r.work, name)
	// The tool may have to be downloaded, its input is on this machine.
	if err := r.tool([]string{"GOFLAGS="}, "-n", "cyclonedx-gomod"); err != nil {
		return err
	}
	err := r.tool([]string{"GOFLAGS=", "GOPROXY=off"}, "cyclonedx-gomod", "bin", "-json", "-noserial", "-std",
		"-licenses", "-assert-licenses", "-output-version", "1.5",
		"-version", "v"+r.version, "-output", path, binary)
	if err != nil {
		return err
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	out, err := normalised(raw, r.time)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return r.add(name, out)
}

// normalised is a bill with the given time, without the tool's hashes, and with the
// licences of the program and of Go, which are in no folder of a module.
func normalised(raw []byte, at time.Time) ([]byte, error) {
	type object = map[string]any
	var bill object
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&bill); err != nil {
		return nil, err
	}
	meta, ok := bill["metadata"].(object)
	if !ok {
		return nil, fmt.Errorf("no metadata")
	}
	meta["timestamp"] = at.Format(time.RFC3339)
	if list, ok := meta["tools"].([]any); ok {
		for _, t := range list {
			if t, ok := t.(object); ok {
				delete(t, "hashes")
			}
		}
	}
	licence := func(id string) []any { return []any{object{"license": object{"id": id}}} }
	main, ok := meta["component"].(object)
	if !ok {
		return nil, fmt.Errorf("no component")
	}
	main["licenses"] = licence("Apache-2.0")
	parts, _ := bill["components"].([]any)
	if len(parts) == 0 {
		return nil, fmt.Errorf("no components")
	}
	for _, p := range parts {
		if p, ok := p.(object); ok && p["name"] == "std" {
			p["licenses"] = licence("BSD-3-Clause")
		}
	}
	out, err := json.MarshalIndent(bill, "", "  ")
	return append(out, '\n'), err
}

// debian writes a Debian package by nfpm.
func (r *release) debian(goarch, binary string, common []entry) error {
	dir := filepath.Join(r.work, "deb-"+goarch)
	var b strings.Builder
	fmt.Fprintf(&b, `name: dcopt
arch: %s
platform: linux
version: %q
version_schema: none
section: math
priority: optional
maintainer: The dcopt authors <dcopt@users.noreply.github.com>
description: |
  difference-of-convex optimisation
  Solves problems whose objective and constraints are differences of convex
  functions, from files; also convex quadratic programs. Trains, applies and
  measures l-DER regressors.
homepage: https://github.com/dcopt/dcopt
license: Apache-2.0
mtime: %s
deb:
  compression: gzip
contents:
`, goarch, debianVersion(r.version), r.time.Format(time.RFC3339))
	put := func(src, dst string, mode os.FileMode) {
		fmt.Fprintf(&b, "  - src: %q\n    dst: %s\n    file_info:\n      mode: 0%o\n      mtime: %s\n", src, dst, mode,
			r.time.Format(time.RFC3339))
	}
	put(binary, "/usr/bin/dcopt", 0o755)
	for _, e := range common {
		dst, data := "", e.data
		var err error
		switch folder, base := filepath.Split(e.name); {
		case folder == "man/":
			dst = "/usr/share/man/man1/" + base + ".gz"
			data, err = compressed(e.data)
		case e.name == completions["bash"]:
			dst = "/usr/share/bash-completion/completions/dcopt"
		case e.name == completions["zsh"]:
			dst = "/usr/share/zsh/vendor-completions/_dcopt"
		case e.name == completions["fish"]:
			dst = "/usr/share/fish/vendor_completions.d/dcopt.fish"
		case e.name == "NOTICES":
			dst = "/usr/share/doc/dcopt/copyright"
		case e.name == "CHANGELOG.md":
			dst = "/usr/share/doc/dcopt/changelog.gz"
			data, err = compressed(e.data)
		default:
			continue
		}
		if err != nil {
			return err
		}
		src := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(dst, "/")))
		if err := os.MkdirAll(filepath.Dir(src), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(src, data, 0o666); err != nil {
			return err
		}
		put(src, dst, 0o644)
	}
	config := filepath.Join(r.work, "nfpm-"+goarch+".yaml")
	if err := os.WriteFile(config, []byte(b.String()), 0o666); err != nil {
		return err
	}
	name := fmt.Sprintf("dcopt_%s_%s.deb", r.version, goarch)
	target := filepath.Join(r.work, name)
	if err := r.tool([]string{"GOFLAGS=", fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.time.Unix())}, "nfpm", "package",
		"--config", config, "--packager", "deb", "--target", target); err != nil {
		return err
	}
	raw, err := os.ReadFile(target)
	if err != nil {
		return err
	}
	return r.add(name, raw)
}

// debianVersion is a version as Debian orders it: a version before a release sorts
// before it, by ~.
func debianVersion(v string) string {
	v = strings.Replace(v, "-", "~", 1)
	return strings.NewReplacer("-", ".", "+", ".").Replace(v)
}

// compressed is data under gzip without a name and a time.
func compressed(data []byte) ([]byte, error) {
	var buf bytes.Buffer
	z, err := newGzip(&buf)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
