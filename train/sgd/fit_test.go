package sgd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// fields writes a chessboard of 3 x 3 fields, in files of some rows, and returns it as a stream and in memory.
func fields(t *testing.T, o data.StreamOptions, ext string, sizes ...int) (data.Streamed, *data.Set) {
	t.Helper()
	rng, dir := rand.New(rand.NewPCG(1, 2)), t.TempDir()
	for f, n := range sizes {
		var b strings.Builder
		for range n {
			x, y := rng.Float64(), rng.Float64()
			c := (int(3*x) + int(3*y)) % 2
			if ext == "libsvm" {
				fmt.Fprintf(&b, "%d 1:%.4f 2:%.4f\n", c, x, y)
			} else {
				fmt.Fprintf(&b, "%.4f,%.4f,%d\n", x, y, c)
			}
		}
		must(0, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.%s", f, ext)), []byte(b.String()), 0o644))
	}
	s, set := must(data.OpenStream(o, dir)), must(data.ReadAll(t.Context(), o.Options, dir))
	v := must(s.Survey(t.Context(), 0))
	return data.Streamed{Stream: s, Classes: v.Classes, Dtype: tensor.Float64}, set
}

// weights are the parameters of layers, one after the other.
func weights(ls ...layers.Layer) (w []float64) {
	for _, l := range ls {
		for _, p := range l.Params() {
			w = append(w, ops.Float64s(p.Value)...)
		}
	}
	return w
}

// TestFitRowsIsFit: batches of all rows are those of Fit, in another order.
func TestFitRowsIsFit(t *testing.T) {
	const n = 120
	for _, softmax := range []bool{false, true} {
		for _, ext := range []string{"csv", "libsvm"} {
			so := data.StreamOptions{BlockRows: n}
			if ext == "libsvm" {
				so.Form = data.FormSparse
			}
			rows, set := fields(t, so, ext, 50, 70)
			m, o := trial.Fourier(t, 2, 32, .3), FitOptions{Epochs: 4, Batch: n, Solver: SGD, ClassWeights: []float64{1, 3}}
			y := must(data.OneVersusRest(must(rows.Classes.Index(set.Labels)), 2))
			a, b := trial.HeadOf(t, softmax, 32, 2), trial.HeadOf(t, softmax, 32, 2)
			want := must(Fit(context.Background(), m, a, data.Pairs{X: set.X, Y: y}, o))
			got := must(Fit(context.Background(), m, b, rows, o))
			if !floats.EqualApprox(weights(b), weights(a), 1e-9) {
				t.Errorf("softmax %v, %s: the weights are %v, want %v", softmax, ext, weights(b), weights(a))
			}
			for i, e := range want.Epochs {
				if g := got.Epochs[i]; math.Abs(g.Loss-e.Loss) > 1e-9 || math.Abs(g.Score-e.Score) > 1e-9 || g.HeldLoss == g.HeldLoss {
					t.Errorf("softmax %v, %s: %+v, want %+v", softmax, ext, g, e)
				}
			}
		}
	}
}

// TestFitRows: rows of several files, shuffled through a buffer and in batches that leave a rest, are learnt; the bits depend on neither
// GOMAXPROCS nor how far the reader is ahead; rows that are held out are no training rows.
func TestFitRows(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var first []float64
	for procs := 1; procs <= 2; procs++ {
		runtime.GOMAXPROCS(procs)
		rows, _ := fields(t, data.StreamOptions{BlockRows: 64, Shuffle: 200, Seed: 3, Ahead: procs}, "csv", 100, 411)
		head := trial.HeadOf(t, true, 128, 2)
		o := FitOptions{LearnRate: .1, Epochs: 25, Batch: 32, HeldOut: .2, Patience: 25, Seed: 4}
		r := must(Fit(context.Background(), trial.Fourier(t, 2, 128, .15), head, rows, o))
		if e := r.Epochs[r.Best-1]; e.Score < .9 || e.HeldScore < .8 || !(e.HeldLoss > 0) {
			t.Errorf("the best epoch is %+v", e)
		}
		if first == nil {
			first = weights(head)
		}
		if !slices.Equal(weights(head), first) {
			t.Errorf("other weights with %d processors than with one", procs)
		}
	}
}

// TestFitRowsErrors: what is wrong with rows that are read is an error that names the file, or what does not fit.
func TestFitRowsErrors(t *testing.T) {
	ctx, o := t.Context(), FitOptions{Epochs: 1}
	rows, _ := fields(t, data.StreamOptions{}, "csv", 20)
	m, softmax := trial.Fourier(t, 2, 8, 1), trial.HeadOf(t, true, 8, 2)
	targets, few, narrow := rows, rows, rows
	targets.Classes, few.Classes, narrow.Dtype = nil, rows.Classes[:1], tensor.Float32
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	outside, _ := fields(t, data.StreamOptions{Seed: 2, Shuffle: 8}, "csv", 20, 20)
	must(0, os.WriteFile(outside.Stream.Files()[1], []byte(".1,.2,0\n.1,-.5,1\n"), 0o644))
	semigroup := must(layers.NewRandomLaplaceLayer(spectral.ExpSemigroup{Beta: .1}, 2, 8, layers.WithName("map")))
	for name, c := range map[string]struct {
		ctx  context.Context
		m    layers.Layer
		head layers.Head
		rows data.Streamed
		o    FitOptions
		err  error
		text string
	}{
		"columns":  {ctx, trial.Fourier(t, 3, 8, 1), softmax, rows, o, domain.ErrShape, "the map takes 3"},
		"features": {ctx, m, trial.HeadOf(t, true, 9, 2), rows, o, domain.ErrShape, "the head takes 9"},
		"outputs": {ctx, m, trial.HeadOf(t, true, 8, 3), rows, o,
			domain.ErrShape, "0.csv: train: Fit: targets have shape (20, 2), want (20, 3)"},
		"dtype":   {ctx, m, softmax, narrow, o, domain.ErrDtype, "x is float32, the map float64"},
		"softmax": {ctx, m, trial.HeadOf(t, true, 8, 1), targets, o, domain.ErrParam, "use a LinearHead"},
		"targets": {ctx, m, trial.HeadOf(t, false, 8, 1), targets, o,
			domain.ErrParam, "0.csv: data: Streamed: Classes go with"},
		"label":   {ctx, m, trial.HeadOf(t, true, 8, 1), few, o, data.ErrLabel, "0.csv"},
		"options": {ctx, m, softmax, rows, FitOptions{Batch: -1}, domain.ErrParam, "Batch = -1"},
		"context": {cancelled, m, softmax, rows, o, context.Canceled, "0.csv: stopped after 0 rows"},
		"domain": {ctx, semigroup, softmax, outside, o, domain.ErrDomain,
			`1.csv: layers: RandomLaplaceLayer "map": x[1,1] = -0.5 is negative`},
	} {
		_, err := Fit(c.ctx, c.m, c.head, c.rows, c.o)
		if !errors.Is(err, c.err) || !strings.Contains(fmt.Sprint(err), c.text) {
			t.Errorf("%s: %v, want %v with %q", name, err, c.err, c.text)
		}
	}
}

// TestFitClassWeights: full batches of weighted rows take the steps of each row as often, at a rate and a penalty that make up for the other number of
// rows; unweighted ones do not.
func TestFitClassWeights(t *testing.T) {
	x, y, _ := trial.Overlapping(t, 61, 4, 3)
	for _, dt := range []tensor.Dtype{tensor.Float64, tensor.Float32} {
		m := must(layers.NewIdentity(4, layers.WithDtype(dt)))
		for _, softmax := range []bool{false, true} {
			fit := func(x *tensor.Dense, y *mat.Dense, times []float64, per float64) []float64 {
				kind := "linear"
				if softmax {
					kind = "softmax"
				}
				head := must(layers.NewHead(kind, 4, 3, layers.WithDtype(dt)))
				o := FitOptions{Epochs: 20, Batch: 1000, Solver: SGD, LearnRate: .002 * per, Lambda: .1 / per,
					ClassWeights: times}
				must(Fit(context.Background(), m, head, data.Pairs{X: must((&data.Set{X: x}).As(dt)), Y: y}, o))
				return weights(head)
			}
			x2, y2 := trial.Repeated(x, y)
			per := float64(x2.Shape()[0]) / 61
			want, got, plain := fit(x2, y2, nil, per), fit(x, y, trial.ClassTimes, 1), fit(x, y, nil, 1)
			tol, off := map[tensor.Dtype]float64{tensor.Float64: 1e-10, tensor.Float32: 1e-4}[dt], 0.
			for i, w := range want {
				if math.Abs(got[i]-w) > tol {
					t.Errorf("%v, softmax %v: weight %d is %v, want %v", dt, softmax, i, got[i], w)
				}
				off = max(off, math.Abs(plain[i]-w))
			}
			if off < 1e-2 {
				t.Errorf("%v, softmax %v: without weights it is the same", dt, softmax)
			}
		}
	}
}
