// Package picture draws the course of a run and trained models as SVG.
package picture
