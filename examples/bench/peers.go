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

// peerOf is the peer of each of our maps that has one, by its name in the script.
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

// findPeers wants a python3 that has scikit-learn, or for files pandas too, and says which settings this machine can run.
func findPeers(ctx context.Context, files bool) ([]setting, error) {
	modules, named, packages := "numpy, sklearn", "scikit-learn", "python3-sklearn libopenblas-dev python3-threadpoolctl"
	if files {
		modules, named, packages = "pandas, sklearn", "pandas and scikit-learn", "python3-pandas python3-sklearn"
	}
	out, err := exec.CommandContext(ctx, "python3", "-c", "import "+modules).CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return nil, fmt.Errorf("-peers: python3 with %s is not there (%w %s); on Debian: apt-get install %s", named, err, lines[len(lines)-1], packages)
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
		if name := peerOf[m.Map]; m.Lib == "bochner" && name != "" && !slices.Contains(want, name) {
			want = append(want, name)
			of[name] = m.Map
		}
	}
	if want == nil {
		return nil, nil
	}
	args := append([]string{script, strconv.Itoa(c.shape.n), strconv.Itoa(c.shape.d), strconv.Itoa(c.shape.features), c.dtype, strconv.Itoa(runs)}, want...)
	var found struct {
		Setting string
		Maps    map[string][]float64
	}
	if err := python(ctx, s, c.cores, &found, args...); err != nil {
		return nil, fmt.Errorf("-peers: %v, %s: %w", c.shape, s.name, err)
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

// python runs a script, in a process of its own, and decodes what it prints into v.
func python(ctx context.Context, s setting, cores int, v any, scriptAndArgs ...string) error {
	cmd := exec.CommandContext(ctx, "python3", append([]string{"-c"}, scriptAndArgs...)...)
	cmd.Env = peerEnv(os.Environ(), s, cores)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
	}
	if err := json.Unmarshal(stdout.Bytes(), v); err != nil {
		return fmt.Errorf("what python3 printed is not JSON: %w", err)
	}
	return nil
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
