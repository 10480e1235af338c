// Package study trains regressors on data sets, fold by fold, as the comparative
// study of l-DER does, and keeps their scores in a file that is continued
// where a run ended.
package study
