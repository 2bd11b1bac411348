package layers

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/ops"
)

// TwoSigns is the form of an indefinite kernel whose spectral distribution has two signs, a spectral.SignedLaw. Its map
// is a GORFLayer. It has the parameter coupling besides the kernel's own.
type TwoSigns struct {
	simple
	Params []ParamDef
	// Kernel makes the kernel from values that are in the declared ranges.
	Kernel func(v Values) spectral.Kernel
	// Defaults fills in the parameters that depend on the rows x. It is nil if every parameter has a Default.
	Defaults func(v Values, x ops.Matrix) error
	// Together returns an error for values that are each in range but contradict each other. It may be nil.
	Together func(given Values) error
}

// The parameters that maps of indefinite kernels share.
var (
	couplingDef = ParamDef{Name: "coupling", Doc: "how the frequencies of the two signs are drawn together",
		Words: couplingWords(), Default: spectral.SharedCoupled.String()}
	epsDef = ParamDef{Name: "eps",
		Doc: "largest error of the signed combination of Gaussians, relative to the largest |k|; " +
			"auto: the best for dimension, number of features and coupling",
		Words: []string{"auto"}, OrNumber: true, Min: 1e-5, Closed: true, Max: .5, Default: "auto"}
	flatDef = ParamDef{Name: "flat",
		Doc:    "what wide Gaussians are worth in mass; 0: the least mass; eps=auto chooses it, too",
		Closed: true, Max: 1000, Default: 0.}
)

func couplingWords() (words []string) {
	for _, c := range spectral.Couplings() {
		words = append(words, c.String())
	}
	return words
}

func (f TwoSigns) ready() bool { return f.Kernel != nil }

func (f TwoSigns) traits() Traits { return Traits{Draws: DrawsSigned, Tunable: true} }

func (f TwoSigns) params() []ParamDef { return slices.Concat(f.Params, []ParamDef{couplingDef}) }

func (f TwoSigns) together(given Values) error {
	if f.Together == nil {
		return nil
	}
	return f.Together(given)
}

func (f TwoSigns) fill(v Values, x ops.Matrix) error { return fillBy(f.Defaults, v, x) }

func (f TwoSigns) plan(s Spec) (plan, error) {
	k, err := kernelAs[spectral.SignedLaw](s, f.Kernel(s.Params))
	if err != nil {
		return plan{}, err
	}
	c, err := spectral.ParseCoupling(s.Params.Word(couplingDef.Name))
	if err != nil {
		return plan{}, err
	}
	return plan{kernel: k, build: func(opts []Option) (Layer, error) {
		return NewGORFLayer(k, s.Dims, s.Features, append(opts, WithCoupling(c))...)
	}}, nil
}

// epsOf returns the parameter eps, 0 for auto.
func epsOf(v Values) float64 { return v.Number(epsDef.Name) }

// deltaGaussian makes the kernel of sigmas and weights if they are given, and otherwise of sigma1 and sigma2.
func deltaGaussian(v Values) spectral.Kernel {
	if v.Word("sigmas") == "" {
		return spectral.DeltaGaussian{Sigmas: []float64{v.Number("sigma1"), v.Number("sigma2")},
			Weights: []float64{1, -1}}
	}
	sigmas, _ := parseList(v.Word("sigmas"))
	weights, _ := parseList(v.Word("weights"))
	return spectral.DeltaGaussian{Sigmas: sigmas, Weights: weights}
}

// deltaDefaults drops the default bandwidths of two Gaussians if lists are given.
func deltaDefaults(v Values, _ ops.Matrix) error {
	if v.Word("sigmas") != "" {
		delete(v, "sigma1")
		delete(v, "sigma2")
	}
	return nil
}

// oneKindOfSigma returns an error unless either sigma1 and sigma2, or sigmas and weights, are given.
func oneKindOfSigma(given Values) error {
	sigmas, weights := given.Word("sigmas"), given.Word("weights")
	_, first := given["sigma1"]
	_, second := given["sigma2"]
	switch {
	case (sigmas == "") != (weights == ""):
		return fmt.Errorf("layers: map delta-gaussian: sigmas and weights go together; give both, as "+
			"sigmas=1:10,weights=1:-1: %w", ErrParam)
	case sigmas != "" && (first || second):
		return fmt.Errorf("layers: map delta-gaussian: give sigma1 and sigma2, or sigmas and weights: %w", ErrParam)
	case strings.Count(sigmas, ":") != strings.Count(weights, ":"):
		return fmt.Errorf("layers: map delta-gaussian: sigmas = %s and weights = %s are not as many: %w", sigmas,
			weights, ErrParam)
	}
	return nil
}

// parseList reads finite numbers separated by colons, at least one.
func parseList(text string) ([]float64, error) {
	var list []float64
	for _, part := range strings.Split(text, ":") {
		x, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			return nil, fmt.Errorf("%q is no finite number", part)
		}
		list = append(list, x)
	}
	return list, nil
}
