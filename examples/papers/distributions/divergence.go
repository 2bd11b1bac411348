package main

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bochner-go/bochner/examples/internal/try"
	"github.com/bochner-go/bochner/examples/papers/internal/frame"
	"github.com/bochner-go/bochner/ops"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/spatial/kdtree"
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
func divergences(sets []kdtree.Points) *mat.Dense {
	n, trees := len(sets), make([]*kdtree.Tree, len(sets))
	for i, points := range sets {
		if len(points) <= neighbour {
			try.Fail("set %d has %d samples, want more than %d to look at neighbour %d", i, len(points), neighbour, neighbour)
		}
		trees[i] = kdtree.New(slices.Clone(points), false) // which sorts them
	}
	own := make([][]float64, n)
	out := mat.NewDense(n, n, nil)
	eachSet(n, func(i int) {
		own[i] = make([]float64, len(sets[i]))
		for s, x := range sets[i] {
			if own[i][s] = distanceTo(trees[i], x, neighbour+1); own[i][s] == 0 { // the first is the sample
				try.Fail("set %d has %d samples that are the same, and the distance to neighbour %d is 0", i, neighbour+1, neighbour)
			}
		}
	})
	eachSet(n, func(i int) {
		size, l := float64(len(sets[i])), float64(sets[i][0].Dims())
		for j := range n {
			if i == j {
				continue
			}
			sum := 0.0
			for s, x := range sets[i] {
				nu := distanceTo(trees[j], x, neighbour)
				if nu == 0 {
					try.Fail("sets %d and %d have %d samples that are the same, and the distance to neighbour %d is 0", i, j, neighbour, neighbour)
				}
				sum += math.Log(nu / own[i][s])
			}
			out.Set(i, j, l/size*sum+math.Log(float64(len(sets[j]))/(size-1)))
		}
	})
	return out
}

// distanceTo is the distance of x from its k-th nearest in a tree of k or more.
func distanceTo(t *kdtree.Tree, x kdtree.Comparable, k int) float64 {
	keep := kdtree.NewNKeeper(k)
	t.NearestSet(keep, x)
	return math.Sqrt(keep.Heap[k-1].Dist) // the heap ascends
}

// pointsOf are the samples of each set.
func pointsOf(b *ops.Bags) []kdtree.Points {
	sets := make([]kdtree.Points, b.Len())
	for i := range sets {
		sets[i] = frame.Each(rowsOfSet(b, i), func(x []float64) kdtree.Point { return x })
	}
	return sets
}

// rowsOfSet are the samples of set i.
func rowsOfSet(b *ops.Bags, i int) [][]float64 {
	return slices.Collect(slices.Chunk(ops.Float64s(b.Bag(i)), b.Axes()))
}

// eachSet calls f for all sets, from as many goroutines as there are processors, each of which ends at its first error.
func eachSet(n int, f func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	failed := make([]error, runtime.GOMAXPROCS(0))
	for w := range failed {
		all.Go(func() {
			failed[w] = try.Catch(func() {
				for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
					f(i)
				}
			})
		})
	}
	all.Wait()
	try.Do(cmp.Or(failed...))
}

// divergenceKernel is exp(-(KL(i, j) + KL(j, i))/2σ²), made positive semidefinite: its eigenvalues below 0, which
// estimates have and the symmetrised divergence may have, become 0.
func divergenceKernel(kl *mat.Dense, sigma float64) *mat.Dense {
	n, _ := kl.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			s.SetSym(i, j, math.Exp(-math.Max(0, kl.At(i, j)+kl.At(j, i))/(2*sigma*sigma)))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, true) {
		try.Fail("the eigenvalues of the kernel of divergences did not converge")
	}
	var v mat.Dense
	e.VectorsTo(&v)
	for j, w := range e.Values(nil) {
		root := math.Sqrt(math.Max(w, 0))
		for i := range n {
			v.Set(i, j, v.At(i, j)*root)
		}
	}
	k := new(mat.Dense)
	k.Mul(&v, v.T())
	return k
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
