package linear

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
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
	for i := range raw {
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

// TestStatsRemove: rows that are taken out, in blocks that none was added in, float32 ones and weighted ones too, leave the sums of the others,
// and the last leave none.
func TestStatsRemove(t *testing.T) {
	const n, d, k = 97, 7, 2
	x, y := trial.Problem(n, d, k, 53)
	for i := range n { // classes
		y.Set(i, 0, math.Copysign(1, x.Float64s()[i*d]-3))
		y.Set(i, 1, -y.At(i, 0))
	}
	x32 := tensor.New(tensor.Of(tensor.Float32), tensor.WithShape(n, d))
	for i, v := range x.Float64s() {
		x32.Float32s()[i] = float32(v)
		x.Float64s()[i] = float64(float32(v))
	}
	for name, weights := range map[string][]float64{"plain": nil, "classes": {3, .5}} {
		s, rest := RidgeStats{ClassWeights: weights}, RidgeStats{ClassWeights: weights}
		if err := errors.Join(s.Add(trial.RowsOf(x, y, 0, 60)), s.Add(trial.RowsOf(x, y, 60, n)), rest.Add(trial.RowsOf(x, y, 41, 77))); err != nil {
			t.Fatal(err)
		}
		head, _ := x32.Slice(tensor.S(0, 41))
		_, headY := trial.RowsOf(x, y, 0, 41)
		if err := errors.Join(s.Remove(trial.RowsOf(x, y, 77, n)), s.Remove(head.(*tensor.Dense), headY)); err != nil {
			t.Fatal(name, err)
		}
		if e := sumsApart(&s, &rest); e > 1e-10 || s.N() != 36 {
			t.Errorf("%s: the sums are off by %.2g, and of %d rows", name, e, s.N())
		}
		a, errA := s.Posterior(.1)
		b, errB := rest.Posterior(.1)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if e := far(a.Fit, b.Fit.W, b.Fit.B); e > 1e-10 || math.Abs(a.LogEvidence/b.LogEvidence-1) > 1e-10 {
			t.Errorf("%s: the posterior is off by %.2g, the evidence is %v, want %v", name, e, a.LogEvidence, b.LogEvidence)
		}
		if err := s.Remove(trial.RowsOf(x, y, 41, 77)); err != nil || s.N() != 0 || s.Features() != 0 || s.Mass() != 0 {
			t.Errorf("%s: %d rows are left (%v)", name, s.N(), err)
		}
		if err := s.Add(trial.RowsOf(x, y, 0, 5)); err != nil {
			t.Error(err)
		}
	}
}

func TestStatsRemoveErrors(t *testing.T) {
	x, y := trial.Problem(31, 4, 2, 57)
	var s RidgeStats
	if err := s.Add(trial.RowsOf(x, y, 0, 20)); err != nil {
		t.Fatal(err)
	}
	before, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	scaled := func(by float64, z *tensor.Dense, y *mat.Dense) (*tensor.Dense, *mat.Dense) {
		z, y = z.Clone().(*tensor.Dense), mat.DenseCopyOf(y)
		for i := range z.Float64s() {
			z.Float64s()[i] *= by
		}
		return z, y
	}
	few, fewY := trial.RowsOf(x, y, 0, 20)
	loud := mat.DenseCopyOf(fewY)
	loud.Scale(9, loud)
	wide, wideY := trial.Problem(3, 5, 2, 1)
	for _, c := range []struct {
		name string
		err  error
		is   error
		want string
	}{
		{"more", s.Remove(x, y), domain.ErrShape, "cannot take 31 rows"},
		{"wide", s.Remove(wide, wideY), domain.ErrShape, "5 features"},
		{"nil", s.Remove(nil, nil), domain.ErrParam, "features"},
		{"other rows", s.Remove(scaled(9, few, fewY)), domain.ErrDomain, "feature 0"},
		{"other targets", s.Remove(few, loud), domain.ErrDomain, "target 0"},
		{"some other rows", s.Remove(scaled(9, wideRows(few, 10), fewY.Slice(0, 10, 0, 2).(*mat.Dense))), domain.ErrDomain, "feature 0 would be negative"},
		{"some other targets", s.Remove(wideRows(few, 10), loud.Slice(0, 10, 0, 2).(*mat.Dense)), domain.ErrDomain, "target 0 would be negative"},
		{"of nothing", (&RidgeStats{}).Remove(x, y), domain.ErrShape, "from 0 rows"},
	} {
		if !errors.Is(c.err, c.is) || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, c.err)
		}
	}
	if after, err := s.MarshalBinary(); err != nil || !bytes.Equal(before, after) {
		t.Errorf("refused rows changed the sums (%v)", err)
	}
	if err := s.Forget(.25); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(trial.RowsOf(x, y, 0, 10)); !errors.Is(err, domain.ErrDomain) || !strings.Contains(err.Error(), "weigh 10 of 5") {
		t.Error(err)
	}
	if err := s.Remove(few, fewY); !errors.Is(err, domain.ErrDomain) {
		t.Error(err)
	}
}

// wideRows are the first rows.
func wideRows(x *tensor.Dense, n int) *tensor.Dense {
	d := x.Shape()[1]
	return tensor.New(tensor.WithShape(n, d), tensor.WithBacking(x.Float64s()[:n*d]))
}

// A window of three rows, and rows that count half as much as the next.
func ExampleRidgeStats_Remove() {
	var window, fading RidgeStats
	row := func(x, y float64) (*tensor.Dense, *mat.Dense) {
		return tensor.New(tensor.WithShape(1, 1), tensor.WithBacking([]float64{x})), mat.NewDense(1, 1, []float64{y})
	}
	y := []float64{0, 1, 2, 3, 5, 7, 9}
	for i, v := range y {
		err := errors.Join(window.Add(row(float64(i), v)), fading.Forget(.5), fading.Add(row(float64(i), v)))
		if i >= 3 {
			err = errors.Join(err, window.Remove(row(float64(i-3), y[i-3])))
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	for _, s := range []*RidgeStats{&window, &fading} {
		f, err := s.Solve(0)
		fmt.Printf("%d rows of the weight %.2f: the slope is %.2f, %v\n", s.N(), s.Mass(), f.W.At(0, 0), err)
	}
	// Output:
	// 3 rows of the weight 3.00: the slope is 2.00, <nil>
	// 7 rows of the weight 1.98: the slope is 1.79, <nil>
}
