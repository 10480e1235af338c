// Package selection finds the features on which a target depends: those of an additive model
// with a group penalty, and those of products that are significant in its residual.
package selection
