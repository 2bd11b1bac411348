package main

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	"github.com/bochner-go/bochner/train"
)

// TestAuto: a race of trials tells of each of them, draws them, and saves a model that is evaluated as it was; two
// runs of one seed are the same. So it is for classes, targets, tables and sets; package train tests that the runs of
// every kind of rows are the same, and here the first kind does.
func TestAuto(t *testing.T) {
	dir := files(t)
	clitest.File(t, dir, "sets.csv", clitest.Bags(30, 2, func(i int) string { return []string{"a", "b"}[i%2] }))
	for i, args := range []string{
		"-train last.csv -test test.csv",
		"-train smooth.csv -test smoothtest.csv -task regression -dtype float32",
		"-train sets.csv -task bags",
	} {
		args += " -auto 4 -json"
		first := clitest.Run(t, dir, args+" -plot auto.png -save model").OK(t).Object(t)
		clitest.Picture(t, filepath.Join(dir, "auto.png"), 1000, 400)
		trials := first["auto"].([]any)
		chosen := 0
		for _, one := range trials {
			if trial := one.(map[string]any); trial["chosen"] == true {
				chosen++
				if trial["map"] != first["map"] || trial["error_rate"] == nil && trial["rmse"] == nil {
					t.Errorf("%s: chosen %v, the model is %v", args, trial, first["map"])
				}
			}
		}
		if len(trials) < 2 || len(trials) > 4 || chosen != 1 {
			t.Errorf("%s: %d trials, %d chosen", args, len(trials), chosen)
		}
		if i == 0 {
			again := clitest.Run(t, dir, args).OK(t).Object(t)
			if again["accuracy"] != first["accuracy"] || !reflect.DeepEqual(again["params"], first["params"]) {
				t.Errorf("%s: two runs differ: %v, %v", args, first, again)
			}
		}
		if test := args[strings.Index(args, "-train")+7:]; strings.Contains(test, "-test") {
			name := strings.Fields(test)[2]
			loaded := clitest.Run(t, dir, "-json -load model -test "+name).OK(t).Object(t)
			if loaded["accuracy"] != first["accuracy"] || loaded["rmse"] != first["rmse"] {
				t.Errorf("%s: loaded as %v", args, loaded)
			}
		}
	}
	if out := clitest.Run(t, dir, "-train last.csv -test test.csv -auto 3").OK(t).Stdout; !strings.Contains(out, "| 1 | ") || !strings.Contains(out, "held out") {
		t.Errorf("no leaderboard: %s", out)
	}
}

// TestAutoInterrupted: an interrupt ends the race, and the best so far is evaluated and saved.
func TestAutoInterrupted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	for delay := time.Second; ; delay *= 2 {
		o, err := parse([]string{"-auto", "300s", "-save", path})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(delay, cancel)
		r, err := raceModel(ctx, o, func() bool { return true })
		cancel()
		if errors.Is(err, context.Canceled) && delay < 30*time.Second {
			continue // before there was a model
		}
		if err != nil {
			t.Fatal(err)
		}
		if m, err := train.Load(path); err != nil || m.Spec.Map != r.spec.Map || r.test == nil || r.train == nil {
			t.Errorf("saved %v, %v", m, err)
		}
		if r.auto.Whole && delay == time.Second {
			t.Errorf("the race was over in a second: %d trials", len(r.auto.Trials))
		}
		return
	}
}
