package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/dc/lang/lsp"
	"github.com/dcopt/dcopt/qpbackend/backends"
)

func lspCommand() *cli.Command {
	return &cli.Command{
		Name:  "lsp",
		Usage: "serve an editor: the language server for .dc files",
		Description: "Speaks the Language Server Protocol over standard input and output: diagnostics as one types, " +
			"hover with curvature,\n" +
			"range and split, completion, definitions, references, renaming, symbols and formatting. " +
			"docs/editors.md says how to\n" +
			"set it up in VS Code, Neovim, Helix and Emacs.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "stdio", Usage: "nothing: editors give it to servers that have a choice"},
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return exit.Usagef("lsp takes no files; an editor opens them")
			}
			s := session.Of(c)
			opt := lsp.Options{Version: version(), Debounce: lsp.Rest}
			for _, b := range backends.All() {
				opt.Backends = append(opt.Backends, b.Name())
			}
			switch err := lsp.Serve(c.Context, s.Stdin, s.Stdout, opt); {
			case err == nil, exit.IsContext(err):
				return err
			case errors.Is(err, lsp.ErrNoShutdown):
				return exit.Usagef("the editor ended without a shutdown")
			default:
				return exit.Usagef("%w", err)
			}
		},
	}
}
