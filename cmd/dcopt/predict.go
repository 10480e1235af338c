package main

import (
	"bufio"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"
)

func predictCommand() *cli.Command {
	return &cli.Command{
		Name:      "predict",
		Usage:     "apply a model to a table",
		ArgsUsage: "MODEL DATA",
		UsageText: "dcopt predict MODEL.json DATA [FLAGS]",
		Description: "Writes a CSV file with the one column \"prediction\" and a row for each row of DATA. The features are looked up\n" +
			"in the header by name; other columns are not looked at.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "write to `FILE`, whole or not at all, instead of standard output"},
		},
		Action: predict,
	}
}

func predict(c *cli.Context) error {
	if c.Args().Len() != 2 {
		return usagef("predict: want a model and a table, not %d files. Usage: %s", c.Args().Len(), c.Command.UsageText)
	}
	if c.IsSet("out") && c.String("out") == "" {
		return usagef("--out: the name of the file is empty")
	}
	out, err := openOutput(c.String("out"), c.App.Writer)
	if err != nil {
		return err
	}
	r, err := openModel(c.Args().Get(0))
	if err != nil {
		return err
	}
	t, err := readTable(c, c.Args().Get(1))
	if err != nil {
		return err
	}
	x, err := t.Matrix(r.Features)
	if err != nil {
		return dataError(err)
	}
	w := bufio.NewWriter(out)
	fmt.Fprintln(w, "prediction")
	var buf []byte
	for i, row := range x {
		if i%1024 == 0 && c.Context.Err() != nil {
			return &failure{exitInterrupted, fmt.Errorf("interrupted after %d of %d rows", i, len(x))}
		}
		p, err := r.Predict(x[i : i+1])
		if err != nil {
			return badFile(placed{fmt.Errorf("%s:%d: the features %v are too large, the prediction overflows", t.Name, t.Lines[i], row)})
		}
		buf = append(strconv.AppendFloat(buf[:0], p[0], 'g', -1, 64), '\n')
		if _, err := w.Write(buf); err != nil {
			return usagef("cannot write the predictions: %w", err)
		}
	}
	if err := w.Flush(); err != nil {
		return usagef("cannot write the predictions: %w", err)
	}
	return out.commit()
}
