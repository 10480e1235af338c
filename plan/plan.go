package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/dcopt/dcopt/internal/input"
)

// Version of the files that this package writes, the only one it reads.
const Version = 1

// MostShards bounds the shards of a plan: a slip in a grid is no plan.
// Source: a limit of directories: a result is a file.
const MostShards = 1_000_000

// MostBytes bounds the file of a plan, its data included.
// Source: a limit of memory.
const MostBytes = 256 << 20

// Plan is a list of shards. One of Problem, Study and Fit is set. Make one with OfProblem,
// OfStudy or OfFit, or read it.
type Plan struct {
	Format  int      `json:"dcopt_plan"` // Version
	Shards  int      `json:"shards"`     // how many there are, at least 1
	Problem *Problem `json:"problem,omitempty"`
	Study   *Study   `json:"study,omitempty"`
	Fit     *Fit     `json:"fit,omitempty"`
	Files   []File   `json:"files,omitempty"` // that the shards read
}

// Kind is sweep, starts, study, fit or round, a round of a fit.
func (p *Plan) Kind() string {
	switch {
	case p.Fit != nil && p.Fit.Round != nil:
		return "round"
	case p.Fit != nil:
		return "fit"
	case p.Study != nil:
		return "study"
	case p.Problem != nil && p.Problem.Starts > 0:
		return "starts"
	}
	return "sweep"
}

// ID is a name that follows from the content of the plan: 16 hexadecimal digits of its
// SHA-256. Results carry it.
func (p *Plan) ID() string {
	b, err := json.Marshal(p)
	if err != nil {
		return "" // Encode says why
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// Encode is the file of the plan.
func (p *Plan) Encode() ([]byte, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	b, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	if b = append(b, '\n'); len(b) > MostBytes {
		return nil, fmt.Errorf("plan: %d bytes are too many for a plan, %d may be: let the data stay in their files",
			len(b), MostBytes)
	}
	return b, nil
}

// Read reads the file of a plan and refuses one that is not whole, has members that this
// version does not know, or data that differ from their hashes. name is for messages.
func Read(r io.Reader, name string) (*Plan, error) {
	b, err := input.Text(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p, err := Decode(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// Decode is Read of bytes.
func Decode(b []byte) (*Plan, error) {
	if len(b) > MostBytes {
		return nil, fmt.Errorf("larger than %d bytes; is this a plan?", MostBytes)
	}
	if err := input.Lists(b); err != nil {
		return nil, err
	}
	var head struct {
		Format *int `json:"dcopt_plan"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return nil, fmt.Errorf("this is no plan, or not all of it: %w; dcopt plan writes one", err)
	}
	switch {
	case head.Format == nil:
		return nil, errors.New("this is no plan: it has no member dcopt_plan; dcopt plan writes one")
	case *head.Format != Version:
		return nil, fmt.Errorf("a plan of version %d; this program reads version %d: use the dcopt that wrote it",
			*head.Format, Version)
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	p := &Plan{}
	if err := dec.Decode(p); err != nil {
		return nil, fmt.Errorf("a wrong plan: %w; write it again with dcopt plan", err)
	}
	if err := p.validate(); err != nil {
		return nil, fmt.Errorf("a wrong plan: %w; write it again with dcopt plan", err)
	}
	return p, nil
}

// validate refuses a plan whose parts do not go together.
func (p *Plan) validate() error {
	switch {
	case p.Format != Version:
		return fmt.Errorf("version %d, want %d", p.Format, Version)
	case count(p.Problem != nil, p.Study != nil, p.Fit != nil) != 1:
		return errors.New("want one of problem, study and fit")
	case p.Shards < 1 || p.Shards > MostShards:
		return fmt.Errorf("%d shards, want from 1 to %d", p.Shards, MostShards)
	}
	for k := range p.Files {
		if err := p.Files[k].check(p.Fit != nil); err != nil {
			return err
		}
	}
	shards, err := 0, error(nil)
	switch {
	case p.Study != nil:
		shards, err = p.Study.shards(len(p.Files))
	case p.Fit != nil:
		shards, err = len(p.Files), p.Fit.check()
	default:
		shards, err = p.Problem.shards()
	}
	if err == nil && shards != p.Shards {
		err = fmt.Errorf("it says %d shards and has %d", p.Shards, shards)
	}
	return err
}

// count is how many are true.
func count(list ...bool) (n int) {
	for _, v := range list {
		if v {
			n++
		}
	}
	return n
}

// CheckShard refuses a number that is no shard's.
func (p *Plan) CheckShard(i int) error {
	if i < 0 || i >= p.Shards {
		return fmt.Errorf("there is no shard %d: those of this plan are 0 to %d", i, p.Shards-1)
	}
	return nil
}
