package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v2"

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

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version and the backends of this build",
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usagef("version takes no arguments")
			}
			var names []string
			for _, b := range backends.All() {
				names = append(names, b.Name())
			}
			_, err := fmt.Fprintf(c.App.Writer, "dcopt %s (%s, %s/%s; backends %s)\n",
				version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, strings.Join(names, ", "))
			return err
		},
	}
}
