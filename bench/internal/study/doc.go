// Package study trains regressors on data sets, fold by fold, as the comparative
// study of l-DER does, and keeps what they score in a file that is gone on with
// where a run ended.
package study
