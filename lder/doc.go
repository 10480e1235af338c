// Package lder fits linear dilation-erosion regressors: continuous piecewise
// linear functions, each a maximum of affine functions minus another such
// maximum.
//
// [Regressor] is the whole way from a table of features, with gaps, to
// predictions: imputation, standardisation, training, model files.
// [CrossValidate] measures it. [Model] is the function alone, [Start] the
// point from which training begins. Tables come from package dataset.
//
// Training minimises the mean squared error, a DC program, by the
// convex-concave procedure; it goes through the public API of packages dc and
// ccp, and method_ccp.go shows how a client states its problem to them.
//
// References: Oliveira and Valle 2023, Least-squares linear dilation-erosion
// regressor trained using a convex-concave procedure (the model, Algorithm 2);
// Oliveira and Valle 2021, Linear dilation-erosion perceptron trained using a
// convex-concave procedure; Ho, Le Thi and Pham Dinh 2020, DCA with successive
// DC decomposition for convex piecewise-linear fitting (the start);
// Katsavounidis, Kuo and Zhang 1994, A new initialization technique for
// generalized Lloyd iteration; Sussner and Esmi 2011, Morphological perceptrons
// with competitive learning.
package lder
