package predictions

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// TestPosteriorAlone: a model with a posterior and no intervals has none to write.
func TestPosteriorAlone(t *testing.T) {
	x := tensor.New(tensor.WithShape(50, 1), tensor.WithBacking(tensor.Random(tensor.Float64, 50)))
	set := &data.Set{X: x, Y: x.Float64s()}
	r := train.Recipe{Spec: layers.Spec{Features: 4}, Uncertainty: &train.UncertaintyOptions{}}
	m, _, err := r.Fit(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	m.Uncertainty.Intervals = nil
	blocks := func(yield func(*data.Set, error) bool) { yield(set, nil) }
	if _, err := Write(filepath.Join(t.TempDir(), "p.csv"), m, blocks, Options{Level: .9}); !errors.Is(err, domain.ErrParam) {
		t.Errorf("intervals of a posterior alone: %v", err)
	}
}
