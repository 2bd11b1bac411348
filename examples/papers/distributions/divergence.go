package main

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bochner-go/bochner/ops"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/spatial/kdtree"
	"gorgonia.org/tensor"
)

// neighbour is which neighbour the estimates of divergences look at, as in the paper.
const neighbour = 4

// divergences is the matrix of the estimates of the Kullback-Leibler divergences of n sets, one of another, by the
// distances to the k-th neighbour of each sample in its own set, ρ, and in the other, ν:
//
//	KL(i, j) = l/N_i Σ_s ln(ν_s/ρ_s) + ln(N_j/(N_i - 1)),
//
// in l dimensions. Samples that are the same have no distance; a set in which the k-th neighbour of one is at distance
// 0 is an error, and so is one of k samples or fewer. Wang, Kulkarni and Verdú (2009), Divergence estimation for
// multidimensional densities via k-nearest-neighbor distances, equation (14).
func divergences(b *ops.Bags) (*mat.Dense, error) {
	n, l := b.Len(), b.Axes()
	trees, points := make([]*kdtree.Tree, n), make([]kdtree.Points, n)
	for i := range n {
		if b.Size(i) <= neighbour {
			return nil, fmt.Errorf("set %d has %d samples, want more than %d to look at neighbour %d", i, b.Size(i), neighbour, neighbour)
		}
		for _, x := range rowsOfSet(b, i) {
			points[i] = append(points[i], kdtree.Point(x))
		}
		trees[i] = kdtree.New(append(kdtree.Points(nil), points[i]...), false) // which sorts them
	}
	own := make([][]float64, n)
	out := mat.NewDense(n, n, nil)
	var failed atomic.Pointer[error]
	fail := func(format string, args ...any) {
		err := fmt.Errorf(format, args...)
		failed.Store(&err)
	}
	eachSet(n, func(i int) {
		own[i] = make([]float64, len(points[i]))
		for s, x := range points[i] {
			if own[i][s] = distanceTo(trees[i], x, neighbour+1); own[i][s] == 0 { // the first is the sample
				fail("set %d has %d samples that are the same, and the distance to neighbour %d is 0", i, neighbour+1, neighbour)
			}
		}
	})
	eachSet(n, func(i int) {
		for j := range n {
			if i == j {
				continue
			}
			sum := 0.0
			for s, x := range points[i] {
				nu := distanceTo(trees[j], x, neighbour)
				if nu == 0 {
					fail("sets %d and %d have %d samples that are the same, and the distance to neighbour %d is 0", i, j, neighbour, neighbour)
				}
				sum += math.Log(nu / own[i][s])
			}
			out.Set(i, j, float64(l)/float64(len(points[i]))*sum+math.Log(float64(len(points[j]))/float64(len(points[i])-1)))
		}
	})
	if err := failed.Load(); err != nil {
		return nil, *err
	}
	return out, nil
}

// distanceTo is the distance of x from its k-th nearest in a tree.
func distanceTo(t *kdtree.Tree, x kdtree.Point, k int) float64 {
	keep := kdtree.NewNKeeper(k)
	t.NearestSet(keep, x)
	farthest := 0.0 // squared
	for _, c := range keep.Heap {
		farthest = math.Max(farthest, c.Dist)
	}
	return math.Sqrt(farthest)
}

// rowsOfSet are the samples of set i.
func rowsOfSet(b *ops.Bags, i int) [][]float64 {
	return slices.Collect(slices.Chunk(ops.Float64s(b.Bag(i)), b.Axes()))
}

// eachSet calls f for all sets, from as many goroutines as there are processors.
func eachSet(n int, f func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	all.Wait()
}

// divergenceKernel is exp(-(KL(i, j) + KL(j, i))/2σ²), made positive semidefinite: its eigenvalues below 0, which
// estimates have and the symmetrised divergence may have, become 0. share is how much of the sum of the absolute
// eigenvalues that is.
func divergenceKernel(kl *mat.Dense, sigma float64) (k *mat.Dense, share float64, err error) {
	n, _ := kl.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			s.SetSym(i, j, math.Exp(-math.Max(0, kl.At(i, j)+kl.At(j, i))/(2*sigma*sigma)))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, true) {
		return nil, 0, fmt.Errorf("the eigenvalues of the kernel of divergences did not converge")
	}
	var v mat.Dense
	e.VectorsTo(&v)
	negative, all := 0.0, 0.0
	for j, w := range e.Values(nil) {
		if all += math.Abs(w); w < 0 {
			negative -= w
			w = 0
		}
		for i := range n {
			v.Set(i, j, v.At(i, j)*math.Sqrt(w))
		}
	}
	k = new(mat.Dense)
	k.Mul(&v, v.T())
	return k, negative / all, nil
}

// sigmaOfDivergences is half the root of the mean symmetrised divergence of the first n sets.
func sigmaOfDivergences(kl *mat.Dense, n int) float64 {
	sum := 0.0
	for i := range n {
		for j := range n {
			sum += math.Max(0, kl.At(i, j)+kl.At(j, i)) / float64(n*(n-1))
		}
	}
	return math.Sqrt(sum) / 2
}

func exp2(halfSteps int) float64 { return math.Pow(2, float64(halfSteps)/2) }

// joined are the sets of both.
func joined(a, b *ops.Bags) (*ops.Bags, error) {
	x, offsets := append(append([]float32(nil), a.Samples().Float32s()...), b.Samples().Float32s()...), a.Offsets()
	last := offsets[len(offsets)-1]
	for _, o := range b.Offsets()[1:] {
		offsets = append(offsets, last+o)
	}
	return ops.NewBags(tensor.New(tensor.WithShape(len(x)/a.Axes(), a.Axes()), tensor.WithBacking(x)), offsets)
}
