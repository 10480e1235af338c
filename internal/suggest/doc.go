// Package suggest finds what a mistyped name was meant to be.
package suggest
