package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bochner-go/bochner/examples/internal/clitest"
)

// TestKill: a tuned training that is killed at random moments, ten times, ends with the model of one that is not, byte
// for byte.
func TestKill(t *testing.T) {
	dir := files(t)
	const args = "-train last.csv -test test.csv -features 64 -epochs 300 -batch 10 -tune all -schedule cosine -dtype float32 "
	start := time.Now()
	clitest.Run(t, dir, args+"-save whole").OK(t)
	took := time.Since(start)
	resumed := strings.Fields(args + "-save parts -checkpoint c -checkpoint-every 5ms -resume")
	rng, killed := rand.New(rand.NewPCG(1, 1)), 0
	for range 6 {
		cmd := clitest.Command(t, dir, resumed...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration((.1 + .3*rng.Float64()) * float64(took)))
		cmd.Process.Kill() // unless it is done
		if cmd.Wait() != nil {
			killed++
		}
	}
	if killed == 0 {
		t.Error("nothing was killed")
	}
	clitest.Run(t, dir, strings.Join(resumed, " ")).OK(t)
	for _, n := range clitest.Names(t, dir) {
		if strings.HasPrefix(n, ".c.") {
			t.Errorf("%s was left behind", n)
		}
	}
	want, err := os.ReadFile(filepath.Join(dir, "whole"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "parts")); err != nil || !bytes.Equal(got, want) {
		t.Errorf("after %d kills the model is another one (%v)", killed, err)
	}
	clitest.Run(t, dir, args+"-checkpoint c").Fails(t, 1, "train", "c.0", "of an earlier fit; resume that one, or remove its files")
	clitest.Run(t, dir, args+"-checkpoint c -resume -seed 2").Fails(t, 1, "train", "other rows, layers or options")
}

// TestInterrupt: SIGINT ends it with a message that says how to go on.
func TestInterrupt(t *testing.T) {
	dir := files(t)
	cmd := clitest.Command(t, dir, strings.Fields("-train last.csv -features 64 -epochs 100000 -checkpoint c")...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 5000 { // until the first epoch is done
		if strings.HasPrefix(clitest.Names(t, dir)[0], "c.0") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if cmd.Wait() == nil || cmd.ProcessState.ExitCode() != 128+int(syscall.SIGINT) || !strings.Contains(stderr.String(), "to be resumed from c: context canceled") {
		t.Errorf("stderr %q", stderr.String())
	}
}

// TestDescent: what else a step can be told changes the fit, in memory and in blocks.
func TestDescent(t *testing.T) {
	dir := files(t)
	const args = "-train last.csv -test test.csv -features 64 -epochs 10 -batch 30"
	plain := fit(t, dir, args)
	for _, more := range []string{" -schedule linear -warm-up 2", " -clip .01", " -weight-decay .5", " -class-weights 1,9", " -class-weights balanced"} {
		if ob := fit(t, dir, args+more); ob.TrainLoss[9] == plain.TrainLoss[9] || *ob.Accuracy < .4 {
			t.Errorf("%s: loss %v, as without it, accuracy %v", more, ob.TrainLoss[9], *ob.Accuracy)
		}
	}
	if ob := stream(t, dir, args+" -class-weights balanced"); *ob.Accuracy < .4 {
		t.Errorf("accuracy %v", *ob.Accuracy)
	}
	clitest.Run(t, dir, args+" -class-weights 1,2,3").Fails(t, 2, "train", "3 weights for 2 classes")
}
