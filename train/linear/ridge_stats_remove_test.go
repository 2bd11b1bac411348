package linear

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/modelfile"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// weighted are the sums of rows with weights, by their definition.
func weighted(z, y *mat.Dense, w []float64) *RidgeStats {
	n, d := z.Dims()
	_, k := y.Dims()
	s := &RidgeStats{}
	s.reset(d, k)
	for i := range n {
		s.mass += w[i]
		for j := range d {
			s.meanZ[j] += w[i] * z.At(i, j)
		}
		for t := range k {
			s.meanY[t] += w[i] * y.At(i, t)
		}
	}
	for j := range s.meanZ {
		s.meanZ[j] /= s.mass
	}
	for t := range s.meanY {
		s.meanY[t] /= s.mass
	}
	for i := range n {
		for j := range d {
			zj := z.At(i, j) - s.meanZ[j]
			for l := range j + 1 {
				s.g[j*d+l] += w[i] * zj * (z.At(i, l) - s.meanZ[l])
			}
			for t := range k {
				s.r[j*k+t] += w[i] * zj * (y.At(i, t) - s.meanY[t])
			}
		}
		for t := range k {
			s.yy[t] += w[i] * math.Pow(y.At(i, t)-s.meanY[t], 2)
		}
	}
	s.n = n
	return s
}

// sumsApart is the largest difference of two sums, each in proportion to its size.
func sumsApart(a, b *RidgeStats) float64 {
	d, k := a.features, a.targets
	worst := math.Abs(a.mass/b.mass - 1)
	root := func(v []float64, i int) float64 { return math.Sqrt(v[i]) }
	for j := range d {
		gj := root(b.g, j*d+j)
		worst = max(worst, math.Abs(a.meanZ[j]-b.meanZ[j])*math.Sqrt(b.mass)/gj)
		for l := range j + 1 {
			worst = max(worst, math.Abs(a.g[j*d+l]-b.g[j*d+l])/(gj*root(b.g, l*d+l)))
		}
		for t := range k {
			worst = max(worst, math.Abs(a.r[j*k+t]-b.r[j*k+t])/(gj*root(b.yy, t)))
		}
	}
	for t := range k {
		worst = max(worst, math.Abs(a.yy[t]/b.yy[t]-1), math.Abs(a.meanY[t]-b.meanY[t])*math.Sqrt(b.mass/b.yy[t]))
	}
	return worst
}

// TestStatsForget: rows that come in blocks, with Forget before each, are rows with the powers of the factor as weights, which merge, go to
// bytes and come back.
func TestStatsForget(t *testing.T) {
	const n, d, k, factor = 97, 7, 3, .8
	x, y := trial.Problem(n, d, k, 51)
	cuts := []int{0, 40, 41, 90, n}
	w := make([]float64, n)
	var s, late RidgeStats
	for b, lo := range cuts[:4] {
		for i := range cuts[b+1] {
			if i >= lo {
				w[i] = 1
			} else {
				w[i] *= factor
			}
		}
		if err := errors.Join(s.Forget(factor), s.Add(trial.RowsOf(x, y, lo, cuts[b+1]))); err != nil {
			t.Fatal(err)
		}
	}
	want := weighted(trial.MatOf(x), y, w)
	if e := sumsApart(&s, want); e > 1e-12 || s.N() != n || s.Mass() != s.mass {
		t.Errorf("the sums are off by %.2g, and of %d rows", e, s.N())
	}
	raw, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var back RidgeStats
	if err := back.UnmarshalBinary(raw); err != nil || back.Mass() != s.Mass() {
		t.Errorf("came back with the weight %v, not %v (%v)", back.Mass(), s.Mass(), err)
	}
	for i := 0; i < len(raw); i += 7 {
		changed := bytes.Clone(raw)
		changed[i] ^= 1 << (i % 8)
		if err := back.UnmarshalBinary(changed); !errors.Is(err, modelfile.ErrCorrupt) && !errors.Is(err, modelfile.ErrFormat) {
			t.Fatalf("changed at %d: %v", i, err)
		}
	}
	if err := errors.Join(late.Add(trial.RowsOf(x, y, 0, 30)), late.Forget(.5), late.Merge(&back)); err != nil {
		t.Fatal(err)
	}
	rows, targets := mat.NewDense(n+30, d, nil), mat.NewDense(n+30, k, nil)
	rows.Stack(trial.MatOf(x), trial.MatOf(x).Slice(0, 30, 0, d))
	targets.Stack(y, y.Slice(0, 30, 0, k))
	for range 30 {
		w = append(w, .5)
	}
	if e := sumsApart(&late, weighted(rows, targets, w)); e > 1e-12 {
		t.Errorf("merged, the sums are off by %.2g", e)
	}
	for _, bad := range []float64{0, -1, 1.5, math.NaN(), math.Inf(1)} {
		if err := s.Forget(bad); !errors.Is(err, domain.ErrParam) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if err := s.Forget(1e-300); !errors.Is(err, domain.ErrDomain) || sumsApart(&s, want) > 1e-12 {
		t.Error(err)
	}
	if err := (&RidgeStats{}).Forget(.5); err != nil {
		t.Error(err)
	}
}

// Rows that count half as much as the next.
func ExampleRidgeStats_Forget() {
	var fading RidgeStats
	for i, v := range []float64{0, 1, 2, 3, 5, 7, 9} {
		x, y := tensor.New(tensor.WithShape(1, 1), tensor.WithBacking([]float64{float64(i)})), mat.NewDense(1, 1, []float64{v})
		if err := errors.Join(fading.Forget(.5), fading.Add(x, y)); err != nil {
			fmt.Println(err)
			return
		}
	}
	f, err := fading.Solve(0)
	fmt.Printf("%d rows of the weight %.2f: the slope is %.2f, %v\n", fading.N(), fading.Mass(), f.W.At(0, 0), err)
	// Output: 7 rows of the weight 1.98: the slope is 1.79, <nil>
}
