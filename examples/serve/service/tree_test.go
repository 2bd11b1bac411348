package service

import (
	"math"
	"strings"
	"sync"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
)

// halved is the Gaussian kernel of half the bandwidth.
type halved struct {
	Sigma float64 `param:"sigma" default:"3" doc:"bandwidth σ"`
}

func (k halved) gaussian() spectral.Gaussian { return spectral.Gaussian{Sigma: k.Sigma / 2} }
func (k halved) At(x, z []float64) float64   { return k.gaussian().At(x, z) }
func (k halved) Domain() spectral.Domain     { return k.gaussian().Domain() }
func (k halved) Law() spectral.Law           { return k.gaussian().Law() }

// registerHalved registers the kernel once, however often the tests run.
var registerHalved = sync.OnceValue(func() error {
	return layers.Register(layers.Entry{Name: "halved", Formula: "exp(-2‖x-z‖²/σ²)", Kernel: halved{}})
})

// TestTreesAndRegisteredKernels: a network of dense layers around a map that is trained jointly, and the same with a
// kernel of the user's own, are served from their files with the bits that the fitted model gives.
func TestTreesAndRegisteredKernels(t *testing.T) {
	ok(t, registerHalved())
	x := randomRows(29, 5)
	y := make([]float64, 29)
	for i := range y {
		y[i] = math.Sin(float64(i))
	}
	for _, kernel := range []string{"gaussian", "halved"} {
		spec := layers.Spec{Map: "sequential", Parts: []layers.Spec{
			{Map: "dense", Features: 4, Params: layers.Values{"activation": "tanh"}, Tune: "all"},
			{Map: kernel, Features: 32, Tune: "all"},
		}}
		m := fitted(train.Recipe{Scale: "standard", Spec: spec}, &data.Set{X: x, Y: y})
		r := runServer(t, m, nil)
		want := map[string]any{"targets": must(m.PredictTargets(x))}
		r.answers(t, "", typeJSON, asJSON(x), want)
		if _, text := r.get(t, "/model"); !strings.Contains(text, `"parts":["dense","`+kernel+`"]`) || !strings.Contains(text, `"tuned":"parts"`) {
			t.Errorf("%s: the card is %s", kernel, text)
		}
	}
}
