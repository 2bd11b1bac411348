package service

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/onnx"
)

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
