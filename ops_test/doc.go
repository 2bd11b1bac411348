// Package ops_test holds the batteries: tests that range over every map in the table of package layers.
//
// There is one list, setups in list_test.go, with one line a map: its parameters, its kernel written naively, and what its
// domain leaves out. A map that is in the table and not in the list makes every battery fail with the line to add; a map with
// its line gets all of them, in each of its forms and with each sampler that fits:
//
//	unbiased     the mean of z(x)·z(x') is the kernel (of structured maps: within the stated bias; of homogeneous maps, which draw
//	             nothing: within SupError) and its variance is the formula's, in 1 to 17 dimensions (structured: 16 to 32);
//	             not of the maps that are fitted on rows, which are no estimates
//	rate         the error falls as 1/√features, of those that draw
//	gram         the exact kernel matrix is the naive one
//	gradient     central differences for the input and every tuned parameter, on both machines
//	domain       a value outside the domain is an error that names layer, cell, value and remedy
//	extremes     no rows, one row, one column, one frequency, tiny and huge numbers
//	views        slices, transposes and column-major tensors give what their copies give
//	sparse       sparse rows give the features, gradients and errors of the same rows made dense
//	dtype        float32 is float64 within a derived rounding
//	golden       the numbers of a fixed seed, in testdata/golden: features, draws, defaults, gradients; sets too.
//	             go test ./ops_test -run TestGolden -write-golden writes them
//	hash         two maps in one graph never merge
//	round trip   spec to JSON and back, parameters out and in, give the same bits
//	heap         Transform into the caller's memory allocates nothing
//	speed        benchmarks: ns an output, GFLOP/s, the share of the FMA peak, forward and with backward
//	sets         maps of sets of samples: kernel, mean over draws, round trip, gradients, errors, in one, two and four dimensions; these have
//	             a list of their own, bagSetups in sets_test.go, and not the batteries of rows
//	errors       every bad spec is one error that says what would do
//	memory       features in many goroutines, and fits, are the same bits where the collector overwrites what it frees
//
// docs_test.go is about the packages themselves: every constructor has an Example, every symbol a comment, every link in one a target.
//
// The tests are named Test<Battery>, one file each. The go command takes this folder for the package ops_test only if the
// first file by name says so, therefore the names of the others must come after doc.go.
package ops_test
