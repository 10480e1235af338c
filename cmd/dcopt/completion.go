package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/models"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/template"
	"github.com/dcopt/dcopt/qpbackend/backends"
)

// shells are those that there is a completion script for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print a completion script for a shell",
		ArgsUsage: strings.Join(shells, "|"),
		Description: "bash:        source <(dcopt completion bash)\n" +
			"zsh:         dcopt completion zsh > \"${fpath[1]}/_dcopt\"\n" +
			"fish:        dcopt completion fish > ~/.config/fish/completions/dcopt.fish\n" +
			"PowerShell:  dcopt completion powershell | Out-String | Invoke-Expression",
		Action: func(c *cli.Context) error {
			writers := map[string]func(io.Writer, []*cli.Command){
				"bash": completeBash, "zsh": completeZsh, "fish": completeFish, "powershell": completePowerShell,
			}
			if c.Args().Len() != 1 {
				return exit.Usagef("completion: for which shell? Usage: %s", c.Command.UsageText)
			}
			write, ok := writers[c.Args().First()]
			if !ok {
				return flags.Unknown("shell", c.Args().First(), shells, "; want bash, zsh, fish or powershell")
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
			names = append(names, flags.Dashed(n))
		}
	}
	return names
}

// values are the words that flags take, by the name of the flag; other flags take numbers, names or
// files.
func values() map[string][]string {
	backend := []string{"auto"}
	for _, b := range backends.All() {
		backend = append(backend, b.Name())
	}
	return map[string][]string{
		"backend": backend, "effort": {"local", "quick", "normal", "thorough"}, "panels": {"solution", "run", "all"},
		"method": models.MethodNames(), "categorical": {"onehot", "ordinal"},
		"impute": {"mean", "median", "most_frequent"},
		"format": {"text", "go", "python", "c", "latex"},
	}
}

// valued are the flags of values, in order.
func valued() []string { return slices.Sorted(maps.Keys(values())) }

// arguments are the words that a command takes where others take files; nil: files.
func arguments(name string, commands []string) []string {
	switch name {
	case "completion":
		return shells
	case "new":
		var names []string
		for _, t := range template.All() {
			names = append(names, t.Name)
		}
		return names
	case "man", "help":
		return commands
	}
	return nil
}

// shellCommands leaves out the parser's own help command.
func shellCommands(commands []*cli.Command) (cmds []*cli.Command, names []string) {
	for _, c := range commands {
		if c.Name != "help" {
			cmds, names = append(cmds, c), append(names, c.Name)
		}
	}
	return cmds, names
}

func completeBash(w io.Writer, commands []*cli.Command) {
	cmds, names := shellCommands(commands)
	fmt.Fprintf(w, `# bash completion for dcopt
_dcopt() {
	local cur="${COMP_WORDS[COMP_CWORD]}" words="" args=""
	if [ "$COMP_CWORD" -eq 1 ]; then
		COMPREPLY=($(compgen -W "%s help" -- "$cur"))
		return
	fi
	case "${COMP_WORDS[COMP_CWORD-1]}" in
`, strings.Join(names, " "))
	for _, flag := range valued() {
		words := strings.Join(values()[flag], " ")
		fmt.Fprintf(w, "\t--%s) COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return ;;\n", flag, words)
	}
	fmt.Fprint(w, "\tesac\n\tcase \"${COMP_WORDS[1]}\" in\n")
	for _, c := range cmds {
		fmt.Fprintf(w, "\t%s) words=\"%s\" args=\"%s\" ;;\n", c.Name, strings.Join(words(c), " "),
			strings.Join(arguments(c.Name, names), " "))
	}
	fmt.Fprintf(w, `	help) args="%s" ;;
	esac
	case "$cur" in
	-*) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
	*) if [ -n "$args" ]; then COMPREPLY=($(compgen -W "$args" -- "$cur"))
	else COMPREPLY=($(compgen -f -- "$cur")); fi ;;
	esac
}
complete -o filenames -F _dcopt dcopt
`, strings.Join(names, " "))
}

func completeZsh(w io.Writer, commands []*cli.Command) {
	cmds, names := shellCommands(commands)
	fmt.Fprintf(w, `#compdef dcopt
_dcopt() {
	if (( CURRENT == 2 )); then
		compadd -- %s help
		return
	fi
	local -a flags args
	case "${words[CURRENT-1]}" in
`, strings.Join(names, " "))
	for _, flag := range valued() {
		fmt.Fprintf(w, "\t--%s) compadd -- %s; return ;;\n", flag, strings.Join(values()[flag], " "))
	}
	fmt.Fprint(w, "\tesac\n\tcase \"${words[2]}\" in\n")
	for _, c := range cmds {
		fmt.Fprintf(w, "\t%s) flags=(%s) args=(%s) ;;\n", c.Name, strings.Join(words(c), " "),
			strings.Join(arguments(c.Name, names), " "))
	}
	fmt.Fprintf(w, `	help) args=(%s) ;;
	esac
	if [[ "${words[CURRENT]}" == -* ]]; then
		compadd -- $flags
	elif (( ${#args} )); then
		compadd -- $args
	else
		_files
	fi
}
# Of a file in fpath the function is the completion; sourced, the script only names it.
if [ "${funcstack[1]}" = "_dcopt" ]; then
	_dcopt "$@"
else
	compdef _dcopt dcopt
fi
`, strings.Join(names, " "))
}

func completeFish(w io.Writer, commands []*cli.Command) {
	cmds, names := shellCommands(commands)
	fmt.Fprintln(w, "# fish completion for dcopt")
	fmt.Fprintf(w, "complete -c dcopt -n __fish_use_subcommand -f -a help -d 'list the commands, or describe one'\n")
	fmt.Fprintf(w, "complete -c dcopt -n '__fish_seen_subcommand_from help' -f -a '%s'\n", strings.Join(names, " "))
	for _, c := range cmds {
		fmt.Fprintf(w, "complete -c dcopt -n __fish_use_subcommand -f -a %s -d '%s'\n", c.Name, quoteFish(c.Usage))
		if args := arguments(c.Name, names); args != nil {
			fmt.Fprintf(w, "complete -c dcopt -n '__fish_seen_subcommand_from %s' -f -a '%s'\n", c.Name,
				strings.Join(args, " "))
		}
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
			if words := values()[f.Names()[0]]; words != nil {
				fmt.Fprintf(w, " -f -a '%s'", strings.Join(words, " "))
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

// completePowerShell works in Windows PowerShell 5 and in PowerShell 7. It offers files by
// offering nothing: the shell then does.
func completePowerShell(w io.Writer, commands []*cli.Command) {
	cmds, names := shellCommands(commands)
	list := func(words []string) string {
		quoted := make([]string, len(words))
		for k, s := range words {
			quoted[k] = quotePowerShell(s)
		}
		return "@(" + strings.Join(quoted, ", ") + ")"
	}
	fmt.Fprintf(w, `# PowerShell completion for dcopt
Register-ArgumentCompleter -Native -CommandName dcopt -ScriptBlock {
	param($wordToComplete, $commandAst, $cursorPosition)
	$commands = @{
`)
	for _, c := range cmds {
		fmt.Fprintf(w, "\t\t%s = %s\n", quotePowerShell(c.Name), quotePowerShell(c.Usage))
	}
	fmt.Fprint(w, "\t\t'help' = 'list the commands, or describe one'\n\t}\n\t$flags = @{\n")
	for _, c := range cmds {
		fmt.Fprintf(w, "\t\t%s = %s\n", quotePowerShell(c.Name), list(words(c)))
	}
	fmt.Fprint(w, "\t}\n\t$arguments = @{\n")
	for _, name := range append(slices.Clone(names), "help") {
		if args := arguments(name, names); args != nil {
			fmt.Fprintf(w, "\t\t%s = %s\n", quotePowerShell(name), list(args))
		}
	}
	fmt.Fprint(w, "\t}\n\t$values = @{\n")
	for _, flag := range valued() {
		fmt.Fprintf(w, "\t\t%s = %s\n", quotePowerShell("--"+flag), list(values()[flag]))
	}
	fmt.Fprint(w, `	}
	$words = @($commandAst.CommandElements | ForEach-Object { $_.ToString() })
	$before = @($words | Where-Object { $_ -ne $wordToComplete -or $wordToComplete -eq '' })
	if ($before.Count -le 1) {
		$commands.Keys | Sort-Object | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
			[System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $commands[$_])
		}
		return
	}
	$command = $before[1]
	$offer = @()
	if ($values.ContainsKey($before[-1])) { $offer = $values[$before[-1]] }
	elseif ($wordToComplete -like '-*') { $offer = $flags[$command] }
	elseif ($arguments.ContainsKey($command)) { $offer = $arguments[$command] }
	$offer | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
		[System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
	}
}
`)
}

func quotePowerShell(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
