package calibrate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// NLL returns the mean of -log p_y over rows of probabilities p [n, k] with the classes y, in nats; it is +Inf if a
// true class has the probability 0. Errors: domain.ErrShape for fewer than two columns, no rows or another number of
// labels; domain.ErrParam for nil; domain.ErrDomain for numbers that are not probabilities and for labels outside
// 0..k-1.
func NLL(p *mat.Dense, labels []int) (float64, error) {
	return mean("NLL", p, labels, func(row []float64, label int) float64 { return -math.Log(row[label]) })
}

// Brier returns the mean over rows of Σ_c (p_c - 1[c = y])², from 0 to 2. Brier (1950), Verification of forecasts
// expressed in terms of probability. Errors: see NLL.
func Brier(p *mat.Dense, labels []int) (float64, error) {
	return mean("Brier", p, labels, func(row []float64, label int) float64 {
		sum := 0.0
		for j, v := range row {
			if j == label {
				v--
			}
			sum += v * v
		}
		return sum
	})
}

// mean is the mean of a loss over rows of probabilities.
func mean(who string, p *mat.Dense, labels []int, loss func(row []float64, label int) float64) (float64, error) {
	if err := distributions(who, p, labels); err != nil {
		return 0, err
	}
	sum := 0.0
	for i, l := range labels {
		sum += loss(p.RawRowView(i), l)
	}
	return sum / float64(len(labels)), nil
}

// Bin summarises the rows whose confidence, the largest probability, is in (Low, High].
type Bin struct {
	Low, High            float64
	Confidence, Accuracy float64 // the mean confidence, and the share of rows whose most probable class is the true one
	Count                int
}

const (
	defaultBins = 15
	mostBins    = 1 << 20
)

// Reliability groups rows of probabilities p [n, k] by confidence into the bins (0, 1/bins], ..., (1 - 1/bins, 1] of a
// reliability diagram; bins of 0 is 15. It leaves out bins without rows. DeGroot and Fienberg (1983), The comparison
// and evaluation of forecasters. Errors: see NLL; domain.ErrParam for a number of bins that is negative or over 2²⁰.
func Reliability(p *mat.Dense, labels []int, bins int) ([]Bin, error) {
	return reliability("Reliability", p, labels, bins)
}

func reliability(who string, p *mat.Dense, labels []int, bins int) ([]Bin, error) {
	if bins < 0 || bins > mostBins {
		return nil, fmt.Errorf("train: %s: %d bins are not in 1..%d; 0 is %d: %w", who, bins, mostBins, defaultBins,
			domain.ErrParam)
	}
	if err := distributions(who, p, labels); err != nil {
		return nil, err
	}
	bins = cmp.Or(bins, defaultBins)
	all := make([]Bin, bins)
	for i, l := range labels {
		c := floats.MaxIdx(p.RawRowView(i))
		confidence := p.At(i, c)
		b := &all[min(max(int(math.Ceil(confidence*float64(bins)))-1, 0), bins-1)]
		b.Count++
		b.Confidence += confidence
		if c == l {
			b.Accuracy++
		}
	}
	var out []Bin
	for j, b := range all {
		if b.Count > 0 {
			n := float64(b.Count)
			out = append(out, Bin{float64(j) / float64(bins), float64(j+1) / float64(bins), b.Confidence / n,
				b.Accuracy / n, b.Count})
		}
	}
	return out, nil
}

// ECE returns the expected calibration error of the largest probability over the bins of Reliability, with n_b of n
// rows in bin b:
//
//	ECE = Σ_b (n_b/n) |accuracy_b - confidence_b|.
//
// bins of 0 is 15. ECE is not a proper score, and with few rows per bin it is above 0 even for the true probabilities.
// Naeini, Cooper and Hauskrecht (2015), Obtaining well calibrated probabilities using Bayesian binning; Guo et al.
// (2017), eq. 3. Errors: see Reliability.
func ECE(p *mat.Dense, labels []int, bins int) (float64, error) {
	all, err := reliability("ECE", p, labels, bins)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, b := range all {
		sum += float64(b.Count) * math.Abs(b.Accuracy-b.Confidence)
	}
	return sum / float64(len(labels)), nil
}

// Coverage returns for each target of y [n, k] the share of rows with lower <= y <= upper. Bounds may be infinite.
// Errors: domain.ErrShape for other shapes and no rows, domain.ErrDomain for a bound that is NaN and a target that is
// not finite, domain.ErrParam for nil.
func Coverage(y, lower, upper *mat.Dense) ([]float64, error) {
	err := check("Coverage", given{"y", y, notFinite}, given{"lower", lower, notBound}, given{"upper", upper, notBound})
	if err != nil {
		return nil, err
	}
	n, k := y.Dims()
	share := make([]float64, k)
	for i := range n {
		lo, hi := lower.RawRowView(i), upper.RawRowView(i)
		for j, v := range y.RawRowView(i) {
			if lo[j] <= v && v <= hi[j] {
				share[j]++
			}
		}
	}
	floats.Scale(1/float64(n), share)
	return share, nil
}

// SetCoverage returns the share of rows whose set of classes holds the label, and the mean number of classes in a set.
// Errors: domain.ErrShape for no rows and for another number of labels.
func SetCoverage(sets [][]int, labels []int) (share, size float64, err error) {
	if len(sets) != len(labels) || len(sets) == 0 {
		return 0, 0, fmt.Errorf("train: SetCoverage: there are %d sets and %d labels; give one of each a row, and "+
			"at least one row: %w", len(sets), len(labels), domain.ErrShape)
	}
	for i, set := range sets {
		size += float64(len(set))
		if slices.Contains(set, labels[i]) {
			share++
		}
	}
	n := float64(len(sets))
	return share / n, size / n, nil
}
