package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// differ is the largest difference of two heads in proportion to the weights.
func differ(a, b *RidgeFit) float64 {
	var diff mat.Dense
	diff.Sub(a.W, b.W)
	e := mat.Norm(&diff, math.Inf(1))
	for j := range a.B {
		e = max(e, math.Abs(a.B[j]-b.B[j]))
	}
	return e / mat.Norm(b.W, math.Inf(1))
}

// TestRidgeBlocks: rows that come in blocks of any sizes give the fit of rows in memory, for every way to choose lambda.
func TestRidgeBlocks(t *testing.T) {
	x, y := trial.Problem(331, 6, 2, 23)
	ctx := context.Background()
	for name, m := range map[string]layers.Map{"identity": nil, "fourier": trial.Fourier(t, 6, 40, 8), "signed": trial.TwoSigns{D: 6, Plus: 4}} {
		for _, o := range []RidgeOptions{{}, {Lambdas: []float64{.3}}, {Lambdas: []float64{1e-3, .1, 3}, Select: SelectLOO}} {
			want := fit(t, m, x, y, o)
			for _, sizes := range [][]int{{331}, {1, 2, 50}, {64}} {
				got, err := FitRidge(ctx, m, trial.InBlocks(t, x, y, sizes...), o)
				if err != nil {
					t.Fatal(name, err)
				}
				if e := differ(got, want); e > 1e-7 || got.Lambda != want.Lambda || len(got.Scores) != len(want.Scores) {
					t.Errorf("%s, %+v, blocks of %v: off by %.2g, lambda %v, want %v", name, o, sizes, e, got.Lambda, want.Lambda)
				}
			}
		}
	}
}

// TestRowsOfStream: a scaler and a head that are fitted on a stream are those of the file in memory, however it is cut; the sums of each file,
// merged, are those of all.
func TestRowsOfStream(t *testing.T) {
	x, y := trial.Problem(211, 3, 1, 29)
	var lines []string
	for i := range 211 {
		lines = append(lines, fmt.Sprintf("%v,%v,%v,%d\n", x.Float64s()[3*i], x.Float64s()[3*i+1], x.Float64s()[3*i+2], int(math.Abs(y.At(i, 0)))%3))
	}
	dir, ctx := t.TempDir(), context.Background()
	var files []string
	for i, cut := range [][2]int{{0, 30}, {30, 31}, {31, 211}} {
		files = append(files, filepath.Join(dir, fmt.Sprintf("%d.csv", i)))
		if err := os.WriteFile(files[i], []byte(strings.Join(lines[cut[0]:cut[1]], "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	set, err := data.ReadAll(ctx, data.Options{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	m := trial.Fourier(t, 3, 20, 2)
	whole, _ := data.ParseScalers("standard")
	if err := errors.Join(whole.Fit(set.X), whole.ApplyInPlace(set.X)); err != nil {
		t.Fatal(err)
	}
	classes := data.NewClasses(set.Labels)
	labels, err := classes.Index(set.Labels)
	if err != nil {
		t.Fatal(err)
	}
	targets, err := data.OneVersusRest(labels, len(classes))
	if err != nil {
		t.Fatal(err)
	}
	want := fit(t, m, set.X.(*tensor.Dense), targets, RidgeOptions{Lambdas: []float64{.1}})
	rowsOf := func(paths ...string) data.Streamed {
		s, err := data.OpenStream(data.StreamOptions{BlockRows: 16}, paths...)
		if err != nil {
			t.Fatal(err)
		}
		return data.Streamed{Stream: s, Scaler: whole, Classes: classes, Dtype: tensor.Float64}
	}
	rows := rowsOf(dir)
	scaler, _ := data.ParseScalers("standard")
	if err := scaler.FitBlocks(rows.Matrices(ctx)); err != nil {
		t.Fatal(err)
	}
	rows.Scaler = scaler
	got, err := FitRidge(ctx, m, rows, RidgeOptions{Lambdas: []float64{.1}})
	if err != nil || differ(got, want) > 1e-9 {
		t.Errorf("the stream gives another fit (%v)", err)
	}
	var sum RidgeStats
	for _, f := range files {
		var part RidgeStats
		if err := errors.Join(part.AddRows(ctx, m, rowsOf(f)), sum.Merge(&part)); err != nil {
			t.Fatal(err)
		}
	}
	if got, err = sum.Solve(.1); err != nil || differ(got, want) > 1e-9 {
		t.Errorf("the files give another fit (%v)", err)
	}

	rows.Classes = classes[:2]
	if _, err := FitRidge(ctx, m, rows, RidgeOptions{}); !errors.Is(err, data.ErrLabel) || !strings.Contains(err.Error(), ".csv") {
		t.Error(err)
	}
	rows.Classes = nil
	if _, err := FitRidge(ctx, m, rows, RidgeOptions{}); !errors.Is(err, domain.ErrParam) {
		t.Error(err)
	}
	semigroup, err := layers.NewRandomLaplaceLayer(spectral.ExpSemigroup{Beta: .1}, 3, 16, layers.WithSeed(1))
	if err != nil {
		t.Fatal(err)
	}
	rows.Classes = classes
	_, err = FitRidge(ctx, semigroup, rows, RidgeOptions{})
	if !errors.Is(err, domain.ErrDomain) || !strings.Contains(err.Error(), "0.csv") {
		t.Error(err)
	}
}

func TestRidgeBlocksErrors(t *testing.T) {
	x, y := trial.Problem(20, 3, 1, 31)
	ctx, broken := context.Background(), errors.New("broken")
	none := trial.Blocks(func(func(data.Pairs, error) bool) {})
	fails := trial.Blocks(func(yield func(data.Pairs, error) bool) { yield(data.Pairs{}, broken) })
	located := data.Pairs{X: x, Y: y, Locate: func(err error) error { return errors.Join(err, broken) }}
	one := trial.InBlocks(t, x, y, 20)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	for name, c := range map[string]struct {
		ctx      context.Context
		m        layers.Map
		b        data.Examples
		o        RidgeOptions
		sentinel error
	}{
		"no rows":   {ctx, nil, none, RidgeOptions{}, domain.ErrShape},
		"blocks":    {ctx, nil, fails, RidgeOptions{}, broken},
		"located":   {ctx, trial.Fourier(t, 4, 8, 1), located, RidgeOptions{}, broken},
		"options":   {ctx, nil, one, RidgeOptions{Lambdas: []float64{1, 2}, Select: SelectNone}, domain.ErrParam},
		"cancelled": {cancelled, nil, one, RidgeOptions{}, context.Canceled},
	} {
		if _, err := FitRidge(c.ctx, c.m, c.b, c.o); !errors.Is(err, c.sentinel) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
