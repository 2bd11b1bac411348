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
func NotFinite[T domain.Float](x []T, rows, cols, stride int) (int, int, float64) {
	const piece = 128 // rows
	doubtful := make([]bool, (rows+piece-1)/piece)
	InParallel(len(doubtful), func(task int) {
		for i := task * piece; i < min(rows, (task+1)*piece); i++ {
			s := sum(x[i*stride : i*stride+cols])
			doubtful[task] = doubtful[task] || s-s != 0
		}
	})
	for task, d := range doubtful {
		for i := task * piece; d && i < min(rows, (task+1)*piece); i++ {
			for j, v := range x[i*stride : i*stride+cols] {
				if v-v != 0 {
					return i, j, float64(v)
				}
			}
		}
	}
	return -1, 0, math.NaN()
}

// sum adds x up. Where an element is not finite neither is the sum, which can also overflow by itself.
func sum[T domain.Float](x []T) T {
	var a, b, c, d T // four, for each waits for the last one
	for ; len(x) >= 4; x = x[4:] {
		a, b, c, d = a+x[0], b+x[1], c+x[2], d+x[3]
	}
	for _, v := range x {
		a += v
	}
	return a + b + c + d
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
