// Package selection finds the features on which a target depends: the features of an additive model
// with a group penalty, and of products that are significant in its residual.
package selection
