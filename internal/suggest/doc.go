// Package suggest finds the name that a mistyped one was meant to be.
package suggest
