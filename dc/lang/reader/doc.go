// Package reader gives other packages of this module the statements of a problem file and
// the data files that it names: the syntax alone, without a meaning.
package reader
