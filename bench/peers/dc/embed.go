package dc

import "embed"

// Files are the scripts: worker.py and a module solve_NAME.py for each solver.
//
//go:embed *.py
var Files embed.FS
