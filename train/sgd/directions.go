package sgd

import (
	"context"
	"math"
	"math/rand/v2"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// direct turns and scales the frequencies of a map by the average gradient outer product of a first fit f,
//
//	W ← (M d / tr M)^½ W,   M = Σᵢ ∇f(xᵢ) ∇f(xᵢ)ᵀ,
//
// so that the descent starts with large frequencies in the directions in which f changes. f is ridge regression on the
// features of at most 256 frequencies and on at most 8192 rows. Of several outputs, random signs make one function for
// each row, whose outer product has the same mean.
//
// It leaves the map as it is and returns false where FitOptions.Directions does not apply, and where the first fit
// fails, whose error the fit itself has, too. The error is the context's.
func direct(ctx context.Context, m layers.Layer, rows data.Examples, seed uint64) (turned bool, err error) {
	const leastRows, mostRows, most, columns = 100, 8192, 256, 512
	pairs, memory := rows.(data.Pairs)
	layer, random := layers.Unwrap(m).(*layers.RandomLayer)
	if !memory || !random || layer.Kernel().Law().Transform != spectral.Fourier || pairs.X == nil || pairs.Y == nil ||
		layer.Dims() > columns {
		return false, nil
	}
	var w *tensor.Dense
	for _, p := range layer.Params() {
		if p.Name == "W" && p.Tuned {
			w = p.Value
		}
	}
	if w == nil || 2*w.Shape()[1] != layer.Features() {
		return false, nil
	}
	n, d, m0 := pairs.X.Shape()[0], w.Shape()[0], w.Shape()[1]
	if rows, _ := pairs.Y.Dims(); rows != n || n < leastRows {
		return false, nil
	}
	if n > mostRows {
		part := data.Shuffle(n, seed)[:mostRows]
		pairs, n = pairs.Take(part), mostRows
	}
	all, err := layers.Transform(layer, nil, pairs.X)
	if err != nil {
		return false, given.Stopped(ctx)
	}
	// The features of the first frequencies, [cos | sin].
	k, values := min(m0, most), ops.Float64s(all)
	z := mat.NewDense(n, 2*k, nil)
	for i := range n {
		row, out := values[i*2*m0:(i+1)*2*m0], z.RawRowView(i)
		copy(out, row[:k])
		copy(out[k:], row[m0:m0+k])
	}
	features := tensor.New(tensor.WithShape(n, 2*k), tensor.WithBacking(z.RawMatrix().Data))
	fit, err := linear.FitRidge(ctx, nil, data.Pairs{X: features, Y: pairs.Y}, linear.RidgeOptions{Seed: seed})
	if err != nil {
		return false, given.Stopped(ctx)
	}
	frequencies := mat.NewDense(d, m0, append([]float64(nil), ops.Float64s(w)...))
	root := rootOfGradients(z, fit.W, frequencies.Slice(0, d, 0, k), seed)
	if root == nil {
		return false, nil
	}
	var product mat.Dense
	product.Mul(root, frequencies)
	given.SetCells(w, 0, product.RawMatrix().Data)
	return true, nil
}

// rootOfGradients is (M d / tr M)^½ for features z = [cos xW | sin xW] up to a factor, under a head A: ∇f is W (z_cos∘
// A_sin - z_sin∘A_cos). It is nil if there are no gradients, or if they overflow.
func rootOfGradients(z, a *mat.Dense, w mat.Matrix, seed uint64) *mat.Dense {
	n, _ := z.Dims()
	d, m := w.Dims()
	_, outputs := a.Dims()
	rng, signs := rand.New(rand.NewPCG(seed, 0)), mat.NewDense(n, outputs, nil)
	for i := range signs.RawMatrix().Data {
		signs.RawMatrix().Data[i] = float64(1 - 2*int(rng.Uint64()>>63))
	}
	var heads, outer, product mat.Dense
	heads.Mul(signs, a.T())
	slopes := mat.NewDense(n, m, nil)
	for i := range n {
		row, head, out := z.RawRowView(i), heads.RawRowView(i), slopes.RawRowView(i)
		for j := range m {
			out[j] = row[j]*head[m+j] - row[m+j]*head[j]
		}
	}
	outer.Mul(slopes.T(), slopes)
	product.Product(w, &outer, w.T())
	gradients := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			gradients.SetSym(i, j, (product.At(i, j)+product.At(j, i))/2)
		}
	}
	trace := mat.Trace(gradients)
	var e mat.EigenSym
	if !(trace > 0) || math.IsInf(trace, 1) || !e.Factorize(gradients, true) {
		return nil
	}
	var vectors, root mat.Dense
	e.VectorsTo(&vectors)
	lengths := e.Values(nil)
	for i, v := range lengths {
		lengths[i] = math.Sqrt(max(0, v) / trace * float64(d))
	}
	root.Product(&vectors, mat.NewDiagDense(d, lengths), vectors.T())
	return &root
}
