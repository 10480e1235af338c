// Package ensemble trains the l-DERs that choose their sizes and penalties: single
// models, and stacks of bags, boosted sums and ramps.
//
// It knows standardised numbers only. Its client is package lder, whose Regressor
// has gaps, units and model files, and whose methods Auto, Cheap, Bagged and
// Ensemble are the recipes here.
//
// Every estimate of an error is of rows that had no part in the fit: see Result.
//
// References: Breiman 1996, Bagging predictors, and Stacked regressions;
// Friedman 2001, Greedy function approximation: a gradient boosting machine;
// Golub, Heath and Wahba 1979, Generalized cross-validation as a method for
// choosing a good ridge parameter (the leave-one-out errors); Patterson and Thompson
// 1971, Recovery of inter-block information when block sizes are unequal (the
// likelihood that chooses the ridge parameter); Rahimi and Recht 2008, Weighted sums
// of random kitchen sinks; Quinlan 1992, Learning with continuous classes (affine
// functions in the leaves of trees); Samarov 1993, Exploring regression structure using
// nonparametric functional estimation, and Trivedi, Wang, Kpotufe and Shakhnarovich
// 2014, A consistent estimator of the expected gradient outerproduct (the
// transform); Lawson and Hanson 1974, Solving least squares problems, chapter 23.
package ensemble
