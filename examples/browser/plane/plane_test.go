package plane

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
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
	l := newLearner(t, p)
	before := surface(t, l, side)
	if gain, err := l.Tune(ctx, 40); err != nil || !(gain > 0) {
		t.Fatalf("gain %v, %v", gain, err)
	}
	after := surface(t, l, side)
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
	l := newLearner(t, wave(200, 1))
	before := band(t, l, columns, level)
	if _, err := l.Tune(ctx, 60); err != nil {
		t.Fatal(err)
	}
	b := band(t, l, columns, level)
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
	b = band(t, newLearner(t, many), columns, level)
	if gap, data := b.Upper[50]-b.Lower[50], b.Upper[20]-b.Lower[20]; !(gap > 1.2*data) {
		t.Errorf("the band is %.3f wide in the gap, and %.3f among the points", gap, data)
	}
}

// TestSet: a learner goes on from its frequencies with other points.
func TestSet(t *testing.T) {
	ctx, p := context.Background(), arms(200, 1)
	l := newLearner(t, p)
	if _, err := l.Tune(ctx, 30); err != nil {
		t.Fatal(err)
	}
	want, other := surface(t, l, 4).Accuracy, arms(200, 2)
	if err := l.Set(other.X, other.Y, other.Class); err != nil {
		t.Fatal(err)
	}
	if got := surface(t, l, 4).Accuracy; got < want-.1 {
		t.Errorf("accuracy %.3f on other points of the same kind, %.3f before", got, want)
	}
}

func TestErrors(t *testing.T) {
	ctx, p := context.Background(), arms(30, 1)
	classes, line := newLearner(t, p), newLearner(t, wave(30, 1))
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
		"flat line":         {second(newLearner(t, Problem{X: p.X, Y: one64(30), Features: 8, Sigma: 1}).Tune(ctx, 3)), domain.ErrDomain},
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

func one64(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

func newLearner(t testing.TB, p Problem) *Learner {
	t.Helper()
	l, err := New(p)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func surface(t testing.TB, l *Learner, side int) *Surface {
	t.Helper()
	s, err := l.Surface(context.Background(), side)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func band(t testing.TB, l *Learner, columns int, level float64) *Band {
	t.Helper()
	b, err := l.Band(context.Background(), columns, level)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// BenchmarkClick is what the page does after each of 500 points: both heads and surfaces, and a step of tuning.
func BenchmarkClick(b *testing.B) {
	ctx, p := context.Background(), arms(500, 1)
	frozen, tuned := newLearner(b, p), newLearner(b, p)
	for b.Loop() {
		surface(b, frozen, 64)
		if _, err := tuned.Tune(ctx, 4); err != nil {
			b.Fatal(err)
		}
		surface(b, tuned, 64)
	}
}

func BenchmarkSurface(b *testing.B) {
	l := newLearner(b, arms(500, 1))
	for b.Loop() {
		surface(b, l, 64)
	}
}

func BenchmarkTune(b *testing.B) {
	l := newLearner(b, arms(500, 1))
	for b.Loop() {
		if _, err := l.Tune(context.Background(), 4); err != nil {
			b.Fatal(err)
		}
	}
}
