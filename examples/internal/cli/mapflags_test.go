package cli

import (
	"errors"
	"flag"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"gorgonia.org/tensor"
)

// spec reads flags as the programs do.
func spec(t *testing.T, args string) (layers.Spec, error) {
	t.Helper()
	var m MapFlags
	fs := flag.NewFlagSet("prog", flag.ContinueOnError)
	m.Register(fs, "gaussian", "")
	if err := Parse(fs, "", strings.Fields(args)); err != nil {
		t.Fatal(err)
	}
	return m.Spec(Given(fs))
}

// TestSpec: every map that is built goes from flags to a layer, and Probe has nothing against it.
func TestSpec(t *testing.T) {
	for _, e := range layers.Entries() {
		x := tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{.1, .7, .4, .2, .9, .3}))
		if e.Inputs == "‖x‖₂ = 1" {
			x = tensor.New(tensor.WithShape(3, 2), tensor.WithBacking([]float64{.6, .8, 0, 1, .28, .96}))
		}
		for _, dtype := range []string{"float64", "float32"} {
			args, want := "-seed 7 -map "+e.Name+" -dtype "+dtype, 4096
			if e.Fitted && e.HasFeatures() {
				args, want = args+" -features 3", 3 // as many as rows
			}
			s, err := spec(t, args)
			if err != nil {
				t.Fatal(err)
			}
			if err := Probe(s); err != nil {
				t.Errorf("-map %s: Probe: %v", e.Name, err)
			}
			if s.Dims != 0 || len(s.Params) != 0 {
				t.Errorf("-map %s: Probe changed %+v", e.Name, s)
			}
			if err := Fit(&s, x); err != nil {
				t.Fatal(err)
			}
			l, err := Build(s, x)
			if err != nil {
				t.Fatal(err)
			}
			if !e.HasFeatures() {
				if want, err = s.Columns(); err != nil {
					t.Fatal(err)
				}
			}
			if l.Dims() != 2 || l.Features() != want || l.Dtype() != s.ElementType() || s.ElementType().String() != dtype {
				t.Errorf("-map %s -dtype %s built %v", e.Name, dtype, l)
			}
			if err := CheckRows(s, x); err != nil {
				t.Errorf("-map %s: %v", e.Name, err)
			}
		}
	}
}

// TestUsage: what no data could make right is a UsageError, from Spec, Probe or Build.
func TestUsage(t *testing.T) {
	for _, args := range []string{"-map x", "-params x", "-scale x", "-dtype x", "-features 0", "-sampler=", "-map linear -features 2",
		"-map linear -sampler iid", "-map chi2 -features 6", "-map delta-gaussian -sampler iid", "-map delta-gaussian -features 6", "-map ntk -features 5", "-map arc-cosine -params order=2", "-map delta-gaussian -params sigmas=1", "-map chi2 -sampler iid", "-map chi2 -params order=.5", "-map hellinger -params order=1", "-features 5", "-sampler grid", "-map matern -sampler antithetic", "-map laplacian -sampler orthogonal"} {
		s, err := spec(t, args)
		if err == nil {
			err = Probe(s)
		}
		var usage *UsageError
		if !errors.As(err, &usage) {
			t.Errorf("%s: %v", args, err)
		}
	}
	s, err := spec(t, "-features 16777216 -params sigma=1")
	if err != nil {
		t.Fatal(err)
	}
	s.Dims = 1000
	var usage *UsageError
	if _, err := Build(s, nil); !errors.As(err, &usage) || !strings.Contains(err.Error(), "ask for at most 2147483 features") {
		t.Errorf("frequencies of 134 GB: %v", err)
	}
	if s, err = spec(t, "-map chi2 -params order=100"); err != nil {
		t.Fatal(err)
	}
	s.Dims = 100000
	if _, err := Build(s, nil); !errors.As(err, &usage) || !strings.Contains(err.Error(), "20100000 columns of 100000") {
		t.Errorf("columns without number: %v", err)
	}
	if _, err = spec(t, "-map chi2 -features 6"); err == nil || !strings.Contains(err.Error(), "say -params order=N") {
		t.Errorf("-features for a map with an order: %v", err)
	}
	if s, err = spec(t, "-map laplacian -sampler orthogonal -features 4 -params sigma=1"); err != nil {
		t.Fatal(err)
	}
	s.Dims = 2
	if _, err := Build(s, nil); !errors.Is(err, spectral.ErrSampler) {
		t.Errorf("Build hides its cause: %v", err)
	}
}

// TestCheckRows: the domain is that of the kernel, for either element type.
func TestCheckRows(t *testing.T) {
	bad := []float64{.1, .7, .4, -.5}
	single := []float32{.1, .7, .4, -.5}
	for name, want := range map[string]string{"gaussian": "", "exp-semigroup": "map exp-semigroup: x[1,1] = -0.5 is negative", "skewed-chi2": "map skewed-chi2: x[1,1] = -0.5 is not above -c"} {
		s := layers.Spec{Map: name, Params: map[string]layers.Values{"gaussian": {"sigma": 1.}, "exp-semigroup": {"beta": 1.}, "skewed-chi2": {"c": .5}}[name]}
		for _, x := range []*tensor.Dense{tensor.New(tensor.WithShape(2, 2), tensor.WithBacking(bad)), tensor.New(tensor.WithShape(2, 2), tensor.WithBacking(single))} {
			err := CheckRows(s, x)
			if (err == nil) != (want == "") || err != nil && (!errors.Is(err, domain.ErrDomain) || !strings.HasPrefix(err.Error(), want)) {
				t.Errorf("%s, %v: %v", name, x.Dtype(), err)
			}
		}
	}
	if err := CheckRows(layers.Spec{Map: "gaussian"}, tensor.New(tensor.WithShape(1, 1), tensor.WithBacking([]float64{0}))); !errors.Is(err, layers.ErrParam) {
		t.Errorf("a spec without sigma: %v", err)
	}
}
