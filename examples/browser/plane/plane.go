// Package plane learns points of the unit square while somebody sets them: classes, or a curve with a band about
// it. It is what the page of examples/browser runs in WebAssembly.
package plane

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/examples/internal/try"
	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/evidence"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
	"gorgonia.org/tensor"
)

// Classes is how many there are.
const Classes = 3

// Problem is what is to be learned, and by which features.
type Problem struct {
	X []float64 // of each point, from 0 to 1, to the right
	Y []float64 // up
	// Class of each point, from 0. nil: the points are a curve, Y by X.
	Class    []int
	Features int     // of the map: pairs of a cosine and a sine
	Sigma    float64 // the bandwidth of the Gaussian kernel that the frequencies are drawn for
	Seed     uint64
}

// Learner has a map that is tuned step by step. One that is never tuned is frozen.
type Learner struct {
	m    *layers.RandomLayer
	rows data.Pairs
	// Evaluations is how many times Tune has computed the features of the points.
	Evaluations int
}

// New draws the features. Errors: domain.ErrShape for slices of different lengths and fewer than three points,
// domain.ErrDomain for points of one class alone, and those of layers.NewFourierLayer.
func New(p Problem) (*Learner, error) {
	dims := 1 // the columns that the features are of
	if p.Class != nil {
		dims = 2
	}
	m, err := layers.NewFourierLayer(spectral.Gaussian{Sigma: p.Sigma}, dims, p.Features, layers.WithSeed(p.Seed), layers.WithSampler(spectral.Orthogonal{}), layers.Tune(layers.All))
	if err != nil {
		return nil, err
	}
	l := &Learner{m: m}
	return l, l.Set(p.X, p.Y, p.Class)
}

// Set gives the learner other points of the same kind; its frequencies stay where they are. Errors: see New.
func (l *Learner) Set(x, y []float64, class []int) error {
	n := len(x)
	switch {
	case len(y) != n || class != nil && len(class) != n:
		return fmt.Errorf("plane: %d, %d and %d numbers; want one of each for every point: %w", n, len(y), len(class), domain.ErrShape)
	case (class != nil) != (l.m.Dims() == 2):
		return fmt.Errorf("plane: the points of a curve have no Class, and others have one; make a New learner for the other kind: %w", domain.ErrShape)
	case n < 3:
		return fmt.Errorf("plane: %d points are too few; set three or more: %w", n, domain.ErrShape)
	}
	if class == nil {
		l.rows = data.Pairs{X: matrix(1, x), Y: mat.NewDense(n, 1, y)}
		return nil
	}
	targets, err := data.OneVersusRest(class, Classes)
	if err != nil {
		return err
	}
	if slices.Min(class) == slices.Max(class) {
		return fmt.Errorf("plane: all points are of one class; set some of another: %w", domain.ErrDomain)
	}
	l.rows = data.Pairs{X: matrix(2, x, y), Y: targets}
	return nil
}

// matrix has the columns [n, d].
func matrix(d int, columns ...[]float64) *tensor.Dense {
	v := make([]float64, 0, d*len(columns[0]))
	for i := range columns[0] {
		for _, c := range columns {
			v = append(v, c[i])
		}
	}
	return tensor.New(tensor.WithShape(len(columns[0]), d), tensor.WithBacking(v))
}

// Tune moves the frequencies to where the marginal likelihood of the points is higher, in at most so many evaluations,
// and says by how much, in nats a number of the targets. Called again it goes on. Errors: those of evidence.Maximise.
func (l *Learner) Tune(ctx context.Context, evaluations int) (gain float64, err error) {
	r, err := evidence.Maximise(ctx, l.m, l.rows, evidence.Options{MaxEvaluations: evaluations})
	if r != nil {
		l.Evaluations += r.Evaluations
		gain = r.Before - r.After
	}
	return gain, err
}

// Surface is a head on the features of a side·side grid of the square: the probability of each class, row by row
// from the top, the centres of the cells.
type Surface struct {
	Probabilities []float64 // [side·side, Classes]
	Accuracy      float64   // on the points
}

// penalty of a head, relative as that of linear.FitLogistic, for each point.
const penalty = 1e-4

// Surface fits a softmax head. Errors: those of linear.FitLogistic, and domain.ErrParam for the points of a curve.
func (l *Learner) Surface(ctx context.Context, side int) (s *Surface, err error) {
	err = try.Catch(func() { s = l.surface(ctx, side) })
	return s, err
}

func (l *Learner) surface(ctx context.Context, side int) *Surface {
	if l.m.Dims() != 2 {
		try.Fail("plane: a curve has no classes: %w", domain.ErrParam)
	}
	n := l.rows.X.Shape()[0]
	// A thousandth of the objective cannot be seen.
	o := linear.LogisticOptions{Lambdas: []float64{penalty * float64(n)}, Tol: 1e-3}
	f := try.Get(linear.FitLogistic(ctx, l.m, l.rows, o))
	x, y := make([]float64, 0, side*side), make([]float64, 0, side*side)
	for i := range side * side {
		x = append(x, (float64(i%side)+.5)/float64(side))
		y = append(y, 1-(float64(i/side)+.5)/float64(side))
	}
	head := try.Get(f.Head("softmax"))
	s, own := &Surface{Probabilities: l.outputs(matrix(2, x, y), head)}, l.outputs(l.rows.X.(*tensor.Dense), head)
	for i := range n {
		if l.rows.Y.At(i, floats.MaxIdx(own[i*Classes:(i+1)*Classes])) > 0 {
			s.Accuracy += 1 / float64(n)
		}
	}
	return s
}

// outputs are what a head makes of the features of x, row by row.
func (l *Learner) outputs(x *tensor.Dense, head layers.Head) []float64 {
	return try.Get(head.Transform(nil, try.Get(l.m.Transform(nil, x)))).Float64s()
}

// Band is a curve at the centres of so many columns of the square, and how far a point may be from it.
type Band struct {
	Mean, Lower, Upper []float64
	RMSE               float64 // on the points
}

// Band fits Bayesian ridge regression whose penalty has the greatest evidence. A new point is in the band with the
// probability level. Errors: those of linear.RidgeStats.Posterior, and domain.ErrParam for points of classes and a
// level out of (0, 1).
func (l *Learner) Band(ctx context.Context, columns int, level float64) (b *Band, err error) {
	err = try.Catch(func() { b = l.band(ctx, columns, level) })
	return b, err
}

func (l *Learner) band(ctx context.Context, columns int, level float64) *Band {
	switch {
	case l.m.Dims() != 1:
		try.Fail("plane: points of classes have no curve: %w", domain.ErrParam)
	case !(level > 0 && level < 1):
		try.Fail("plane: the level %v is not between 0 and 1: %w", level, domain.ErrParam)
	}
	var s linear.RidgeStats
	try.Do(s.AddRows(ctx, l.m, l.rows))
	post := try.Get(s.Posterior(try.Get(s.Evidence(ctx, nil)).Lambda))
	x := make([]float64, columns)
	for i := range x {
		x[i] = (float64(i) + .5) / float64(columns)
	}
	variance := try.Get(post.Variance(nil, try.Get(l.m.Transform(nil, matrix(1, x)))))
	mean, rmse := l.outputs(matrix(1, x), try.Get(post.Fit.Head("linear"))), math.Sqrt(try.Get(s.MSE(post.Fit)))
	b := &Band{Mean: mean, Lower: make([]float64, columns), Upper: make([]float64, columns), RMSE: rmse}
	wide := distuv.UnitNormal.Quantile((1 + level) / 2)
	for i, v := range variance {
		r := wide * math.Sqrt(post.Noise[0]*(1+v))
		b.Lower[i], b.Upper[i] = b.Mean[i]-r, b.Mean[i]+r
	}
	return b
}
