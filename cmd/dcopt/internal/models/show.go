package models

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/picture"
	"github.com/dcopt/dcopt/lder/dataset"
	"github.com/dcopt/dcopt/lder/export"
)

func ShowCommand() *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "print a model as a formula or a program, or draw it",
		ArgsUsage: "MODEL",
		UsageText: "dcopt show MODEL.json [FLAGS]",
		Description: "Prints what a model file holds: as a formula in the data's own units, or as a function that " +
			"needs nothing else and\n" +
			"gives the same numbers as predict.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "format", Value: export.Text.String(),
				Usage: "`FORMAT` of the output: text, go, python, c, latex"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"},
				Usage: "write to `FILE`, whole or not at all, instead of standard output"},
			picture.Flag("draw the model to `FILE`.svg or .png: of one or two features itself, " +
				"else predicted against observed"),
			picture.Width(), picture.DPI(),
			&cli.StringFlag{Name: "data",
				Usage: "the table `DATA` to draw with the model; more than two features need it"},
		}, tableFlags()...),
		Action: showModel,
	}
}

func showModel(c *cli.Context) error {
	path, err := flags.OneFile(c)
	if err != nil {
		return err
	}
	format, err := export.ParseFormat(c.String("format"))
	if err != nil {
		return exit.Usagef("--format %s: want text, go, python, c or latex", c.String("format"))
	}
	out, err := flags.Out(c)
	if err != nil {
		return err
	}
	defer out.Discard()
	plot, err := picture.Of(c)
	if err != nil {
		return err
	}
	defer plot.Discard()
	if c.IsSet("data") && plot == nil {
		return exit.Usagef("--data is for --plot FILE, which is missing")
	}
	r, err := openModel(c, path)
	if err != nil {
		return err
	}
	text, err := export.Export(r, format)
	if err != nil {
		return exit.BadFile(exit.Placed(prefixed(path, err)))
	}
	if plot != nil {
		var x [][]float64
		var y []float64
		if c.IsSet("data") {
			t, err := readTable(c, c.String("data"), dataset.Options{KeepText: true})
			if err != nil {
				return err
			}
			if x, _, err = t.Encode(r.Features, r.Categories); err != nil {
				return exit.Data(err)
			}
			target, err := t.Matrix([]string{r.Target})
			if err != nil {
				return exit.Data(err)
			}
			for _, row := range target {
				y = append(y, row[0])
			}
		}
		if len(r.Features) > 2 && x == nil {
			return exit.Usagef("--plot: a model of %d features is drawn with a table; give --data DATA",
				len(r.Features))
		}
		if err := plot.WriteModel(r, x, y); err != nil {
			return err
		}
	}
	out.Write(text) // commit has the error
	return out.Commit()
}

// prefixed names the file in front of a message of package export.
func prefixed(path string, err error) error {
	return usageText(path + ": " + strings.TrimPrefix(err.Error(), "export: "))
}

type usageText string

func (s usageText) Error() string { return string(s) }
