// Package picture draws scenes, the course of a run and trained models as SVG and PNG, by
// gonum/plot.
package picture
