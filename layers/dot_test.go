package layers_test

import (
	"regexp"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	G "gorgonia.org/gorgonia"
)

// TestDot: the same model gives the same text, which has nodes with their shapes, edges, and nothing of the encoder's
// addresses.
func TestDot(t *testing.T) {
	draw := func() string {
		rff := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: .5}, 2, 64, layers.Tune(layers.Bandwidth),
			layers.WithName("rff")))
		head := must(layers.NewSoftmaxHead(64, 3, layers.WithName("head")))
		g := G.NewGraph()
		must(head.Loss(rff.Fwd(G.NewMatrix(g, G.Float64, G.WithShape(4, 2), G.WithName("x"))).Node(),
			G.NewMatrix(g, G.Float64, G.WithShape(4, 3), G.WithName("y"))))
		return must(layers.Dot(g))
	}
	text := draw()
	if text != draw() {
		t.Error("the same model has two pictures")
	}
	banned := regexp.MustCompile(`Node_|0x[0-9a-f]{6}|%!|lightgray|yellow|pink|rankdir=TB`)
	if strange := banned.FindString(text); strange != "" {
		t.Errorf("the encoder's %q is still there", strange)
	}
	for _, want := range []string{"edge [dir=back]", "rankdir=BT", `label="{{rff_W|`, "{Op|Fourier}|{Shape|(4, 64)}",
		"{Shape|(64, 3)}", "n5 -> n4"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
