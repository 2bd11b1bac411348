package cli

import (
	"math"
	"reflect"
	"testing"

	"github.com/bochner-go/bochner/train/data"
	"gorgonia.org/tensor"
)

// TestMakeHistograms: the same seed makes the same rows, which are counts of 80 words in six equal classes.
func TestMakeHistograms(t *testing.T) {
	a, b, other := MakeHistograms(1), MakeHistograms(1), MakeHistograms(2)
	if !reflect.DeepEqual(a.X.(*tensor.Dense).Float64s(), b.X.(*tensor.Dense).Float64s()) || !reflect.DeepEqual(a.Labels, b.Labels) {
		t.Error("the same seed makes other rows")
	}
	if reflect.DeepEqual(a.X.(*tensor.Dense).Float64s(), other.X.(*tensor.Dense).Float64s()) {
		t.Error("another seed makes the same rows")
	}
	classes := data.NewClasses(a.Labels)
	if a.Rows() != 5000 || a.Dims() != 60 || !reflect.DeepEqual([]string(classes), []string{"a1", "a2", "b1", "b2", "c1", "c2"}) {
		t.Errorf("%d rows, %d columns, classes %v", a.Rows(), a.Dims(), classes)
	}
	for i := range a.Rows() {
		sum := 0.0
		for _, v := range a.X.(*tensor.Dense).Float64s()[i*60 : (i+1)*60] {
			if sum += v; v < 0 || v != math.Trunc(v) {
				t.Fatalf("row %d holds %v", i, v)
			}
		}
		if sum != 80 {
			t.Fatalf("row %d has %v words", i, sum)
		}
	}
	seen := map[string]int{}
	for _, l := range a.Labels {
		seen[l]++
	}
	for class, n := range seen {
		if n != 833 && n != 834 {
			t.Errorf("%d rows of class %s", n, class)
		}
	}
}

// TestMeansOfPairs: the two classes of a pair have equal mean histograms, so no linear function of the counts separates them. A mean
// over 833 rows has a variance of at most the Poisson one plus that of the share of the topics, which for a count c of one topic is
// below c²/4.
func TestMeansOfPairs(t *testing.T) {
	set := MakeHistograms(1)
	sums := map[string][]float64{}
	for i, l := range set.Labels {
		if sums[l] == nil {
			sums[l] = make([]float64, 60)
		}
		for j, v := range set.X.(*tensor.Dense).Float64s()[i*60 : (i+1)*60] {
			sums[l][j] += v / 833.5
		}
	}
	for _, pair := range []string{"a", "b", "c"} {
		for j, m := range sums[pair+"1"] {
			n := sums[pair+"2"][j]
			top := 2 * max(m, n) // the larger of the two topics' means is at most twice that of the mix
			if tolerance := 4 * math.Sqrt(2*(top+top*top/4)/833); math.Abs(m-n) > tolerance {
				t.Errorf("pair %s, word %d: means %v and %v, more than %v apart", pair, j, m, n, tolerance)
			}
		}
	}
}
