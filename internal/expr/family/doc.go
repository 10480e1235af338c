// Package family has sums and constraints of many functions that differ in numbers alone, as graphs
// of arrays: how they are found among terms, split, sampled and followed along the axes.
package family
