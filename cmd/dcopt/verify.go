package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/problem"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/report"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/dc/lang/reader"
	"github.com/dcopt/dcopt/verify"
)

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "check a result by other code than the solver's",
		ArgsUsage: "FILE RESULT.json",
		Description: "FILE is a .dc problem, RESULT.json the output of dcopt solve --json. Objective and constraints are evaluated at the\n" +
			"point in interval arithmetic with 256 bits, from the file's text by an evaluator of its own; with --proof the tree\n" +
			"of --global is replayed. docs/guarantees.md says what follows.\n\n" +
			"Exit codes: 0 all that the result states holds, 1 wrong usage or unreadable file, 2 wrong problem file or one that\n" +
			"this command cannot read, 3 something does not hold or is not shown, 130 interrupted.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "proof", Usage: "the `FILE` that solve --global --proof wrote"},
			&cli.StringSliceFlag{Name: "set", Usage: "give a param another value, `K=V`, as it was solved; may be repeated"},
			flags.JSON(),
		},
		Action: verifyResult,
	}
}

// mostProof bounds the size of results that are read whole.
// Source: a limit of memory, 1 GB.
const mostProof = 1 << 30

func verifyResult(c *cli.Context) error {
	args := c.Args().Slice()
	if len(args) != 2 {
		return exit.Usagef("verify: want a problem and a result. Usage: %s", c.Command.UsageText)
	}
	s := session.Of(c)
	src, err := problem.Read(c.Context, s, args[0])
	if err != nil {
		return err
	}
	set := map[string]string{}
	for _, kv := range c.StringSlice("set") {
		name, value, ok := strings.Cut(kv, "=")
		if !ok {
			return exit.Usagef("--set %s: want NAME=VALUE", kv)
		}
		set[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	text, err := readAll(c, args[1])
	if err != nil {
		return err
	}
	r, err := verify.ParseResult(text)
	if err != nil {
		return exit.Usagef("%s: %w", args[1], err)
	}
	type outcome struct {
		point verify.Point
		found []verify.Finding
	}
	out, err := session.Within(c.Context, func() (out outcome, err error) {
		dir := filepath.Dir(args[0])
		p, err := verify.Read(c.Context, string(src), reader.NewData(nil, dir), set)
		if err != nil {
			return out, exit.BadFile(fmt.Errorf("%s: %w", args[0], err))
		}
		proof := c.String("proof")
		if proof == "" || r.Status != "infeasible" {
			if out.point, out.found, err = p.Check(r); err != nil {
				return out, exit.BadFile(fmt.Errorf("%s: %w", args[1], err))
			}
		}
		if proof == "" {
			return out, nil
		}
		file, err := s.Open(c.Context, proof)
		if err != nil {
			return out, err
		}
		defer file.Close()
		proved, err := p.Proof(c.Context, file)
		if err != nil {
			if exit.IsContext(err) {
				return out, err
			}
			out.found = append(out.found, verify.Finding{Text: fmt.Sprintf("%s: %v", proof, err)})
			return out, nil
		}
		out.found = append(out.found, p.Compare(r, proved)...)
		return out, nil
	})
	if err != nil {
		return err
	}
	accepted := true
	for _, f := range out.found {
		accepted = accepted && f.OK
	}
	var b bytes.Buffer
	if c.Bool("json") {
		findings := make([]report.Object, len(out.found))
		for k, f := range out.found {
			findings[k] = report.Object{{Name: "ok", Value: f.OK}, {Name: "text", Value: f.Text}}
		}
		text, err := report.Line(report.Object{
			{Name: "accepted", Value: accepted}, {Name: "objective_lower", Value: report.Number(out.point.Lo)}, {Name: "objective_upper", Value: report.Number(out.point.Hi)},
			{Name: "violation", Value: report.Number(out.point.Violation)}, {Name: "worst", Value: out.point.Worst}, {Name: "findings", Value: findings},
		})
		if err != nil {
			return err
		}
		b.Write(text)
	} else {
		for _, f := range out.found {
			word := "holds   "
			if !f.OK {
				word = "refused "
			}
			fmt.Fprintf(&b, "%s%s\n", word, f.Text)
		}
		if accepted {
			b.WriteString("accepted\n")
		} else {
			b.WriteString("not accepted\n")
		}
	}
	if _, err := c.App.Writer.Write(b.Bytes()); err != nil {
		return err
	}
	if !accepted {
		return exit.With(exit.NotSolved)
	}
	return nil
}

// readAll is the text of a file.
func readAll(c *cli.Context, path string) ([]byte, error) {
	f, err := session.Of(c).Open(c.Context, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostProof+1))
	if err != nil {
		return nil, session.Unreadable(err)
	}
	if len(text) > mostProof {
		return nil, exit.Usagef("%s: larger than %d bytes", path, mostProof)
	}
	return text, nil
}
