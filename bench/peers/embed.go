package peers

import "embed"

// Files are the scripts: worker.py and a module solve_NAME.py for each solver, here and in dc, and
// the script of SCIP for dcbench global.
//
//go:embed *.py requirements.txt dc/*.py python/scip_global.py
var Files embed.FS
