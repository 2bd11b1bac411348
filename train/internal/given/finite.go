package given

import (
	"errors"
	"fmt"
	"math"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
)

// ErrDiverged marks a loss that is not finite.
var ErrDiverged = errors.New("lower the learning rate or scale the data")

// CheckTargets names the first target that is NaN or infinite.
func CheckTargets(who string, y *mat.Dense, row func(i int) int) error {
	raw := y.RawMatrix()
	if i, j, v := NotFinite(raw.Data, raw.Rows, raw.Cols, raw.Stride); i >= 0 {
		return fmt.Errorf("train: %s: row %d has the target y[%d,%d] = %v, which is not a finite number; drop the "+
			"row or fill the value in: %w", who, row(i), row(i), j, v, domain.ErrDomain)
	}
	return nil
}

// NotFinite is the first cell that holds no finite number, or row -1.
func NotFinite(x []float64, rows, cols, stride int) (int, int, float64) {
	return CellOf(domain.CheckRows(domain.Reals(), "", x, rows, cols, stride))
}

// CellOf is the cell that an error is about, or row -1.
func CellOf(err error) (i, j int, v float64) {
	if cell := domain.InputCell(err); cell != nil {
		return cell.Row, cell.Col, cell.Value
	}
	return -1, -1, math.NaN()
}

// DimsOf is the shape of y for messages; a nil y has none.
func DimsOf(y *mat.Dense) []int {
	if y == nil {
		return nil
	}
	r, c := y.Dims()
	return []int{r, c}
}

func CheckLambda(l float64) error {
	if l >= 0 && !math.IsInf(l, 1) {
		return nil
	}
	return fmt.Errorf("lambda = %v is not a finite number >= 0; 0 is least squares: %w", l, domain.ErrParam)
}
