// Package decode makes a problem of package dc of an expression graph that came as
// data, and brings the results back to the graph's order: docs/protocol.md.
package decode
