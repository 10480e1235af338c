// Package scale measures how time and memory of the program grow with the size of
// problems of six families, for some builds of the program side by side, with their peers.
package scale
