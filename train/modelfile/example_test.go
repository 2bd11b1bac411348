package modelfile_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/bochner-go/bochner/train/modelfile"
	"gorgonia.org/tensor"
)

// Tensors by name in a file, which notices a byte that has changed.
func ExampleRead() {
	dir, err := os.MkdirTemp("", "modelfile")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "w.safetensors")
	w := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{1, 2, 3, 4}))
	if err := modelfile.Write(path, map[string]string{"made by": "an example"}, map[string]*tensor.Dense{"W": w}); err != nil {
		log.Fatal(err)
	}
	meta, tensors, err := modelfile.Read(path)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(meta["made by"], tensors["W"].Float64s())

	bytes, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	bytes[len(bytes)-1]++
	_, _, err = modelfile.Decode(bytes)
	fmt.Println(errors.Is(err, modelfile.ErrCorrupt))
	// Output:
	// an example [1 2 3 4]
	// true
}
