package sgd

import (
	"context"
	"fmt"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// BenchmarkStep is a step of a fit of 26 classes under 512 features and batches of 256: of a gaussian map of 16 columns that is tuned,
// and of one that is frozen, whose features are kept.
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
				targets, err := OneHot(labels, classes, dt)
				if err != nil {
					b.Fatal(err)
				}
				m, err := layers.NewFourierLayer(spectral.Gaussian{Sigma: 2}, d, features, append(tune, layers.WithDtype(dt))...)
				if err != nil {
					b.Fatal(err)
				}
				head, err := layers.NewSoftmaxHead(features, classes, layers.WithDtype(dt))
				if err != nil {
					b.Fatal(err)
				}
				o := FitOptions{Batch: batchRows}
				if err := o.fill(tunes(m)); err != nil {
					b.Fatal(err)
				}
				cached, z, err := forFit(m, x, o.CacheBytes)
				if err != nil {
					b.Fatal(err)
				}
				y, err := data.OneVersusRest(labels, classes)
				if err != nil {
					b.Fatal(err)
				}
				f, err := fitInMemory(context.Background(), cached, head, z, y, o)
				if err != nil {
					b.Fatal(err)
				}
				f.at.Epoch, f.steps = 1, map[int]*step{}
				order := data.Shuffle(n, 1)
				for i := 0; b.Loop(); i++ {
					lo := i * batchRows % n
					if _, err := f.step(batch{x: z, targets: targets, rows: order[lo : lo+batchRows]}); err != nil {
						b.Fatal(err)
					}
				}
				f.steps[batchRows].close()
			})
		}
	}
}
