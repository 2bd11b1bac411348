package bench

import (
	"context"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/linear"
	"gorgonia.org/tensor"
)

// BenchmarkSparse maps the sparse rows of -train, and fits ridge regression of their classes with lambda given on the
// map.
func BenchmarkSparse(b *testing.B) {
	blas.Use()
	if *trainRows == "" {
		b.Skip("it takes the rows of -train")
	}
	set, err := data.Read(*trainRows, data.Options{})
	clitest.OK(b, err)
	x, sparse := set.X.(*ops.CSR)
	if !sparse {
		b.Fatalf("%s has no sparse rows", *trainRows)
	}
	classes := data.NewClasses(set.Labels)
	labels, err := classes.Index(set.Labels)
	clitest.OK(b, err)
	y, err := data.OneVersusRest(labels, len(classes))
	clitest.OK(b, err)
	save(b, "labels", labels64(labels))
	save(b, "pointers", labels64(x.Pointers()))
	save(b, "columns", x.Columns())
	save(b, "values", x.Float64s())
	forSizes(b, func(b *testing.B, size int, dt tensor.Dtype) {
		x, err := (&data.Set{X: x}).As(dt)
		clitest.OK(b, err)
		for _, name := range []string{"gaussian", "chi2", "linear"} {
			m, d, opt := layers.Layer(nil), set.Dims(), layers.WithDtype(dt)
			switch name {
			case "gaussian":
				m, err = layers.NewFourierLayer(spectral.Gaussian{Sigma: 10}, d, size, opt, layers.WithSeed(1), layers.WithPhase())
			case "chi2":
				m, err = layers.NewHomogeneousLayer(spectral.Chi2{}, d, opt)
			case "linear":
				m, err = layers.NewIdentity(d, opt)
			}
			clitest.OK(b, err)
			if name != "linear" {
				b.Run("map="+name+"/what=forward", func(b *testing.B) {
					for b.Loop() {
						_, err := layers.Apply(m, nil, x)
						clitest.OK(b, err)
					}
				})
			}
			b.Run("map="+name+"/what=fit", func(b *testing.B) {
				o := linear.RidgeOptions{Lambdas: []float64{1e-3 * float64(len(labels))}}
				for b.Loop() {
					_, err := linear.FitRidge(context.Background(), m, data.Pairs{X: x, Y: y}, o)
					clitest.OK(b, err)
				}
			})
		}
	})
}
