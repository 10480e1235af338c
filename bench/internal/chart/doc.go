// Package chart draws the pictures that the reports have in common: performance profiles,
// and times on a logarithmic axis.
package chart
