package peers

import "embed"

// Files are the scripts: worker.py and a module solve_NAME.py for each solver.
//
//go:embed *.py requirements.txt
var Files embed.FS

// Global is the script of SCIP for dcbench global.
//
//go:embed python/scip_global.py
var Global embed.FS
