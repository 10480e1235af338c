package plan

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Folder is a directory with results of one plan, of which it keeps a copy. Any number of
// processes may write to it at a time.
type Folder struct {
	Dir     string
	plan    *Plan
	id      string
	bundled map[int]bool // shards with a result in a bundle
}

// The names of the files in a folder.
const (
	planName   = "plan.json"
	resultHead = "shard-"
	bundleHead = "bundle-" // several results, a line each
	resultTail = ".json"
)

// OpenFolder makes the directory where there is none. One with the plan of other results is
// refused.
func OpenFolder(dir string, p *Plan) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the folder of results: %w", err)
	}
	f := &Folder{dir, p, p.ID(), map[int]bool{}}
	at := filepath.Join(dir, planName)
	b, err := os.ReadFile(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		text, err := p.Encode()
		if err != nil {
			return nil, err
		}
		return f, writeWhole(at, text, true)
	case err != nil:
		return nil, err
	}
	old, err := Decode(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	if old.ID() != f.id {
		return nil, fmt.Errorf("%s has results of another plan (%s, not %s); take another folder", dir, old.ID(), f.id)
	}
	bundles, err := filepath.Glob(filepath.Join(dir, bundleHead+"*"+resultTail))
	if err != nil {
		return nil, err
	}
	for _, at := range bundles {
		b, err := os.ReadFile(at)
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(b) {
			if r, err := f.decode(line); err == nil {
				f.bundled[r.Shard] = true
			}
		}
	}
	return f, nil
}

// PlanIn reads the plan of a folder.
func PlanIn(dir string) (*Plan, error) {
	at := filepath.Join(dir, planName)
	f, err := os.Open(at)
	if err != nil {
		return nil, fmt.Errorf("this folder has no results of shards: %w", err)
	}
	defer f.Close()
	return Read(f, at)
}

// path is the file of the result of shard i.
func (f *Folder) path(i int) string {
	return filepath.Join(f.Dir, fmt.Sprintf("%s%06d%s", resultHead, i, resultTail))
}

// Result reads the result of shard i that is in a file of its own. Where there is none, the error
// is fs.ErrNotExist; another one says what is wrong with the file.
func (f *Folder) Result(i int) (*Result, error) {
	at := f.path(i)
	b, err := os.ReadFile(at)
	if err != nil {
		return nil, err
	}
	r, err := f.decode(b)
	if err == nil && r.Shard != i {
		err = fmt.Errorf("the result of shard %d", r.Shard)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at, err)
	}
	return r, nil
}

func (f *Folder) decode(b []byte) (*Result, error) {
	return decodeResult(b, f.id, f.plan)
}

// Has reports whether there is a whole result of shard i; of bundles, whether there was one when
// the folder was opened.
func (f *Folder) Has(i int) bool {
	if f.bundled[i] {
		return true
	}
	_, err := f.Result(i)
	return err == nil
}

// Put writes a result, whole or not at all. A result that is there already stays unless it
// is damaged: both are the same.
func (f *Folder) Put(r *Result) error {
	b, err := r.Encode()
	if err != nil {
		return err
	}
	at := f.path(r.Shard)
	if old, err := os.ReadFile(at); err == nil && bytes.Equal(old, b) {
		return nil
	}
	// The disk may get it later: a file that a power cut has emptied counts as damaged, and its
	// shard is computed again. Waiting for the disk would take longer than small shards.
	return writeWhole(at, b, false)
}

// PutAll writes results into one file, whole or not at all, for shards so short that a
// file for each takes longer than they.
func (f *Folder) PutAll(results []*Result) error {
	if len(results) == 0 {
		return nil
	}
	var all bytes.Buffer
	for _, r := range results {
		b, err := r.Encode()
		if err != nil {
			return err
		}
		all.Write(b)
	}
	sum := sha256.Sum256(all.Bytes())
	name := fmt.Sprintf("%s%06d-%x%s", bundleHead, results[0].Shard, sum[:6], resultTail)
	return writeWhole(filepath.Join(f.Dir, name), all.Bytes(), false)
}

// Joined are the results of a plan in the order of their shards.
type Joined struct {
	Results []*Result
	Missing []int // shards without a result, in order
	Damaged []error
}

// mostWrong bounds the wrong lines of a file that are looked at.
// Source: a limit of the number of messages.
const mostWrong = 10

// Join reads the results of the shards of p in folders. Of a shard in several of them, one
// counts: a second one that differs is reported as damaged.
func Join(p *Plan, dirs []string) (*Joined, error) {
	id := p.ID()
	found := make([]*Result, p.Shards)
	sums := make([][sha256.Size]byte, p.Shards) // of the texts
	j := &Joined{}
	for _, dir := range dirs {
		list, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			at := filepath.Join(dir, e.Name())
			name, tail := strings.CutSuffix(e.Name(), resultTail)
			number, single := strings.CutPrefix(name, resultHead)
			i, err := strconv.Atoi(number)
			single = single && err == nil
			if !tail || !single && !strings.HasPrefix(name, bundleHead) {
				continue
			}
			b, err := os.ReadFile(at)
			if err != nil {
				return nil, err
			}
			if len(b) == 0 {
				b = []byte("\n") // damaged
			}
			wrong := 0
			for line := range bytes.Lines(b) {
				if wrong == mostWrong {
					break
				}
				r, err := decodeResult(line, id, p)
				switch {
				case err != nil:
				case single && r.Shard != i:
					err = fmt.Errorf("the result of shard %d", r.Shard)
				case found[r.Shard] != nil && sha256.Sum256(line) != sums[r.Shard]:
					err = errors.New("it differs from another result of the same shard")
				}
				if err != nil {
					wrong++
					j.Damaged = append(j.Damaged, fmt.Errorf("%s: %w", at, err))
					continue
				}
				r.File = at
				found[r.Shard], sums[r.Shard] = r, sha256.Sum256(line)
			}
		}
	}
	for i, r := range found {
		if r == nil {
			j.Missing = append(j.Missing, i)
		} else {
			j.Results = append(j.Results, r)
		}
	}
	return j, nil
}

// Ranges writes shard numbers in ascending order as 0-3,7, the form of --index and of
// sbatch --array.
func Ranges(shards []int) string {
	var b strings.Builder
	for k := 0; k < len(shards); {
		end := k
		for end+1 < len(shards) && shards[end+1] == shards[end]+1 {
			end++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(shards[k]))
		if end > k {
			b.WriteString("-" + strconv.Itoa(shards[end]))
		}
		k = end + 1
	}
	return b.String()
}

// writeWhole writes a file under another name and renames it: it is on the disk whole or
// not at all, also where several processes write it. With sync it is on the disk when the
// function returns.
func writeWhole(at string, b []byte, sync bool) (err error) {
	name := filepath.Join(filepath.Dir(at), fmt.Sprintf(".dcopt-%d-%x.tmp", os.Getpid(), rand.Uint64()))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", at, cause(err))
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
			err = fmt.Errorf("cannot write %s: %w", at, cause(err))
		}
	}()
	if _, err = f.Write(b); err != nil {
		return err
	}
	if sync {
		if err = f.Sync(); err != nil {
			return err
		}
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), at)
}

// cause is err without the name of the temporary file.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
