package fits

import (
	"math"

	"github.com/bochner-go/bochner/ops/domain"
)

// Metric says what the scores of a head measure.
type Metric int

const (
	// MeanSquaredError is the mean squared error over rows and targets.
	MeanSquaredError Metric = iota
	// ErrorRate is the share of the rows whose class does not have the largest score.
	ErrorRate
)

func (m Metric) String() string { return domain.Word(m, "mean squared error", "error rate") }

// LambdaScore is the error of one relative lambda. MSE is the mean squared error over rows and targets. ErrorRate is
// the share of rows whose class does not have the largest prediction, for targets that are classes. An error that does
// not apply is NaN. Both are +Inf for a lambda that is too small for the rows: the system is singular to working
// precision, or a row determines its own fit. A square that overflows is the largest number.
type LambdaScore struct{ Lambda, MSE, ErrorRate float64 }

// sameError is the relative difference up to which two squared errors count as equal.
const sameError = 1e-6

// Better says whether s is better than other: by a lower error rate, then by a squared error that is lower by more than
// a millionth, then by a larger lambda.
func (s LambdaScore) Better(other LambdaScore) bool {
	if s.ErrorRate < other.ErrorRate || s.ErrorRate > other.ErrorRate {
		return s.ErrorRate < other.ErrorRate
	}
	if least := math.Min(s.MSE, other.MSE); math.Abs(s.MSE-other.MSE) > sameError*least {
		return s.MSE < other.MSE
	}
	return s.Lambda > other.Lambda
}
