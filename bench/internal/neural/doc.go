// Package neural trains the networks that the comparative study sets beside
// l-DER: a multilayer perceptron, a maxout network and a dense morphological
// network. Graphs, gradients and Adam are gomlx's, on its backend in pure Go.
//
// References: Glorot and Bengio 2010, Understanding the difficulty of training
// deep feedforward neural networks; Goodfellow, Warde-Farley, Mirza, Courville
// and Bengio 2013, Maxout networks; Kingma and Ba 2015, Adam: a method for
// stochastic optimization; Mondal, Dey and Chanda 2020, Morphological network:
// how far can we go with morphological neurons?
package neural
