package flags

import (
	"strings"
	"unicode/utf8"

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

// usageWidth is how many characters of a usage stand in a line of help. Source: a choice of looks;
// with the names of flags before it a line has some 110.
const usageWidth = 84

// String is the text of help, in lines, without the defaults 0 and false: a 0 stands for a number
// that the program chooses.
func (f named) String() string {
	text := strings.TrimSuffix(f.described.String(), " (default: false)")
	names, usage, _ := strings.Cut(strings.TrimSuffix(text, " (default: 0)"), "\t")
	var b strings.Builder
	b.WriteString(names)
	at := usageWidth
	for _, word := range strings.Fields(usage) {
		if n := utf8.RuneCountInString(word); at+1+n > usageWidth {
			if b.Len() > len(names) {
				b.WriteByte('\n')
			}
			b.WriteByte('\t')
			at = n
		} else {
			b.WriteByte(' ')
			at += 1 + n
		}
		b.WriteString(word)
	}
	return b.String()
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
