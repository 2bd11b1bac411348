package train

import (
	"math"
	"slices"
	"testing"

	"github.com/bochner-go/bochner/layers"
	"github.com/bochner-go/bochner/ops"
	"github.com/bochner-go/bochner/train/data"
	fixtures "github.com/bochner-go/bochner/train/internal/trial"
	"github.com/bochner-go/bochner/train/linear"
	"gonum.org/v1/gonum/mat"
)

// TestDeal: every row is in one part; parts of targets are those of a shuffle, each stretch of classes has them in
// proportion, and a group is in one part.
func TestDeal(t *testing.T) {
	const n = 100
	labels, groups := make([]int, n), make([]int, n)
	for i := range labels {
		if i%10 == 0 {
			labels[i] = 1 + i%3 // two rare classes
		}
		groups[i] = i / 7
	}
	y := must(data.OneVersusRest(labels, 4))
	ends := []int{20, 40, 60, 80, n}
	for name, c := range map[string]struct {
		y      *mat.Dense
		groups []int
	}{"targets": {mat.NewDense(n, 1, nil), nil}, "classes": {y, nil}, "groups": {y, groups}} {
		parts := deal(n, c.y, c.groups, 3, ends)
		all := slices.Sorted(slices.Values(slices.Concat(parts...)))
		for i, row := range all {
			if i != row || len(all) != n {
				t.Fatalf("%s: the rows are %v", name, all)
			}
		}
		of := map[int]int{} // the part of each group
		for p, part := range parts {
			rare := 0
			for _, row := range part {
				if labels[row] > 0 {
					rare++
				}
				if was, ok := of[groups[row]]; name == "groups" && ok && was != p {
					t.Errorf("group %d is in two parts", groups[row])
				}
				of[groups[row]] = p
			}
			if name != "groups" && len(part) != 20 || name == "classes" && (rare < 1 || rare > 3) ||
				name == "groups" && math.Abs(float64(len(part)-20)) > 7 {
				t.Errorf("%s: part %d has %d rows, %d of rare classes", name, p, len(part), rare)
			}
		}
		if name == "targets" && !slices.Equal(slices.Concat(parts...), data.Shuffle(n, 3)) {
			t.Errorf("targets: the order is %v", parts)
		}
	}
}

// TestGroups: rows that repeat tell cross-validation nothing that it may not know once their copies are held out with
// them.
func TestGroups(t *testing.T) {
	x, _ := fixtures.Problem(20, 3, 1, 5)
	set := &data.Set{X: data.Rows(x, slices.Repeat(all(20), 3))}
	for range 3 {
		for i := range 20 {
			set.Y = append(set.Y, float64(i*i%7)) // noise, but for the copies
		}
	}
	r := Recipe{Spec: layers.Spec{Map: "gaussian", Features: 64, Params: layers.Values{"sigma": .1}},
		Fitter: linear.RidgeOptions{}}
	score := func() float64 {
		return must(r.CrossValidate(t.Context(), set, nil, CVOptions{Lambdas: []float64{1e-6}})).All[0].Error
	}
	apart := score()
	r.Groups = slices.Repeat(all(20), 3)
	if together := score(); together < 10*apart {
		t.Errorf("copies held out together have the error %v, and %v apart", together, apart)
	}
}

// all are the numbers below n.
func all(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

// TestScalesOfTrials: for all rows a Tuner takes the scales of a trial if these are more likely, and otherwise its own.
func TestScalesOfTrials(t *testing.T) {
	x, y := make([][]float64, 40), make([]float64, 40)
	for i := range x {
		x[i] = []float64{float64(i) / 40, float64(i * i % 7)}
		y[i] = math.Sin(x[i][0])
	}
	r := Recipe{Spec: layers.Spec{Map: "gaussian", Features: 8, Seed: 1}, Tuner: new(Tuner)}
	p := must(r.labelled(t.Context(), &data.Set{X: must(data.FromSlices(x)), Y: y}))
	if err := p.ready(); err != nil {
		t.Fatal(err)
	}
	c := &tuning{p: p, twin: thorough.features, scaled: map[layers.Policy]start{}}
	part := newTrial(p.rows, p.rows)
	first, found, err := c.scales(t.Context(), part, layers.BandwidthEach)
	if err != nil {
		t.Fatal(err)
	}
	widths := func(m layers.Layer) []float64 {
		for _, p := range m.Params() {
			if p.Tuned {
				return ops.Float64s(p.Value)
			}
		}
		return nil
	}
	want := widths(first)
	for _, more := range []bool{true, false} {
		of := *found
		of.After--
		if !more {
			of.After += 2
		}
		stored := must(c.build(layers.BandwidthEach, 8))
		c.scaled[layers.BandwidthEach] = start{scaled: stored, found: &of}
		m, got, err := c.scales(t.Context(), newTrial(p.rows, nil), layers.BandwidthEach)
		if err != nil {
			t.Fatal(err)
		}
		if from := widths(stored); more && (got != &of || !slices.Equal(widths(m), from)) ||
			!more && (got == &of || !slices.Equal(widths(m), want)) {
			t.Errorf("of a trial that is more likely %v: %v, from %v, alone %v", more, widths(m), from, want)
		}
	}
}
