package sgd

import (
	"context"
	"fmt"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
)

// fitInMemory is a fit on rows in memory.
func fitInMemory(ctx context.Context, m layers.Layer, head layers.Head, x ops.Matrix, y *mat.Dense, o FitOptions) (*fitter, error) {
	targets := targetsOf(head, y)
	if err := fitShapes(m, head, x, targets); err != nil {
		return nil, fmt.Errorf("train: Fit: %w", err)
	}
	if err := o.classWeights(head); err != nil {
		return nil, err
	}
	weigh := rowWeigher(head, o.ClassWeights)
	if weigh != nil {
		if err := checkTensorClasses("Fit", targets); err != nil {
			return nil, err
		}
	}
	n := x.Shape()[0]
	kept, held := data.Split(n, o.HeldOut, o.Seed)
	if len(kept) == 0 {
		return nil, fmt.Errorf("train: Fit: of %d rows, %v are held out and none is left to train on: %w", n, o.HeldOut, domain.ErrShape)
	}
	src := &fitMemory{x: x, y: y, targets: o.weighted(head, targets), rows: kept, aside: held, seed: o.Seed, batch: o.Batch, weigh: weigh}
	return newFitter(ctx, m, head, src, o)
}

// forFit returns the layer and the rows that a fit goes over repeatedly: the identity and the features of a frozen map
// if they can be kept, and otherwise the map and its rows.
func forFit(m layers.Layer, x ops.Matrix, budget int) (layers.Layer, ops.Matrix, error) {
	if !cacheable(m, x, budget) { // the solver changes the map of rows
		var err error
		if m, x, err = given.OnRows("Fit", m, x); err != nil {
			return nil, nil, err
		}
	}
	return cacheFeatures(m, x, budget)
}

// cacheable says whether the map has no tuned parameter and its features fit the budget.
func cacheable(m layers.Layer, x ops.Matrix, budget int) bool {
	cells, size := x.Shape()[0]*m.Features(), int(x.Dtype().Size())
	if s, sparse := x.(*ops.CSR); sparse && layers.KeepsZeros(m) {
		cells, size = s.Stored()*((m.Features()+m.Dims()-1)/m.Dims()), size+4 // with their columns
	}
	return !tunes(m) && cells*size <= budget
}

// tunes says whether a fit changes the map.
func tunes(m layers.Layer) bool {
	return slices.ContainsFunc(m.Params(), func(p layers.Param) bool { return p.Tuned })
}

// cacheFeatures replaces a frozen map and its input by the features if they fit. Sparse rows stay sparse if the map
// keeps zeros.
func cacheFeatures(m layers.Layer, x ops.Matrix, budget int) (layers.Layer, ops.Matrix, error) {
	if _, sparse := x.(*ops.CSR); sparse && layers.IsIdentity(m) {
		return m, x, nil
	}
	if !cacheable(m, x, budget) {
		return m, x, nil
	}
	z, err := layers.Apply(m, nil, x)
	if err != nil {
		return nil, nil, err
	}
	id, err := layers.NewIdentity(m.Features(), layers.WithDtype(x.Dtype()))
	return id, z, err
}
