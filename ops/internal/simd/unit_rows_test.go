package simd

import (
	"math"
	"slices"
	"testing"
)

// TestUnitRows: rows of unit length, of every width; one that is too small is made of its projection.
func TestUnitRows(t *testing.T) {
	t.Run("float32", unitRows[float32])
	t.Run("float64", unitRows[float64])
}

func unitRows[T Float](t *testing.T) {
	tol := 1e-13
	if sizeof[T]() == 4 {
		tol = 1e-5
	}
	for _, m := range []int{1, 3, 31, 32, 33, 255, 256, 257, 1000} {
		const n = 5
		p := squares(random[T](n*m, 1), 0)
		for j := range m {
			p[2*m+j] += 9000 // whose exponentials are all 0
			p[3*m+j] = T(math.Inf(1))
		}
		z, calls := make([]T, n*m), 0
		for i := range p {
			z[i] = T(math.Exp(-float64(p[i])))
		}
		UnitRows(z, n, m, func(row []T, i int) {
			calls++
			copy(row, p[i*m:i*m+m])
		})
		for i := range n {
			least, square := float64(slices.Min(p[i*m:i*m+m])), 0.0
			at := func(v T) float64 {
				if math.IsInf(least, 1) {
					return 1
				}
				return math.Exp(least - float64(v))
			}
			for _, v := range p[i*m : i*m+m] {
				square += at(v) * at(v)
			}
			for j, v := range p[i*m : i*m+m] {
				if want := at(v) / math.Sqrt(square); math.Abs(float64(z[i*m+j])-want) > tol*(1+math.Min(least, 1e4)) {
					t.Fatalf("%d columns: row %d, column %d is %v, want %v", m, i, j, z[i*m+j], want)
				}
			}
		}
		if calls != 2 {
			t.Errorf("%d columns: %d rows were projected again, want 2", m, calls)
		}
	}
}

// TestScaleRow: by a number that is denormal in the type, too.
func TestScaleRow(t *testing.T) {
	row := []float32{1, 1e-3, 1e10}
	ScaleRow(row, 1e-40)
	for i, want := range []float64{1e-40, 1e-43, 1e-30} {
		if math.Abs(float64(row[i])-want) > .01*want+1e-45 {
			t.Errorf("%v, want %v", row[i], want)
		}
	}
}
