package linear

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// TestStatsMoments: blocks of any sizes, merged in any grouping, are the centred moments of all rows, and Solve may be
// asked at any time.
func TestStatsMoments(t *testing.T) {
	const n, d, k = 97, 11, 3
	x, y := trial.Problem(n, d, k, 37)
	z := trial.MatOf(x)
	for _, cuts := range [][]int{{0, n}, {0, 1, 2, n}, {0, 40, 41, 90, n}} {
		parts := make([]RidgeStats, len(cuts)-1)
		for i := range parts {
			if err := parts[i].Add(trial.RowsOf(x, y, cuts[i], cuts[i+1])); err != nil {
				t.Fatal(err)
			}
		}
		var s RidgeStats
		if err := s.Merge(nil); err != nil || s.N() != 0 {
			t.Fatal(err)
		}
		for i := range parts {
			if err := s.Merge(&parts[i]); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Solve(1); err != nil {
				t.Fatal(err)
			}
		}
		if s.N() != n || parts[0].N() != cuts[1] {
			t.Errorf("%v: N = %d and %d", cuts, s.N(), parts[0].N())
		}
		f, err := s.Solve(0.2)
		if err != nil {
			t.Fatal(err)
		}
		if w, b := naive(z, y, 0.2*meanSpread(z), -1); far(f, w, b) > 1e-11 {
			t.Errorf("%v: off by %.2g", cuts, far(f, w, b))
		}
	}
	whole, half := RidgeStats{}, RidgeStats{}
	for _, err := range []error{whole.Add(x, y), whole.Add(x, y), half.Add(x, y), half.Merge(&half)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range d {
		for j := range i + 1 {
			if a, b := whole.g[i*d+j], half.g[i*d+j]; math.Abs(a-b) > 1e-9*whole.g[i*d+i] {
				t.Errorf("merged with itself: G[%d,%d] = %v, want %v", i, j, b, a)
			}
		}
	}
}

func TestStatsErrors(t *testing.T) {
	x, y := trial.Problem(7, 5, 2, 41)
	var s, other RidgeStats
	if _, err := s.Solve(1); !errors.Is(err, domain.ErrShape) || !strings.Contains(err.Error(), "no rows") {
		t.Error(err)
	}
	if err := s.Add(x, y); err != nil {
		t.Fatal(err)
	}
	before, err := s.Solve(1)
	if err != nil {
		t.Fatal(err)
	}
	wide, wideY := trial.Problem(7, 3, 2, 41)
	bad := x.Clone().(*tensor.Dense)
	bad.Float64s()[2*5+1] = math.NaN()
	if err := other.Add(wide, wideY); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		err  error
		is   error
		want string
	}{
		{"width", s.Add(wide, y), domain.ErrShape, "[.,5]"},
		{"targets", s.Add(x, mat.NewDense(7, 1, nil)), domain.ErrShape, "[7,1]"},
		{"rows", s.Add(x, mat.NewDense(6, 2, nil)), domain.ErrShape, "[6,2]"},
		{"nil y", s.Add(x, nil), domain.ErrShape, "at least one row"},
		{"nil z", s.Add(nil, y), domain.ErrParam, "features"},
		{"NaN", s.Add(bad, y), domain.ErrDomain, "row 9 has the feature z[9,1] = NaN"},
		{"merge", s.Merge(&other), domain.ErrShape, "3 features"},
	} {
		if !errors.Is(c.err, c.is) || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, c.err)
		}
	}
	if _, err := s.Solve(-1); !errors.Is(err, domain.ErrParam) || !strings.Contains(err.Error(), "lambda = -1") {
		t.Error(err)
	}
	after, err := s.Solve(1)
	if err != nil || s.N() != 7 || !mat.Equal(before.W, after.W) {
		t.Errorf("refused blocks changed the sums: %d rows, %v", s.N(), err)
	}
}

// TestStatsMemory: a fit holds D² numbers and blocks, not the n x D features (26 MB here) nor a second D².
func TestStatsMemory(t *testing.T) {
	if trial.RaceEnabled {
		t.Skip("the race detector empties the pools")
	}
	const n, d, features = 10007, 2, 331
	x, y := trial.Problem(n, d, 1, 43)
	m := newCosine(d, features)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fit(t, m, x, y, RidgeOptions{Lambdas: []float64{1}, BlockRows: 100})
	runtime.ReadMemStats(&after)
	// One D², a block of the map and one transposed, what each of 101 blocks allocates in passing, and packing buffers that a
	// garbage collection takes from their pool.
	want := uint64(8*(features*features+2*101*features) + 101*20_000 + 4<<20)
	if got := after.TotalAlloc - before.TotalAlloc; got > want {
		t.Errorf("allocated %d bytes, want at most %d", got, want)
	}
}

func ExampleRidgeStats() {
	var all, part RidgeStats
	z := tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]float64{0, 1}))
	if err := all.Add(z, mat.NewDense(2, 1, []float64{1, 3})); err != nil {
		fmt.Println(err)
	}
	z = tensor.New(tensor.WithShape(2, 1), tensor.WithBacking([]float64{2, 3}))
	if err := part.Add(z, mat.NewDense(2, 1, []float64{5, 7})); err != nil {
		fmt.Println(err)
	}
	if err := all.Merge(&part); err != nil {
		fmt.Println(err)
	}
	f, err := all.Solve(0)
	fmt.Printf("%d rows: w = %.3f, b = %.3f, %v\n", all.N(), f.W.At(0, 0), f.B[0], err)
	// Output: 4 rows: w = 2.000, b = 1.000, <nil>
}

// TestStatsMeanOverflows: 11 numbers that are the largest have a mean that the rounding of the sum may make infinite; the rows are then refused,
// and not lost.
func TestStatsMeanOverflows(t *testing.T) {
	const n = 11
	var s RidgeStats
	z := tensor.New(tensor.WithShape(n, 1), tensor.WithBacking(slices.Repeat([]float64{math.MaxFloat64}, n)))
	err, want := s.Add(z, mat.NewDense(n, 1, nil)), n
	if err != nil {
		want = 0
	}
	if err != nil && !errors.Is(err, domain.ErrDomain) || s.N() != want {
		t.Errorf("%v, and %d rows", err, s.N())
	}
}
