package main

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/dcopt/dcopt/ccp"
	"github.com/dcopt/dcopt/cmd/dcopt/internal/report"
	"github.com/dcopt/dcopt/dc/lang"
	"github.com/dcopt/dcopt/internal/table"
)

// sweepRange is the parameter and the values of --sweep.
type sweepRange struct {
	name   string
	values []string // as --set would have them
}

// mostValues keeps a slip in a count from running for days.
const mostValues = 100000

// parseSweep reads the flag --sweep.
func parseSweep(s string) (sweepRange, error) { return parseRange("--sweep", s) }

// parseRange reads name=a:b:n, n values from a to b, or name=v1,v2,..., of a flag.
func parseRange(flag, s string) (sweepRange, error) {
	name, spec, ok := keyValue(s)
	r := sweepRange{name: strings.TrimSpace(name)}
	bad := func(why string) (sweepRange, error) {
		return r, usagef("%s %s: %s; want NAME=FROM:TO:COUNT or NAME=V1,V2,...", flag, s, why)
	}
	if !ok || r.name == "" {
		return bad("no name and values")
	}
	if !strings.Contains(spec, ":") {
		for _, v := range strings.Split(spec, ",") {
			v = strings.TrimSpace(v)
			if _, ok := finite(v); !ok {
				return bad(fmt.Sprintf("%q is no number", v))
			}
			r.values = append(r.values, v)
		}
		return r, nil
	}
	parts := strings.Split(spec, ":")
	if len(parts) != 3 {
		return bad("not three parts")
	}
	var ends [2]float64
	for k := range ends {
		v, ok := finite(strings.TrimSpace(parts[k]))
		if !ok {
			return bad(fmt.Sprintf("%q is no number", parts[k]))
		}
		ends[k] = v
	}
	n, err := strconv.Atoi(strings.TrimSpace(parts[2]))
	if err != nil || n < 1 || n > mostValues {
		return bad(fmt.Sprintf("the count %q is no number from 1 to %d", parts[2], mostValues))
	}
	for k := range n {
		v := ends[0]
		if k == n-1 && n > 1 {
			v = ends[1]
		} else if k > 0 {
			v += (ends[1] - ends[0]) * float64(k) / float64(n-1)
		}
		r.values = append(r.values, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return r, nil
}

// sweep solves once a value, each time from the last useful point, and prints
// a line for each as it comes.
func (j *job) sweep() error {
	r, err := parseSweep(j.c.String("sweep"))
	if err != nil {
		return err
	}
	src, err := openSource(j.ctx, j.c, j.path)
	if err != nil {
		return err
	}
	code := exitOK
	var last []float64
	alone := j.c.Bool("independent")
	if !alone {
		j.sweeps = &swept{}
		defer func() {
			if !j.seen.over { // else its solver is in use
				j.sweeps.close()
			}
		}()
	}
	for k, v := range r.values {
		j.line.say("compiling")
		j.line.portion(float64(k), float64(len(r.values)))
		prog, err := src.program(j.ctx, &report.Member{Name: r.name, Value: v})
		if err != nil {
			return err
		}
		if alone || len(last) != prog.Problem.NumVars() {
			last = nil // another value, another size
		}
		rep, res, err := j.run(prog, last)
		if err != nil {
			return err
		}
		at, _ := table.Float(v)
		rep.Sweep = report.Object{{Name: r.name, Value: report.Number(at)}}
		j.line.wipe()
		if k == 0 && !j.json {
			sweepHead(j.out, []string{r.name}, true)
		}
		if err := j.sweepLine(rep); err != nil {
			return err
		}
		if code = max(code, rep.Code); j.ctx.Err() != nil {
			break
		}
		switch res.Status {
		case ccp.Infeasible, ccp.Unbounded, ccp.Numerical:
		default:
			last = res.X
		}
	}
	if err := j.out.commit(); err != nil {
		return err
	}
	return ended(code)
}

// swept is the session of a sweep: where the convex problems of one value and the next
// differ in numbers alone, the backend's solver is kept, with its analysis.
type swept struct {
	session *ccp.Session
	options lang.ProblemOptions // for which it was made
}

func (s *swept) solve(ctx context.Context, prog *program, x0 []float64, set ccp.Settings) (*ccp.Result, error) {
	if s.session != nil && !reflect.DeepEqual(s.options, prog.Options) {
		s.close()
	}
	var err error
	if s.session == nil {
		s.options = prog.Options
		s.session, err = ccp.NewSessionContext(ctx, prog.Problem, set)
	} else {
		err = s.session.ReplaceContext(ctx, prog.Problem)
	}
	if err != nil {
		return nil, err
	}
	return s.session.Solve(ctx, x0)
}

func (s *swept) close() {
	if s.session != nil {
		s.session.Close()
		s.session = nil
	}
}

// finite reads a number by the grammar of tables.
func finite(s string) (float64, bool) {
	v, ok := table.Float(s)
	return v, ok && v-v == 0
}

func sweepHead(w io.Writer, names []string, timed bool) {
	for _, name := range names {
		fmt.Fprintf(w, "%12s  ", name)
	}
	seconds := ""
	if timed {
		seconds = fmt.Sprintf(" %9s", "seconds")
	}
	fmt.Fprintf(w, "%-15s %16s %10s %10s%s\n", "status", "objective", "violation", "iterations", seconds)
}

func (j *job) sweepLine(r *report.Report) error {
	if j.json {
		return j.printJSON(r)
	}
	r.SweepText(j.out, j.full())
	return nil
}
