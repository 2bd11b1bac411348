// Package bench has benchmarks of the feature maps and of the readers of files, and a script that runs other libraries
// at the same shapes:
//
//	go test ./examples/bench -bench Maps
//	go test ./examples/bench -bench Maps/map=gaussian -cpu 1,2,4 -args -shapes 3000x4096x4096
//	examples/bench/compare -bench Maps/map=gaussian -count 7
//
// A shape is n x d x D: n rows of d columns, D features. The phase form and the random Laplace map have D frequencies, a
// product of 2ndD operations; the pair form of the Gaussian map has D/2, half of that; the structured sampler has no
// product. levy is the other map of a semigroup kernel, and exp-chi2 is a Gaussian map on the homogeneous map of order
// 1; both have D/2 frequencies on 3d columns. normalised is the Laplace map of rows with a given length. The homogeneous
// maps chi2 and intersection are of order 1 and have 3d features, whatever D is.
//
// The maps are timed through Transform into memory of the caller, with W drawn and packed before. gradient is the
// forward and backward of the phase form for X, W and b on Gorgonia's tape machine, in float32; autograd is the same
// with another peer. periodic is that of a periodic layer for its parameters, with D/d functions of each column and
// twice as many frequencies. sparse is the phase form of rows that store 1 % of their cells. GFLOP/s are of the
// products, and %peak is their share of the speed of multiply-adds on registers, measured in the same run and
// multiplied by the cores.
//
// Read reads CSV and LIBSVM text of -rows rows and columns, with numbers of 17 digits and of up to six.
//
// compare runs the benchmarks on one core, then the peers on one core each, and prints both with benchstat:
// scikit-learn's RBFSampler (beside gaussian, phase and structured) and AdditiveChi2Sampler (chi2), VLFeat's
// homogeneous kernel map (intersection, in a loop in C), random Laplace features and the gradient in numpy, torch
// (autograd, periodic), scipy (sparse), pandas and scikit-learn (the readers). It takes the flags of go test. On
// Debian:
//
//	apt-get install python3-sklearn python3-pandas python3-torch libopenblas-dev libvlfeat-dev gcc
//
// OPENBLAS_CORETYPE=SkylakeX is faster for the peers where OpenBLAS does not know a machine with AVX-512.
package bench
