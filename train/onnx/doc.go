// Package onnx writes a fitted model as an ONNX file, with which runtimes of other languages, of browsers and of phones
// predict. The file holds the scaler, the feature map or the tree of layers, the head, the names of the classes and, as
// options, calibrated probabilities and standard deviations.
//
//	err := onnx.Save("model.onnx", model, onnx.Everything(model))
//
// # The graph
//
// The graph uses only standard operators, of opset 17. Its input is x [N, d] for any number N of rows: the columns that
// Model.Scores takes, before scaling. Its outputs are scores [N, k], class [N] for classification models, and the ones
// of Options. Weights are in the file. Structured frequencies and count sketches become dense matrices, which take more
// room than in a model file: d·m numbers for m structured frequencies, and m² for a sketch in m columns.
//
// Numbers are float32 by default, whatever the model's element type. Each step rounds: features are off by about 1e-7
// of the largest, times the size of the angles xW if that is above 1. Scores are off by as much times Σ|w| of the head.
// Standard deviations are off by about 1e-7 of the largest, and by 1e-4 if the noise is a ten-thousandth of the targets
// or less. The kernel and the projection of a Nyström map, and tensor sketches, use float64 inside. A mean that the
// scaler subtracts is the sum of two float32 numbers. An input that float32 cannot hold, such as a number of ten
// digits, is rounded first: use float64 for such columns. In float64 the cosine is sin(x + π/2), for runtimes that have
// only a float32 cosine.
//
// # Supported models
//
// These maps of rows are supported, for each policy and sampler, also after tuning:
//
//   - linear, gaussian, laplacian, matern, cauchy, rational-quadratic, spectral-mixture and srf, in pairs or with phases
//   - additive-gaussian; softmax
//   - exp-semigroup and reciprocal-semigroup in every way; skewed-chi2 and skewed-intersection
//   - hellinger, chi2, intersection and jensen-shannon with each treatment of negative numbers, and their exponentials;
//     homogeneous-gaussian
//   - arc-cosine and ntk; sphere-polynomial and delta-gaussian; random-binning; random-maclaurin; tensor-sketch of up
//     to 4096 columns
//   - add-kpca; maji-berg; nystrom of every kernel of the table but spectral-mixture, for matern with
//     ν = 0.5, 1.5 and 2.5 only
//   - a kernel that layers.Register added, if it has one of these forms
//   - sequential, concat, product, dense, periodic and normalise
//
// All scalers are supported, and the heads linear, softmax and huber. Maps of sets of samples, a Nyström map of a
// registered kernel, the probabilities of a Laplace approximation, and layers of other packages are not supported. They
// are errors before anything is written.
//
// A graph cannot refuse a row. Where Model.Scores returns domain.ErrDomain, the graph returns NaN or meaningless
// numbers: NaN for a negative number under a logarithm or a root, and numbers for rows that are not of length 1 under a
// map of the sphere. It takes no texts either: the columns of a table become numbers by data.Columns, which is in the
// metadata.
//
// Isotonic calibration is steep where labels change, so that a score that differs in its last digit may be on another
// step.
//
// # Metadata
//
// CardKey is the key of the card of the model, a JSON object: the version of the library, the spec of the map, scaler,
// head, number of outputs, classes, and the names of the input columns and how a table becomes them. Model.Notes are
// there by their own keys.
//
// Field numbers come from onnx.proto of the ONNX project, github.com/onnx/onnx, Apache-2.0.
package onnx
