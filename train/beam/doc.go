// Package beam fits ridge heads to rows in many files, and maps files to features, on any engine that runs Apache Beam.
//
// Prepare learns from the files what a worker must know: the classes, the scaler, the spec of the map. That Recipe is all that is
// shipped: a worker draws the map's weights from the spec's seed, once. Fit and Features add the steps to a pipeline:
//
//	files -> read, scale, map to features, accumulate -> merge -> solve and save      (Fit)
//	files -> read, scale, map to features, write                                      (Features)
//
// What stands between two arrows is one stage without a row on the wire: the rows of all files that a worker gets in a bundle end in one
// linear.RidgeStats of D(D+1)/2 + O(D k) numbers, and the engine merges those, near the rows first. A file is the unit of work; one
// that is much larger than the others is best divided. The sums count their files, and a model is saved only of sums to which each file
// was added once.
//
// The result is as of one process, linear.FitRidge, to rounding: 1e-10 of the weights. The order of the merges, which the engine decides,
// changes no more. A bundle that fails can run again, since a worker leaves nothing behind but files that appear under their names when they
// are whole, and which a second time are the same.
//
// Files are local, or on a file system that the program registers with Beam (gs://); those are copied to a temporary folder of the worker
// while they are read. Local names are the names of every worker: a shared folder, unless all of them run on one machine.
//
// The package imports no engine. Package submit runs a pipeline, always under a deadline, and train/beam/cmd/beam is the program.
package beam
