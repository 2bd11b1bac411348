package layers

import (
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
	"gorgonia.org/tensor"
)

var _ = []spectral.Validator{(*densityKernel)(nil), (*meanKernel)(nil)}

// TestMeanKernelExtremeTau: a τ whose square underflows leaves k(x, x) = 1.
func TestMeanKernelExtremeTau(t *testing.T) {
	k := &meanKernel{spectral.Chi2{}, 1e-170}
	if v := k.At([]float64{.3}, []float64{.3}); v != 1 {
		t.Errorf("k(x, x) = %v", v)
	}
	b := must(ops.BagsOfRows(tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]float64{.25, .75}))))
	if g := must(k.GramBags(b)); g.At(0, 0) != 1 || g.At(0, 1) != 0 {
		t.Errorf("%v", g)
	}
}
