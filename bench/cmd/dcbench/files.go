package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/dcopt/dcopt/bench/internal/page"
)

// newReport begins a report with a title and a line about the measurements.
func newReport(title, format string, args ...any) *page.Report {
	r := &page.Report{}
	r.Heading(1, title)
	r.Text(format, args...)
	return r
}

// writeReports puts a report into dir as base.md, base.html with its pictures, and
// base.tex, and names the page on w. It returns the section for a page of several
// reports.
func writeReports(w io.Writer, dir, base, title string, r *page.Report) (page.Section, error) {
	section := page.Section{Name: title + ", " + filepath.ToSlash(dir)}
	var err error
	section.Body, err = r.HTML(func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, name)) })
	if err != nil {
		return section, err
	}
	path := filepath.Join(dir, base)
	if err := errors.Join(
		os.WriteFile(path+".md", []byte(r.Markdown()), 0o644),
		writeFile(path+".html", func(w io.Writer) error { return page.Write(w, title, section) }),
		os.WriteFile(path+".tex", []byte(r.LaTeX()), 0o644),
	); err != nil {
		return section, err
	}
	_, err = fmt.Fprintln(w, path+".html")
	return section, err
}

func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// machine says what was measured on.
func machine() string {
	return fmt.Sprintf("%s, %d cores (%s/%s)", cpuModel(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
}

// cpuModel is the name of the processor where the system tells it.
func cpuModel() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(data)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return "Unknown processor"
}
