// Package lder fits linear dilation-erosion regressors: continuous piecewise
// linear functions, each a maximum of affine functions minus another such
// maximum.
//
// [Regressor] is the whole way from a table of features, with gaps, to
// predictions: imputation, standardisation, training, model files.
// [Classifier] chooses between classes by the sign of such functions, and
// [CrossValidate] measures a regressor. [Model] is the function alone,
// [Stack] a weighted sum of them, [Start] the point from which training
// begins. Tables come from package dataset; package export writes a model as a
// program.
//
// [Method] lists the ways to train. CCP, Split and DCA minimise the mean squared
// error, a DC program, by the convex-concave procedure; they go through the
// public API of packages dc and ccp, and method_ccp.go shows how a client states
// its problem to them. The others repeat penalised least squares on the regions
// of the current argmaxes, alone or, in package ensemble, in stacks.
//
// References: Oliveira and Valle 2023, Least-squares linear dilation-erosion
// regressor trained using a convex-concave procedure (the model, Algorithm 2);
// Oliveira and Valle 2021, Linear dilation-erosion perceptron trained using a
// convex-concave procedure; Ho, Le Thi and Pham Dinh 2020, DCA with successive
// DC decomposition for convex piecewise-linear fitting (the start), and 2021,
// DCA-based algorithm for DC fitting; Magnani and Boyd 2009, Convex
// piecewise-linear fitting (refit); Katsavounidis, Kuo and Zhang 1994, A new
// initialization technique for generalized Lloyd iteration; Sussner
// and Esmi 2011, Morphological perceptrons with competitive learning.
package lder
