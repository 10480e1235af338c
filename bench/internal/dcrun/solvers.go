package dcrun

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dcopt/dcopt/bench/internal/dcset"
	"github.com/dcopt/dcopt/bench/internal/peer"
	"github.com/dcopt/dcopt/bench/internal/process"
	"github.com/dcopt/dcopt/bench/internal/wire"
)

// Program is the program dcopt, started anew for each run: reading the files
// and writing the answer are part of the time.
type Program struct {
	Label string
	Path  string
	Flags []string // of dcopt solve, beside the file and --json
	Env   []string // added to ours
	ID    string   // its version
}

// Name implements Solver.
func (p *Program) Name() string { return p.Label }

// Version implements Solver.
func (p *Program) Version(context.Context) (string, error) { return p.ID, nil }

// Close implements Solver.
func (p *Program) Close() {}

// Solve implements Solver.
func (p *Program) Solve(ctx context.Context, req Request) (Outcome, error) {
	var best Outcome
	spent := 0.0
	for k := 0; k < req.Repeat && spent <= wire.Long; k++ {
		out, err := p.once(ctx, req)
		if err != nil || out.Point == nil {
			return out, err
		}
		spent += out.Wall
		if k > 0 {
			out.Wall, out.CPU = min(out.Wall, best.Wall), min(out.CPU, best.CPU)
		}
		best = out
	}
	return best, nil
}

func (p *Program) once(ctx context.Context, req Request) (Outcome, error) {
	argv := append([]string{p.Path, "solve", "--json", "--quiet"}, p.Flags...)
	ran, err := process.Command{Argv: append(argv, filepath.Join(req.Folder, dcset.SourceFile)), Env: p.Env,
		Wall: time.Duration(req.Limit * float64(time.Second))}.Run(ctx)
	switch {
	case err != nil:
		return Outcome{}, err
	case ran.Late:
		return Outcome{Status: peer.Killed, Message: "killed after the time limit"}, nil
	}
	answer, bad := process.Decode(ran.Stdout)
	if bad != nil {
		status, message := "refused", ran.Blame(bad)
		// A panic ends with code 2, as the refusal of a file does.
		if code := ran.State.ExitCode(); code != 1 && code != 2 || strings.HasPrefix(message, "panic:") ||
			strings.HasPrefix(message, "fatal error:") {
			status = peer.Crashed
			message = fmt.Sprintf("%v %s", ran.State, message)
		}
		message = strings.ReplaceAll(message, req.Folder+string(filepath.Separator), "")
		return Outcome{Status: status, Message: message}, nil
	}
	out := Outcome{Status: answer.Status, Iterations: answer.Iterations, Message: answer.Message, Wall: ran.Wall,
		CPU: ran.CPU}
	for _, it := range answer.History {
		out.History.Objectives = append(out.History.Objectives, orNaN(it.Objective))
		out.History.Violations = append(out.History.Violations, orNaN(it.Violation))
	}
	if out.Point, err = flatten(answer.Variables); err != nil {
		return Outcome{Status: peer.Crashed, Message: err.Error()}, nil
	}
	return out, nil
}

func orNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// flatten makes slices of nested arrays.
func flatten(variables map[string]any) (dcset.Point, error) {
	p := dcset.Point{}
	for name, value := range variables {
		var flat []float64
		var add func(v any) error
		add = func(v any) error {
			switch v := v.(type) {
			case nil:
				flat = append(flat, math.NaN())
			case float64:
				flat = append(flat, v)
			case []any:
				for _, e := range v {
					if err := add(e); err != nil {
						return err
					}
				}
			default:
				return fmt.Errorf("variable %s: %T is no number", name, v)
			}
			return nil
		}
		if err := add(value); err != nil {
			return nil, err
		}
		p[name] = flat
	}
	return p, nil
}

// Peer is a solver in a process that stays, so that loading it is not timed.
type Peer struct {
	label string
	dir   string
	proc  *peer.Peer
}

// NewPeer describes the process; dir is a folder for its answers.
func NewPeer(label, dir string, env []string, argv ...string) *Peer {
	return &Peer{label, dir, peer.New(dir, env, argv...)}
}

// Name implements Solver.
func (p *Peer) Name() string { return p.label }

// Version implements Solver.
func (p *Peer) Version(ctx context.Context) (string, error) { return p.proc.Version(ctx) }

// Close implements Solver.
func (p *Peer) Close() { p.proc.Close() }

// Solve implements Solver.
func (p *Peer) Solve(ctx context.Context, req Request) (Outcome, error) {
	file := filepath.Join(p.dir, "answer.json")
	answer, err := p.proc.Ask(ctx, wire.Request{Problem: req.Folder, Answer: file, Mode: wire.Fresh, Limit: req.Limit,
		Repeat: req.Repeat})
	if err != nil {
		return Outcome{}, err
	}
	out := Outcome{Status: answer.Status, Iterations: answer.Iterations, Wall: answer.Wall, CPU: answer.CPU,
		Message: answer.Message}
	if peer.Pointless(answer.Status) {
		return out, nil
	}
	var variables map[string]any
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &variables)
	}
	if err == nil {
		out.Point, err = flatten(variables)
	}
	if err != nil {
		out.Status, out.Point, out.Message = peer.Crashed, nil, err.Error()
	}
	return out, nil
}
