package flags

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// described is all that the parser and the texts of help ask of a flag.
type described interface {
	cli.DocGenerationFlag
	cli.CategorizableFlag
}

// named is a flag that knows its names. The library's own find them by a regular expression at each
// question, and are asked for the names of all flags at each question for one: half the time that
// the program takes for a small problem. Source: BenchmarkSmall.
type named struct {
	described
	names []string
}

func (f named) Names() []string { return f.names }

// String is the line of help, without the defaults 0 and false: a 0 stands for a number that the
// program chooses.
func (f named) String() string {
	s := strings.TrimSuffix(f.described.String(), " (default: false)")
	return strings.TrimSuffix(s, " (default: 0)")
}

// Named makes flags that know their names, but of those that may be repeated, which the
// library knows by their type.
func Named(flags []cli.Flag) []cli.Flag {
	out := make([]cli.Flag, len(flags))
	for k, f := range flags {
		out[k] = f
		if _, repeats := f.(*cli.StringSliceFlag); !repeats {
			out[k] = named{f.(described), f.Names()}
		}
	}
	return out
}
