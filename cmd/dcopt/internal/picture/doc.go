// Package picture draws scenes, the course of a run and trained models as SVG and PNG, on the
// canvases of gonum/plot. Its plots themselves are not linked: they read twelve fonts at every
// start of the program, which takes as long as a small problem.
package picture
