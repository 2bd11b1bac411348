package service

import (
	"bytes"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/onnx"
)

// TestPredict: JSON and .npy of as many rows as a request may have, of classes, of one target and of several, give what
// the model gives, to the bit.
func TestPredict(t *testing.T) {
	const n = 50
	x := randomRows(n, 5)
	npy := asNPY(n, dims, x.Float64s())
	several := newModel("gaussian", 3, 1)
	head := must(layers.NewLinearHead(34, 3))
	ok(t, head.SetWeights(several.Head.Params()[0].Value.Float64s(), make([]float64, 3)))
	several.Head, several.Classes = head, nil
	for _, m := range []*train.Model{several, newModel("gaussian", 3, 1), newModel("exp-semigroup", 1, 1),
		newModel("gaussian/float32", 3, 1), newModel("delta-gaussian/float32", 1, 1)} {
		r := runServer(t, m, nil)
		for _, query := range []string{"", "?scores=false", "?scores=true"} {
			want := predictions(m, x)
			if query != "?scores=true" && m != several {
				delete(want, "scores")
			}
			for kind, body := range map[string]string{typeJSON: asJSON(x), "application/json; charset=utf-8": " " + strings.ReplaceAll(asJSON(x), ",", " ,\n\t") + "\r\n", typeNPY: npy} {
				r.answers(t, query, kind, body, want)
			}
		}
	}
}

// TestONNX: the file is the one that package onnx writes, and a model that it cannot say has none.
func TestONNX(t *testing.T) {
	m := newModel("gaussian", 3, 1)
	r := runServer(t, m, nil)
	var want bytes.Buffer
	ok(t, onnx.Export(&want, must(train.Load(r.Model)), onnx.Everything(m)))
	for range 2 {
		if status, file := r.get(t, "/model.onnx"); status != http.StatusOK || file != want.String() {
			t.Errorf("status %d, %d bytes, want %d", status, len(file), want.Len())
		}
	}
	sketch := newModel("linear", 1, 1)
	sketch.Spec = layers.Spec{Map: "tensor-sketch", Dims: 5, Features: 4100, Params: layers.Values{"p": 2}}
	sketch.Map = must(sketch.Spec.Build())
	sketch.Head = must(layers.NewLinearHead(4100, 1))
	r = runServer(t, sketch, nil)
	if status, text := r.get(t, "/model.onnx"); status != http.StatusNotFound || !strings.Contains(text, "4096 columns") || !strings.Contains(text, `"error"`) {
		t.Errorf("status %d: %.300s", status, text)
	}
}

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
		if _, text := r.get(t, "/model"); !strings.Contains(text, `"parts":["dense","`+kernel+`"]`) || !strings.Contains(text, `"tuned":"all"`) {
			t.Errorf("%s: the card is %s", kernel, text)
		}
	}
}
