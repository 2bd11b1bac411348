// Package ops_test holds the batteries: tests that range over every map in the table of package layers.
//
// There is one list, setups in list_test.go, with one line a map: its parameters, its kernel written naively, and what
// its domain leaves out. A map that is in the table and not in the list fails with the line to add; a map with its line
// gets all batteries, in each of its forms and with each sampler that fits. Sets of samples have the list bagSetups.
//
//	maps, sets   the contract of package maptest
//	rate         the variance falls as 1/features, of those that draw
//	golden       the numbers of a fixed seed, in testdata/golden: features, draws, defaults, gradients; sets too.
//	             go test ./ops_test -run TestGolden -write-golden writes them
//	heap         Transform into the caller's memory allocates nothing
//	errors       every bad spec is one error that says what would do
//	memory       maps give and learn the same bits where the collector overwrites what it frees
//
// docs_test.go is about the packages themselves: every constructor has an Example, every symbol a comment, every link
// in one a target. hostile_test.go calls every exported function with arguments that nobody means, and every
// constructor of a layer with every option.
//
// The go command takes this folder for the package ops_test only if the first file by name says so, therefore the names
// of the others must come after doc.go.
package ops_test
