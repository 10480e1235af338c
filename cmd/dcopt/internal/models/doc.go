// Package models has the commands of regressors and classifiers: fit, predict, show and cv.
package models
