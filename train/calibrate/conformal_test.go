package calibrate

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		n     int
		level float64
		want  int
	}{{9, .9, 9}, {19, .55, 11}, {9, .7, 7}, {8, .9, 9}, {99, .95, 95}, {100, .9, 91}} {
		if got := place(c.n, c.level); got != c.want {
			t.Errorf("place(%d, %v) = %d, want %d", c.n, c.level, got, c.want)
		}
	}
	for level, want := range map[float64]int{.9: 9, .95: 19, .5: 1, .99: 99, .001: 1} {
		if got := rowsFor(level); got != want {
			t.Errorf("rowsFor(%v) = %d, want %d", level, got, want)
		}
	}
	rowsFor(math.Nextafter(1, 0)) // ends
	var r ranks
	r.add([]float64{8, 7, 6, 5, 4, 3, 2, 1})
	if v := must(r.at("Intervals", .8)); v[0] != 8 {
		t.Error(v)
	}
}

// Of more scores than are kept a level has the score of its place or of one that is at most a step on.
func TestRankedIsBounded(t *testing.T) {
	const n = 2*mostKept + 12345
	all := make([]float64, n)
	for i := range all {
		all[i] = float64(n - i) // the i-th smallest is i
	}
	var r ranks
	r.add(all)
	if len(r.Scores[0]) != mostKept {
		t.Fatalf("%d scores are kept", len(r.Scores[0]))
	}
	for _, level := range []float64{1e-5, .1, .5, .731, .9, .99, .9999, 1 - 1./n} {
		got, err := r.at("Intervals", level)
		if q := float64(place(n, level)); err != nil || got[0] < q || got[0] > q+n/mostKept+1 {
			t.Errorf("level %v: %v for %v (%v)", level, got, q, err)
		}
	}
}

// The probability to cover is ceil((n+1)·level)/(n+1), which is in [level, level + 1/(n+1)]: the mean over draws is
// within 4 standard errors of that.
func TestIntervalsCover(t *testing.T) {
	const draws, m = 3000, 5
	for _, n := range []int{9, 30, 101} {
		for _, scaled := range []bool{false, true} {
			const level = .8
			rng := rand.New(rand.NewPCG(uint64(n), 1))
			var shares []float64
			draw := func(n int) (y, mean, std *mat.Dense) {
				y, mean, std = mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
				for i := range n {
					x := rng.Float64()
					std.Set(i, 0, .1+x)
					mean.Set(i, 0, 3*x) // wrong, which does not matter
					y.Set(i, 0, x*x+(.1+x)*rng.ExpFloat64())
				}
				if !scaled {
					std = nil
				}
				return y, mean, std
			}
			for range draws {
				y, mean, std := draw(n)
				y.Sub(y, mean)
				v := must(FitIntervals(y, std))
				y, mean, std = draw(m)
				lower, upper, err := v.Bounds(level, mean, std)
				if err != nil {
					t.Fatal(err)
				}
				shares = append(shares, must(Coverage(y, lower, upper))...)
			}
			mean, deviation := stat.MeanStdDev(shares, nil)
			se := deviation / math.Sqrt(draws)
			want := math.Ceil(float64(n+1)*level-1e-9) / float64(n+1)
			if math.Abs(mean-want) > 4*se || mean < level-4*se || mean > level+1/float64(n+1)+4*se {
				t.Errorf("%d rows, scaled %v: coverage %.4f, want %.4f, standard error %.4f", n, scaled, mean, want, se)
			}
		}
	}
}

func TestSetsCover(t *testing.T) {
	const draws, m, n, level = 500, 10, 60, .85
	const want = 52. / 61 // ceil(61·.85)
	for _, method := range []string{LeastAmbiguous, Adaptive, AdaptiveRandomised} {
		shares, size := make([]float64, draws), 0.0
		for d := range draws {
			_, p, labels := drawn(n+m, 5, 4, uint64(1000+d))
			v := must(FitSets(method, mat.DenseCopyOf(p.Slice(0, n, 0, 5)), labels[:n], 7))
			sets := must(v.All(level, mat.DenseCopyOf(p.Slice(n, n+m, 0, 5))))
			share, of, err := SetCoverage(sets, labels[n:])
			if err != nil {
				t.Fatal(err)
			}
			shares[d], size = share, size+of/draws
		}
		mean, deviation := stat.MeanStdDev(shares, nil)
		se := deviation / math.Sqrt(draws)
		t.Logf("%v: coverage %.4f, mean size %.2f", method, mean, size)
		// Of Adaptive the last class of a row has the score 1, to rounding: a few equal scores.
		if off := mean - want; math.Abs(off) > 4*se && !(method == Adaptive && off > 0) {
			t.Errorf("%v: coverage %.4f, want %.4f, standard error %.4f", method, mean, want, se)
		}
	}
}

// Against the definitions, class by class.
func TestSetDefinition(t *testing.T) {
	_, p, labels := drawn(50, 4, 3, 31)
	for _, method := range []string{LeastAmbiguous, Adaptive, AdaptiveRandomised} {
		v := must(FitSets(method, p, labels, 3))
		score := func(row []float64, y int) (s float64) {
			if method == LeastAmbiguous {
				return 1 - row[y]
			}
			for _, q := range row {
				if q > row[y] {
					s += q
				}
			}
			if method == AdaptiveRandomised {
				return s + (1-uniform(3, row))*row[y]
			}
			return s + row[y]
		}
		var all []float64
		for i, l := range labels {
			all = append(all, score(p.RawRowView(i), l))
		}
		slices.Sort(all)
		threshold, err := v.Threshold(.7)
		if want := all[35]; err != nil || math.Abs(threshold-want) > 1e-12 { // ceil(51·.7) = 36
			t.Fatalf("%v: threshold %v, want %v (%v)", method, threshold, want, err)
		}
		for i, set := range must(v.All(.7, p)) {
			for y := range 4 {
				s := score(p.RawRowView(i), y)
				if slices.Contains(set, y) != (s <= threshold) && math.Abs(s-threshold) > 1e-12 {
					t.Fatalf("%v: row %d: %v, class %d has the score %v, threshold %v", method, i, set, y, s, threshold)
				}
			}
			if !slices.IsSortedFunc(set, func(a, b int) int { return cmp.Compare(p.At(i, b), p.At(i, a)) }) {
				t.Fatalf("%v: row %d: %v is not in order", method, i, set)
			}
		}
	}
}

// The hash is uniform: its mean and its mean square agree with the uniform law, within 4 standard errors.
func TestUniform(t *testing.T) {
	const n = 20000
	sum, square := 0.0, 0.0
	for i := range n {
		u := uniform(1, []float64{float64(i), .5})
		sum += u / n
		square += u * u / n
	}
	if se := math.Sqrt(1. / 12 / n); math.Abs(sum-.5) > 4*se {
		t.Errorf("mean %v", sum)
	}
	if se := math.Sqrt(4. / 45 / n); math.Abs(square-1./3) > 4*se {
		t.Errorf("mean square %v", square)
	}
}
