package main

import (
	"math"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

// TestLadderFlags: -tune auto tells what each step brought, -tune evidence finds scales in memory and from a stream, and
// both say which columns matter, in the model file, too.
func TestLadderFlags(t *testing.T) {
	dir := files(t)
	const args = "-train smooth.csv -test smoothtest.csv -task regression -features 64 "
	auto := clitest.Run(t, dir, args+"-tune auto -epochs 5 -json").Object(t)
	if steps, ok := auto["ladder"].([]any); !ok || len(steps) != 5 {
		t.Errorf("-tune auto: the steps are %v", auto["ladder"])
	}
	for _, head := range []string{"-task regression -head ridge", "-head softmax"} {
		rows := "-train smooth.csv -test smoothtest.csv "
		if head == "-head softmax" {
			rows = "-train last.csv -test test.csv "
		}
		ob := clitest.Run(t, dir, rows+head+" -features 64 -tune evidence -save model -plot a.png -json").Object(t)
		read := clitest.Run(t, dir, rows+head+" -features 64 -tune evidence -stream -json").Object(t)
		if columns, ok := ob["relevance"].([]any); !ok || len(columns) != 3 || ob["tuned"] != "bandwidth-each" || ob["ladder"] != nil {
			t.Errorf("%s: %v", head, ob)
		}
		for _, score := range []string{"rmse", "accuracy"} {
			if a, ok := ob[score].(float64); ok {
				if b := read[score].(float64); math.Abs(a-b) > .1 {
					t.Errorf("%s: %s %v, from a stream %v", head, score, a, b)
				}
			}
		}
		saved := "-load model -test smoothtest.csv"
		if head == "-head softmax" {
			saved = "-load model -test test.csv"
		}
		if out := clitest.Run(t, dir, saved).OK(t).Stdout; !strings.Contains(out, "relevance    ") {
			t.Errorf("%s: the model file says %s", head, out)
		}
	}
}
