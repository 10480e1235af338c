// Package reader gives other packages of this module the data files that a problem file names.
package reader
