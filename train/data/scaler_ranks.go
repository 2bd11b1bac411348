package data

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	spectral "github.com/bochner-go/bochner/init"
)

// Limits of the sample that robust and quantile are fitted on.
const (
	rankRows  = 10_000
	rankCells = 1 << 26
	mostKnots = 1000
)

// ranked is a sample of the rows that are learned from, under a fixed seed.
type ranked struct {
	reservoir[entry]
	d int
}

func (r *ranked) learn(rows entries, _, d int) {
	if r.d, r.size = d, max(1, min(rankRows, rankCells/d)); r.rng == nil {
		r.rng = rand.New(spectral.Stream(0, "data/ranks"))
	}
	for cols, row := range rows {
		r.slot().keep(entry{cols: cols, x: row})
	}
}

// columns yields the values of each column in order, which the next one overwrites. It forgets the sample.
func (r *ranked) columns() iter.Seq2[int, []float64] {
	n, stored := len(r.pool), make([][]float64, r.d)
	for _, e := range r.pool {
		for t, v := range e.x {
			j := columnOf(e.cols, t)
			stored[j] = append(stored[j], v)
		}
	}
	r.pool = nil
	return func(yield func(int, []float64) bool) {
		all := make([]float64, 0, n)
		for j, some := range stored {
			slices.Sort(some)
			negative, _ := slices.BinarySearch(some, 0)
			all = append(all[:0], some[:negative]...)
			all = append(all, make([]float64, n-len(some))...) // the zeros that sparse rows leave out
			all = append(all, some[negative:]...)
			if !yield(j, all) {
				return
			}
		}
	}
}

// quantile is the value at the level p of sorted values, with (k + ½)/n as the level of value k of n, linear between
// values.
func quantile(sorted []float64, p float64) float64 {
	last := len(sorted) - 1
	place := min(max(p*float64(len(sorted))-.5, 0), float64(last))
	k := int(place)
	low, high, f := sorted[k], sorted[min(k+1, last)], place-float64(k)
	if low == high {
		return low
	}
	return min(max(low*(1-f)+high*f, low), high)
}

// robust centres a column at its median and divides it by the distance of its quartiles. See Scaler.
type robust struct {
	ranked
	median, width []float64 // of each column; the width is above 0
}

func (s *robust) vectors() []stateVector {
	return []stateVector{{name: "median", at: &s.median}, {name: "width", at: &s.width, width: true}}
}
func (s *robust) centres() bool   { return false }
func (s *robust) flaw(int) string { return "" }

func (s *robust) finish() {
	for _, c := range s.columns() {
		low, high, part := quantile(c, .25), quantile(c, .75), 1.
		if low == high {
			low, high, part = c[0], c[len(c)-1], .5
		}
		width := min(part*high-part*low, math.MaxFloat64)
		if low == high {
			width = 1
		}
		s.median, s.width = append(s.median, quantile(c, .5)), append(s.width, max(width, math.SmallestNonzeroFloat64))
	}
}

func (s *robust) scale(cols []int32, row []float64) {
	for t, v := range row {
		j := columnOf(cols, t)
		z := shifted(v, s.median[j], s.width[j])
		row[t] = z / math.Sqrt(1+z/3*(z/3))
		if math.Abs(z) > 1e9 { // z²/9 + 1 is z²/9
			row[t] = math.Copysign(3, z)
		}
	}
}

// quantiles maps a column to the scores of its ranks. See Scaler.
type quantiles struct {
	ranked
	score func(level float64) float64
	// knots and scores are of each column in order; a column with fewer repeats its last.
	knots, scores []float64
}

func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

func (s *quantiles) vectors() []stateVector {
	return []stateVector{{name: "knots", at: &s.knots, series: true}, {name: "scores", at: &s.scores, series: true}}
}
func (s *quantiles) centres() bool { return true }

func (s *quantiles) flaw(cols int) string {
	k := len(s.knots) / cols
	for i := 1; i < len(s.knots); i++ {
		if i%k > 0 && s.knots[i] < s.knots[i-1] {
			return fmt.Sprintf("the knot %v after %v in column %d", s.knots[i], s.knots[i-1], i/k)
		}
	}
	return ""
}

func (s *quantiles) finish() {
	all, most := make([][][2]float64, s.d), 0 // knots and scores
	for j, c := range s.columns() {
		k := min(len(c), mostKnots)
		level := func(i float64) float64 { return (i + .5) / float64(k) }
		for first := 0; first < k; {
			knot, end := quantile(c, level(float64(first))), first+1
			for end < k && quantile(c, level(float64(end))) <= knot {
				end++
			}
			// Equal values have the middle of their ranks.
			all[j] = append(all[j], [2]float64{knot, s.score(level(float64(first+end-1) / 2))})
			first = end
		}
		most = max(most, len(all[j]))
	}
	for _, knots := range all {
		for i := range most {
			at := knots[min(i, len(knots)-1)]
			s.knots, s.scores = append(s.knots, at[0]), append(s.scores, at[1])
		}
	}
}

// scale scales a dense row: centred columns have no sparse ones.
func (s *quantiles) scale(_ []int32, row []float64) {
	k := len(s.knots) / len(row)
	for j, v := range row {
		knots, scores := s.knots[j*k:(j+1)*k], s.scores[j*k:(j+1)*k]
		switch i, there := slices.BinarySearch(knots, v); {
		case i == k:
			row[j] = scores[k-1]
		case there || i == 0:
			row[j] = scores[i]
		default:
			row[j] = scores[i-1] + share(v, knots[i-1], knots[i])*(scores[i]-scores[i-1])
		}
	}
}
