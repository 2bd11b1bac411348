package evidence

import (
	"math"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/internal/given"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// screened is a point at which the relevance of each column is in proportion to the correlation of the targets with it,
// but at least a tenth of the largest, which stays as it is at the start. It is nil for a map without a scale for each
// column, for very few or very many rows, and for targets that depend on no column by itself.
func (s *search) screened(rows *sample) []float64 {
	const least = .1
	x := make([]float64, 1+len(s.first))
	s.move(x)
	now := relevance(s.chain.m, rows.blocks)
	if now == nil {
		return nil
	}
	eta := s.post.correlations(rows.blocks)
	if eta == nil || !(floats.Max(eta) > 0) {
		return nil
	}
	floats.Scale(1/floats.Max(eta), eta)
	for j := range eta {
		eta[j] = max(eta[j], least)
	}
	at := 1
	for _, p := range s.chain.params {
		sign := exponents[p.LocalName()]
		n := p.Value.Shape().TotalSize()
		if sign == 0 || n != len(eta) {
			at += n
			continue
		}
		for j, v := range eta {
			if now[j] > 0 {
				x[at+j] = sign * math.Log(v/now[j]) / s.scales[at+j-1]
			}
		}
		return x
	}
	return nil
}

// correlations are the correlation ratios of the targets with each column: the square roots of the share of variance
// that eight groups of rows with neighbouring values explain, on average over the targets, less what they explain of
// noise. Kelley (1935), An unbiased correlation ratio measure. nil: the rows are too few, or have too many cells.
func (p *posterior) correlations(blocks []ops.Matrix) []float64 {
	const most = 1 << 24 // cells
	groups := min(8, p.n/4)
	if groups < 2 {
		return nil
	}
	d := blocks[0].Shape()[1]
	if p.n*d > most {
		return nil
	}
	var x []float64
	for _, block := range blocks {
		dense, err := given.Dense(block)
		if err != nil {
			return nil
		}
		x = append(x, ops.Float64s(dense)...)
	}
	cells, eta, order := mat.NewDense(p.n, d, x), make([]float64, d), make([]int, p.n)
	for j := range eta {
		floats.ArgsortStable(mat.Col(nil, j, cells), order)
		within := float64(p.n * p.k) // of targets with a mean of 0 and a variance of 1
		for g := range groups {
			rows, sums := order[g*p.n/groups:(g+1)*p.n/groups], make([]float64, p.k)
			for _, i := range rows {
				floats.Add(sums, p.y[i*p.k:(i+1)*p.k])
			}
			within -= floats.Dot(sums, sums) / float64(len(rows))
		}
		within /= float64(p.n * p.k)
		eta[j] = math.Sqrt(max(0, 1-within*float64(p.n-1)/float64(p.n-groups)))
	}
	return eta
}
