// Package page is for tests of the documentation: files and tables that tests make, and words that
// a page must have.
package page
