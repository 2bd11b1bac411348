package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/examples/internal/clitest"
	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/ops"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/spatial/kdtree"
	"gonum.org/v1/gonum/stat"
	"gorgonia.org/tensor"
)

// TestDistanceTo: the k-th smallest of all distances.
func TestDistanceTo(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for _, n := range []int{5, 60, 300} {
		points := make(kdtree.Points, n)
		for i := range points {
			points[i] = kdtree.Point{rng.Float64(), rng.Float64()}
		}
		tree := kdtree.New(slices.Clone(points), false)
		for _, x := range points {
			var all []float64
			for _, y := range points {
				all = append(all, math.Hypot(x[0]-y[0], x[1]-y[1]))
			}
			slices.Sort(all)
			for k := 1; k <= 5; k++ {
				if got := distanceTo(tree, x, k); math.Abs(got-all[k-1]) > 1e-12 {
					t.Fatalf("%d points: neighbour %d of %v at %v, want %v", n, k, x, got, all[k-1])
				}
			}
		}
	}
}

// TestDivergences: the estimates come near KL = ½(m² + s² - 1) - ln s of N(m, s²) from N(0, 1), whose mean over 20
// pairs of sets differs from it by four standard errors and the bias of the estimator.
func TestDivergences(t *testing.T) {
	const n, samples = 20, 400
	var x []float32
	offsets := []int{0}
	rng := rand.New(rand.NewPCG(2, 0))
	for i := range 2 * n {
		mean, sd := 0., 1.
		if i >= n {
			mean, sd = 1, .7
		}
		for range samples {
			x = append(x, float32(mean+sd*rng.NormFloat64()))
		}
		offsets = append(offsets, len(x))
	}
	b, err := ops.NewBags(tensor.New(tensor.WithShape(len(x), 1), tensor.WithBacking(x)), offsets)
	clitest.OK(t, err)
	kl := divergences(pointsOf(b))
	var far, near []float64
	for i := range n {
		far = append(far, kl.At(n+i, i))
		near = append(near, kl.At(i, (i+1)%n))
	}
	for _, c := range []struct {
		got  []float64
		want float64
	}{{far, .5*(1+.49-1) - math.Log(.7)}, {near, 0}} {
		mean, sd := stat.MeanStdDev(c.got, nil)
		if math.Abs(mean-c.want) > 4*sd/math.Sqrt(n)+.02 {
			t.Errorf("KL %v with standard deviation %v, want %v", mean, sd, c.want)
		}
	}
	k := divergenceKernel(kl, .5)
	s := mat.NewSymDense(2*n, nil)
	for i := range 2 * n {
		for j := range i + 1 {
			s.SetSym(i, j, k.At(i, j))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, false) || slices.Min(e.Values(nil)) < -1e-12 {
		t.Errorf("eigenvalues %v", e.Values(nil))
	}
	for _, samples := range []int{6, 4} { // all the same; no fourth neighbour beside themselves
		same := []kdtree.Points{slices.Repeat(kdtree.Points{{0}}, samples)}
		if err := try.Catch(func() { divergences(same) }); err == nil {
			t.Errorf("%d samples that are all the same have a divergence", samples)
		}
	}
}
