// Package setting refuses settings that are out of range: the error names the field, its
// value, and the range.
package setting
