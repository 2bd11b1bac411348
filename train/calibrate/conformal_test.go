package calibrate

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/bochner-go/bochner/ops/domain"
	"gonum.org/v1/gonum/mat"
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
	var scores []float64
	for i := range 8 {
		scores = append(scores, float64(8-i))
	}
	var r ranks
	r.add(scores)
	if _, err := r.at("Intervals", .9); !errors.Is(err, domain.ErrShape) || !strings.Contains(err.Error(), "9 rows") {
		t.Errorf("8 rows for .9: %v", err)
	}
	if v, err := r.at("Intervals", .8); err != nil || v[0] != 8 {
		t.Error(v, err)
	}
	for _, level := range []float64{0, 1, -1, 2, math.NaN()} {
		if _, err := r.at("Intervals", level); !errors.Is(err, domain.ErrParam) {
			t.Errorf("level %v: %v", level, err)
		}
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
			sum, squares := 0.0, 0.0
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
				v, err := FitIntervals(draw(n))
				if err != nil {
					t.Fatal(err)
				}
				y, mean, std := draw(m)
				lower, upper, err := v.Bounds(level, mean, std)
				if err != nil {
					t.Fatal(err)
				}
				share, err := Coverage(y, lower, upper)
				if err != nil {
					t.Fatal(err)
				}
				sum += share[0]
				squares += share[0] * share[0]
			}
			mean := sum / draws
			se := math.Sqrt((squares/draws - mean*mean) / draws)
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
	for _, method := range []SetMethod{LeastAmbiguous, Adaptive, AdaptiveRandomised} {
		sum, squares, size := 0.0, 0.0, 0.0
		for d := range draws {
			_, p, labels := drawn(n+m, 5, 4, uint64(1000+d))
			v, err := FitSets(method, mat.DenseCopyOf(p.Slice(0, n, 0, 5)), labels[:n], 7)
			if err != nil {
				t.Fatal(err)
			}
			sets, err := v.All(level, mat.DenseCopyOf(p.Slice(n, n+m, 0, 5)))
			if err != nil {
				t.Fatal(err)
			}
			share, of, err := SetCoverage(sets, labels[n:])
			if err != nil {
				t.Fatal(err)
			}
			sum, squares, size = sum+share, squares+share*share, size+of/draws
		}
		mean := sum / draws
		se := math.Sqrt((squares/draws - mean*mean) / draws)
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
	for _, method := range []SetMethod{LeastAmbiguous, Adaptive, AdaptiveRandomised} {
		v, err := FitSets(method, p, labels, 3)
		if err != nil {
			t.Fatal(err)
		}
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
		for i := range 50 {
			set, err := v.Set(.7, p.RawRowView(i))
			if err != nil {
				t.Fatal(err)
			}
			for y := range 4 {
				s := score(p.RawRowView(i), y)
				if slices.Contains(set, y) != (s <= threshold) && math.Abs(s-threshold) > 1e-12 {
					t.Fatalf("%v: row %d: %v, class %d has the score %v, threshold %v", method, i, set, y, s, threshold)
				}
			}
			for j := 1; j < len(set); j++ {
				if p.At(i, set[j]) > p.At(i, set[j-1]) {
					t.Fatalf("%v: row %d: %v is not in order", method, i, set)
				}
			}
		}
	}
}

// The hash is uniform: its mean and its square are those of the law, within 4 standard errors.
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

func TestConformalJSON(t *testing.T) {
	_, p, labels := drawn(50, 4, 3, 31)
	sets, err := FitSets(AdaptiveRandomised, p, labels, math.MaxUint64)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(sets)
	if err != nil {
		t.Fatal(err)
	}
	var back Sets
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(sets, &back) {
		t.Errorf("%v: %s", err, text)
	}
	intervals, err := FitIntervals(p, mat.NewDense(50, 4, nil), p)
	if err != nil {
		t.Fatal(err)
	}
	if text, err = json.Marshal(intervals); err != nil {
		t.Fatal(err)
	}
	var again Intervals
	if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(intervals, &again) || !again.Scaled() {
		t.Errorf("%v: %s", err, text)
	}
	if _, err := json.Marshal(&Sets{}); err == nil {
		t.Error("sets that were not fitted are written")
	}
	if _, err := json.Marshal(&Intervals{}); err == nil {
		t.Error("intervals that were not fitted are written")
	}
}

func TestConformalErrors(t *testing.T) {
	y, std := mat.NewDense(3, 1, []float64{1, 2, 3}), mat.NewDense(3, 1, []float64{1, 0, 1})
	for _, c := range []struct {
		name         string
		y, mean, std *mat.Dense
		want         error
	}{
		{"nil y", nil, y, nil, domain.ErrParam},
		{"nil mean", y, nil, nil, domain.ErrParam},
		{"two columns", y, mat.NewDense(3, 2, nil), nil, domain.ErrShape},
		{"a std of 0", y, y, std, domain.ErrDomain},
		{"NaN", y, mat.NewDense(3, 1, []float64{1, math.NaN(), 1}), nil, domain.ErrDomain},
		{"overflow", mat.NewDense(1, 1, []float64{1e308}), mat.NewDense(1, 1, []float64{-1e308}), nil, domain.ErrDomain},
	} {
		if _, err := FitIntervals(c.y, c.mean, c.std); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	v, err := FitIntervals(y, y, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := v.Bounds(.5, y, y); !errors.Is(err, domain.ErrParam) {
		t.Errorf("a std where there was none: %v", err)
	}
	if _, _, err := v.Bounds(.5, mat.NewDense(3, 2, nil), nil); !errors.Is(err, domain.ErrShape) {
		t.Errorf("two targets: %v", err)
	}
	if _, err := new(Intervals).Radius(.5); !errors.Is(err, domain.ErrParam) {
		t.Error(err)
	}
	p, labels := mat.NewDense(2, 2, []float64{.5, .5, .25, .75}), []int{0, 1}
	if _, err := FitSets(SetMethod("none"), p, labels, 0); !errors.Is(err, domain.ErrParam) {
		t.Error(err)
	}
	if _, err := FitSets(Adaptive, y, labels, 0); !errors.Is(err, domain.ErrShape) {
		t.Error(err)
	}
	s, err := FitSets(Adaptive, p, labels, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Set(.5, []float64{.5, .6}); !errors.Is(err, domain.ErrDomain) {
		t.Error(err)
	}
	if _, err := s.Set(.9, []float64{.5, .5}); !errors.Is(err, domain.ErrShape) {
		t.Error(err)
	}
	if _, err := new(Sets).Set(.5, []float64{.5, .5}); !errors.Is(err, domain.ErrParam) {
		t.Error(err)
	}
}
