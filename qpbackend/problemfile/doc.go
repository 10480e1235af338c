// Package problemfile holds the parts that readers of problem files share: the
// contents of a file, a complaint about one of its lines, and the text of a file line by
// line.
package problemfile
