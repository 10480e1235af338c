package dcrun

import "github.com/dcopt/dcopt/bench/internal/csvtable"

// Table is a file of rows.
type Table = csvtable.Table[Row]

func format() csvtable.Format[Row] { return csvtable.Tagged[Row]() }

// Open reads the file at path, or makes it; fresh empties it.
func Open(path string, fresh bool) (*Table, error) { return csvtable.Open(path, fresh, format()) }

// Read returns the rows of the file at path.
func Read(path string) ([]Row, error) { return csvtable.Read(path, format()) }
