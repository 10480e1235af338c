package flags

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/internal/suggest"
)

// Arrange puts the flags of the command in front of its files, because the
// parser behind it stops at the first argument that is no flag. An argument
// after "--" is a file. Unknown commands and flags and missing values end here.
func Arrange(app *cli.App, args []string) ([]string, error) {
	if len(args) == 0 {
		return args, nil
	}
	name := Command(args)
	switch args[0] {
	case "help", "h", "--help", "-h", "-help":
		return arrangeHelp(app, args[1:])
	}
	if name != args[0] {
		return []string{name}, nil
	}
	if strings.HasPrefix(name, "-") {
		return nil, exit.Usagef("%s stands before the command; write dcopt COMMAND %s", name, name)
	}
	cmd := app.Command(name)
	if cmd == nil {
		return nil, Unknown("command", name, Commands(app), "; dcopt help lists the commands")
	}
	flags, files, err := sortArgs(cmd, args[1:])
	if err != nil {
		return nil, err
	}
	return append(append(append([]string{name}, flags...), "--"), files...), nil
}

// Command is the word that arguments begin with, which should be the name of a command:
// "version" for the flags that ask for it, "" without arguments.
func Command(args []string) string {
	if len(args) == 0 {
		return ""
	}
	switch args[0] {
	case "--version", "-version", "-V":
		return "version"
	}
	return args[0]
}

func arrangeHelp(app *cli.App, topics []string) ([]string, error) {
	if len(topics) == 0 {
		return []string{"help"}, nil
	}
	if app.Command(topics[0]) == nil {
		return nil, Unknown("command", topics[0], Commands(app), "; dcopt help lists the commands")
	}
	return []string{topics[0], "--help"}, nil
}

func sortArgs(cmd *cli.Command, args []string) (flags, files []string, err error) {
	kinds := flagKinds(cmd)
	seen := map[string]bool{}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return flags, append(files, args[i+1:]...), nil
		}
		name, value, hasValue := split(arg)
		if name == "" {
			files = append(files, arg)
			continue
		}
		if name == "help" || name == "h" {
			return []string{"--help"}, nil, nil
		}
		kind, known := kinds[name]
		switch {
		case !known:
			return nil, nil, Unknown("flag", Dashed(name), longNames(kinds),
				"; dcopt "+cmd.Name+" --help lists the flags")
		case !kind.value && hasValue && value != "true" && value != "false":
			return nil, nil, exit.Usagef("flag %s takes no value, and here it has %q", Dashed(name), value)
		case seen[kind.name] && !kind.repeats:
			return nil, nil, exit.Usagef("flag %s is given twice", Dashed(name))
		case kind.value && !hasValue:
			i++
			if i == len(args) || isFlagOf(kinds, args[i]) {
				return nil, nil, exit.Usagef("flag %s needs a value", Dashed(name))
			}
			arg += "=" + args[i]
		}
		seen[kind.name] = true
		flags = append(flags, arg)
	}
	return flags, files, nil
}

// Unknown is the error for a name that is not among the names there are.
func Unknown(what, name string, names []string, more string) error {
	near := suggest.DidYouMean(name, names)
	if near == "" {
		near = more
	}
	return exit.Usagef("unknown %s %q%s", what, name, near)
}

// split returns an empty name for an argument that is no flag: "-", "-1".
func split(arg string) (name, value string, hasValue bool) {
	body := strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-")
	if body == arg || body == "" || strings.ContainsAny(body[:1], "0123456789.") {
		return "", "", false
	}
	return strings.Cut(body, "=")
}

// Without are the arguments without the flag of these names, which takes no value.
func Without(args []string, names ...string) (out []string) {
	for k, a := range args {
		if a == "--" {
			return append(out, args[k:]...)
		}
		if name, _, _ := split(a); !slices.Contains(names, name) {
			out = append(out, a)
		}
	}
	return out
}

func isFlagOf(kinds map[string]flagKind, arg string) bool {
	name, _, _ := split(arg)
	_, known := kinds[name]
	return known
}

// flagKind decides how the arguments are ordered.
type flagKind struct {
	name    string // the first of its names
	value   bool   // a value follows
	repeats bool
}

// flagKinds has the kind of each flag under all its names.
func flagKinds(cmd *cli.Command) map[string]flagKind {
	kinds := map[string]flagKind{}
	for _, f := range cmd.Flags {
		_, repeats := f.(*cli.StringSliceFlag)
		names := f.Names()
		for _, n := range names {
			kinds[n] = flagKind{names[0], f.(described).TakesValue(), repeats}
		}
	}
	return kinds
}

func longNames(kinds map[string]flagKind) []string {
	var names []string
	for n := range kinds {
		if len(n) > 1 {
			names = append(names, "--"+n)
		}
	}
	return names
}

func Commands(app *cli.App) []string {
	var names []string
	for _, c := range app.Commands {
		names = append(names, c.Names()...)
	}
	return append(names, "help")
}

func Dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// Reworded words the parser's complaint as the other messages are.
func Reworded(err error) error {
	msg := strings.Replace(err.Error(), "for flag -", "for flag --", 1)
	return exit.Usagef("%s", strings.TrimSuffix(msg, ": parse error"))
}
