package main

import (
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
	"github.com/dcopt/dcopt/internal/report"
	"github.com/dcopt/dcopt/qpbackend/backends"
)

// version is the one that the build recorded: of a release its tag, else the commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

// origin is the state of the sources that a program was built from.
type origin struct {
	commit   string // hexadecimal, 40 digits of a checkout, 12 of a module; empty: unknown
	date     string // of the commit, RFC 3339 in UTC; empty: unknown
	modified bool   // files of the checkout differed from the commit
}

// pseudoVersion is the end of a version that the go command makes of a commit
// without a tag: its date and the first 12 digits of its name.
// Source: https://go.dev/ref/mod#pseudo-versions.
const pseudoVersion = `[-.](\d{14})-([0-9a-f]{12})(\+|$)`

// originOf reads the record of the go command: of a checkout the revision, of
// "go install MODULE@VERSION" the version alone.
func originOf(info *debug.BuildInfo) (o origin) {
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			o.commit = s.Value
		case "vcs.time":
			if t, err := time.Parse(time.RFC3339, s.Value); err == nil {
				o.date = t.UTC().Format(time.RFC3339)
			}
		case "vcs.modified":
			o.modified = s.Value == "true"
		}
	}
	if o.commit != "" {
		return o
	}
	if m := regexp.MustCompile(pseudoVersion).FindStringSubmatch(info.Main.Version); m != nil {
		if t, err := time.Parse("20060102150405", m[1]); err == nil {
			o.date, o.commit = t.Format(time.RFC3339), m[2]
		}
	}
	return o
}

// String is the commit and its date in words.
func (o origin) String() string {
	switch {
	case o.commit == "":
		return "unknown commit"
	case o.modified:
		return fmt.Sprintf("commit %s of %s, with changes", o.commit, o.date)
	}
	return fmt.Sprintf("commit %s of %s", o.commit, o.date)
}

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version, the commit and the backends of this build",
		Description: "The commit and its date are those that the go command recorded: of a build in a checkout, and " +
			"of go install.",
		Flags: []cli.Flag{flags.JSON()},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return exit.Usagef("version takes no arguments")
			}
			var names []string
			for _, b := range backends.All() {
				names = append(names, b.Name())
			}
			var from origin
			if info, ok := debug.ReadBuildInfo(); ok {
				from = originOf(info)
			}
			if c.Bool("json") {
				return report.Print(c.App.Writer, report.Object{
					{Name: "version", Value: version()}, {Name: "commit", Value: from.commit},
					{Name: "date", Value: from.date}, {Name: "modified", Value: from.modified},
					{Name: "go", Value: runtime.Version()}, {Name: "os", Value: runtime.GOOS},
					{Name: "arch", Value: runtime.GOARCH}, {Name: "backends", Value: names},
				})
			}
			_, err := fmt.Fprintf(c.App.Writer, "dcopt %s (%s, %s/%s; backends %s)\n%s\n",
				version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, strings.Join(names, ", "), from)
			return err
		},
	}
}
