// Package cv has what cross-validation and the heads that it scores share: folds and grids of lambdas.
package cv

import (
	"context"
	"slices"
	"sync"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/fits"
	"gonum.org/v1/gonum/mat"
)

// Job is what all candidates have in common.
type Job struct {
	Rows     data.Examples
	Sample   ops.Matrix
	Y        *mat.Dense // of all rows
	Metric   fits.Metric
	N, Folds int
	Order    [][]int                 // the rows of each fold, in memory
	Fold     func(file, row int) int // of rows that are read
	Total    int
	Progress func(done, total int)

	mu   sync.Mutex // of done
	done int
}

// Rest are the rows of all folds but one.
func (j *Job) Rest(fold int) []int { return Others(j.Order, fold) }

// Others are the rows of all parts but one.
func Others(parts [][]int, but int) []int {
	return slices.Concat(slices.Concat(parts[:but]...), slices.Concat(parts[but+1:]...))
}

// Relative are lambdas for all rows as those that mean the same penalty a row in fewer.
func (j *Job) Relative(lambdas []float64, rows int) []float64 {
	out := make([]float64, len(lambdas))
	for i, l := range lambdas {
		out[i] = l * float64(rows) / float64(j.N)
	}
	return out
}

// Step tells that a fold is done. It is safe for concurrent use.
func (j *Job) Step() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.done++
	if j.Progress != nil {
		j.Progress(j.done, j.Total)
	}
}

// Scorer returns the scores of each fold and, in it, of each lambda, +Inf for a fit that fails by the lambda.
type Scorer func(lambdas []float64) ([][]fits.LambdaScore, error)

// Head is what CrossValidate asks of a way to fit.
type Head interface {
	// Metric is what the scores on targets y are. Options and targets that cannot be scored are an error.
	Metric(y *mat.Dense) (fits.Metric, error)
	// CostOfFolds is for one map.
	CostOfFolds(p fits.Problem, folds int, lambdas []float64) fits.Cost
	// DefaultLambdas are the ones for n rows.
	DefaultLambdas(n int) Grid
	// Scorer prepares the fits of a map.
	Scorer(ctx context.Context, j *Job, spec layers.Spec) (Scorer, error)
}
