package linear

import (
	"context"
	"math"
	"testing"

	spectral "github.com/bochner-go/bochner/init"
	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/train/data"
	"github.com/bochner-go/bochner/train/internal/given"
	"github.com/bochner-go/bochner/train/internal/trial"
	"gonum.org/v1/gonum/mat"
)

// TestSVMPath: of several lambdas each is fitted: its error on the rows that are set aside is that of a fit to it alone.
func TestSVMPath(t *testing.T) {
	x, y, _ := trial.Overlapping(t, 300, 6, 3)
	m, err := layers.NewFourierLayer(spectral.Gaussian{Sigma: 8}, 6, 96, layers.WithSeed(3))
	if err != nil {
		t.Fatal(err)
	}
	o := SVMOptions{Seed: 2, HeldOut: .5}
	for e := -7; e <= -4; e++ {
		o.Lambdas = append(o.Lambdas, math.Pow10(e)*300)
	}
	fit, err := FitSVM(context.Background(), m, data.Pairs{X: x, Y: y}, o)
	if err != nil {
		t.Fatal(err)
	}
	rest, held := ridgeSplit(300, o.HeldOut, o.Seed)
	truth := trial.TakeRows(y, held)
	scores := map[float64]bool{}
	for _, s := range fit.Scores {
		alone, err := FitSVM(context.Background(), m, data.Pairs{X: data.RowsOf(x, rest), Y: trial.TakeRows(y, rest)}, SVMOptions{Lambdas: []float64{s.Lambda}, Tol: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		z, err := layers.Transform(m, nil, data.RowsOf(x, held))
		if err != nil {
			t.Fatal(err)
		}
		var p mat.Dense
		p.Mul(trial.MatOf(z), alone.W)
		wrong := 0.
		for i := range held {
			row := p.RawRowView(i)
			for j, b := range alone.B {
				row[j] += b
			}
			if given.ArgMax(row) != given.ArgMax(truth.RawRowView(i)) {
				wrong++
			}
		}
		scores[wrong] = true
		if got := math.Round(s.ErrorRate * float64(len(held))); math.Abs(got-wrong) > 2 { // rows on the border
			t.Errorf("λ = %.3g: %v of %d held-out rows are wrong, and %v after a fit to it alone", s.Lambda, got, len(held), wrong)
		}
	}
	if len(scores) < 2 {
		t.Errorf("the errors are %v", scores)
	}
}

// TestSVMTies: of lambdas with the same error the largest is taken.
func TestSVMTies(t *testing.T) {
	x, y, _ := trial.Overlapping(t, 60, 3, 2)
	for i := range 60 { // far apart
		x.Float64s()[i*3+i%2] += 1000
	}
	fit, err := FitSVM(context.Background(), nil, data.Pairs{X: x, Y: y}, SVMOptions{Lambdas: []float64{1e-3, 1e-1, 1e-2}})
	if err != nil || fit.Scores[0].ErrorRate != 0 || fit.Scores[1].ErrorRate != 0 || fit.Lambda != .1 {
		t.Errorf("%+v, %v", fit, err)
	}
}

// TestSVMStall: a Tol below the rounding of the objective ends where the line search does, and Residual says how far the gradient came.
func TestSVMStall(t *testing.T) {
	x, y, _ := trial.Overlapping(t, 300, 5, 3)
	for _, tol := range []float64{1e-8, 1e-10, 1e-14} {
		fit, err := FitSVM(context.Background(), nil, data.Pairs{X: x, Y: y}, SVMOptions{Tol: tol})
		if err != nil {
			t.Error(err)
			continue
		}
		for j, r := range fit.Residual {
			if !(r > 0 && r < 1e-6) || fit.Steps > 40 {
				t.Errorf("Tol = %g: after %d steps the residual of column %d is %g", tol, fit.Steps, j, r)
			}
		}
	}
}
