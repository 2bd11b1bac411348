package report

import (
	"os/exec"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	G "gorgonia.org/gorgonia"
)

// TestGraphviz: the picture of a model's graph is drawn; what is no graph is an error with the words of dot.
func TestGraphviz(t *testing.T) {
	if _, err := exec.LookPath("dot"); err != nil {
		t.Skip("Graphviz is not installed")
	}
	l := must(layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 8))
	g := G.NewGraph()
	mustDo(l.Fwd(G.NewMatrix(g, G.Float64, G.WithShape(4, 2), G.WithName("x"))).Err())
	text := must(layers.Dot(g))
	img := must(Graphviz(text))
	if b := img.Bounds(); b.Dx() < 100 || b.Dy() < 100 {
		t.Errorf("a picture of %v", b)
	}
	wantErr(t, failed(Graphviz("digraph {")), ErrParam, "syntax error")
	wantErr(t, failed(Graphviz("no graph")), ErrParam, "syntax error")
}

// TestGraphvizMissing: without the command the error says what to install.
func TestGraphvizMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	wantErr(t, failed(Graphviz("digraph {}")), exec.ErrNotFound, "install Graphviz")
}
