package service

import (
	"context"
	"math"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
)

// registerHalved registers the kernel "halved" once, however often the tests run.
var registerHalved = sync.OnceValue(func() error {
	return layers.Register(layers.Entry{Name: "halved", Formula: "exp(-2‖x-z‖²/σ²)", Form: layers.Drawn{
		Params: []layers.ParamDef{{Name: "sigma", Doc: "bandwidth σ", Default: 3.}},
		Kernel: func(v layers.Values) spectral.Kernel { return spectral.Gaussian{Sigma: v.Number("sigma") / 2} },
	}})
})

// TestTreesAndRegisteredKernels: a network of dense layers around a map that is trained jointly, and the same with a
// kernel of the user's own, are served from their files with the bits that the fitted model gives.
func TestTreesAndRegisteredKernels(t *testing.T) {
	if err := registerHalved(); err != nil {
		t.Fatal(err)
	}
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
		m, _, err := train.Recipe{Scale: "standard", Spec: spec}.Fit(context.Background(), &data.Set{X: x, Y: y})
		if err != nil {
			t.Fatal(err)
		}
		r := runServer(t, m, nil)
		want := map[string]any{"model": must(checksum(r.model)), "targets": list(must(m.PredictTargets(x)))}
		if status, ob := r.post(t, "", "application/json", strings.NewReader(asJSON(x))); status != http.StatusOK || !reflect.DeepEqual(ob, want) {
			t.Errorf("%s: %d\n%v, want\n%v", kernel, status, ob, want)
		}
		if _, text := r.get(t, "/model"); !strings.Contains(text, `"parts":["dense","`+kernel+`"]`) || !strings.Contains(text, `"tuned":"parts"`) {
			t.Errorf("%s: the card is %s", kernel, text)
		}
	}
}
