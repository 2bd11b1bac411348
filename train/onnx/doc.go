// Package onnx writes a fitted model as an ONNX file, which runtimes of other languages, of browsers and of phones
// predict with. The file has the scaler, the feature map or the tree of layers, the head, the names of the classes and,
// where they are asked for, calibrated probabilities and standard deviations.
//
//	err := onnx.Save("model.onnx", model, onnx.Everything(model))
//
// # The graph
//
// The graph has the standard operators of opset 17 and no others. Its input is x [N, d], N any number of rows, the
// columns that Model.Scores takes, before they are scaled; its outputs are scores [N, k], of models of classes class
// [N], and those that Options ask for. Weights are in the file, structured frequencies and count sketches as matrices
// of numbers, of which they take more than in a model file: d·m for m structured frequencies, and m² for a sketch in m
// columns.
//
// Numbers are float32 by default, whatever the model's element type. Each step rounds, so that features are off by some
// 1e-7 of the largest, times the size of the angles xW where that is above 1. Scores are off by as much times Σ|w| of
// the head. Standard deviations are off by some 1e-7 of the largest as a rule, and by 1e-4 where the noise is a
// ten-thousandth of the targets or less. What float32 has not enough digits for is float64 inside: the kernel and the
// projection of a Nyström map, and tensor sketches. A mean that the scaler subtracts is the sum of two numbers of
// float32. An input that float32 cannot hold, as a number of ten digits, is rounded before: use float64 for such
// columns. In float64 the cosine is a sine, sin(x + π/2), for
// runtimes that have the cosine in float32 alone.
//
// # What it can say
//
// All maps of rows, under each policy and sampler, also after tuning: linear, gaussian, laplacian, matern, cauchy and
// srf, in pairs or with phases; exp-semigroup and reciprocal-semigroup in every way; skewed-chi2 and
// skewed-intersection; hellinger, chi2, intersection and jensen-shannon with each treatment of negative numbers, and
// their exponentials; sphere-polynomial, delta-gaussian, arc-cosine and ntk; random-maclaurin; tensor-sketch of up to
// 4096 columns; add-kpca; maji-berg; nystrom of every kernel of the table but matern of a ν other than 0.5, 1.5 and
// 2.5; a kernel that layers.Register added, where it has one of these forms; and sequential, concat, dense and
// normalise. Heads are linear, softmax and huber. Scalers are all.
//
// It cannot say maps of sets of samples, a Nyström map of a registered kernel, which has no formula, the probabilities
// of a Laplace approximation, and layers of other packages. These are errors, before anything is written.
//
// A graph cannot refuse a row. Where Model.Scores would return domain.ErrDomain, it gives NaN or numbers without
// meaning: NaN for a negative number where the map takes a logarithm or a root of it, and numbers for rows that are not
// of length 1 under a map of the sphere. Nor does it take texts: the columns of a table become numbers by data.Columns,
// which is on the card.
//
// Isotonic calibration is steep where labels change: a score that differs in its last digit may be on another step.
//
// # Metadata
//
// Under CardKey is the card of the model, a JSON object: the version of the library, the spec of the map, scaler, head,
// number of outputs, classes, and the names of the columns of the input and how they are made of a table. Model.Notes
// are there by their keys, such as how good the model is.
//
// Field numbers are those of onnx.proto of the ONNX project, github.com/onnx/onnx, Apache-2.0.
package onnx
