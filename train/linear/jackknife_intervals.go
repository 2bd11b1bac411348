package linear

import (
	"context"
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// Rows returns the number of training rows n.
func (j *Jackknife) Rows() int { return j.n }

// Residuals returns the leave-one-out residuals eᵢ = yᵢ - f₋ᵢ(xᵢ), [n, k], in the order of the rows. From them
// calibrate.IntervalsOfResiduals makes the intervals of the plain jackknife: they have one width, are centred on f(x),
// and need no features of training rows.
func (j *Jackknife) Residuals() *mat.Dense {
	e := mat.NewDense(j.n, j.targets, nil)
	copy(e.RawMatrix().Data, j.e)
	return e
}

// jackknifeNumbers limits how many h(x, xᵢ) are held at a time.
const jackknifeNumbers = 1 << 21

// Intervals returns the predictions f(x) of new rows x and the bounds of the jackknife+, each [m, k], in the unit of
// the targets. x goes through the map, as the training rows did. A row costs 2nD operations for the leave-one-out
// predictions and about 2n for the order statistics. f(x) may lie outside its bounds.
//
// Errors: domain.ErrParam for a level outside (0, 1); domain.ErrShape for a level that needs more training rows, with
// the number that it needs, and for another number of columns; domain.ErrDtype; domain.ErrDomain for a feature that is
// not finite and bounds that overflow; ctx.Err().
func (j *Jackknife) Intervals(ctx context.Context, x ops.Matrix, level float64) (mean, lower, upper *mat.Dense, err error) {
	const who = "Jackknife"
	if !(level > 0 && level < 1) {
		return nil, nil, nil, fmt.Errorf("train: %s: level = %v is not between 0 and 1; 0.9 covers nine rows of ten: %w", who, level, domain.ErrParam)
	}
	q := int(math.Ceil(float64(j.n+1) * level * (1 - 1e-12))) // a level counts to 12 digits: 0.55·20 is 11
	if q > j.n {
		return nil, nil, nil, fmt.Errorf("train: %s: the level %v needs %.0f rows at least, and there are %d; lower the level: %w", who, level, math.Ceil(level/(1-level)*(1-1e-12)), j.n, domain.ErrShape)
	}
	if err := given.Missing(who, given.Arg("x", x)); err != nil {
		return nil, nil, nil, err
	}
	if s := x.Shape(); len(s) != 2 || s[0] == 0 {
		return nil, nil, nil, fmt.Errorf("train: %s: x is %v, not a matrix of at least one row: %w", who, s, domain.ErrShape)
	}
	m, k := x.Shape()[0], j.targets
	if err := domain.CheckSize("train: "+who, 8*3, m, k); err != nil {
		return nil, nil, nil, err
	}
	mean = mat.NewDense(m, k, nil)
	src, err := newSource(ctx, who, j.m, data.Pairs{X: x, Y: mean})
	if err != nil {
		return nil, nil, nil, err
	}
	if src.features != j.features {
		return nil, nil, nil, fmt.Errorf("train: %s: x has %d features, the training rows have %d: %w", who, src.features, j.features, domain.ErrShape)
	}
	src.block = min(max(jackknifeNumbers/j.n, 16), 512)
	lower, upper = mat.NewDense(m, k, nil), mat.NewDense(m, k, nil)
	centre := &RidgeStats{features: j.features, meanZ: j.meanZ}
	var z, h, work []float64
	err = src.each(func(rows rowNames, block *tensor.Dense, y *mat.Dense) error {
		if err := checkFinite(who, block, y, rows.at); err != nil {
			return err
		}
		b, d, n := block.Shape()[0], j.features, j.n
		z = centre.centred(z, block)
		h = filled(h, b*n, 1/float64(n))
		addProduct(1, general(b, d, d, z), general(n, d, d, j.u), general(b, n, n, h))
		at := rows.first
		for i := range b {
			copy(mean.RawRowView(at+i), j.meanY)
		}
		part := mean.Slice(at, at+b, 0, k).(*mat.Dense).RawMatrix()
		addProduct(1, general(b, d, d, z), general(k, d, d, j.w), part)
		work = filled(work, b*n, 0)
		given.InParallel(b, func(i int) {
			for t := range k {
				lo, hi := j.bounds(work[i*n:(i+1)*n], h[i*n:(i+1)*n], mean.At(at+i, t), t, q)
				lower.Set(at+i, t, lo)
				upper.Set(at+i, t, hi)
			}
		})
		for i := range b {
			for t := range k {
				if lo, hi := lower.At(at+i, t), upper.At(at+i, t); lo-lo != 0 || hi-hi != 0 {
					return fmt.Errorf("train: %s: the bounds of row %d, target %d overflow; scale the features or the targets: %w", who, rows.at(i), t, domain.ErrDomain)
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, nil, err
	}
	return mean, lower, upper, nil
}

// filled returns n numbers v, in the memory of x if it suffices.
func filled(x []float64, n int, v float64) []float64 {
	if cap(x) < n {
		x = make([]float64, n)
	}
	x = x[:n]
	for i := range x {
		x[i] = v
	}
	return x
}

// bounds returns the bounds of target t for a row with the prediction f and h = h(x, xᵢ), or NaN if a number overflows.
// It overwrites work, [n].
func (j *Jackknife) bounds(work, h []float64, f float64, t, q int) (lower, upper float64) {
	for _, sign := range []float64{-1, 1} {
		for i, v := range h {
			e := j.e[i*j.targets+t]
			work[i] = f - v*e + sign*math.Abs(e)
			if work[i] != work[i] {
				return math.NaN(), math.NaN()
			}
		}
		if sign < 0 {
			lower = smallest(work, j.n-q)
		} else {
			upper = smallest(work, q-1)
		}
	}
	return lower, upper
}

// smallest returns the number that would be at index k if x were sorted. It reorders x, which has no NaN. Hoare (1961),
// Algorithm 65: Find.
func smallest(x []float64, k int) float64 {
	lo, hi := 0, len(x)-1
	for lo < hi {
		a, b, c := x[lo], x[lo+(hi-lo)/2], x[hi]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := lo, hi
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return x[k]
		}
	}
	return x[k]
}
