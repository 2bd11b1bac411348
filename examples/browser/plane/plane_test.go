package plane

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
)

// arms are n points on three arms of a spiral.
func arms(n int, seed uint64) Problem {
	rng := rand.New(rand.NewPCG(seed, 0))
	p := Problem{Class: make([]int, n), Features: 32, Sigma: .2, Seed: 1}
	for i := range n {
		p.Class[i] = i % Classes
		t := math.Sqrt(rng.Float64())
		a := 2*math.Pi*(t+float64(p.Class[i])/Classes) + .15*rng.NormFloat64()
		p.X, p.Y = append(p.X, .5+.45*t*math.Cos(a)), append(p.Y, .5+.45*t*math.Sin(a))
	}
	return p
}

// wave is a curve of n points with the noise .05, and its points are not evenly spread.
func wave(n int, seed uint64) Problem {
	rng := rand.New(rand.NewPCG(seed, 0))
	p := Problem{Features: 8, Sigma: .1, Seed: 1}
	for range n {
		x := rng.Float64()
		if .4 < x && x < .6 {
			x = .3 * rng.Float64()
		}
		p.X, p.Y = append(p.X, x), append(p.Y, curve(x)+.05*rng.NormFloat64())
	}
	return p
}

func curve(x float64) float64 { return .5 + .3*math.Sin(20*x) }

// TestSurface: the cells of the grid are where the points say they are, probabilities are some, and tuned features tell
// more points apart than those as they were drawn.
func TestSurface(t *testing.T) {
	ctx, p, side := context.Background(), arms(300, 1), 40
	l := must(New(p))
	before := must(l.Surface(ctx, side))
	if gain := must(l.Tune(ctx, 40)); !(gain > 0) {
		t.Fatalf("gain %v", gain)
	}
	after := must(l.Surface(ctx, side))
	if after.Accuracy < .95 || before.Accuracy > after.Accuracy-.02 {
		t.Errorf("accuracy %.3f as drawn, %.3f tuned", before.Accuracy, after.Accuracy)
	}
	right := 0
	for i, x := range p.X {
		cell := int((1-p.Y[i])*float64(side))*side + int(x*float64(side))
		row := after.Probabilities[Classes*cell : Classes*cell+Classes]
		if sum := row[0] + row[1] + row[2]; math.Abs(sum-1) > 1e-12 {
			t.Fatalf("cell %d: the probabilities sum to %v", cell, sum)
		}
		if row[p.Class[i]] > .5 {
			right++
		}
	}
	// A cell is about a fortieth wide, and its centre may be on the other side of an edge.
	if right < 85*len(p.X)/100 {
		t.Errorf("%d of %d points are in a cell of their class", right, len(p.X))
	}
}

// TestBand: new points are in the band about as often as it says, and tuned features are nearer to the curve. The
// band is wider where there is no point.
func TestBand(t *testing.T) {
	ctx, columns, level := context.Background(), 100, .9
	l := must(New(wave(200, 1)))
	before := must(l.Band(ctx, columns, level))
	must(l.Tune(ctx, 60))
	b := must(l.Band(ctx, columns, level))
	if b.RMSE > .06 || before.RMSE < 1.5*b.RMSE {
		t.Errorf("errors %.3f as drawn, %.3f tuned", before.RMSE, b.RMSE)
	}
	fresh, in := wave(4000, 2), 0
	for i, x := range fresh.X {
		c := min(int(x*float64(columns)), columns-1)
		if b.Lower[c] <= fresh.Y[i] && fresh.Y[i] <= b.Upper[c] {
			in++
		}
	}
	// Four standard errors of the share are .019; the centre of a column stands for all of it.
	if share := float64(in) / float64(len(fresh.X)); math.Abs(share-level) > .04 {
		t.Errorf("%.3f of the new points are in the band of %v", share, level)
	}
	many := wave(200, 1)
	many.Features = 64 // eight would know the curve in the gap
	b = must(must(New(many)).Band(ctx, columns, level))
	if gap, data := b.Upper[50]-b.Lower[50], b.Upper[20]-b.Lower[20]; !(gap > 1.2*data) {
		t.Errorf("the band is %.3f wide in the gap, and %.3f among the points", gap, data)
	}
}

// TestSet: a learner goes on from its frequencies with other points.
func TestSet(t *testing.T) {
	ctx, p := context.Background(), arms(200, 1)
	l := must(New(p))
	must(l.Tune(ctx, 30))
	want, other := must(l.Surface(ctx, 4)).Accuracy, arms(200, 2)
	must(0, l.Set(other.X, other.Y, other.Class))
	if got := must(l.Surface(ctx, 4)).Accuracy; got < want-.1 {
		t.Errorf("accuracy %.3f on other points of the same kind, %.3f before", got, want)
	}
}

func TestErrors(t *testing.T) {
	ctx, p := context.Background(), arms(30, 1)
	classes, line := must(New(p)), must(New(wave(30, 1)))
	flat := Problem{X: p.X, Y: slices.Repeat([]float64{1}, 30), Features: 8, Sigma: 1}
	one, bad := make([]int, 30), append([]int{Classes}, p.Class[1:]...)
	for name, c := range map[string]struct{ err, want error }{
		"no points":         {classes.Set(nil, nil, []int{}), domain.ErrShape},
		"lengths":           {classes.Set(p.X, p.Y[1:], p.Class), domain.ErrShape},
		"a class too few":   {classes.Set(p.X, p.Y, p.Class[1:]), domain.ErrShape},
		"classes gone":      {classes.Set(p.X, p.Y, nil), domain.ErrShape},
		"a curve's classes": {line.Set(p.X, p.Y, p.Class), domain.ErrShape},
		"one class":         {classes.Set(p.X, p.Y, one), domain.ErrDomain},
		"unknown class":     {classes.Set(p.X, p.Y, bad), domain.ErrDomain},
		"band of classes":   {second(classes.Band(ctx, 3, .9)), domain.ErrParam},
		"level":             {second(line.Band(ctx, 3, math.NaN())), domain.ErrParam},
		"classes of a line": {second(line.Surface(ctx, 3)), domain.ErrParam},
		"flat line":         {second(must(New(flat)).Tune(ctx, 3)), domain.ErrDomain},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %v", name, c.err, c.want)
		}
	}
	if _, err := New(Problem{X: p.X, Y: p.Y, Features: 3, Sigma: 1}); !errors.Is(err, domain.ErrParam) {
		t.Errorf("three features: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// BenchmarkClick is what the page does after each of 500 points: both heads and surfaces, and a step of tuning.
func BenchmarkClick(b *testing.B) {
	ctx, p := context.Background(), arms(500, 1)
	frozen, tuned := must(New(p)), must(New(p))
	for b.Loop() {
		must(frozen.Surface(ctx, 64))
		must(tuned.Tune(ctx, 4))
		must(tuned.Surface(ctx, 64))
	}
}
