package layers

import (
	"fmt"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
)

// signedForm is the form of an indefinite kernel whose spectral distribution has two signs. Its map is a GORFLayer.
type signedForm struct {
	Kernel   spectral.SignedLaw `param:",inline"`
	Coupling spectral.Coupling  `param:"coupling" words:"shared-coupled,joint,iid" default:"shared-coupled"`
}

func (signedForm) traits() Traits {
	return Traits{Sampled: true, Signed: true, Tunable: true, gains: true}
}

func (f signedForm) plan(s Spec) (plan, error) {
	return plan{kernel: f.Kernel, build: func(opts ...Option) (Layer, error) {
		return NewGORFLayer(f.Kernel, s.Dims, s.Features, append(opts, WithCoupling(f.Coupling))...)
	}}, nil
}

// deltaForm is the form of spectral.DeltaGaussian: of sigmas and weights if they are given, and otherwise of sigma1 and
// sigma2.
type deltaForm struct {
	Sigma1  float64    `param:"sigma1" default:"1" doc:"bandwidth σ₁"`
	Sigma2  float64    `param:"sigma2" default:"10" doc:"bandwidth σ₂"`
	Sigmas  []float64  `param:"sigmas" default:"" doc:"bandwidths of any number of Gaussians, in place of the two"`
	Weights []float64  `param:"weights" default:"" doc:"their weights, of either sign"`
	Signed  signedForm `param:",inline"`
}

func (deltaForm) traits() Traits { return signedForm{}.traits() }

func (f deltaForm) hides(name string) bool {
	return len(f.Sigmas) > 0 && (name == "sigma1" || name == "sigma2")
}

func (f deltaForm) plan(s Spec) (plan, error) {
	k := spectral.DeltaGaussian{Sigmas: f.Sigmas, Weights: f.Weights}
	if len(f.Sigmas) == 0 {
		k = spectral.DeltaGaussian{Sigmas: []float64{f.Sigma1, f.Sigma2}, Weights: []float64{1, -1}}
	}
	f.Signed.Kernel = k
	return f.Signed.plan(s)
}

// described returns the form of the table for a kernel.
func (f signedForm) described() form {
	k, delta := f.Kernel.(spectral.DeltaGaussian)
	switch {
	case !delta:
		return f
	case len(k.Sigmas) == 2 && slices.Equal(k.Weights, []float64{1, -1}):
		return deltaForm{Sigma1: k.Sigmas[0], Sigma2: k.Sigmas[1], Signed: f}
	}
	return deltaForm{Sigmas: k.Sigmas, Weights: k.Weights, Signed: f}
}

// check returns an error unless either sigma1 and sigma2, or sigmas and weights, are given.
func (f deltaForm) check(mapName string, given Values) error {
	sigmas, weights := given.Word("sigmas"), given.Word("weights")
	_, first := given["sigma1"]
	_, second := given["sigma2"]
	switch {
	case (sigmas == "") != (weights == ""):
		return fmt.Errorf("layers: map delta-gaussian: sigmas and weights go together; give both, as "+
			"sigmas=1:10,weights=1:-1: %w", ErrParam)
	case sigmas != "" && (first || second):
		return fmt.Errorf("layers: map delta-gaussian: give sigma1 and sigma2, or sigmas and weights: %w", ErrParam)
	case len(f.Sigmas) != len(f.Weights):
		return fmt.Errorf("layers: map delta-gaussian: sigmas = %s and weights = %s are not as many: %w", sigmas,
			weights, ErrParam)
	}
	return nil
}
