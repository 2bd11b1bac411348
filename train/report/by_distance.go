package report

import (
	"cmp"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// DistanceError is the error over the quarter of the pairs of rows with about the same distance.
type DistanceError struct {
	Distance float64 `json:"distance"` // mean of ‖x-z‖₂ over the pairs; of √(-2 ln k) for ops.Bags
	RMS      float64 `json:"rms"`      // root of the mean of (approximation - kernel)² over pairs and seeds
	StdErr   float64 `json:"std_err"`  // standard error of RMS over seeds
}

// MSERatio returns the mean squared error of e divided by the one of other, which is not 0, and the standard error of
// this ratio.
func (e DistanceError) MSERatio(other DistanceError) (ratio, stdErr float64) {
	if e.RMS == 0 {
		return 0, 0
	}
	ratio = (e.RMS / other.RMS) * (e.RMS / other.RMS)
	return ratio, 2 * ratio * math.Hypot(e.StdErr/e.RMS, other.StdErr/other.RMS)
}

const (
	distanceGroups = 4
	maxGroupPairs  = 1 << 16
)

// group is a set of pairs of rows with about the same distance.
type group struct {
	pairs    [][2]int
	distance float64
	errors   []float64 // the rms of each seed
}

// groupRows is groupPairs for the finite rows of x, dense or sparse, or for ops.Bags with the distance √(-2 ln k) by their
// kernel matrix.
func groupRows(who string, x ops.Matrix, exact *mat.Dense) ([]group, error) {
	if b, ok := x.(*ops.Bags); ok {
		return groupPairs(b.Len(), func(i, j int) float64 { return min(math.Sqrt(-2*math.Log(exact.At(i, j))), math.MaxFloat64) }), nil
	}
	if s, sparse := x.(*ops.CSR); sparse {
		s, err := s.As(tensor.Float64, "report: "+who)
		if err != nil {
			return nil, err
		}
		return groupPairs(s.Rows(), sparseDistance(s)), nil
	}
	rows, cols := x.Shape()[0], x.Shape()[1]
	return groupPairs(rows, denseDistance(ops.Float64s(x.(*tensor.Dense)), cols)), nil
}

// denseDistance returns a function for ‖x_i-x_j‖₂, limited to the largest number.
func denseDistance(x []float64, cols int) func(i, j int) float64 {
	f := downscale(floats.Norm(x, math.Inf(1)))
	return func(i, j int) float64 {
		sum := 0.0
		for k, v := range x[i*cols : (i+1)*cols] {
			t := v*f - x[j*cols+k]*f
			sum += t * t
		}
		return min(math.Sqrt(sum)/f, math.MaxFloat64)
	}
}

// sparseDistance is denseDistance for float64 sparse rows.
func sparseDistance(x *ops.CSR) func(i, j int) float64 {
	ptr, col, val := x.Pointers(), x.Columns(), x.Float64s()
	f := downscale(floats.Norm(val, math.Inf(1)))
	return func(i, j int) float64 {
		sum := 0.0
		for a, b := ptr[i], ptr[j]; a < ptr[i+1] || b < ptr[j+1]; {
			t, left := 0.0, b == ptr[j+1] || a < ptr[i+1] && col[a] <= col[b]
			if b < ptr[j+1] && (!left || col[a] == col[b]) {
				t -= val[b] * f
				b++
			}
			if left {
				t += val[a] * f
				a++
			}
			sum += t * t
		}
		return min(math.Sqrt(sum)/f, math.MaxFloat64)
	}
}

// groupPairs sorts the pairs i < j of rows by distance and divides them into quarters. If there are more than 65536
// pairs, it takes every 2nd, 3rd, ...; groups with the same distance are merged.
func groupPairs(rows int, distance func(i, j int) float64) []group {
	type pair struct {
		rows     [2]int
		distance float64
	}
	total := rows * (rows - 1) / 2
	step := (total + maxGroupPairs - 1) / maxGroupPairs
	var pairs []pair
	at := 0
	for i := range rows {
		for j := i + 1; j < rows; j++ {
			if at++; at%step == 0 {
				pairs = append(pairs, pair{[2]int{i, j}, distance(i, j)})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(a.distance, b.distance) })
	var groups []group
	for lo, q := 0, 1; q <= distanceGroups; q++ {
		hi := q * len(pairs) / distanceGroups
		for hi > lo && hi < len(pairs) && pairs[hi].distance == pairs[hi-1].distance {
			hi++
		}
		if hi <= lo {
			continue
		}
		var g group
		for _, p := range pairs[lo:hi] {
			g.pairs = append(g.pairs, p.rows)
			g.distance += p.distance / float64(hi-lo)
		}
		groups, lo = append(groups, g), hi
	}
	return groups
}

// rms is the root of the mean square of A_ij - K_ij over the pairs, computed in units of 1/f.
func (g group) rms(exact, approx *mat.Dense, f float64) float64 {
	differences := make([]float64, len(g.pairs))
	for i, p := range g.pairs {
		differences[i] = approx.At(p[0], p[1])*f - exact.At(p[0], p[1])*f
	}
	return floats.Norm(differences, 2) / math.Sqrt(float64(len(differences))) / f
}

// distanceErrors averages the errors of each group over the seeds.
func distanceErrors(groups []group) []DistanceError {
	out := make([]DistanceError, len(groups))
	for i, g := range groups {
		out[i].Distance = g.distance
		top := floats.Max(g.errors)
		if top == 0 {
			continue
		}
		squares := make([]float64, len(g.errors))
		for s, v := range g.errors {
			squares[s] = (v / top) * (v / top)
		}
		mean, stdErr := meanStdErr(squares)
		out[i].RMS = top * math.Sqrt(mean)
		out[i].StdErr = top * stdErr / (2 * math.Sqrt(mean))
	}
	return out
}
