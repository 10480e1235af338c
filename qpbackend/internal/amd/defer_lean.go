//go:build lean

package amd

// choose takes a variable of least degree out of the lists.
func (g *graph) choose() int32 { return g.popMin() }

// deferLong defers no variable: that saves time alone, with long lists.
func (g *graph) deferLong(int32) (length int32) { return 0 }
