package linear

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/modelfile"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// statsOf are the sums of a problem.
func statsOf(t *testing.T, n, d, k int, seed uint64) *RidgeStats {
	t.Helper()
	s := &RidgeStats{Of: "made"}
	if err := s.Add(trial.Problem(n, d, k, seed)); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestStatsRoundTrip: what is written is read, to the bit, and goes on as if nothing had been.
func TestStatsRoundTrip(t *testing.T) {
	signed := statsOf(t, 31, 5, 2, 3)
	signed.Signature = []float64{1, -1, 1, 1, -1}
	for name, s := range map[string]*RidgeStats{"plain": statsOf(t, 43, 7, 3, 1), "one": statsOf(t, 1, 1, 1, 2), "signed": signed, "empty": {}} {
		raw, err := s.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var back RidgeStats
		if err := back.UnmarshalBinary(raw); err != nil {
			t.Fatal(name, err)
		}
		again, err := back.MarshalBinary()
		if err != nil || !bytes.Equal(raw, again) || back.N() != s.N() || back.Features() != s.Features() || back.Targets() != s.Targets() || back.Of != s.Of {
			t.Errorf("%s: came back as something else (%v)", name, err)
		}
		if s.N() == 0 {
			continue
		}
		x, y := trial.Problem(19, s.features, s.targets, 9)
		var rest RidgeStats
		if err := errors.Join(back.Add(x, y), rest.Add(x, y), rest.Merge(s)); err != nil {
			t.Fatal(err)
		}
		a, errA := back.Solve(.1)
		b, errB := rest.Solve(.1)
		if errA != nil || errB != nil || far(a, b.W, b.B) > 1e-11 {
			t.Errorf("%s: going on gives another fit (%v, %v)", name, errA, errB)
		}
	}
}

// TestStatsDamage: no file that was cut or changed is taken, and none changes what was there.
func TestStatsDamage(t *testing.T) {
	raw, err := statsOf(t, 23, 3, 2, 5).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	s := statsOf(t, 11, 2, 1, 6)
	before, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, at int, data []byte) {
		if err := s.UnmarshalBinary(data); !errors.Is(err, modelfile.ErrCorrupt) && !errors.Is(err, modelfile.ErrFormat) {
			t.Errorf("%s %d: %v", what, at, err)
		}
	}
	for i := range raw {
		refused("cut at", i, raw[:i])
		changed := bytes.Clone(raw)
		changed[i] ^= 1 << (i % 8)
		refused("changed at", i, changed)
	}
	refused("one byte more than", len(raw), append(bytes.Clone(raw), 0))
	meta, tensors, err := modelfile.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range tensors {
		shape := of.Shape().TotalSize() + 1
		for _, bad := range []*tensor.Dense{doubles(make([]float64, shape), shape), floatsOf(tensor.Float32, of.Float64s(), of.Shape()...)} {
			damaged := maps.Clone(tensors)
			damaged[name] = bad
			b, err := modelfile.Encode(meta, damaged)
			if err != nil {
				t.Fatal(err)
			}
			refused("another "+name, 0, b)
		}
	}
	for at, more := range []map[string]string{{}, {statsRows: "-1"}, {statsRows: "many"}, {statsRows: "3"}} {
		b, err := modelfile.Encode(more, nil)
		if err != nil {
			t.Fatal(err)
		}
		refused("metadata", at, b)
	}
	if after, err := s.MarshalBinary(); err != nil || !bytes.Equal(before, after) {
		t.Errorf("damaged bytes changed the sums (%v)", err)
	}
}

// TestStatsOfParts: files that are mapped and summed apart, in any form, written, read and merged, give the fit of one pass.
func TestStatsOfParts(t *testing.T) {
	x, y := trial.Problem(211, 7, 2, 13)
	m, err := layers.NewFourierLayer(spectral.Gaussian{Sigma: 5}, 7, 30, layers.WithSeed(3))
	if err != nil {
		t.Fatal(err)
	}
	sum := &RidgeStats{}
	for lo := 0; lo < 211; lo += 50 {
		part := &RidgeStats{Of: "seed 3"}
		xs, ys := trial.RowsOf(x, y, lo, min(lo+50, 211))
		var rows ops.Matrix = xs
		if lo == 100 {
			if rows, err = ops.CSROf(xs); err != nil {
				t.Fatal(err)
			}
		}
		if err := part.AddRows(context.Background(), m, data.Pairs{X: rows, Y: ys}); err != nil {
			t.Fatal(err)
		}
		raw, err := part.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var back RidgeStats
		if err := errors.Join(back.UnmarshalBinary(raw), sum.Merge(&back)); err != nil {
			t.Fatal(err)
		}
	}
	want := fit(t, m, x, y, RidgeOptions{})
	got, err := sum.Solve(want.Lambda)
	if err != nil {
		t.Fatal(err)
	}
	scale := mat.Norm(want.W, math.Inf(1))
	var diff mat.Dense
	diff.Sub(got.W, want.W)
	if e := mat.Norm(&diff, math.Inf(1)) / scale; e > 1e-9 { // the system's condition is 1e6 at the default lambda
		t.Errorf("parts give another fit, by %.2g", e)
	}
	other := &RidgeStats{Of: "seed 4"}
	if err := other.Add(trial.RowsOf(x, y, 0, 9)); err != nil {
		t.Fatal(err)
	}
	if err := sum.Merge(other); !errors.Is(err, domain.ErrShape) {
		t.Error(err)
	}
	if err := (&RidgeStats{}).AddRows(context.Background(), m, data.Pairs{X: x, Y: nil}); !errors.Is(err, domain.ErrShape) {
		t.Error(err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if err := sum.AddRows(cancelled, m, data.Pairs{X: x, Y: y}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestStatsMSE: the error from the sums is that of the rows, for the best head and for any.
func TestStatsMSE(t *testing.T) {
	x, y := trial.Problem(57, 5, 3, 17)
	s := RidgeStats{}
	if err := s.Add(x, y); err != nil {
		t.Fatal(err)
	}
	best, err := s.Solve(1e-3)
	if err != nil {
		t.Fatal(err)
	}
	poor := &RidgeFit{W: mat.NewDense(5, 3, nil), B: []float64{1, 2, 3}}
	for _, f := range []*RidgeFit{best, poor} {
		var p mat.Dense
		p.Mul(trial.MatOf(x), f.W)
		want := 0.0
		for i := range 57 {
			for j, b := range f.B {
				e := y.At(i, j) - p.At(i, j) - b
				want += e * e / (57 * 3)
			}
		}
		if got, err := s.MSE(f); err != nil || math.Abs(got/want-1) > 1e-11 {
			t.Errorf("MSE %v, want %v (%v)", got, want, err)
		}
	}
	if again, err := s.Solve(1e-3); err != nil || !mat.Equal(again.W, best.W) {
		t.Errorf("Solve or MSE changed the sums (%v)", err)
	}
	if _, err := s.MSE(&RidgeFit{W: mat.NewDense(4, 3, nil), B: make([]float64, 3)}); !errors.Is(err, domain.ErrShape) {
		t.Error(err)
	}
	if _, err := (&RidgeStats{}).MSE(best); !errors.Is(err, domain.ErrShape) {
		t.Error(err)
	}
}
