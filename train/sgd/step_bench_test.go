package sgd

import (
	"context"
	"fmt"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/rows"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// BenchmarkStep is the 8 steps of an epoch of 26 classes under 512 features and batches of 256: of a gaussian map of 16
// columns that is tuned, and of one that is frozen, whose features are kept.
func BenchmarkStep(b *testing.B) {
	const n, d, features, classes, batchRows = 2048, 16, 512, 26, 256
	for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		for _, name := range []string{"frozen", "tuned"} {
			var tune []layers.Option
			if name == "tuned" {
				tune = []layers.Option{layers.Tune(layers.All)}
			}
			b.Run(fmt.Sprint(name, "/", dt), func(b *testing.B) {
				x := tensor.New(tensor.WithShape(n, d), tensor.WithBacking(tensor.Random(dt, n*d)))
				labels := make([]int, n)
				for i := range labels {
					labels[i] = i * 7 % classes
				}
				m := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 2}, d, features, append(tune, layers.WithDtype(dt))...))
				head := must(layers.NewSoftmaxHead(features, classes, layers.WithDtype(dt)))
				o := FitOptions{Batch: batchRows}
				if err := o.fill(tunes(m), 0); err != nil {
					b.Fatal(err)
				}
				y := must(data.OneVersusRest(labels, classes))
				f := must(newFitter(context.Background(), m, head, data.Pairs{X: x, Y: y}, o, n))
				order := f.train.Take(data.Shuffle(n, 1))
				order.Block = batchRows
				for b.Loop() {
					steps := 0
					err := order.EachRaw(func(_ rows.Names, x ops.Matrix, y *mat.Dense) error {
						steps++
						_, err := f.step(x, y)
						return err
					})
					if err != nil || steps != n/batchRows {
						b.Fatal(steps, err)
					}
				}
				f.steps[batchRows].machine.Close()
			})
		}
	}
}
