package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	"github.com/bochner-go/bochner/examples/internal/try"
)

// TestModel: few made digits give a model with what the page says of it, and what cannot be learned from is an error.
func TestModel(t *testing.T) {
	ctx, folder := context.Background(), t.TempDir()
	model(ctx, folder, "", 600, 128, 1)
	text, err := os.ReadFile(filepath.Join(folder, "about.json"))
	clitest.OK(t, err)
	var a about
	clitest.OK(t, json.Unmarshal(text, &a))
	if a.Rows != 500 || a.Test != 100 || a.Features != 128 || a.Accuracy < .6 {
		t.Errorf("%+v", a)
	}
	if f, err := os.Stat(filepath.Join(folder, "model.onnx")); err != nil || f.Size() < 4*28*28*64 {
		t.Errorf("model.onnx: %v, %v", f, err)
	}

	narrow := filepath.Join(folder, "narrow.libsvm")
	clitest.OK(t, os.WriteFile(narrow, []byte("1 1:2 64:3\n2 1:1\n"), 0o666))
	for want, f := range map[string]func(){
		"-rows 5: too few":             func() { model(ctx, folder, "", 5, 128, 1) },
		"64 columns; want MNIST's 784": func() { model(ctx, folder, narrow, 0, 128, 1) },
		"none.libsvm":                  func() { model(ctx, folder, filepath.Join(folder, "none.libsvm"), 0, 128, 1) },
		"npm ci --ignore-scripts":      func() { build(ctx, folder, "", 600, 128, 1) }, // not run in the root
		"odd":                          func() { model(ctx, folder, "", 600, 127, 1) },
	} {
		if err := try.Catch(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestPage: every file that the page loads is embedded, or made by build.
func TestPage(t *testing.T) {
	folder := t.TempDir()
	copyPage(folder)
	for _, name := range []string{"index.html", "style.css", "boot.js", "main.js", "digits.js", "picture.js", "points.js", "learn.worker.js"} {
		if f, err := os.Stat(filepath.Join(folder, name)); err != nil || f.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
