package layers

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	spectral "github.com/bochner-go/bochner/init"
)

// The parameters that maps of indefinite kernels share.
var (
	couplingDef = ParamDef{Name: "coupling", Doc: "how the frequencies of the two signs are drawn together", Words: couplingWords(), Default: spectral.SharedCoupled.String()}
	epsDef      = ParamDef{Name: "eps",
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

// epsOf is the parameter eps, 0 for auto.
func epsOf(v Values) float64 { return v.Number("eps") }

func spherePolynomial(v Values) spectral.Kernel {
	return spectral.SpherePolynomial{A: v.Number("a"), P: int(v.Number("p")), Eps: epsOf(v), Flat: v.Number("flat")}
}

func arcCosine(v Values) spectral.Kernel {
	return spectral.ArcCosine{Order: int(v.Number("order")), Eps: epsOf(v), Flat: v.Number("flat")}
}

func neuralTangent(v Values) spectral.Kernel {
	return spectral.NeuralTangent{Eps: epsOf(v), Flat: v.Number("flat")}
}

// deltaGaussian is the kernel of sigmas and weights where they are given, and else of sigma1 and sigma2.
func deltaGaussian(v Values) spectral.Kernel {
	if v.Word("sigmas") == "" {
		return spectral.DeltaGaussian{Sigmas: []float64{v.Number("sigma1"), v.Number("sigma2")}, Weights: []float64{1, -1}}
	}
	sigmas, _ := parseList(v.Word("sigmas"))
	weights, _ := parseList(v.Word("weights"))
	return spectral.DeltaGaussian{Sigmas: sigmas, Weights: weights}
}

// oneKindOfSigma wants sigma1 and sigma2, or sigmas and weights.
func oneKindOfSigma(given Values) error {
	sigmas, weights := given.Word("sigmas"), given.Word("weights")
	_, first := given["sigma1"]
	_, second := given["sigma2"]
	switch {
	case (sigmas == "") != (weights == ""):
		return fmt.Errorf("layers: map delta-gaussian: sigmas and weights go together; give both, as sigmas=1:10,weights=1:-1: %w", ErrParam)
	case sigmas != "" && (first || second):
		return fmt.Errorf("layers: map delta-gaussian: give sigma1 and sigma2, or sigmas and weights: %w", ErrParam)
	case strings.Count(sigmas, ":") != strings.Count(weights, ":"):
		return fmt.Errorf("layers: map delta-gaussian: sigmas = %s and weights = %s are not as many: %w", sigmas, weights, ErrParam)
	}
	return nil
}

// parseList reads finite numbers separated by colons, of which there is at least one.
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

// gorfLayer builds the map with the coupling of the spec.
func gorfLayer(k spectral.SignedLaw, s Spec, opts []Option) (Layer, error) {
	c, err := spectral.ParseCoupling(s.Params.Word("coupling"))
	if err != nil {
		return nil, err
	}
	return NewGORFLayer(k, s.Dims, s.Features, append(opts, WithCoupling(c))...)
}
