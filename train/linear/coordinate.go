package linear

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/bochner-go/bochner/ops"
	fast "github.com/bochner-go/bochner/ops/blas"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
	"gorgonia.org/tensor"
)

// dual is the dual problem of one column under the squared hinge loss. With coefficients a ≥ 0 of the rows and
// w = Σ aᵢ yᵢ [zᵢ | β]/μ, for μ = λ s, it is to maximise
//
//	Σ aᵢ - Σ aᵢ²/(2cᵢ) - μ/2 ‖w‖².
//
// Coordinate descent takes one coefficient at a time to its best, which reads one row: Hsieh, Chang, Lin, Keerthi and
// Sundararajan (2008), A dual coordinate descent method for large-scale linear SVM.
type dual[T domain.Float] struct {
	*newton
	rows   []featureRow[T]
	square []float64 // ‖[zᵢ | β]‖²
	mu     float64
	column int
	a, w   []float64
	narrow []float32 // w, for products with dense float32 rows; else nil
	open   []int     // the rows with a loss or a coefficient; the others need no step
	rng    *rand.Rand
}

// descend solves the dual problems for kept features, and sets the weights and the scores. It returns the duality gap of
// each column as a share of its objective: no Newton step can gain more. After 50 rounds it ends with what gap there is.
// It gives up, with nil, where that would not halve the gap, or where many rows for each feature have a loss.
func (p *newton) descend(shift float64) (gap []float64, err error) {
	if p.Blocks[0].Dtype() == tensor.Float32 {
		return descend(p, shift, given.Numbers.Float32s)
	}
	return descend(p, shift, given.Numbers.Float64s)
}

func descend[T domain.Float](p *newton, shift float64, of func(given.Numbers) []T) (gap []float64, err error) {
	const rounds = 50
	const crowd = 8 // open rows for each feature; with more, Newton steps alone were as fast or faster
	rows, square := featureRows(p.Blocks, p.Features, of), make([]float64, p.N)
	for i, r := range rows {
		square[i] = p.bias * p.bias
		for _, v := range r.values {
			square[i] += float64(v) * float64(v)
		}
	}
	k := p.w.k
	duals := make([]*dual[T], k)
	for q := range duals {
		duals[q] = &dual[T]{newton: p, rows: rows, square: square, mu: shift, column: q, a: make([]float64, p.N),
			w: make([]float64, p.Features+1), rng: rand.New(rand.NewPCG(p.seed, uint64(q)))}
		if _, single := any(rows[0].values).([]float32); single && rows[0].at == nil {
			duals[q].narrow = make([]float32, p.Features)
		}
	}
	gap, before, w, scores := make([]float64, k), 0., newColumns(p.Features+1, k), newColumns(p.N, k)
	for left, round := duals, 0; ; round++ {
		for _, d := range left {
			for j, v := range d.w {
				w.v[j*k+d.column] = v
			}
		}
		p.passes++
		if err := through(p.Kept, w, p.bias, nil, func(at int, u columns) { copy(scores.v[at*k:], u.v) }); err != nil {
			return nil, err
		}
		given.InParallel(len(left), func(t int) { gap[left[t].column] = left[t].gap(scores) })
		open := 0
		for _, d := range left {
			open += len(d.open)
		}
		median := slices.Sorted(slices.Values(gap))[k/2]
		if round == 1 && open > crowd*k*p.Features || round == 3 && median > math.Pow(.5, 1./rounds)*before {
			return nil, nil
		}
		before = median
		var next []*dual[T]
		for _, d := range left {
			if gap[d.column] > max(p.tol/100, leastGain) {
				next = append(next, d)
			}
		}
		if left = next; p.progress != nil && round > 0 {
			p.progress(round, len(left), shift/p.scale, slices.Max(gap))
		}
		if len(left) == 0 || round == rounds {
			p.w, p.scores = w, scores
			return gap, nil
		}
		epochs := 20
		if round == 0 { // all rows are open
			epochs = 3
		}
		given.InParallel(len(left), func(t int) { left[t].ascend(epochs) })
	}
}

// gap returns the duality gap as a share of the objective, and finds the open rows.
func (d *dual[T]) gap(scores columns) float64 {
	d.open = d.open[:0]
	primal := d.mu / 2 * floats.Dot(d.w, d.w)
	dual := -primal
	for i, a := range d.a {
		c, loss := d.weight[i], max(0, 1-d.y.At(i, d.column)*scores.row(i)[d.column])
		if a > 0 || loss > 0 {
			d.open = append(d.open, i)
			primal += c * loss * loss / 2
			dual += a - a*a/(2*c)
		}
	}
	return (primal - dual) / primal
}

// ascend goes through the open rows, in another order each time, at most so many times, while that gains.
func (d *dual[T]) ascend(epochs int) {
	const enough = .03 // of what the epochs so far have gained
	for sum, epoch := 0., 0; epoch < epochs && d.Cancelled() == nil; epoch++ {
		gain := 0.
		d.rng.Shuffle(len(d.open), func(i, j int) { d.open[i], d.open[j] = d.open[j], d.open[i] })
		for _, i := range d.open {
			gain += d.step(i)
		}
		if sum += gain; !(gain > enough*sum) {
			break
		}
	}
}

// step maximises over the coefficient of row i, and returns the gain.
func (d *dual[T]) step(i int) float64 {
	row, a, c, y, last := d.rows[i], d.a[i], d.weight[i], d.y.At(i, d.column), d.Features
	slope, curvature := 1-y*(d.dot(row)+d.bias*d.w[last])-a/c, d.square[i]/d.mu+1/c
	d.a[i] = max(0, a+slope/curvature)
	change := d.a[i] - a
	if change != 0 {
		d.add(change*y/d.mu, row)
		d.w[last] += change * y / d.mu * d.bias
	}
	return change * (slope - curvature/2*change)
}

// featureRow is a row of dense or sparse features.
type featureRow[T domain.Float] struct {
	values []T
	at     []int32 // the columns of the values; nil: dense
}

// featureRows are the rows of blocks with d columns, which the caller keeps.
func featureRows[T domain.Float](blocks []ops.Matrix, d int, of func(given.Numbers) []T) []featureRow[T] {
	var rows []featureRow[T]
	for _, block := range blocks {
		v := of(block.(given.Numbers))
		z, sparse := block.(*ops.CSR)
		for i := range block.Shape()[0] {
			if sparse {
				lo, hi := z.Pointers()[i], z.Pointers()[i+1]
				rows = append(rows, featureRow[T]{v[lo:hi], z.Columns()[lo:hi:hi]})
			} else {
				rows = append(rows, featureRow[T]{v[i*d:][:d], nil})
			}
		}
	}
	return rows
}

// dot is the inner product of a row with w.
func (d *dual[T]) dot(r featureRow[T]) float64 {
	if r.at != nil {
		return r.dot(d.w)
	}
	if v, single := any(r.values).([]float32); single {
		return fast.Implementation{}.Dsdot(len(v), v, 1, d.narrow, 1)
	}
	return floats.Dot(any(r.values).([]float64), d.w[:len(r.values)])
}

// add adds c times a row to w.
func (d *dual[T]) add(c float64, r featureRow[T]) {
	if r.at != nil {
		values := r.values[:len(r.at)]
		for t, j := range r.at {
			d.w[j] += c * float64(values[t])
		}
		return
	}
	switch v := any(r.values).(type) {
	case []float64:
		floats.AddScaled(d.w[:len(v)], c, v)
	case []float32:
		w, narrow := d.w[:len(v)], d.narrow[:len(v)]
		for j, x := range v {
			w[j] += c * float64(x)
			narrow[j] = float32(w[j])
		}
	}
}

// dot is the inner product of a sparse row with w, in four sums that do not wait for each other.
func (r featureRow[T]) dot(w []float64) float64 {
	var s [4]float64
	v, at, t := r.values, r.at[:len(r.values)], 0
	for ; t+4 <= len(v); t += 4 {
		s[0] += float64(v[t]) * w[at[t]]
		s[1] += float64(v[t+1]) * w[at[t+1]]
		s[2] += float64(v[t+2]) * w[at[t+2]]
		s[3] += float64(v[t+3]) * w[at[t+3]]
	}
	for ; t < len(v); t++ {
		s[0] += float64(v[t]) * w[at[t]]
	}
	return s[0] + s[1] + (s[2] + s[3])
}
