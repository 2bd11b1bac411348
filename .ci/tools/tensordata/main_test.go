package main

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

// TestTensorData: the lines of testdata that say so are reported, and no others.
func TestTensorData(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), analyzer, "reads")
}
