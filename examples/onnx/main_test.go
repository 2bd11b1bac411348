package main

import (
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, main) }

// TestOneFileForTwo: a name for both files is a wrong flag, and nothing is written.
func TestOneFileForTwo(t *testing.T) {
	dir := t.TempDir()
	clitest.Run(t, dir, "-model x -rows ./x").Fails(t, 2, "onnx", "-model and -rows name the same file, ./x")
	if names := clitest.Names(t, dir); len(names) > 0 {
		t.Errorf("it left %v", names)
	}
}
