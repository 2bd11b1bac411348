package modelfile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/bochner-go/bochner/train/modelfile"
	"gorgonia.org/tensor"
)

// Tensors by name in a file, which notices a byte that has changed.
func ExampleRead() {
	dir, err := os.MkdirTemp("", "modelfile")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "w.safetensors")
	w := tensor.New(tensor.WithShape(2, 2), tensor.WithBacking([]float64{1, 2, 3, 4}))
	if err := modelfile.Write(path, map[string]string{"made by": "an example"}, map[string]*tensor.Dense{"W": w}); err != nil {
		fmt.Println(err)
		return
	}
	meta, tensors, err := modelfile.Read(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(meta["made by"], tensors["W"].Float64s())

	bytes, err := os.ReadFile(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	bytes[len(bytes)-1]++
	if err := os.WriteFile(path, bytes, 0o600); err != nil {
		fmt.Println(err)
		return
	}
	_, _, err = modelfile.Read(path)
	fmt.Println(errors.Is(err, modelfile.ErrCorrupt))
	// Output:
	// an example [1 2 3 4]
	// true
}
