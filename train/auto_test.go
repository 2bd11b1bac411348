package train_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/ops/domain"
	"github.com/bochner-go/bochner/train"
	"github.com/bochner-go/bochner/train/data"
	"gonum.org/v1/gonum/mat"
	"gorgonia.org/tensor"
)

// autoSets are rows of every kind that Auto knows, in two classes or with targets.
func autoSets() map[string]*data.Set {
	rows, labels, y := ringRows(240)
	x := must(data.FromSlices(rows))
	rng := rand.New(rand.NewPCG(1, 2))
	counts, unit, samples := mat.NewDense(240, 12, nil), mat.NewDense(240, 4, nil), mat.NewDense(480, 2, nil)
	var offsets []int
	for i := range 240 {
		norm := 0.
		for j := range 12 {
			if rng.Float64() < .3 {
				counts.Set(i, j, float64(1+rng.IntN(4)+5*(i%2)*(j%2)))
			}
		}
		for j := range 4 {
			v := rng.NormFloat64() + float64(i%2*j)
			unit.Set(i, j, v)
			norm += v * v
		}
		for j := range 4 {
			unit.Set(i, j, unit.At(i, j)/math.Sqrt(norm))
		}
		offsets = append(offsets, 2*i)
		for k := range 2 {
			samples.SetRow(2*i+k, []float64{rng.NormFloat64() + 2*float64(i%2), rng.NormFloat64()})
		}
	}
	dense := func(m *mat.Dense) *tensor.Dense { return must(data.FromMatrix(m)) }
	return map[string]*data.Set{
		"dense":   {X: x, Labels: labels},
		"targets": {X: x, Y: y},
		"counts":  {X: dense(counts), Labels: labels},
		"sparse":  {X: must(ops.CSROf(dense(counts))), Labels: labels},
		"unit":    {X: dense(unit), Labels: labels},
		"bags":    {X: must(ops.NewBags(dense(samples), append(offsets, 480))), Labels: labels},
	}
}

// TestAuto: of every kind of rows the model is better than a guess, two runs of one seed are the same, there are no
// more trials than were asked for, and the best is that of the least score.
func TestAuto(t *testing.T) {
	for name, set := range autoSets() {
		o := train.AutoOptions{Trials: 5, Seed: 3, MaxFeatures: 32}
		var called []train.Trial
		o.Progress = func(t train.Trial) { called = append(called, t) }
		m, r, err := train.Auto(t.Context(), set, o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if n := len(r.Trials); n != len(called) || n > 5 || n < 3 || !r.Whole || r.Report.Lambda == 0 && r.Epochs == nil {
			t.Errorf("%s: %d trials, %d told of, whole %v", name, n, len(called), r.Whole)
		}
		for i, trial := range r.Trials {
			if trial.Score < r.Trials[r.Best].Score || trial.Round < 1 || trial.Note == "" && (trial.Rows == 0 || trial.Features == 0) {
				t.Errorf("%s: trial %d: %+v", name, i, trial)
			}
		}
		best := r.Trials[r.Best]
		if set.Y == nil && best.Score > .3 || set.Y != nil && best.Score > .4 || !strings.Contains(best.String(), best.Recipe.Spec.Map) {
			t.Errorf("%s: the best is %v with %v", name, best, best.Score)
		}
		o.Progress = nil
		again, r2, err := train.Auto(t.Context(), set, o)
		if err != nil {
			t.Errorf("%s, again: %v", name, err)
			continue
		}
		a, b := must(m.Scores(set.X)), must(again.Scores(set.X))
		if !mat.Equal(a, b) || r.Best != r2.Best || len(r.Trials) != len(r2.Trials) {
			t.Errorf("%s: two runs differ", name)
		}
		if set.Y == nil && !reflect.DeepEqual(m.Classes, data.NewClasses(set.Labels)) {
			t.Errorf("%s: classes %v", name, m.Classes)
		}
	}
}

// TestAutoInterrupted: before there is a model the error is the context's; after it, the model is that of the best
// trial so far.
func TestAutoInterrupted(t *testing.T) {
	set := autoSets()["dense"]
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := train.Auto(ctx, set, train.AutoOptions{Trials: 5}); !errors.Is(err, context.Canceled) {
		t.Errorf("before a model: %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	o := train.AutoOptions{Trials: 20, MaxFeatures: 32, Progress: func(train.Trial) { cancel() }}
	m, r, err := train.Auto(ctx, set, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Whole || len(r.Trials) != 1 || r.Report.Lambda == 0 && r.Epochs == nil {
		t.Errorf("after a trial: %+v", r)
	}
	if guess := must(m.PredictClasses(set.X)); len(guess) != 240 {
		t.Errorf("%d guesses", len(guess))
	}
}

// TestAutoBudget: within no time at all there is an error, and within little a model.
func TestAutoBudget(t *testing.T) {
	set := autoSets()["dense"]
	if _, _, err := train.Auto(t.Context(), set, train.AutoOptions{Budget: 1}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a nanosecond: %v", err)
	}
	m, r, err := train.Auto(t.Context(), set, train.AutoOptions{Budget: 2 * time.Second, MaxFeatures: 16})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Whole || m.Map == nil {
		t.Errorf("%+v", r)
	}
}

// TestAutoRefuses: what it cannot do is an error that says why.
func TestAutoRefuses(t *testing.T) {
	good := autoSets()["dense"]
	few := must(data.FromSlices([][]float64{{1}, {2}}))
	for name, c := range map[string]struct {
		rows data.Source
		o    train.AutoOptions
		want error
	}{
		"no end":       {good, train.AutoOptions{}, domain.ErrParam},
		"two ends":     {good, train.AutoOptions{Trials: 1, Budget: 1}, domain.ErrParam},
		"before":       {good, train.AutoOptions{Trials: -1, Budget: 1}, domain.ErrParam},
		"all held out": {good, train.AutoOptions{Trials: 1, HeldOut: 1}, domain.ErrParam},
		"features":     {good, train.AutoOptions{Trials: 1, MaxFeatures: -1}, domain.ErrParam},
		"dtype":        {good, train.AutoOptions{Trials: 1, Dtype: "int"}, domain.ErrParam},
		"no rows":      {nil, train.AutoOptions{Trials: 1}, domain.ErrParam},
		"nil set":      {(*data.Set)(nil), train.AutoOptions{Trials: 1}, domain.ErrParam},
		"no X":         {&data.Set{}, train.AutoOptions{Trials: 1}, domain.ErrParam},
		"stream":       {&data.Stream{}, train.AutoOptions{Trials: 1}, domain.ErrParam},
		"no targets":   {&data.Set{X: good.X}, train.AutoOptions{Trials: 1}, domain.ErrParam},
		"few rows":     {&data.Set{X: few, Labels: []string{"a", "b"}}, train.AutoOptions{Trials: 1}, domain.ErrShape},
		"NaN":          {&data.Set{X: must(data.FromSlices([][]float64{{math.NaN()}, {1}})), Labels: []string{"a", "b"}}, train.AutoOptions{Trials: 1}, domain.ErrDomain},
	} {
		if _, _, err := train.Auto(t.Context(), c.rows, c.o); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// A model of rows without a recipe.
func ExampleAuto() {
	rows, labels, _ := ringRows(240)
	x, _ := data.FromSlices(rows)
	m, report, err := train.Auto(context.Background(), &data.Set{X: x, Labels: labels}, train.AutoOptions{Trials: 10, Seed: 1, MaxFeatures: 64})
	if err != nil {
		fmt.Println(err)
		return
	}
	guess, _ := m.PredictClasses(x)
	right := 0
	for i, g := range guess {
		if g == labels[i] {
			right++
		}
	}
	fmt.Println(report.Kind, right > 235)
	// Output: 240 rows of 3 columns, dense true
}
