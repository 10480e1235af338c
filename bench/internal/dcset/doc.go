// Package dcset has the DC problems that dcbench dc measures: families of
// several sizes, drawn from fixed seeds, and the reference problems. Each
// comes as a .dc file with its data and as the name of a model that the peers'
// scripts know, and with a measure of points of its own: formulas written out
// here, which share no code with any solver.
package dcset
