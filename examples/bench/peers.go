package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/cpu"
)

//go:embed peers.py
var script string

// setting is a choice of OpenBLAS's kernels.
type setting struct {
	name string // as in the table
	env  string // one variable, or none
}

// peerOf is the peer of each of our maps, by its name in the script.
var peerOf = map[string]string{
	"gaussian":   "RBFSampler",
	"phase":      "RBFSampler",
	"structured": "RBFSampler",
	"laplace":    "laplace",
	"gradient":   "gradient",
	"autograd":   "autograd",
	"sparse":     "csr",

	"chi2":         "AdditiveChi2Sampler",
	"intersection": "homkermap",
}

// libOf is the library of each peer.
var libOf = map[string]string{"RBFSampler": "scikit-learn", "laplace": "numpy", "gradient": "numpy", "autograd": "torch", "csr": "scipy", "AdditiveChi2Sampler": "scikit-learn",
	"homkermap": "VLFeat"}

// missing is the hint for a peer that is optional and not installed.
var missing = map[string]string{
	"homkermap": "VLFeat is not there, or no C compiler to call it with; on Debian: apt-get install libvlfeat-dev gcc",
	"autograd":  "torch is not there; on Debian: apt-get install python3-torch",
}

// findPeers wants a python3 that has scikit-learn, and says which settings this machine can run.
func findPeers(ctx context.Context) ([]setting, error) {
	out, err := exec.CommandContext(ctx, "python3", "-c", "import numpy, sklearn").CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return nil, fmt.Errorf("-peers: python3 with scikit-learn is not there (%w %s); on Debian: apt-get install python3-sklearn libopenblas-dev python3-threadpoolctl", err, lines[len(lines)-1])
	}
	settings := []setting{{"default", ""}}
	if x := cpu.X86; x.HasAVX512F && x.HasAVX512VL && x.HasAVX512BW && x.HasAVX512DQ { // without them its kernels are illegal instructions
		settings = append(settings, setting{"SkylakeX", "OPENBLAS_CORETYPE=SkylakeX"})
	}
	return settings, nil
}

// measurePeers runs the script, in a process of its own, for the peers of our measurements.
func measurePeers(ctx context.Context, s setting, c cell, ours []measurement, runs int) ([]measurement, error) {
	var want []string
	of := map[string]string{} // ours, by the peer
	for _, m := range ours {
		if name := peerOf[m.Map]; m.Lib == "bochner" && !slices.Contains(want, name) {
			want = append(want, name)
			of[name] = m.Map
		}
	}
	if want == nil {
		return nil, nil
	}
	args := append([]string{"-c", script, strconv.Itoa(c.shape.n), strconv.Itoa(c.shape.d), strconv.Itoa(c.shape.features), c.dtype, strconv.Itoa(runs)}, want...)
	cmd := exec.CommandContext(ctx, "python3", args...)
	cmd.Env = peerEnv(os.Environ(), s, c.cores)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("-peers: %v, %s: %w: %s", c.shape, s.name, err, strings.TrimSpace(stderr.String()))
	}
	var found struct {
		Setting string
		Maps    map[string][]float64
	}
	if err := json.Unmarshal(stdout.Bytes(), &found); err != nil {
		return nil, fmt.Errorf("-peers: what python3 printed is not JSON: %w", err)
	}
	var out []measurement
	for _, name := range want {
		if hint := missing[name]; len(found.Maps[name]) == 0 && hint != "" {
			fmt.Fprintln(os.Stderr, "-peers: "+hint)
			continue
		}
		if len(found.Maps[name]) == 0 {
			return nil, fmt.Errorf("-peers: python3 did not time %s", name)
		}
		m := newMeasurement(libOf[name], s.name, name, c.at(of[name]), found.Maps[name], ours[0].PeakGFLOPS/float64(c.cores))
		m.BLAS = found.Setting
		out = append(out, m)
	}
	return out, nil
}

// peerEnv is the environment with the threads and kernels of OpenBLAS replaced.
func peerEnv(env []string, s setting, cores int) []string {
	out := slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(v, "OPENBLAS_CORETYPE=") })
	n := strconv.Itoa(cores)
	out = append(out, "OPENBLAS_NUM_THREADS="+n, "OMP_NUM_THREADS="+n)
	if s.env != "" {
		out = append(out, s.env)
	}
	return out
}
