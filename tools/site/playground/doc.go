// Package playground builds the playground: a static page on which the engine, as WebAssembly,
// solves problems in the browser. The files of the page are beside this one.
package playground
