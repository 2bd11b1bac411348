package evidence

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// search is the state of a Maximise. A point is ln ρ followed by the tuned numbers, each less its start and in the unit
// of its scale.
type search struct {
	Options
	ctx    context.Context
	chain  *chain
	post   *posterior
	first  []float64  // the tuned numbers at the start, one parameter after the other
	scales []float64  // the scale of each tuned number
	log    []bool     // whether each tuned number is a logarithm
	sd     []float64  // the standard deviation of each target
	lnRho  [2]float64 // the bounds of ln ρ
	at     []float64  // the current point of post
	best   point
	before float64 // the loss at the start
	done   int     // evaluations
	most   int     // at which the search from a start ends
	ended  bool    // whether it converged
	failed error   // the error of the backward pass
}

// point is a point of the search with its results.
type point struct {
	x           []float64
	loss        float64
	rho, spread float64
	q           []float64
}

// farthest is the largest move of a logarithm.
const farthest = 14

func newSearch(ctx context.Context, m layers.Layer, rows *sample, o Options) (*search, error) {
	s := &search{Options: o, ctx: ctx, best: point{loss: math.Inf(1)}}
	y, k, err := s.targets(rows)
	if err != nil {
		return nil, err
	}
	if k == 0 {
		return nil, fmt.Errorf("train: Maximise: every target is the same in all of the %d rows that decide; there is nothing to fit: %w",
			rows.n, domain.ErrDomain)
	}
	least := min(rows.n, m.Features())
	if err := domain.CheckSize("train: Maximise: features and the system", 8, rows.n*3+3*least, m.Features()); err != nil {
		return nil, err
	}
	if s.chain, err = newChain(m, rows.blocks); err != nil {
		return nil, err
	}
	s.post = newPosterior(rows.n, m.Features(), k, y)
	for _, p := range s.chain.params {
		values := ops.Float64s(p.Value)
		s.first, s.scales = append(s.first, values...), append(s.scales, p.Scales()...)
		for range values {
			s.log = append(s.log, p.Logarithmic())
		}
	}
	return s, nil
}

// targets returns the targets that vary, centred and scaled to unit variance, [n, k]. It records the standard
// deviations of all targets.
func (s *search) targets(rows *sample) (y []float64, k int, err error) {
	u, err := given.SpreadOf(mat.NewDense(rows.n, rows.k, rows.y)).Unit("Maximise", false)
	if err != nil {
		return nil, 0, err
	}
	s.sd = u.Deviation
	for j, sd := range s.sd {
		if sd < 0x1p-52*math.Abs(u.Centre[j]) { // rounding
			s.sd[j] = 0
		} else if sd > 0 {
			k++
			if _, err := given.Square("Maximise", sd); err != nil {
				return nil, 0, err
			}
		}
	}
	for i, v := range rows.y {
		if sd := s.sd[i%rows.k]; sd > 0 {
			y = append(y, (v-u.Centre[i%rows.k])/sd)
		}
	}
	return y, k, nil
}

// move gives the map the parameters of x, with logarithms within their bounds.
func (s *search) move(x []float64) {
	at := 0
	for _, p := range s.chain.params {
		for i := range p.Value.Shape().TotalSize() {
			v := x[1+at]
			if s.log[at] {
				v = min(max(v, -farthest), farthest)
			}
			given.SetCell(p.Value, i, s.first[at]+v*s.scales[at])
			at++
		}
	}
}

// features computes the features at x. It returns false if they cannot be used.
func (s *search) features(x []float64) (ok bool, err error) {
	if err := stopped(s.ctx); err != nil {
		return false, err
	}
	s.at = nil
	s.done++
	s.move(x)
	if err := s.chain.forward(s.post.z); err != nil {
		return false, err
	}
	return s.post.features(), stopped(s.ctx)
}

// lossAt is the loss at x, whose features are computed, and +Inf if it cannot be computed.
func (s *search) lossAt(x []float64) float64 {
	if !s.post.solve(math.Exp(min(max(x[0], s.lnRho[0]), s.lnRho[1]))) {
		return math.Inf(1)
	}
	loss := s.post.marginal()
	if loss-loss != 0 {
		return math.Inf(1)
	}
	s.at = slices.Clone(x)
	if loss < s.best.loss {
		s.best = point{s.at, loss, s.post.rho, s.post.spread, slices.Clone(s.post.q)}
	}
	return loss
}

// value is the loss at x. If there is none, it is a large number that sends the line search back, which interpolates
// and needs a finite value.
func (s *search) value(x []float64) float64 {
	loss := math.Inf(1)
	if ok, err := s.features(x); ok && err == nil {
		loss = s.lossAt(x)
	}
	s.tell()
	if math.IsInf(loss, 1) {
		return s.before + 10
	}
	return loss
}

func (s *search) tell() {
	if s.Progress != nil {
		s.Progress(s.done, s.most, s.best.loss)
	}
}

// gradient writes the gradient of value to dst: 0 where a bound stops x, and all 0 if it is not finite.
func (s *search) gradient(dst, x []float64) {
	clear(dst)
	if !slices.Equal(s.at, x) {
		s.value(x)
	}
	if s.at == nil || s.ctx.Err() != nil {
		return
	}
	dst[0] = s.post.marginalGradient()
	if x[0] != min(max(x[0], s.lnRho[0]), s.lnRho[1]) {
		dst[0] = 0
	}
	// The column means of grad are 0, so it is the gradient with respect to features that are not centred as well.
	sums, rest := make([][]float64, len(s.chain.params)), dst[1:]
	for i, p := range s.chain.params {
		n := p.Value.Shape().TotalSize()
		sums[i], rest = rest[:n], rest[n:]
	}
	if s.failed = s.chain.backward(sums, s.post.grad); s.failed != nil {
		return
	}
	for i := range s.first { // dst has the gradients of the parameters now
		if dst[1+i] *= s.scales[i]; s.log[i] && math.Abs(x[1+i]) > farthest {
			dst[1+i] = 0
		}
	}
	if size := floats.Norm(dst, 1); size-size != 0 {
		clear(dst)
	}
}

// start finds ρ on a grid at x, and shifts the logarithms by ln 2 as long as that helps. It returns the loss at x.
func (s *search) start(x []float64) (before float64, err error) {
	try := func(x []float64) (float64, error) {
		ok, err := s.features(x)
		if err != nil || !ok {
			return math.Inf(1), err
		}
		least := math.Inf(1)
		for _, ratio := range []float64{1e-4, 1e-3, 1e-2, .1, 1, 10} {
			x[0] = math.Log(ratio * s.post.spread)
			least = min(least, s.lossAt(x))
		}
		s.tell()
		return least, nil
	}
	s.most = s.done + s.MaxEvaluations
	s.lnRho = [2]float64{math.Inf(-1), math.Inf(1)}
	if before, err = try(x); err != nil {
		return before, err
	}
	if math.IsInf(before, 1) {
		return before, fmt.Errorf("train: Maximise: the features of the %d rows that decide do not differ, or are too large to be "+
			"squared; check the scale of the data against the map's bandwidth: %w", s.post.n, domain.ErrDomain)
	}
	size := math.Log(s.best.spread * float64(s.post.n))
	s.lnRho = [2]float64{size + math.Log(1e-12), size + math.Log(1e3)}
	if !slices.Contains(s.log, true) {
		return before, nil
	}
	for _, step := range []float64{math.Ln2, -math.Ln2} {
		for last := before; s.done < s.most; last = s.best.loss {
			x := slices.Clone(s.best.x)
			for i := range s.first {
				if s.log[i] {
					x[1+i] += step
				}
			}
			loss, err := try(x)
			if stop := stopped(s.ctx); stop != nil {
				return before, stop
			}
			if err != nil || !(loss < last) {
				break
			}
		}
		if s.best.loss < before {
			break
		}
	}
	return before, nil
}

// again searches from the screened scales as well, if these have less loss than the first start had. The better of the
// two results stays.
func (s *search) again(rows *sample, first float64) error {
	x, found, ended := s.screened(rows), s.best, s.ended
	if x == nil {
		return nil
	}
	s.best = point{loss: math.Inf(1)}
	_, refused := s.start(x)
	var err error
	if refused == nil && s.best.loss < first {
		err = s.minimise()
	}
	if !(s.best.loss < found.loss) {
		s.best, s.ended = found, ended
	}
	return cmp.Or(err, s.stop())
}

// minimise runs L-BFGS from the best point, and again if a line search fails after some progress.
func (s *search) minimise() error {
	problem := optimize.Problem{Func: s.value, Grad: s.gradient, Status: func() (optimize.Status, error) {
		if err := s.stop(); err != nil {
			return optimize.Failure, err
		}
		return optimize.NotTerminated, nil
	}}
	for s.done < s.most {
		start := s.best
		r, err := optimize.Minimize(problem, start.x, &optimize.Settings{
			FuncEvaluations: s.most - s.done,
			Converger:       &optimize.FunctionConverge{Absolute: s.Tolerance, Iterations: 5},
		}, &optimize.LBFGS{Linesearcher: &optimize.MoreThuente{}})
		if err := s.stop(); err != nil {
			return err
		}
		failed := err != nil || r.Status == optimize.Failure
		if !failed || !(start.loss-s.best.loss > s.Tolerance) {
			s.ended = failed || r.Status != optimize.FunctionEvaluationLimit
			return nil
		}
	}
	return nil
}

// stop is the error that ends the search.
func (s *search) stop() error { return cmp.Or(s.failed, stopped(s.ctx)) }

// result describes the best point, and leaves the map there. Without one it is nil, and the map is as it was.
func (s *search) result(of *sample) *Result {
	b := s.best
	if b.x == nil {
		s.move(make([]float64, 1+len(s.first)))
		return nil
	}
	s.move(b.x)
	r := &Result{Before: s.before, After: b.loss, Lambda: b.rho / b.spread, Rows: s.post.n, Evaluations: s.done, Converged: s.ended}
	t := 0
	for _, sd := range s.sd {
		amplitude := 0.
		if sd > 0 {
			amplitude = sd * sd * b.q[t] / float64(s.post.n-1)
			t++
		}
		r.Amplitude, r.Noise = append(r.Amplitude, amplitude), append(r.Noise, b.rho*amplitude)
	}
	r.Relevance = relevance(s.chain.m, of.blocks)
	return r
}
