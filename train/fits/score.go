package fits

import (
	"fmt"
	"math"
)

// Metric is what the scores of a head are.
type Metric int

const (
	// MeanSquaredError is over rows and targets.
	MeanSquaredError Metric = iota
	// ErrorRate is the share of the rows whose class does not have the largest score.
	ErrorRate
)

func (m Metric) String() string {
	switch m {
	case MeanSquaredError:
		return "mean squared error"
	case ErrorRate:
		return "error rate"
	default:
		return fmt.Sprintf("Metric(%d)", int(m))
	}
}

// LambdaScore is the error of one relative lambda: the mean squared one over rows and targets, and of targets that are classes the share of rows
// whose class has not the largest prediction. An error that does not apply is NaN. Both are +Inf for a lambda that is too small for the
// rows at hand: the system is singular to working precision, or a row determines its own fit.
type LambdaScore struct{ Lambda, MSE, ErrorRate float64 }

// sameError is by what share two squared errors may differ and count as equal.
const sameError = 1e-6

// Better says whether s is chosen before other: by the error rate where there is one, then by a squared error that is less by a millionth or more,
// then as the larger lambda.
func (s LambdaScore) Better(other LambdaScore) bool {
	if s.ErrorRate < other.ErrorRate || s.ErrorRate > other.ErrorRate {
		return s.ErrorRate < other.ErrorRate
	}
	if least := math.Min(s.MSE, other.MSE); math.Abs(s.MSE-other.MSE) > sameError*least {
		return s.MSE < other.MSE
	}
	return s.Lambda > other.Lambda
}
