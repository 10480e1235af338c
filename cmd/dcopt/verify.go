package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/dcopt/dcopt/cmd/dcopt/internal/exit"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/flags"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/problem"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/session"
	"github.com/dcopt/dcopt/dc/lang/reader"
	"github.com/dcopt/dcopt/internal/report"
	"github.com/dcopt/dcopt/verify"
)

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "check a result by other code than the solver's",
		ArgsUsage: "FILE RESULT.json",
		Description: "FILE is a .dc problem, RESULT.json the output of dcopt solve --json, one result or those of a " +
			"sweep. All claims of a\n" +
			"result are tested together: in interval arithmetic with 256 bits, from the file's text by an evaluator " +
			"of its own.\n" +
			"With --proof the tree of --global is replayed. docs/guarantees.md says what follows.\n\n" +
			"Exit codes: 0 accepted, all claims are shown, 1 wrong usage or unreadable file, 2 wrong problem file " +
			"or one that\n" +
			"this command cannot read, 3 refused, a claim is false, 4 incomplete, a claim is neither shown nor " +
			"false, 130 interrupted.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "proof", Usage: "the `FILE` that solve --global --proof wrote"},
			&cli.StringSliceFlag{
				Name:  "set",
				Usage: "give a param another value, `K=V`, as it was solved; may be repeated",
			},
			flags.JSON(),
		},
		Action: verifyResults,
	}
}

// mostResult is how many bytes compressed results may have more than their file.
// Source: a limit of memory: a number of a result takes ten times its text.
const mostResult = 1 << 24

func verifyResults(c *cli.Context) error {
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
	text, err := s.ReadAll(c.Context, args[1], mostResult)
	if err != nil {
		return err
	}
	results, err := verify.ParseResults(text)
	if err != nil {
		return exit.Usagef("%s: %w", args[1], err)
	}
	if results[0].Sweep != nil && c.String("proof") != "" {
		return exit.Usagef("%s: a sweep has no proof", args[1])
	}
	worst := verify.Accepted
	for _, r := range results {
		report, err := session.Within(c.Context, func() (verify.Report, error) {
			return verifyOne(c, args[0], string(src), set, r)
		})
		if err != nil {
			return err
		}
		worst = max(worst, report.Verdict())
		out := verdictText
		if c.Bool("json") {
			out = verdictJSON
		}
		b, err := out(&report)
		if err != nil {
			return err
		}
		if _, err := c.App.Writer.Write(b); err != nil {
			return err
		}
	}
	return exit.With(map[verify.Verdict]int{verify.Refused: exit.NotSolved, verify.Incomplete: exit.Incomplete}[worst])
}

// verifyOne checks a result of a problem with the params that it was solved with.
func verifyOne(c *cli.Context, path, src string, set map[string]string, r *verify.Result) (verify.Report, error) {
	params := maps.Clone(set)
	for name, v := range r.Sweep {
		if _, given := set[name]; given { // the number of the result gives way
			delete(r.Sweep, name)
		} else {
			params[name] = v
		}
	}
	p, err := verify.Read(c.Context, src, reader.NewData(nil, filepath.Dir(path)), params)
	if unknown := new(verify.UnknownError); errors.As(err, &unknown) {
		finding := verify.Finding{Claim: "result", Verdict: verify.Incomplete, Text: err.Error()}
		return verify.Report{Findings: []verify.Finding{finding}}, nil
	}
	if err != nil {
		return verify.Report{}, exit.BadFile(fmt.Errorf("%s: %w", path, err))
	}
	name := c.String("proof")
	var file io.Reader = bytes.NewReader(r.Proof)
	switch {
	case name != "":
		f, err := session.Of(c).Open(c.Context, name)
		if err != nil {
			return verify.Report{}, err
		}
		defer f.Close()
		file = f
	case r.Proof != nil:
		name = "the result's own"
	default:
		return p.Check(r, nil), nil
	}
	proof, err := p.Proof(c.Context, file)
	switch {
	case exit.IsContext(err):
		return verify.Report{}, err
	case err != nil:
		report := p.Check(r, nil)
		report.Findings = append(report.Findings, verify.Finding{Claim: "proof", Verdict: verify.Refused,
			Text: fmt.Sprintf("%s: %v", name, err)})
		return report, nil
	}
	return p.Check(r, &proof), nil
}

func verdictJSON(r *verify.Report) ([]byte, error) {
	findings := make([]report.Object, len(r.Findings))
	for k, f := range r.Findings {
		findings[k] = report.Object{
			{Name: "claim", Value: f.Claim}, {Name: "ok", Value: f.Verdict == verify.Accepted},
			{Name: "verdict", Value: f.Verdict.String()}, {Name: "text", Value: f.Text},
		}
	}
	return report.Line(report.Object{
		{Name: "verdict", Value: r.Verdict().String()}, {Name: "accepted", Value: r.Verdict() == verify.Accepted},
		{Name: "objective_lower", Value: report.Number(r.Lo)}, {Name: "objective_upper", Value: report.Number(r.Hi)},
		{Name: "violation", Value: report.Number(r.Violation)}, {Name: "worst", Value: r.Worst},
		{Name: "findings", Value: findings},
	})
}

func verdictText(r *verify.Report) ([]byte, error) {
	var b bytes.Buffer
	for _, f := range r.Findings {
		word := map[verify.Verdict]string{verify.Accepted: "holds", verify.Incomplete: "not shown",
			verify.Refused: "refused"}[f.Verdict]
		fmt.Fprintf(&b, "%-9s %s: %s\n", word, f.Claim, f.Text)
	}
	fmt.Fprintln(&b, r.Verdict())
	return b.Bytes(), nil
}
