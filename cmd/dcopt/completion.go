package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print a completion script for a shell",
		ArgsUsage: "bash|zsh|fish",
		Description: "bash:  source <(dcopt completion bash)\n" +
			"zsh:   dcopt completion zsh > \"${fpath[1]}/_dcopt\"\n" +
			"fish:  dcopt completion fish > ~/.config/fish/completions/dcopt.fish",
		Action: func(c *cli.Context) error {
			writers := map[string]func(io.Writer, []*cli.Command){"bash": completeBash, "zsh": completeZsh, "fish": completeFish}
			if c.Args().Len() != 1 {
				return usagef("completion: for which shell? Usage: %s", c.Command.UsageText)
			}
			write, ok := writers[c.Args().First()]
			if !ok {
				return unknown("shell", c.Args().First(), []string{"bash", "zsh", "fish"}, "; want bash, zsh or fish")
			}
			write(c.App.Writer, c.App.Commands)
			return nil
		},
	}
}

// words lists the names of a command's flags, dashes included.
func words(cmd *cli.Command) []string {
	names := []string{"--help"}
	for _, f := range cmd.Flags {
		if f.Names()[0] == "help" {
			continue
		}
		for _, n := range f.Names() {
			names = append(names, dashed(n))
		}
	}
	return names
}

// shellCommands leaves out the parser's own help command.
func shellCommands(commands []*cli.Command) (cmds []*cli.Command, names string) {
	var list []string
	for _, c := range commands {
		if c.Name != "help" {
			cmds, list = append(cmds, c), append(list, c.Name)
		}
	}
	return cmds, strings.Join(append(list, "help"), " ")
}

func completeBash(w io.Writer, commands []*cli.Command) {
	cmds, names := shellCommands(commands)
	fmt.Fprintf(w, `# bash completion for dcopt
_dcopt() {
	local cur="${COMP_WORDS[COMP_CWORD]}" words=""
	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W "%s" -- "$cur"))
		return
	fi
	case "${COMP_WORDS[1]}" in
`, names)
	for _, c := range cmds {
		fmt.Fprintf(w, "\t%s) words=\"%s\" ;;\n", c.Name, strings.Join(words(c), " "))
	}
	fmt.Fprint(w, `	esac
	case "$cur" in
	-*) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
	*) COMPREPLY=($(compgen -f -- "$cur")) ;;
	esac
}
complete -o filenames -F _dcopt dcopt
`)
}

func completeZsh(w io.Writer, commands []*cli.Command) {
	cmds, names := shellCommands(commands)
	fmt.Fprintf(w, `#compdef dcopt
_dcopt() {
	if (( CURRENT == 2 )); then
		compadd -- %s
		return
	fi
	local -a flags
	case "${words[2]}" in
`, names)
	for _, c := range cmds {
		fmt.Fprintf(w, "\t%s) flags=(%s) ;;\n", c.Name, strings.Join(words(c), " "))
	}
	fmt.Fprint(w, `	esac
	if [[ "${words[CURRENT]}" == -* ]]; then
		compadd -- $flags
	else
		_files
	fi
}
compdef _dcopt dcopt
`)
}

func completeFish(w io.Writer, commands []*cli.Command) {
	cmds, _ := shellCommands(commands)
	fmt.Fprintln(w, "# fish completion for dcopt")
	for _, c := range cmds {
		fmt.Fprintf(w, "complete -c dcopt -n __fish_use_subcommand -f -a %s -d '%s'\n", c.Name, quoteFish(c.Usage))
		for _, f := range c.Flags {
			if f.Names()[0] == "help" {
				continue
			}
			fmt.Fprintf(w, "complete -c dcopt -n '__fish_seen_subcommand_from %s'", c.Name)
			for _, n := range f.Names() {
				if len(n) == 1 {
					fmt.Fprintf(w, " -s %s", n)
				} else {
					fmt.Fprintf(w, " -l %s", n)
				}
			}
			doc, ok := f.(cli.DocGenerationFlag)
			if ok && doc.TakesValue() {
				fmt.Fprint(w, " -r")
			}
			if ok {
				fmt.Fprintf(w, " -d '%s'", quoteFish(strings.ReplaceAll(doc.GetUsage(), "`", "")))
			}
			fmt.Fprintln(w)
		}
	}
}

func quoteFish(s string) string {
	return strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s)
}
