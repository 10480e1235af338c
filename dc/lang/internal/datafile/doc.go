// Package datafile reads the files that a problem names: tables, and arrays in the
// formats of package arrays. A file is read once for all compilations of a Cache.
package datafile
