package spectral

import (
	"math"
	"sort"
)

// stratum is a part of [0, 1) in which every v chooses the same component of each side.
type stratum struct {
	share     float64
	component [2]int
}

// strata cuts [0, 1) where the component of a side changes.
func (v *signedVariance) strata(sides []int) (out []stratum) {
	ends := map[int][]float64{}
	cuts := []float64{1}
	for _, a := range sides {
		sum := 0.
		for _, c := range v.sides[a].parts {
			sum += c.Weight
			ends[a] = append(ends[a], sum)
			cuts = append(cuts, min(sum, 1))
		}
		ends[a][len(ends[a])-1] = math.Inf(1) // however it was rounded
	}
	sort.Float64s(cuts)
	from := 0.
	for _, cut := range cuts {
		if cut-from < 1e-15 {
			continue
		}
		s := stratum{share: cut - from}
		for _, a := range sides {
			s.component[a] = sort.SearchFloat64s(ends[a], (from+cut)/2)
		}
		out, from = append(out, s), cut
	}
	return out
}

// pairProbabilities returns the probabilities of the strata of two of n columns, whose v are (j + V)/n in random order:
// E(N_i N_j - N_i [i = j])/(n(n-1)), where N_i is the number of columns in stratum i. The counts change at the V for
// which n·cut - V is a whole number.
func pairProbabilities(strata []stratum, n int) [][]float64 {
	ends := []float64{0}
	changes := []float64{0, 1}
	for _, s := range strata {
		end := ends[len(ends)-1] + s.share*float64(n)
		ends = append(ends, end)
		changes = append(changes, end-math.Floor(end))
	}
	ends[len(ends)-1] = float64(n)
	sort.Float64s(changes)
	out := make([][]float64, len(strata))
	for i := range out {
		out[i] = make([]float64, len(strata))
	}
	count := make([]float64, len(strata))
	for k := 1; k < len(changes) && n > 1; k++ {
		width, start := changes[k]-changes[k-1], (changes[k]+changes[k-1])/2
		for i := range count {
			count[i] = math.Ceil(ends[i+1]-start) - math.Ceil(ends[i]-start)
		}
		for i, a := range count {
			for j, b := range count {
				if i == j {
					b--
				}
				out[i][j] += width * a * b / float64(n) / float64(n-1)
			}
		}
	}
	return out
}
