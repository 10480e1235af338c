package main

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
)

func manCommand() *cli.Command {
	return &cli.Command{
		Name:      "man",
		Usage:     "print a manual page",
		ArgsUsage: "[COMMAND]",
		Description: "Prints the page of the program, or of a command, in the format of man(7):\n\n" +
			"    dcopt man solve | man -l -",
		Action: func(c *cli.Context) error {
			switch c.Args().Len() {
			case 0:
				return manProgram(c.App.Writer, c.App)
			case 1:
				cmd := c.App.Command(c.Args().First())
				if cmd == nil || cmd.Name == "help" {
					return flags.Unknown("command", c.Args().First(), flags.Commands(c.App),
						"; dcopt help lists the commands")
				}
				return manPage(c.App.Writer, cmd)
			}
			return exit.Usagef("man: one command at a time")
		},
	}
}

// roff escapes a text for a line of a manual page.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(s)
	if strings.HasPrefix(s, ".") {
		s = `\&` + s
	}
	return s
}

// exitStatus are the lines of the section EXIT STATUS.
var exitStatus = []struct{ code, meaning string }{
	{"0", "converged, or solved"},
	{"1", "wrong usage, or a file that cannot be read or written"},
	{"2", "a problem file, its data or a table is wrong; the messages name the place"},
	{"3", "the run ended without a feasible converged point; the best point is printed. Of fmt \\-\\-check: files " +
		"differ"},
	{"130", "interrupted; the best point so far is printed, if there is one"},
}

// manHead begins a page. It has no date, so that a build gives the same bytes again.
func manHead(w io.Writer, name, usage string) {
	fmt.Fprintf(w, ".TH %s 1 \"\" \"dcopt %s\" \"dcopt\"\n.SH NAME\n%s \\- %s\n", strings.ToUpper(roff(name)),
		roff(version()), roff(name), roff(usage))
}

// manProgram writes dcopt(1).
func manProgram(w io.Writer, app *cli.App) error {
	var b strings.Builder
	manHead(&b, app.Name, app.Usage)
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B dcopt\n.I COMMAND\n[FLAGS] [FILE...]\n.SH DESCRIPTION\n%s\n",
		roff("Solves problems whose objective and constraints are differences of convex functions, from files; "+
			"also convex quadratic programs. It trains, applies and measures l-DER regressors. Each command has a "+
			"page of its own."))
	b.WriteString(".SH COMMANDS\n")
	cmds, _ := shellCommands(app.Commands)
	for _, c := range cmds {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s; see\n.BR dcopt\\-%s (1)\n", roff(c.Name), roff(c.Usage), roff(c.Name))
	}
	manFoot(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// manPage writes the page of a command.
func manPage(w io.Writer, cmd *cli.Command) error {
	var b strings.Builder
	manHead(&b, "dcopt-"+cmd.Name, cmd.Usage)
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B dcopt %s\n%s\n", roff(cmd.Name),
		roff(strings.TrimSpace(strings.TrimPrefix(cmd.UsageText, "dcopt "+cmd.Name))))
	if cmd.Description != "" {
		b.WriteString(".SH DESCRIPTION\n")
		manText(&b, cmd.Description)
	}
	if len(cmd.Flags) > 0 {
		b.WriteString(".SH OPTIONS\n")
	}
	for _, f := range cmd.Flags {
		d, ok := f.(cli.DocGenerationFlag)
		if !ok || f.Names()[0] == "help" {
			continue
		}
		value, usage := placeholder(d.GetUsage())
		names := make([]string, len(f.Names()))
		for k, n := range f.Names() {
			names[k] = `\fB` + roff(flags.Dashed(n)) + `\fR`
		}
		b.WriteString(".TP\n" + strings.Join(names, ", "))
		if d.TakesValue() {
			b.WriteString(` \fI` + roff(value) + `\fR`)
		}
		if text := strings.Trim(d.GetDefaultText(), `"`); d.TakesValue() && text != "" && text != "0" {
			usage += " (default " + text + ")"
		}
		b.WriteString("\n" + roff(usage) + "\n")
	}
	manFoot(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// placeholder is the name of a flag's value, which stands in backquotes, and the usage
// without these.
func placeholder(usage string) (value, text string) {
	value = "VALUE"
	if parts := strings.SplitN(usage, "`", 3); len(parts) == 3 {
		value = parts[1]
	}
	return value, strings.ReplaceAll(usage, "`", "")
}

// manText writes paragraphs; indented lines keep their layout.
func manText(b *strings.Builder, text string) {
	code := false
	for _, l := range strings.Split(text, "\n") {
		indented := strings.HasPrefix(l, " ") || tabular(l)
		switch {
		case indented != code && indented:
			b.WriteString(".PP\n.nf\n")
		case indented != code && strings.TrimSpace(l) != "":
			b.WriteString(".fi\n.PP\n")
		case strings.TrimSpace(l) == "":
			if !code {
				b.WriteString(".PP\n")
			}
			continue
		}
		code = indented
		b.WriteString(roff(strings.TrimRightFunc(l, unicode.IsSpace)) + "\n")
	}
	if code {
		b.WriteString(".fi\n")
	}
}

// tabular reports whether a line has a column, such as the name of a shell.
func tabular(l string) bool { return strings.Contains(l, ":  ") }

func manFoot(b *strings.Builder) {
	b.WriteString(".SH EXIT STATUS\n")
	for _, e := range exitStatus {
		fmt.Fprintf(b, ".TP\n.B %s\n%s\n", e.code, e.meaning)
	}
	b.WriteString(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nif set and not empty, nothing is coloured\n.SH SEE ALSO\n.BR " +
		"dcopt (1)\n.PP\nhttps://github.com/dcopt/dcopt\n")
}
