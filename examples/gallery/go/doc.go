// Package gallery states problems of the gallery through the Go API, with the numbers of
// their files: one runnable example a file.
package gallery
