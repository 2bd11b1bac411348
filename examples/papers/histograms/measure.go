package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/bochner-go/bochner/examples/internal/cli"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/report"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// A result is a row of the table.
type result struct {
	method   method
	form     string // as in -params
	sampler  string // where the map draws
	exact    bool   // the exact kernel
	features int
	params   layers.Values // what cross-validation chose
	lambda   float64
	draws    []draw // one a draw; one where nothing is drawn
}

// A draw is what one draw of a map gave.
type draw struct {
	accuracy      float64
	kernelError   float64       // ‖K - ZZᵀ‖_F / ‖K‖_F on the training rows
	features, fit time.Duration // features of training and test rows, or their kernel matrix; the ridge fit
}

// rowsAtOnce is how many test rows are mapped at once.
const rowsAtOnce = 512

// experiment is a run of the program.
type experiment struct {
	*options
	*problem
	progress *cli.Progress
	results  []result
}

// found keeps a result and prints its row.
func (e *experiment) found(r result) {
	e.results = append(e.results, r)
	e.progress.Close() // the bar, which is drawn again at the next step
	fmt.Print(r.row())
}

// all measures every method.
func (e *experiment) all(ctx context.Context) error {
	for i, m := range e.methods {
		for _, form := range m.forms() {
			e.progress.Step(i, len(e.methods), m.Map+" "+form)
			if err := e.form(ctx, m, form); err != nil {
				return fmt.Errorf("%s: %w", strings.TrimSpace(m.Map+" "+form), err)
			}
		}
	}
	e.progress.Step(len(e.methods), len(e.methods), "")
	return nil
}

// form measures one form of a method: the exact kernel, unless another form has had the same, and the map.
func (e *experiment) form(ctx context.Context, m method, form string) error {
	spec, err := m.spec(form, e.dtype)
	if err != nil {
		return err
	}
	if err := cli.Fit(&spec, e.x); err != nil {
		return err
	}
	if m.Exact && e.exact && m.newKernel(form) {
		if spec, err = e.exactKernel(ctx, m, form, spec); err != nil {
			return err
		}
	}
	sizes, samplers, tune := []int{0}, []string{""}, m.Tune
	if m.sized() {
		sizes = e.sizes
	}
	if m.sampled() {
		samplers = e.samplers
	}
	for _, spec.Sampler = range samplers {
		tuned, err := e.maps(ctx, m, form, spec, sizes, tune)
		if errors.Is(err, spectral.ErrSampler) {
			fmt.Fprintf(os.Stderr, "left out: %s, %v\n", m.Map, err)
			continue
		}
		if err != nil {
			return err
		}
		spec.Params, tune = tuned.Params, "" // all samplers draw for one kernel
	}
	return nil
}

// maps measures a map at each number of features and returns its spec. The parameter to tune is chosen at the largest, and λ at each, on a
// draw that is not among those measured.
func (e *experiment) maps(ctx context.Context, m method, form string, spec layers.Spec, sizes []int, tune string) (layers.Spec, error) {
	approx := func(spec layers.Spec) (*mat.Dense, error) {
		spec.Seed = e.seed + uint64(e.seeds)
		l, err := cli.Build(spec, e.x)
		if err != nil {
			return nil, err
		}
		return report.ApproxGram(l, e.x)
	}
	spec.Features = sizes[len(sizes)-1]
	spec, c, err := e.tune(ctx, spec, tune, approx)
	if err != nil {
		return spec, err
	}
	exact, err := e.gram(spec)
	if err != nil {
		return spec, err
	}
	for i, size := range sizes {
		spec.Features = size
		lambda := c.lambda
		if i < len(sizes)-1 {
			_, own, err := e.tune(ctx, spec, "", approx)
			if err != nil {
				return spec, err
			}
			lambda = own.lambda
		}
		r := result{method: m, form: form, sampler: spec.Sampler, params: chosen(m, spec), lambda: lambda}
		if err := e.draws(ctx, &r, spec, exact); err != nil {
			return spec, err
		}
		e.found(r)
	}
	return spec, nil
}

// draws measures the draws of a map of one size, or the map where it draws nothing.
func (e *experiment) draws(ctx context.Context, r *result, spec layers.Spec, exact *mat.Dense) error {
	n := 1
	if r.method.sized() {
		n = e.seeds
	}
	for i := range n {
		spec.Seed = e.seed + uint64(i)
		l, err := cli.Build(spec, e.x)
		if err != nil {
			return err
		}
		one, err := e.measure(ctx, l, r.lambda, exact)
		if err != nil {
			return err
		}
		r.draws, r.features = append(r.draws, one), l.Features()
	}
	return nil
}

// measure fits ridge on the features of one draw.
func (e *experiment) measure(ctx context.Context, l layers.Layer, lambda float64, exact *mat.Dense) (draw, error) {
	var r draw
	start := time.Now()
	z, err := layers.Transform(l, nil, e.x)
	if err != nil {
		return r, err
	}
	r.features = time.Since(start)
	start = time.Now()
	fit, err := train.FitRidge(ctx, nil, z, e.y, train.RidgeOptions{Lambdas: []float64{lambda}})
	if err != nil {
		return r, err
	}
	r.fit = time.Since(start)
	if r.kernelError, err = kernelError(exact, z); err != nil {
		return r, err
	}
	head, err := layers.NewLinearHead(l.Features(), e.classes, layers.WithDtype(l.Dtype()))
	if err != nil {
		return r, err
	}
	if err := head.SetWeights(fit.W.RawMatrix().Data, fit.B); err != nil {
		return r, err
	}
	var predicted []int
	for _, block := range data.BlocksOf(ops.Matrix(e.xTest), rowsAtOnce) {
		start := time.Now()
		z, err := layers.Transform(l, nil, block)
		if err != nil {
			return r, err
		}
		r.features += time.Since(start)
		scores, err := head.Transform(nil, z)
		if err != nil {
			return r, err
		}
		predicted = append(predicted, argMax(scores)...)
	}
	r.accuracy, err = train.Accuracy(predicted, e.truth)
	return r, err
}

// kernelError compares the kernel of features with the exact one.
func kernelError(exact *mat.Dense, z *tensor.Dense) (float64, error) {
	same, err := layers.NewIdentity(z.Shape()[1], layers.WithDtype(z.Dtype()))
	if err != nil {
		return 0, err
	}
	approx, err := report.ApproxGram(same, z)
	if err != nil {
		return 0, err
	}
	e, err := report.Compare(exact, approx)
	return e.RelativeFrobenius, err
}

// argMax is the class of each row of scores, float32 or float64.
func argMax(scores *tensor.Dense) []int {
	n, k := scores.Shape()[0], scores.Shape()[1]
	m := mat.NewDense(n, k, nil)
	for i := range n {
		for j := range k {
			if scores.Dtype() == tensor.Float32 {
				m.Set(i, j, float64(scores.Float32s()[i*k+j]))
			} else {
				m.Set(i, j, scores.Float64s()[i*k+j])
			}
		}
	}
	return train.ArgMax(m)
}

// chosen is the parameter that was cross-validated.
func chosen(m method, spec layers.Spec) layers.Values {
	if m.Tune == "" {
		return nil
	}
	return layers.Values{m.Tune: spec.Params[m.Tune]}
}
