// Package simd is the arithmetic of the feature maps: matrix products, sines and exponentials over row blocks, and
// nothing that knows of graphs, layers or kernels.
//
// Hadamard and Structured are the fast Walsh-Hadamard transform and the product with a matrix made of it; their assembly is written by
// _gen/fwht (go generate), for AVX2 and AVX-512, with plain Go beside it as the reference.
//
// Every function writes into memory of the caller, splits its rows over GOMAXPROCS goroutines, and gives the same bits for
// any GOMAXPROCS. Matrices are row-major slices. Products go through gonum's blas64 and blas32, so a user who installs
// another BLAS there (blas64.Use, blas32.Use) has it used here too.
//
// W is packed once per draw or optimiser step (Pack) and then serves any number of forwards and backwards.
package simd
