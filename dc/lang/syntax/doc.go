// Package syntax reads the text of .dc files: tokens, statements and expressions with
// their places, the mistakes in them, and the one layout. It knows no meaning:
// names, shapes and values are for package lang.
package syntax
