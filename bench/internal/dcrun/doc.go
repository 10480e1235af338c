// Package dcrun measures solvers of DC problems: the program dcopt, whole, and
// other people's solvers in processes of their own. Each result is a row of a
// CSV file, added at once; rows of the file are not measured again.
package dcrun
