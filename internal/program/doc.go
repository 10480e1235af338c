// Package program holds a checked DC program as the packages that solve it read it: variables, the
// objective, constraints one by one or many as one, variables that equations define, and the
// measure of how far a point breaks it. Package dc states it.
package program
