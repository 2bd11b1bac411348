package maptest_test

import (
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/layers/maptest"
)

// wrong is a Gaussian with a mistake.
type wrong struct {
	spectral.Gaussian
	at   func(x, z []float64) float64
	wide float64
}

func (k wrong) At(x, z []float64) float64 {
	if k.at != nil {
		return k.at(x, z)
	}
	return k.Gaussian.At(x, z)
}

func (k wrong) Law() spectral.Law {
	return spectral.Gaussian{Sigma: k.Sigma / max(1, k.wide)}.Law()
}

// mistakes are kernels with a mistake each, and what Run says of it.
var mistakes = map[string]struct {
	kernel spectral.Kernel
	says   string
}{
	"bandwidth": {wrong{wide: 2}, "not of the kernel's spectral distribution"},
	"asymmetry": {wrong{at: func(x, _ []float64) float64 { return x[0] }}, "the other"},
	"infinite":  {wrong{at: func(x, _ []float64) float64 { return math.Inf(1) }}, "+Inf"},
	"indefinite": {wrong{at: func(x, z []float64) float64 { return 1 + math.Abs(x[0]-z[0]) }},
		"positive definite"},
}

// TestRunFinds: each kind of mistake is found and named, without a line for every case of it. Run fails in a process of
// its own.
func TestRunFinds(t *testing.T) {
	if name := os.Getenv("BOCHNER_MISTAKE"); name != "" {
		if err := layers.Register(layers.Entry{Name: name, Kernel: mistakes[name].kernel}); err != nil {
			t.Fatal(err)
		}
		maptest.Run(t, maptest.Map{Spec: layers.Spec{Map: name, Params: layers.Values{"sigma": 1}}})
		return
	}
	for name, m := range mistakes {
		args := append(strings.Fields(os.Getenv("BOCHNER_EMULATOR")), os.Args[0], "-test.run=^TestRunFinds$")
		c := exec.Command(args[0], args[1:]...)
		c.Env = append(os.Environ(), "BOCHNER_MISTAKE="+name)
		out, err := c.CombinedOutput()
		if n := strings.Count(string(out), m.says); err == nil || n == 0 || n > 3 {
			t.Errorf("%s: want a failure that says %q at most 3 times, got %v:\n%s", name, m.says, err, out)
		}
	}
}
