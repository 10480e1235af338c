// Package trial trains regressors on some rows of a data set and predicts others, many
// at a time, and keeps the scores in a table: the part that the comparative study and
// SRBench's protocol share.
package trial
