package train_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"gorgonia.org/tensor"
)

// A model comes back from its file with the same weights.
func ExampleLoad() {
	head := layers.MustHead(layers.NewLinearHead(2, 1))
	if err := head.SetWeights([]float64{3, 4}, []float64{5}); err != nil {
		fmt.Println(err)
		return
	}
	m, err := train.NewModel(layers.Must(layers.NewIdentity(2)), head)
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.safetensors")
	if err := m.Save(path); err != nil {
		fmt.Println(err)
		return
	}
	back, err := train.Load(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(back.PredictTargets(tensor.New(tensor.WithShape(1, 2), tensor.WithBacking([]float64{1, 10}))))
	// Output: [48] <nil>
}
