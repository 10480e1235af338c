package lang

import "github.com/dcopt/dcopt/dc/lang/internal/datafile"

// DataFile is a file that a problem reads.
type DataFile struct {
	Name       string // as the problem writes it
	Path       string // where it was looked for: in Options.FS, or as the system takes it
	Bytes      int64
	Rows, Cols int // of numbers; of a JSON file, those of the value read last
}

// Cache keeps the contents of data files between compilations, for sweeps. It
// is for one goroutine. The zero value is ready.
type Cache struct{ files datafile.Cache }
