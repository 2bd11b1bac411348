package report_test

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/report"
	G "gorgonia.org/gorgonia"
)

// TestGraphviz: the picture of a model's graph is drawn; what is no graph is an error with the words of dot.
func TestGraphviz(t *testing.T) {
	if _, err := exec.LookPath("dot"); err != nil {
		t.Skip("Graphviz is not installed")
	}
	l, err := layers.NewFourierLayer(spectral.Gaussian{Sigma: 1}, 2, 8)
	if err != nil {
		t.Fatal(err)
	}
	g := G.NewGraph()
	if err := l.Fwd(G.NewMatrix(g, G.Float64, G.WithShape(4, 2), G.WithName("x"))).Err(); err != nil {
		t.Fatal(err)
	}
	text, err := layers.Dot(g)
	if err != nil {
		t.Fatal(err)
	}
	img, err := report.Graphviz(text)
	if err != nil {
		t.Fatal(err)
	}
	if b := img.Bounds(); b.Dx() < 100 || b.Dy() < 100 {
		t.Errorf("a picture of %v", b)
	}
	for _, bad := range []string{"digraph {", "no graph"} {
		if _, err := report.Graphviz(bad); !errors.Is(err, report.ErrParam) || !strings.Contains(err.Error(), "syntax error") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// TestGraphvizMissing: without the command the error says what to install.
func TestGraphvizMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := report.Graphviz("digraph {}"); !errors.Is(err, exec.ErrNotFound) || !strings.Contains(err.Error(), "install Graphviz") {
		t.Error(err)
	}
}
