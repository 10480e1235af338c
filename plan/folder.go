package plan

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Folder is a directory with results of one plan, of which it keeps a copy. Any number of
// processes may write to it at a time.
type Folder struct {
	Dir  string
	plan *Plan
	id   string
}

// The names of the files in a folder.
const (
	planName   = "plan.json"
	resultHead = "shard-"
	resultTail = ".json"
)

// OpenFolder makes the directory where there is none. One with the plan of other results is
// refused.
func OpenFolder(dir string, p *Plan) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("cannot make the folder of results: %w", err)
	}
	f := &Folder{dir, p, p.ID()}
	at := filepath.Join(dir, planName)
	b, err := os.ReadFile(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		text, err := p.Encode()
		if err != nil {
			return nil, err
		}
		return f, writeWhole(at, text)
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

// Result reads the result of shard i. Where there is none, the error is fs.ErrNotExist;
// another one says what is wrong with the file.
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
	return decodeResult(b, f.id, f.plan.Shards, f.plan.Study != nil)
}

// Has reports whether there is a whole result of shard i.
func (f *Folder) Has(i int) bool {
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
	return writeWhole(at, b)
}

// Joined are the results of a plan in the order of their shards.
type Joined struct {
	Results []*Result
	Missing []int // shards without a result, in order
	Damaged []error
}

// Join reads the results of the shards of p in folders. Of a shard in several of them, one
// counts: a second one that differs is reported as damaged.
func Join(p *Plan, dirs []string) (*Joined, error) {
	id := p.ID()
	found := make([]*Result, p.Shards)
	texts := make(map[int][]byte)
	j := &Joined{}
	for _, dir := range dirs {
		list, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		f := &Folder{dir, p, id}
		for _, e := range list {
			name, head := strings.CutPrefix(e.Name(), resultHead)
			name, tail := strings.CutSuffix(name, resultTail)
			i, err := strconv.Atoi(name)
			if !head || !tail || err != nil {
				continue
			}
			at := filepath.Join(dir, e.Name())
			b, err := os.ReadFile(at)
			if err != nil {
				return nil, err
			}
			r, err := f.decode(b)
			if err == nil && r.Shard != i {
				err = fmt.Errorf("the result of shard %d", r.Shard)
			}
			if err == nil && found[i] != nil && !bytes.Equal(texts[i], b) {
				err = errors.New("it differs from the result of the same shard in another folder")
			}
			if err != nil {
				j.Damaged = append(j.Damaged, fmt.Errorf("%s: %w", at, err))
				continue
			}
			found[i] = r
			if len(dirs) > 1 {
				texts[i] = b
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
// not at all, also where several processes write it.
func writeWhole(at string, b []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(at), ".dcopt-*.tmp")
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
	if err = f.Chmod(0o644); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
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
