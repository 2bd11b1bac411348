package calibrate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A score of two values: the sigmoid is the mean of Platt's targets at each. And in general the gradient of his loss is
// 0.
func TestPlatt(t *testing.T) {
	var s []float64
	var labels []int
	add := func(score float64, label, times int) {
		for range times {
			s, labels = append(s, score), append(labels, label)
		}
	}
	add(-3, 0, 20)
	add(-3, 1, 5)
	add(7, 0, 4)
	add(7, 1, 31)
	hi, lo := 37./38, 1./26
	f := fitSigmoid(s, labels, 1)
	for _, c := range []struct{ score, want float64 }{{-3, (5*hi + 20*lo) / 25}, {7, (31*hi + 4*lo) / 35}} {
		if got := math.Exp(f.log(c.score)); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("at %v: %v, want %v", c.score, got, c.want)
		}
	}

	rng := rand.New(rand.NewPCG(1, 2))
	s, labels = s[:0], labels[:0]
	for i := range 500 {
		add(100+float64(i%3)+2*rng.NormFloat64(), min(i%3, 1), 1)
	}
	f = fitSigmoid(s, labels, 1)
	positive := 0
	for _, l := range labels {
		positive += l
	}
	g0, g1 := 0.0, 0.0
	for i, v := range s {
		target := 1 / float64(500-positive+2)
		if labels[i] == 1 {
			target = float64(positive+1) / float64(positive+2)
		}
		d := math.Exp(f.log(v)) - target
		g0, g1 = g0+d, g1+d*(v-100)
	}
	if math.Abs(g0) > 1e-9 || math.Abs(g1) > 1e-9 {
		t.Errorf("the gradient of the loss is %v, %v", g0, g1)
	}
}

// Of two classes with the scores s and -s the two sigmoids are each other's complement, so that the sum is 1 without
// normalising.
func TestPlattOfTwo(t *testing.T) {
	scores, _, labels := drawn(200, 2, 3, 8)
	for i := range 200 {
		scores.Set(i, 1, -scores.At(i, 0))
	}
	c := fitted(Platt, scores, labels)
	p := probabilities(c, scores)
	for i := range 200 {
		if one := math.Exp(c.p.Sigmoids[0].log(scores.At(i, 0))); math.Abs(one-p.At(i, 0)) > 1e-9 {
			t.Fatalf("row %d: %v and %v", i, one, p.At(i, 0))
		}
	}
}

// Against the min-max formula of isotonic regression: the value of row i is max over a <= i of min over b >= i of the
// mean of a..b.
func TestIsotonicDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for trial := range 50 {
		n := 1 + trial
		s, labels := make([]float64, n), make([]int, n)
		for i := range n {
			s[i] = float64(rng.IntN(1 + trial)) // with equal ones
			labels[i] = rng.IntN(2)
		}
		const floor = 1e-3
		f := stepsOf(s, labels, 1, floor)
		values := slices.Clone(s)
		slices.Sort(values)
		values = slices.Compact(values)
		mean := func(lo, hi float64) float64 {
			hits, rows := 0, 0
			for i, v := range s {
				if v >= lo && v <= hi {
					rows++
					hits += labels[i]
				}
			}
			return float64(hits) / float64(rows)
		}
		for _, v := range values {
			want := 0.0
			for _, a := range values {
				least := 1.0
				for _, b := range values {
					if a <= v && b >= v {
						least = min(least, mean(a, b))
					}
				}
				if a <= v {
					want = max(want, least)
				}
			}
			if got := f.at(v); math.Abs(got-max(want, floor)) > 1e-12 {
				t.Fatalf("%d rows: %v at %v, want %v", n, got, v, want)
			}
		}
		if !f.usable(floor) {
			t.Fatalf("%d rows: knots %v are not those of an increasing function", n, f)
		}
		if f.at(-1) != f.Y[0] || f.at(1e300) != f.Y[len(f.Y)-1] {
			t.Fatalf("%d rows: it is not constant outside", n)
		}
	}
	line := Steps{X: []float64{0, 4}, Y: []float64{.25, .75}}
	if got := line.at(1); got != .375 {
		t.Errorf("between two knots: %v, want .375", got)
	}
}
