// Package simd is the arithmetic of the feature maps: matrix products, sines and exponentials over row blocks, and
// nothing that knows of graphs, layers or kernel functions.
//
// Every function writes into memory of the caller, splits its work over GOMAXPROCS goroutines, and gives the same bits
// for any GOMAXPROCS. Matrices are row-major slices.
//
// On amd64 products run on kernels of AVX-512 or of AVX2 with FMA, whichever is the best of the machine, and on arm64
// on kernels of NEON; all give the same bits. NEON has the products, sines, cosines, exponentials and logarithms; the
// rest is plain Go there. Elsewhere, and under the build tag purego, products go through gonum's blas64 and blas32:
// plain Go, unless the user installed another BLAS there (blas64.Use, blas32.Use). That generic path is also the
// reference of the kernels in the tests. The environment variable BOCHNER_SIMD names a path: generic, avx2, avx512 or
// neon.
//
// W is packed once per draw or optimiser step (Pack) and then serves any number of forwards and backwards. A forward
// applies its cosine or exponential to each tile of the projection while the tile is in cache: Affine, Phase, Pair, Exp
// and Blocks take Rows, dense or sparse, and an Operator, which is a packed W or a Structured one. A backward takes the
// gradient of the projections from Slopes, tile by tile.
//
// Gemm and Syrk are products of any operands.
//
// CSR holds sparse rows: its products read the same packed W, an entry at a time, and cost as many operations as there
// are entries.
//
// Structured is a matrix made of fast Walsh-Hadamard transforms, and the product with it.
//
// Where to read: maps.go has the maps and gradient.go their slopes; tileFunc is what a kernel does; product and sweep
// bring operands to kernels; rowFunc and csr.go are the same for sparse rows; rows.go shares work over goroutines;
// vec.go has the vector functions, hadamard.go the transform. go generate rewrites all assembly; in _gen, tile.go,
// csr.go, functions.go, pointwise.go and hadamard.go say what the kernels do, and the package asm writes them for each
// machine.
package simd
