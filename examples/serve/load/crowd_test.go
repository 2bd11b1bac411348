package main

import (
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
)

// TestCrowd: beside idle and hostile connections, under a limit of memory, every request has its answer.
func TestCrowd(t *testing.T) {
	const d, features = 64, 256
	dir := t.TempDir()
	rff, err := layers.NewFourierLayer(spectral.Gaussian{Sigma: 3}, d, features, layers.WithSeed(7))
	if err != nil {
		t.Fatal(err)
	}
	head, err := layers.NewLinearHead(features, 2)
	if err != nil {
		t.Fatal(err)
	}
	w := make([]float64, 2*features)
	for i := range w {
		w[i] = rand.New(rand.NewPCG(1, uint64(i))).NormFloat64()
	}
	if err := head.SetWeights(w, make([]float64, 2)); err != nil {
		t.Fatal(err)
	}
	m, err := train.NewModel(rff, head)
	if err != nil {
		t.Fatal(err)
	}
	m.Classes = data.Classes{"a", "b"}
	if err := m.Save(filepath.Join(dir, "m")); err != nil {
		t.Fatal(err)
	}
	// What the program builds is in the cache then: it has a minute.
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "serve.exe"), pkg).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// The program builds the server, which takes a folder of its module: this one.
	ob := clitest.Run(t, ".", "-model "+filepath.Join(dir,
		"m")+" -rate 50 -rows 8 -duration 3s -idle 100 -hostile 22 -memory 536870912 -json").Object(t)
	if ob["requests"] != 150. || ob["errors"] != 0. || ob["idle_connections"] != 100. ||
		ob["hostile_connections"] != 22. || ob["memory_limit"] == nil {
		t.Errorf("%v", ob)
	}
	if answers, _ := ob["hostile_answers"].(map[string]any); len(answers) < 2 {
		t.Errorf("the answers to hostile requests are %v; want refusals among them", answers)
	}
}
