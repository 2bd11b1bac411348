package layers_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// TestPackHead: a packed head has the scores of one that is not, to the bit, dense or sparse, of one row or many, from
// many goroutines at a time; and it follows everything that changes its weights or may.
func TestPackHead(t *testing.T) {
	const d, k = 67, 5
	for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		for _, kind := range layers.HeadKinds() {
			weights := func(h layers.Head, by float64) layers.Head {
				w := make([]float64, d*k)
				for i := range w {
					w[i] = by * float64(i%11-5)
				}
				return must(h, h.SetWeights(w, []float64{1, 2, 3, 4, 5}))
			}
			head := func(by float64) layers.Head {
				return weights(must(layers.NewHead(kind, d, k, layers.WithDtype(dt))), by)
			}
			same := func(when string, got, want layers.Head) {
				t.Helper()
				for _, n := range []int{1, 9, 130} {
					x := rows(dt, n, d, 4)
					for _, z := range []ops.Matrix{x, must(ops.CSROf(x))} {
						near(t, fmt.Sprintf("%s of %v, %s: %d rows, %T", kind, dt, when, n, z),
							floats(must(layers.Transform(got, nil, z))), floats(must(layers.Transform(want, nil, z))), 0)
					}
				}
			}
			h := head(1)
			pack := func() { must(h, layers.PackHead(h)) }
			pack()
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() { same("packed", h, head(1)) })
			}
			wg.Wait()
			weights(h, 2)
			same("set", h, head(2))
			pack()
			// whose tensors a caller may change
			must(h, ops.Assign(h.Params()[0].Value, head(3).Params()[0].Value))
			same("changed by Params", h, head(3))
			pack()
			g := G.NewGraph()
			h.Fwd(input(g, rows(dt, 2, d, 4)))
			w := g.ByName(h.Name() + "_W")[0].Value().(*tensor.Dense)
			must(h, ops.Assign(w, head(4).Params()[0].Value))
			same("changed in a graph", h, head(4))
		}
	}
}

// BenchmarkHead: a few rows of a request to a head as it is and to one that is packed.
func BenchmarkHead(b *testing.B) {
	for _, dt := range []tensor.Dtype{tensor.Float32, tensor.Float64} {
		for _, c := range []struct{ d, k, n int }{{2048, 1, 1}, {2048, 26, 1}, {4096, 1, 1}, {4096, 26, 1},
			{4096, 26, 256}} {
			for _, packed := range []bool{false, true} {
				b.Run(fmt.Sprintf("%v/%dx%d/rows=%d/packed=%v", dt, c.d, c.k, c.n, packed), func(b *testing.B) {
					h := must(layers.NewLinearHead(c.d, c.k, layers.WithDtype(dt)))
					if packed {
						must(h, layers.PackHead(h))
					}
					z := rows(dt, c.n, c.d, 4)
					y := must(h.Transform(nil, z))
					for b.Loop() {
						must(h.Transform(y, z))
					}
				})
			}
		}
	}
}
