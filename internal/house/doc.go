// Package house holds the rules of this repository as tests: the import graph, the exported names,
// the layout of code, the words of documents. It has no code.
package house
