// Package bench has benchmarks of the feature maps, of fits, and of the readers of files, and a script that runs other
// libraries at the same shapes:
//
//	go test ./examples/bench -bench Maps
//	go test ./examples/bench -bench Maps/map=gaussian -cpu 1,2,4 -args -shapes 3000x4096x4096
//	examples/bench/compare -bench Maps/map=gaussian -count 7
//	examples/bench/compare -bench 'Fit|Steps|Predict' -count 5 -args -features 1024,4096
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
// Fit fits heads to features of 16,000 synthetic rows of 26 classes, or of the rows of -train: ridge regression, with
// lambda given or chosen by leave-one-out errors, softmax to a share of 1e-6 of its objective, and support vector
// machines. Steps is two epochs of Adam on batches of 256 rows, under a softmax head, through a map that is frozen,
// whose bandwidth is tuned, or whose frequencies are. Predict scores 1 and 64 rows by a fitted model.
//
// Sparse maps the sparse rows of -train, such as bags of words, and fits ridge regression on the map.
//
// Read reads CSV and LIBSVM text of -rows rows and columns, with numbers of 17 digits and of up to six.
//
// compare runs the benchmarks on one core, then the peers on one core each, and prints both with benchstat:
// scikit-learn's RBFSampler (beside gaussian, phase and structured) and AdditiveChi2Sampler (chi2), VLFeat's
// homogeneous kernel map (intersection, in a loop in C), random Laplace features and the gradient in numpy, torch
// (autograd, periodic, Steps), scipy (sparse), pandas and scikit-learn (the readers), and scikit-learn's Ridge, RidgeCV,
// LogisticRegression by lbfgs, LinearSVC (LIBLINEAR) and pipeline (Fit, Sparse, Predict). It takes the flags of go test. On
// Debian:
//
//	apt-get install python3-sklearn python3-pandas python3-torch libopenblas-dev libvlfeat-dev gcc
//
// OPENBLAS_CORETYPE=SkylakeX is faster for the peers where OpenBLAS does not know a machine with AVX-512.
package bench
