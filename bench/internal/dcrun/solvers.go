package dcrun

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dcopt/dcopt/bench/internal/dcset"
	"github.com/dcopt/dcopt/bench/internal/peer"
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
	limited, cancel := context.WithTimeout(ctx, time.Duration(req.Limit*float64(time.Second)))
	defer cancel()
	args := append([]string{"solve", "--json", "--quiet"}, p.Flags...)
	cmd := exec.CommandContext(limited, p.Path, append(args, filepath.Join(req.Folder, dcset.SourceFile))...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(slices.Clone(os.Environ()), p.Env...)
	cmd.WaitDelay = time.Second
	begin := time.Now()
	err := cmd.Run()
	wall := time.Since(begin).Seconds()
	switch {
	case ctx.Err() != nil:
		return Outcome{}, ctx.Err()
	case limited.Err() != nil:
		return Outcome{Status: peer.Killed, Message: "killed after the time limit"}, nil
	case cmd.ProcessState == nil:
		return Outcome{}, err
	}
	out, bad := decodeResult(stdout.Bytes())
	if bad != nil {
		message := stderr.String()
		if message == "" {
			message = bad.Error()
		}
		status := "refused"
		// A panic ends with code 2, as the refusal of a file does.
		if code := cmd.ProcessState.ExitCode(); code != 1 && code != 2 || strings.HasPrefix(message, "panic:") ||
			strings.HasPrefix(message, "fatal error:") {
			status = peer.Crashed
			message = fmt.Sprintf("%v %s", cmd.ProcessState, message)
		}
		message = strings.ReplaceAll(message, req.Folder+string(filepath.Separator), "")
		return Outcome{Status: status, Message: message}, nil
	}
	out.Wall = wall
	out.CPU = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	return out, nil
}

// decodeResult reads the output of dcopt solve --json.
func decodeResult(data []byte) (Outcome, error) {
	var raw struct {
		Status     string         `json:"status"`
		Iterations int            `json:"iterations"`
		Message    string         `json:"message"`
		Variables  map[string]any `json:"variables"`
		History    []struct {
			Objective *float64 `json:"objective"`
			Violation *float64 `json:"max_violation"`
		} `json:"history"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return Outcome{}, err
	}
	if raw.Status == "" {
		return Outcome{}, errors.New("no status")
	}
	point, err := flatten(raw.Variables)
	out := Outcome{Status: raw.Status, Iterations: raw.Iterations, Message: raw.Message, Point: point}
	for _, it := range raw.History {
		out.History = append(out.History, Step{orNaN(it.Objective), orNaN(it.Violation)})
	}
	return out, err
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
