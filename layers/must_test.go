package layers_test

import (
	"errors"
	"fmt"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
)

// In a notebook an error stops the cell.
func ExampleMust() {
	k := spectral.Gaussian{Sigma: 1}
	rff := layers.Must(layers.NewFourierLayer(k, 2, 4096, layers.WithSeed(1)))
	z := layers.MustDense(rff.Transform(nil, matrix([]float64{0, 0}, []float64{1, .5})))
	fmt.Printf("k(x, y) = %.2f, z(x)·z(y) = %.2f\n", k.At([]float64{0, 0}, []float64{1, .5}), inner(z, 0, 1))
	// Output: k(x, y) = 0.54, z(x)·z(y) = 0.54
}

func TestMustPanicsWithTheError(t *testing.T) {
	k := spectral.Gaussian{Sigma: 1}
	rff := layers.Must(layers.NewFourierLayer(k, 2, 8))
	for name, f := range map[string]func(){
		"layer":  func() { layers.Must(layers.NewFourierLayer(spectral.Gaussian{Sigma: -1}, 2, 64)) },
		"head":   func() { layers.MustHead(layers.NewSoftmaxHead(0, 2)) },
		"tensor": func() { layers.MustDense(rff.Transform(nil, matrix([]float64{1}))) },
	} {
		func() {
			defer func() {
				err, _ := recover().(error)
				if !errors.Is(err, layers.ErrParam) && !errors.Is(err, layers.ErrShape) {
					t.Errorf("%s: recovered %v", name, err)
				}
			}()
			f()
			t.Errorf("%s: no panic", name)
		}()
	}
	if head := layers.MustHead(layers.NewSoftmaxHead(8, 2)); head.Dims() != 8 {
		t.Errorf("a head of %d columns", head.Dims())
	}
}
