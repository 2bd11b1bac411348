package train

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// CVOptions are the options of CrossValidate.
type CVOptions struct {
	Head     CVHead                // what is fitted; nil: CVRidge{}
	Folds    int                   // 0: 5
	Lambdas  []float64             // of the candidates that have none of their own, as the head takes them for all rows; nil: those of the head
	Seed     uint64                // of the folds
	Progress func(done, total int) // is called after each fold of each map. nil: not called
}

// Metric is what the scores of a head are.
type Metric int

const (
	// MeanSquaredError is over rows and targets.
	MeanSquaredError Metric = iota
	// ErrorRate is the share of the rows whose class is not that of the largest score.
	ErrorRate
)

func (m Metric) String() string {
	switch m {
	case MeanSquaredError:
		return "mean squared error"
	case ErrorRate:
		return "error rate"
	default:
		return fmt.Sprintf("Metric(%d)", int(m))
	}
}

// CVScore is the error of a head for a map and a lambda, by the report's metric: over the rows of a fold, of a fit on the other folds, and then
// over folds.
type CVScore struct {
	Spec   layers.Spec
	Lambda float64
	Error  float64 // +Inf where there is a fold that cannot be fitted
	StdErr float64 // of Error, over the folds
}

// CVReport are the scores, by candidate and then by lambda, and the number of the best: that of the least error, among equals of the largest
// lambda, and then the first.
type CVReport struct {
	Metric Metric
	Scores []CVScore
	Best   int
}

// CrossValidate scores maps and lambdas of a head on x [n, d] and y [n, k] by k-fold cross-validation; of classes y is OneVersusRest. What a
// candidate's spec leaves open is filled in from x (Spec.FillDefaults). Each map is drawn once, for all candidates that have it, and its
// features, where they can be kept, are computed once for all folds and lambdas; CVRidge, CVSVM and CVFit say what else is shared. A map that is
// fitted sees all rows of x, but no target. The folds are drawn from all rows, whatever their classes, and are the same for all candidates; maps
// with one seed have the same draws, so that scores differ by the parameters alone. The scores depend on the arguments alone, not on GOMAXPROCS.
//
// Errors: domain.ErrShape for fewer rows than folds and shapes that do not fit; domain.ErrParam for options out of range, no candidate, and where
// nothing can be fitted; those of the specs and of the fits; ctx.Err().
func CrossValidate(ctx context.Context, candidates []Candidate, x ops.Matrix, y *mat.Dense, o CVOptions) (*CVReport, error) {
	if o.Folds == 0 {
		o.Folds = 5
	}
	if o.Head == nil {
		o.Head = CVRidge{}
	}
	n := x.Shape()[0]
	switch {
	case len(candidates) == 0 || o.Folds < 2:
		return nil, fmt.Errorf("train: CrossValidate: %d candidates, %d folds; want at least 1 and 2: %w", len(candidates), o.Folds, domain.ErrParam)
	case n < 2*o.Folds || y == nil || y.RawMatrix().Rows != n:
		return nil, fmt.Errorf("train: CrossValidate: x is %v and y %v in %d folds; give a row of targets for each row and two rows for each fold: %w", x.Shape(), dimsOf(y), o.Folds, domain.ErrShape)
	}
	if err := o.Head.check(y); err != nil {
		return nil, fmt.Errorf("train: CrossValidate: %w", err)
	}
	groups, err := groupsOf(candidates, o, n)
	if err != nil {
		return nil, err
	}
	job := cvJob{x: x, y: y, folds: foldsOf(n, o.Folds, o.Seed), total: o.Folds * len(groups), progress: o.Progress}
	r, scores := &CVReport{Metric: o.Head.metric(y)}, make([][]CVScore, len(candidates))
	for _, g := range groups {
		all, err := job.scores(ctx, o.Head, g.Candidate)
		if err != nil {
			return nil, fmt.Errorf("train: CrossValidate: map %s %v: %w", g.Spec.Map, g.Spec.Params.Short(), err)
		}
		for i, of := range g.of {
			scores[of] = append(scores[of], all[i])
		}
	}
	r.Scores = slices.Concat(scores...)
	for i, s := range r.Scores {
		if best := r.Scores[r.Best]; s.Error < best.Error || s.Error == best.Error && s.Lambda > best.Lambda {
			r.Best = i
		}
	}
	if math.IsInf(r.Scores[r.Best].Error, 1) {
		return nil, fmt.Errorf("train: CrossValidate: none of the %d candidates can be fitted in every fold; raise the lambdas: %w", len(r.Scores), domain.ErrParam)
	}
	return r, nil
}

// cvGroup is a map, and the lambdas of all candidates that have it.
type cvGroup struct {
	Candidate
	of []int // the candidate of each lambda
}

// groupsOf are the maps among the candidates, in their order.
func groupsOf(candidates []Candidate, o CVOptions, n int) ([]*cvGroup, error) {
	var groups []*cvGroup
	known := map[string]*cvGroup{}
	for i, c := range candidates {
		lambdas := c.Lambdas
		if lambdas == nil {
			lambdas = o.Lambdas
		}
		if lambdas == nil {
			lambdas = o.Head.lambdas(n)
		}
		if len(lambdas) == 0 {
			return nil, fmt.Errorf("train: CrossValidate: candidate %d has no lambdas; give one, or nil for the default: %w", i, domain.ErrParam)
		}
		key := fmt.Sprintf("%+v", c.Spec)
		g := known[key]
		if g == nil {
			g = &cvGroup{Candidate: Candidate{Spec: c.Spec}}
			known[key], groups = g, append(groups, g)
		}
		g.Lambdas = append(g.Lambdas, lambdas...)
		g.of = append(g.of, slices.Repeat([]int{i}, len(lambdas))...)
	}
	return groups, nil
}

// cvJob is what all candidates have in common.
type cvJob struct {
	x           ops.Matrix
	y           *mat.Dense
	folds       [][]int // the rows of each
	done, total int
	progress    func(done, total int)
}

// foldsOf deals n rows out to folds.
func foldsOf(n, folds int, seed uint64) [][]int {
	order, out := data.Shuffle(n, seed), make([][]int, folds)
	for f := range out {
		out[f] = order[f*n/folds : (f+1)*n/folds]
	}
	return out
}

// rest are the rows of all folds but one.
func (j *cvJob) rest(fold int) (rows []int) {
	for f, part := range j.folds {
		if f != fold {
			rows = append(rows, part...)
		}
	}
	return rows
}

// relative is a lambda for all rows that means the same penalty a row in fewer.
func (j *cvJob) relative(lambda float64, rows int) float64 {
	return lambda * float64(rows) / float64(j.x.Shape()[0])
}

// step tells that a fold is done.
func (j *cvJob) step() {
	j.done++
	if j.progress != nil {
		j.progress(j.done, j.total)
	}
}

// scores are those of one candidate.
func (j *cvJob) scores(ctx context.Context, head CVHead, c Candidate) ([]CVScore, error) {
	for _, l := range c.Lambdas {
		if err := checkLambda(l); err != nil {
			return nil, err
		}
	}
	c.Spec.Dims = j.x.Shape()[1]
	if err := c.Spec.FillDefaults(j.x); err != nil {
		return nil, err
	}
	errs, err := head.errors(ctx, j, c)
	if err != nil {
		return nil, err
	}
	out := make([]CVScore, len(c.Lambdas))
	for i, l := range c.Lambdas {
		of := make([]float64, len(errs))
		for f := range errs {
			of[f] = errs[f][i]
		}
		mean, sd := stat.MeanStdDev(of, nil)
		out[i] = CVScore{Spec: c.Spec, Lambda: l, Error: mean, StdErr: sd / math.Sqrt(float64(len(of)))}
		if math.IsInf(mean, 1) || math.IsNaN(mean) {
			out[i].Error, out[i].StdErr = math.Inf(1), math.NaN()
		}
	}
	return out, nil
}

// targets are some rows of y.
func (j *cvJob) targets(rows []int) *mat.Dense {
	part := mat.NewDense(len(rows), j.y.RawMatrix().Cols, nil)
	for i, r := range rows {
		part.SetRow(i, j.y.RawRowView(r))
	}
	return part
}

// oneClass says whether each row of y is 1 in one column and -1 in the others, as OneVersusRest makes them.
func oneClass(y *mat.Dense) bool {
	n, k := y.Dims()
	for i := range n {
		if classOf(k, func(j int) float64 { return y.At(i, j) }) < 0 {
			return false
		}
	}
	return k > 1
}
