// Package template has problems to begin with: small files of the language with their
// data, which solve as they stand.
package template
