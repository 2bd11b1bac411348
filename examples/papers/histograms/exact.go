package main

import (
	"context"
	"time"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train"
	"gonum.org/v1/gonum/mat"
)

// newKernel says whether no form before this one has its kernel: forms differ in the order of the map, and in γ.
func (m method) newKernel(form string) bool {
	for _, f := range m.forms() {
		if degreeOf(f) == degreeOf(form) {
			return f == form
		}
	}
	return true
}

// exactKernel fits kernel ridge and returns the spec with the parameter that it chose.
func (e *experiment) exactKernel(ctx context.Context, m method, form string, spec layers.Spec) (layers.Spec, error) {
	spec, c, err := e.tune(ctx, spec, m.Tune, e.gram)
	if err != nil {
		return spec, err
	}
	k, err := spec.Kernel()
	if err != nil {
		return spec, err
	}
	start := time.Now()
	own, err := spectral.Gram(k, e.x, nil)
	if err != nil {
		return spec, err
	}
	cross, err := spectral.Gram(k, e.xTest, e.x)
	if err != nil {
		return spec, err
	}
	r := draw{features: time.Since(start)}
	start = time.Now()
	fit, err := train.FitKernelRidge(own, e.y, c.lambda)
	if err != nil {
		return spec, err
	}
	r.fit = time.Since(start)
	scores, err := fit.Predict(cross)
	if err != nil {
		return spec, err
	}
	if r.accuracy, err = train.Accuracy(train.ArgMax(scores), e.truth); err != nil {
		return spec, err
	}
	e.found(result{method: m, form: form, exact: true, params: chosen(m, spec), lambda: c.lambda, draws: []draw{r}})
	return spec, nil
}

// gram is the exact kernel matrix of the training rows.
func (e *experiment) gram(spec layers.Spec) (*mat.Dense, error) {
	k, err := spec.Kernel()
	if err != nil {
		return nil, err
	}
	return spectral.Gram(k, e.x, nil)
}
